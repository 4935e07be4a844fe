//! What dtype and shape several operands have together.

use crate::autograd::grad_mode::no_grad;
use crate::dtype::{DType, default_dtype};
use crate::error::Result;
use crate::layout::broadcast_shapes;
use crate::ops::{cast, refuse_half};
use crate::tensor::{Raw, Tensor};

/// `torch.result_type`: tensors with dimensions count most, then 0-d tensors, then Python numbers; a lower kind only
/// matters when it is of a higher category (bool, integer, float).
pub fn result_type(operands: &[&Tensor]) -> DType {
    let (mut dims, mut zero, mut number) = (None, None, None);
    for t in operands {
        let (slot, dtype) = if t.is_wrapped_number() {
            (
                &mut number,
                match t.dtype() {
                    d if d.is_float() => default_dtype(),
                    d if d.is_complex() => default_dtype().to_complex(),
                    d => d,
                },
            )
        } else if t.ndim() == 0 {
            (&mut zero, t.dtype())
        } else {
            (&mut dims, t.dtype())
        };
        *slot = Some(match *slot {
            None => dtype,
            Some(old) => DType::promote(old, dtype),
        });
    }
    let combine = |high: Option<DType>, low: Option<DType>| match (high, low) {
        (None, low) => low,
        (high, None) => high,
        (Some(h), Some(l)) if h.is_float() && l.is_complex() => Some(h.to_complex()),
        (Some(h), Some(_)) if h.is_inexact() => Some(h),
        (Some(h), Some(l)) if h == DType::Bool || l.is_inexact() => Some(h.promote(l)),
        (h, _) => h,
    };
    combine(dims, combine(zero, number)).unwrap_or_else(default_dtype)
}

/// `forward` on float32 copies of half and bfloat16 inputs, its result rounded once, as PyTorch's kernels do; inputs of
/// other dtypes go in as they are. Without history.
pub(crate) fn rounded_once<const N: usize>(
    inputs: [&Tensor; N],
    forward: impl FnOnce([&Tensor; N]) -> Result<Tensor>,
) -> Result<Tensor> {
    no_grad(|| {
        let dtype = result_type(&inputs);
        if !dtype.is_half() {
            return forward(inputs);
        }
        let mut wide = vec![];
        for t in inputs {
            wide.push(if t.dtype().is_half() { cast(t, DType::F32)? } else { t.clone() });
        }
        cast(&forward(std::array::from_fn(|i| &wide[i]))?, dtype)
    })
}

/// The operands as a pointwise kernel takes them: of one dtype, broadcast to one shape.
pub fn operands(ts: &[&Tensor], dtype: DType) -> Result<Vec<Raw>> {
    refuse_half(ts)?;
    let mut shape = vec![];
    for t in ts {
        shape = broadcast_shapes(&shape, &t.raw().layout.shape)?;
    }
    ts.iter()
        .map(|t| {
            let raw = t.raw();
            let raw = if raw.dtype == dtype { raw } else { crate::backend::backend(raw.device()).copy(&raw, dtype)? };
            if raw.shape() == shape { Ok(raw) } else { raw.broadcast_to(&shape) }
        })
        .collect()
}

/// Run a kernel so that its result has the order of dimensions in memory that the operand has: `x.t() + 1` is laid out
/// like `x.t()`, as in PyTorch.
pub fn keep_order(x: &Raw, kernel: impl Fn(&Raw) -> Result<Raw>) -> Result<Raw> {
    match order_of(&[x]) {
        None => kernel(x),
        Some(order) => {
            let out = kernel(&x.with_layout(x.layout.permute(&order)))?;
            Ok(out.with_layout(out.layout.permute(&inverse(&order))))
        }
    }
}

/// [`keep_order`] for two operands of one shape.
pub fn keep_order2(a: &Raw, b: &Raw, kernel: impl Fn(&Raw, &Raw) -> Result<Raw>) -> Result<Raw> {
    match order_of(&[a, b]) {
        None => kernel(a, b),
        Some(order) => {
            let out = kernel(&a.with_layout(a.layout.permute(&order)), &b.with_layout(b.layout.permute(&order)))?;
            Ok(out.with_layout(out.layout.permute(&inverse(&order))))
        }
    }
}

fn inverse(order: &[usize]) -> Vec<usize> {
    let mut inv = vec![0; order.len()];
    order.iter().enumerate().for_each(|(i, &d)| inv[d] = i);
    inv
}

/// The dimensions from slowest to fastest in memory, or `None` when that is their own order. The first operand whose
/// strides tell two dimensions apart decides, as in PyTorch's iterator.
fn order_of(xs: &[&Raw]) -> Option<Vec<usize>> {
    let n = xs[0].layout.ndim();
    if n < 2 || xs.iter().all(|x| x.layout.is_contiguous()) {
        return None;
    }
    let swap = |slow: usize, fast: usize| {
        for x in xs {
            let (s, f) = (x.layout.strides[slow], x.layout.strides[fast]);
            if s == 0 || f == 0 {
                continue;
            }
            if s != f {
                return s < f;
            }
            if x.layout.shape[slow] != x.layout.shape[fast] {
                return x.layout.shape[slow] < x.layout.shape[fast];
            }
        }
        false
    };
    let mut order: Vec<usize> = (0..n).collect();
    for i in 1..n {
        let mut j = i;
        while j > 0 && swap(order[j - 1], order[j]) {
            order.swap(j - 1, j);
            j -= 1;
        }
    }
    (!order.is_sorted()).then_some(order)
}
