//! Contractions over named or chosen dims (`einsum`, `tensordot`) and other products of matrices.

use crate::autograd::{Save, differentiable, grad_mode::no_grad};
use crate::error::{Error, Result};
use crate::layout::wrap_dim;
use crate::ops::{
    add, bmm, cat, diagonal, dims_of, expand, mm, mul, narrow, permute, reshape, size_at, sub, sum, unsafe_view,
    unsqueeze,
};
use crate::registry::{Op, op, places};
use crate::tensor::Tensor;

/// Multiply two tensors of equal rank, broadcasting, and sum over `dims`, kept with size 1: by one batched product.
fn sum_product(a: &Tensor, b: &Tensor, dims: &[usize]) -> Result<Tensor> {
    let n = a.ndim();
    let (mut a, mut b) = (a.clone(), b.clone());
    let (mut shared, mut only_a, mut only_b, mut summed) = (vec![], vec![], vec![], vec![]);
    for d in 0..n {
        let (in_a, in_b) = (a.size(d) != 1, b.size(d) != 1);
        match (dims.contains(&d), in_a, in_b) {
            (true, true, true) if a.size(d) != b.size(d) => {
                return Err(Error::runtime("non-broadcast dimensions must match"));
            }
            (true, true, true) => summed.push(d),
            (true, true, false) => a = sum(&a, &[d as i64], true, None)?,
            (true, false, true) => b = sum(&b, &[d as i64], true, None)?,
            (true, false, false) => {}
            (false, true, true) if a.size(d) != b.size(d) => {
                return Err(Error::runtime("non-broadcast dimensions must match"));
            }
            (false, true, true) => shared.push(d),
            (false, true, false) => only_a.push(d),
            (false, false, _) => only_b.push(d),
        }
    }
    let sizes = |t: &Tensor, ds: &[usize]| ds.iter().map(|&d| t.size(d)).collect::<Vec<_>>();
    let count = |t: &Tensor, ds: &[usize]| ds.iter().map(|&d| t.size(d) as i64).product::<i64>();
    let order = |groups: [&[usize]; 4]| -> Vec<usize> {
        let mut all: Vec<usize> = groups.concat();
        // Dims that were summed beforehand, or that neither has, stand last with size 1.
        all.extend((0..n).filter(|d| !groups.iter().any(|g| g.contains(d))));
        all
    };
    let to_i64 = |v: &[usize]| v.iter().map(|&d| d as i64).collect::<Vec<i64>>();
    let (oa, ob) = (order([&shared, &only_a, &summed, &only_b]), order([&shared, &summed, &only_b, &only_a]));
    let left = reshape(&permute(&a, &to_i64(&oa))?, &[count(&a, &shared), count(&a, &only_a), count(&a, &summed)])?;
    let right = reshape(&permute(&b, &to_i64(&ob))?, &[count(&b, &shared), count(&b, &summed), count(&b, &only_b)])?;
    let product = bmm(&left, &right)?;
    let mut shape = [sizes(&a, &shared), sizes(&a, &only_a), sizes(&b, &only_b)].concat();
    shape.resize(n, 1);
    let mut out_order = [shared, only_a, only_b].concat();
    out_order.extend((0..n).filter(|d| !out_order.contains(d)).collect::<Vec<_>>());
    let mut back = vec![0i64; n];
    out_order.iter().enumerate().for_each(|(i, &d)| back[d] = i as i64);
    permute(&reshape(&product, &dims_of(&shape))?, &back)
}

/// Drop the dims (of size 1), which a contraction kept.
pub(super) fn without_dims(x: &Tensor, dims: &[usize]) -> Result<Tensor> {
    let shape: Vec<i64> =
        x.shape().iter().enumerate().filter(|(d, _)| !dims.contains(d)).map(|(_, &s)| s as i64).collect();
    reshape(x, &shape)
}

/// `torch.tensordot` over pairs of dims.
///
/// # Errors
/// Lists of other lengths, dims of other sizes.
pub fn tensordot(a: &Tensor, b: &Tensor, dims_a: &[i64], dims_b: &[i64]) -> Result<Tensor> {
    if dims_a.len() != dims_b.len() {
        return Err(Error::runtime("both dimension lists should have same length"));
    }
    if a.dtype() != b.dtype() {
        return Err(Error::runtime("both inputs should have same dtype"));
    }
    let (mut a, mut b) = (a.clone(), b.clone());
    let (mut da, mut db) = (vec![], vec![]);
    for (&x, &y) in dims_a.iter().zip(dims_b) {
        let (s, t) = (size_at(&a, x)?, size_at(&b, y)?);
        let (p, q) = (wrap_dim(x, a.ndim())?, wrap_dim(y, b.ndim())?);
        if s == 1 && t > 1 {
            b = sum(&b, &[q as i64], true, Some(b.dtype()))?;
        } else if t == 1 && s > 1 {
            a = sum(&a, &[p as i64], true, Some(a.dtype()))?;
        } else if s != t {
            return Err(Error::runtime(format!(
                "contracted dimensions need to match, but first has size {s} in dim {x} and second has size {t} in dim {y}"
            )));
        }
        if da.contains(&p) || db.contains(&q) {
            return Err(Error::runtime("dim appears multiple times in the list of dims"));
        }
        da.push(p);
        db.push(q);
    }
    let rest = |n: usize, used: &[usize]| (0..n).filter(|d| !used.contains(d)).collect::<Vec<_>>();
    let (ra, rb) = (rest(a.ndim(), &da), rest(b.ndim(), &db));
    let k = crate::layout::numel(&da.iter().map(|&d| a.shape().get(d).copied().unwrap_or(1)).collect::<Vec<_>>());
    let k = i64::try_from(k).unwrap_or(i64::MAX);
    let order = |groups: [&[usize]; 2]| groups.concat().iter().map(|&d| d as i64).collect::<Vec<i64>>();
    let count = |t: &Tensor, ds: &[usize]| ds.iter().map(|&d| t.size(d) as i64).product::<i64>();
    let arranged = |t: &Tensor, groups| if t.ndim() < 2 { Ok(t.clone()) } else { permute(t, &order(groups)) };
    let left = reshape(&arranged(&a, [&ra, &da])?, &[count(&a, &ra), k])?;
    let right = reshape(&arranged(&b, [&db, &rb])?, &[k, count(&b, &rb)])?;
    let shape: Vec<i64> = ra.iter().map(|&d| a.size(d) as i64).chain(rb.iter().map(|&d| b.size(d) as i64)).collect();
    reshape(&mm(&left, &right)?, &shape)
}

/// The labels of one operand: letters, and where an ellipsis stands.
struct Subscript {
    labels: Vec<char>,
    ellipsis: Option<usize>,
}

fn subscript(text: &str, what: &str) -> Result<Subscript> {
    let (mut labels, mut ellipsis) = (vec![], None);
    let mut chars = text.chars().filter(|c| *c != ' ').peekable();
    while let Some(c) = chars.next() {
        if c == '.' {
            if ellipsis.is_some() {
                let more = format!("einsum(): found '.' for {what} for which an ellipsis was already found");
                return Err(Error::runtime(more));
            }
            let whole = chars.next() == Some('.') && chars.next() == Some('.');
            if !whole {
                return Err(Error::runtime(format!("einsum(): found '.' for {what} that is not part of any ellipsis")));
            }
            ellipsis = Some(labels.len());
        } else if c.is_ascii_alphabetic() {
            labels.push(c);
        } else {
            return Err(Error::runtime(format!(
                "einsum(): invalid subscript '{c}' in the equation string, subscripts must be in [a-zA-Z]"
            )));
        }
    }
    Ok(Subscript { labels, ellipsis })
}

/// `torch.einsum`, operands contracted from left to right.
///
/// # Errors
/// PyTorch's, for equations that do not fit their operands.
pub fn einsum(equation: &str, operands: &[Tensor]) -> Result<Tensor> {
    if operands.is_empty() {
        return Err(Error::runtime("einsum(): must provide at least one operand"));
    }
    for (i, c) in equation.char_indices() {
        let arrow = c == '-' && equation[i..].starts_with("->") || c == '>' && equation[..i].ends_with('-');
        if !(c.is_ascii_alphabetic() || matches!(c, ' ' | ',' | '.') || arrow) {
            return Err(Error::runtime(format!(
                "einsum(): invalid subscript given at index {i} in the equation string, subscripts must be in [a-zA-Z]"
            )));
        }
    }
    let (left, right) = match equation.split_once("->") {
        Some((l, r)) => (l, Some(r)),
        None => (equation, None),
    };
    let parts: Vec<&str> = left.split(',').collect();
    if parts.len() != operands.len() {
        let which = if parts.len() > operands.len() { "fewer" } else { "more" };
        return Err(Error::runtime(format!("einsum(): {which} operands were provided than specified in the equation")));
    }
    let mut subs = vec![];
    let mut wide = 0;
    for (i, (part, x)) in parts.iter().zip(operands).enumerate() {
        let s = subscript(part, &format!("operand {i}"))?;
        let n = s.labels.len();
        match s.ellipsis {
            None if n != x.ndim() => {
                return Err(Error::runtime(format!(
                    "einsum(): the number of subscripts in the equation ({n}) does not match the number of dimensions \
                     ({}) for operand {i} and no ellipsis was given",
                    x.ndim()
                )));
            }
            Some(_) if n > x.ndim() => {
                return Err(Error::runtime(format!(
                    "einsum(): the number of subscripts in the equation ({n}) is more than the number of dimensions ({}) \
                     for operand {i}",
                    x.ndim()
                )));
            }
            Some(_) => wide = wide.max(x.ndim() - n),
            None => {}
        }
        subs.push(s);
    }
    // The order of all labels: the output's (its ellipsis as `wide` numbered dims), then those summed over.
    let output = match right {
        Some(r) => subscript(r, "the output")?,
        None => {
            let mut all: Vec<char> = subs.iter().flat_map(|s| s.labels.iter().copied()).collect();
            all.sort_unstable();
            let once = all.iter().copied().filter(|c| all.iter().filter(|d| *d == c).count() == 1).collect();
            Subscript { labels: once, ellipsis: Some(0) }
        }
    };
    for (i, c) in output.labels.iter().enumerate() {
        if output.labels[..i].contains(c) {
            return Err(Error::runtime(format!("einsum(): output subscript {c} appears more than once in the output")));
        }
        if !subs.iter().any(|s| s.labels.contains(c)) {
            return Err(Error::runtime(format!(
                "einsum(): output subscript {c} does not appear in the equation for any input operand"
            )));
        }
    }
    // Positions: `Ok(letter)` or `Err(k-th ellipsis dim)`.
    let mut order: Vec<std::result::Result<char, usize>> = output.labels.iter().map(|&c| Ok(c)).collect();
    if let Some(at) = output.ellipsis {
        order.splice(at..at, (0..wide).map(Err));
    }
    let kept = order.len();
    if output.ellipsis.is_none() {
        order.extend((0..wide).map(Err));
    }
    for s in &subs {
        for &c in &s.labels {
            if !order.contains(&Ok(c)) {
                order.push(Ok(c));
            }
        }
    }
    let mut sizes = vec![1usize; order.len()];
    let mut terms = vec![];
    for (i, (s, x)) in subs.iter().zip(operands).enumerate() {
        terms.push(align(i, s, x, &order, wide, &mut sizes)?);
    }
    // From left to right; a label is summed as soon as no later operand has it.
    let last_use = |d: usize| terms.iter().rposition(|t: &Tensor| t.size(d) != 1).unwrap_or(0);
    let last: Vec<usize> = (0..order.len()).map(last_use).collect();
    let mut terms = terms.into_iter().enumerate();
    let Some((_, mut total)) = terms.next() else {
        return Err(Error::runtime("einsum(): must provide at least one operand"));
    };
    let done = |i: usize| (kept..order.len()).filter(|&d| last[d] == i).collect::<Vec<_>>();
    let first = done(0);
    if !first.is_empty() && operands.len() == 1 {
        total = sum(&total, &first.iter().map(|&d| d as i64).collect::<Vec<_>>(), true, None)?;
    }
    for (i, term) in terms {
        let mut dims = done(i);
        if i == 1 {
            dims.extend(&first);
        }
        total = if dims.is_empty() { mul(&total, &term)? } else { sum_product(&total, &term, &dims)? };
    }
    if kept == order.len() { Ok(total) } else { without_dims(&total, &(kept..order.len()).collect::<Vec<_>>()) }
}

/// An operand with its dims in the common order, size 1 where it lacks one, diagonals taken for repeated labels.
fn align(
    i: usize,
    s: &Subscript,
    x: &Tensor,
    order: &[std::result::Result<char, usize>],
    wide: usize,
    sizes: &mut [usize],
) -> Result<Tensor> {
    let mut names: Vec<std::result::Result<char, usize>> = s.labels.iter().map(|&c| Ok(c)).collect();
    if let Some(at) = s.ellipsis {
        let own = x.ndim() - s.labels.len();
        names.splice(at..at, (wide - own..wide).map(Err));
    }
    let mut x = x.clone();
    let mut d = 0;
    while d < names.len() {
        match names[..d].iter().position(|n| n == &names[d]) {
            Some(earlier) => {
                if x.size(earlier) != x.size(d) {
                    let c = names[d].map_or_else(|_| "...".to_owned(), |c| c.to_string());
                    return Err(Error::runtime(format!(
                        "einsum(): subscript {c} is repeated for operand {i} but the sizes don't match, {} != {}",
                        x.size(d),
                        x.size(earlier)
                    )));
                }
                // The diagonal comes last; put it back in the earlier place.
                x = crate::ops::movedim(&diagonal(&x, 0, earlier as i64, d as i64)?, &[-1], &[earlier as i64])?;
                let _: std::result::Result<char, usize> = names.remove(d);
            }
            None => d += 1,
        }
    }
    let mut dims = vec![];
    for (at, name) in order.iter().enumerate() {
        let Some(p) = names.iter().position(|n| n == name) else { continue };
        dims.push(p as i64);
        let size = x.size(p);
        if size != 1 && sizes[at] != 1 && sizes[at] != size {
            let c = name.map_or_else(|_| "...".to_owned(), |c| c.to_string());
            return Err(Error::runtime(format!(
                "einsum(): subscript {c} has size {size} for operand {i} which does not broadcast with previously seen \
                 size {}",
                sizes[at]
            )));
        }
        sizes[at] = sizes[at].max(size);
    }
    let mut x = permute(&x, &dims)?;
    for (at, name) in order.iter().enumerate() {
        if !names.contains(name) {
            x = unsqueeze(&x, at as i64)?;
        }
    }
    Ok(x)
}

/// The Kronecker product.
pub fn kron(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let n = a.ndim().max(b.ndim());
    let padded = |t: &Tensor| [vec![1; n - t.ndim()], t.shape()].concat();
    let (sa, sb) = (padded(a), padded(b));
    let (mut va, mut vb) = (vec![], vec![]);
    for (&x, &y) in sa.iter().zip(&sb) {
        va.extend([x as i64, 1]);
        vb.extend([1, y as i64]);
    }
    let product = mul(&reshape(a, &va)?, &reshape(b, &vb)?)?;
    unsafe_view(&product, &sa.iter().zip(&sb).map(|(x, y)| x * y).collect::<Vec<_>>())
}

/// The same elements, `by` places on along a dim of size 3.
fn rotated(x: &Tensor, dim: i64, by: i64) -> Result<Tensor> {
    cat(&[narrow(x, dim, by, 3 - by)?, narrow(x, dim, 0, by)?], dim)
}

/// `torch.linalg.cross` along `dim`.
///
/// # Errors
/// Dims not of size 3; other ranks.
pub fn cross(a: &Tensor, b: &Tensor, dim: i64) -> Result<Tensor> {
    if a.ndim() != b.ndim() {
        return Err(Error::runtime("linalg.cross: inputs must have the same number of dimensions."));
    }
    size_at(a, dim)?;
    let d = wrap_dim(dim, a.ndim())?;
    let size = |t: &Tensor| t.shape().get(d).copied().unwrap_or(0);
    if size(a) != 3 || size(b) != 3 {
        return Err(Error::runtime(format!(
            "linalg.cross: inputs dimension {dim} must have length 3. Got {} and {}",
            size(a),
            size(b)
        )));
    }
    let d = d as i64;
    let out = no_grad(|| {
        let first = mul(&rotated(a, d, 1)?, &rotated(b, d, 2)?)?;
        sub(&first, &mul(&rotated(a, d, 2)?, &rotated(b, d, 1)?)?)
    })?;
    Ok(differentiable("LinalgCrossBackward0", &[a, b], out.raw(), &[Save::Input(a), Save::Input(b)], move |ctx| {
        let g = ctx.grad()?;
        let whole = |t: &Tensor| expand(t, &dims_of(&g.shape()));
        let to_a = ctx.needs(0).then(|| cross(&whole(ctx.saved(1))?, &g, d)).transpose()?;
        let to_b = ctx.needs(1).then(|| cross(&g, &whole(ctx.saved(0))?, d)).transpose()?;
        Ok(vec![to_a, to_b])
    }))
}

/// `torch.cross`: along the first dim of size 3 unless told.
pub fn cross_default(a: &Tensor, b: &Tensor, dim: Option<i64>) -> Result<Tensor> {
    match dim.or_else(|| a.shape().iter().position(|&s| s == 3).map(|d| d as i64)) {
        Some(d) => cross(a, b, d),
        None => Err(Error::runtime("no dimension of size 3 in input")),
    }
}

/// The last two dims are equal, as ops on square matrices need.
pub(crate) fn refuse_not_square(what: &str, x: &Tensor) -> Result<()> {
    if x.ndim() < 2 {
        return Err(Error::runtime(format!("{what}: The input tensor A must have at least 2 dimensions.")));
    }
    let (r, c) = (x.size(x.ndim() - 2), x.size(x.ndim() - 1));
    if r != c {
        return Err(Error::runtime(format!(
            "{what}: A must be batches of square matrices, but they are {r} by {c} matrices"
        )));
    }
    Ok(())
}

/// `x1 @ W[k] @ x2` for each k, as `nn.Bilinear` computes it.
pub fn bilinear(x1: &Tensor, x2: &Tensor, weight: &Tensor, bias: Option<&Tensor>) -> Result<Tensor> {
    if x1.ndim() != x2.ndim() {
        return Err(Error::runtime(format!(
            "bilinear(): input dimensions do not match: got {} and {}",
            x1.ndim(),
            x2.ndim()
        )));
    }
    for d in 0..x1.ndim().saturating_sub(1) {
        if x1.size(d) != x2.size(d) {
            return Err(Error::runtime(format!(
                "bilinear(): input batch dimensions do not match at dim {d}: got {} and {}",
                x1.size(d),
                x2.size(d)
            )));
        }
    }
    for (x, d, name) in [(x1, 1, "input1"), (x2, 2, "input2")] {
        let (want, last) = (size_at(weight, d)?, size_at(x, -1)?);
        if last != want {
            return Err(Error::runtime(format!(
                "bilinear(): {name} size does not match weight size: got {last} but expected {want}"
            )));
        }
    }
    if let Some(b) = bias
        && b.shape().first() != weight.shape().first()
    {
        return Err(Error::runtime(format!(
            "bilinear(): bias size does not match weight size: got {} but expected {}",
            size_at(b, 0)?,
            weight.size(0)
        )));
    }
    for x in [x1, x2] {
        reshape(x, &[-1, size_at(x, -1)? as i64])?;
    }
    let out = einsum("...n,anm,...m->...a", &[x1.clone(), weight.clone(), x2.clone()])?;
    match bias {
        Some(b) => add(&out, b),
        None => Ok(out),
    }
}

pub(crate) const TABLE: &[Op] = &[
    op(
        "tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor",
        places::FUNCTION | places::OUT,
        |a| Ok(tensordot(a.tensor(0)?, a.tensor(1)?, &a.ints(2)?, &a.ints(3)?)?.into()),
    ),
    op("einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor", places::FUNCTION, |a| {
        Ok(einsum(&a.str(0)?, &a.tensors(1)?)?.into())
    }),
    op("kron(Tensor self, Tensor other) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(kron(a.tensor(0)?, a.tensor(1)?)?.into())
    }),
    op("cross(Tensor self, Tensor other, int? dim=None) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(cross_default(a.tensor(0)?, a.tensor(1)?, a.opt_int(2)?)?.into())
    }),
    op("linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor", places::LINALG | places::OUT, |a| {
        Ok(cross(a.tensor(0)?, a.tensor(1)?, a.int(2)?)?.into())
    }),
    op("bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor", places::FUNCTION, |a| {
        Ok(bilinear(a.tensor(0)?, a.tensor(1)?, a.tensor(2)?, a.opt_tensor(3)?.as_ref())?.into())
    }),
];
