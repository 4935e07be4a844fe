//! One or more values in, one out, element by element.

use rushlight_kernels::pointwise::{self as kernel, Binary, Compare, Shown, Unary};

use super::{bessel, contiguous, room_for, rows, special, waves};
use crate::backend::cpu::scan::{log_add_exp, log_add_exp2};
use crate::backend::{BinaryOp, UnaryOp};
use crate::dtype::{B8, DType, Element};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::tensor::Raw;
use crate::with_dtype;

/// The loops are kept few and plain, since each is compiled for every pair of dtypes: strided operands are gathered
/// first (by `rows`, once for each dtype). Those of float32 that matter are kernels of their own.
fn map<T: Element, U: Element>(x: &Raw, f: impl Fn(T) -> U) -> Result<Raw> {
    let out = room_for(x.shape(), U::DTYPE)?;
    {
        let xs = x.storage.slice::<T>();
        let xs = rows(&xs, &x.layout);
        out.storage.slice_mut::<U>().iter_mut().zip(xs.iter()).for_each(|(o, &v)| *o = f(v));
    }
    Ok(out)
}

/// The elements of a number, or of a part of one, where a layout shows no more.
fn one_of<T: Element>(slice: &[T], layout: &Layout) -> Option<T> {
    if layout.is_one_place() { slice.get(layout.offset).copied() } else { None }
}

fn zip<T: Element, U: Element>(a: &Raw, b: &Raw, f: impl Fn(T, T) -> U) -> Result<Raw> {
    let out = room_for(a.shape(), U::DTYPE)?;
    if out.numel() == 0 {
        return Ok(out);
    }
    {
        let (xs, ys) = (a.storage.slice::<T>(), b.storage.slice::<T>());
        let mut os = out.storage.slice_mut::<U>();
        let x = rows(&xs, &a.layout);
        if let Some(y) = one_of(&ys, &b.layout) {
            os.iter_mut().zip(x.iter()).for_each(|(o, &x)| *o = f(x, y));
        } else {
            let y = rows(&ys, &b.layout);
            os.iter_mut().zip(x.iter().zip(y.iter())).for_each(|(o, (&x, &y))| *o = f(x, y));
        }
    }
    Ok(out)
}

/// How a layout shows its elements, where it is one that kernels know.
fn shown<'a>(slice: &'a [f32], layout: &Layout) -> Option<Shown<'a>> {
    let (mut each, mut size, mut again) = (1, 1, false);
    for (&n, &stride) in layout.shape.iter().zip(&layout.strides).rev() {
        match stride {
            _ if n == 1 => {}
            0 if size == 1 => each *= n,
            0 => again = true,
            _ if again || stride != size => return None,
            _ => size *= n,
        }
    }
    Some(Shown { elements: slice.get(layout.offset..layout.offset + size)?, each })
}

/// Two float32 operands for a kernel: one in full, the other as it is shown, and whether they have changed places.
fn beside<U: Element>(a: &Raw, b: &Raw, run: impl FnOnce(&mut [U], &[f32], Shown, bool)) -> Result<Raw> {
    let out = room_for(a.shape(), U::DTYPE)?;
    if out.numel() == 0 {
        return Ok(out);
    }
    {
        let (xs, ys) = (a.storage.slice::<f32>(), b.storage.slice::<f32>());
        let mut os = out.storage.slice_mut::<U>();
        match (shown(&xs, &a.layout), shown(&ys, &b.layout)) {
            (Some(x), Some(y)) if x.elements.len() < os.len() && y.elements.len() == os.len() => {
                run(&mut os, y.elements, x, true);
            }
            (_, Some(y)) => run(&mut os, &rows(&xs, &a.layout), y, false),
            (Some(x), None) => run(&mut os, &rows(&ys, &b.layout), x, true),
            (None, None) => {
                let y = rows(&ys, &b.layout);
                run(&mut os, &rows(&xs, &a.layout), Shown { elements: &y, each: 1 }, false);
            }
        }
    }
    Ok(out)
}

/// A contiguous copy in another dtype.
pub fn copy(x: &Raw, dtype: DType) -> Result<Raw> {
    if x.dtype == dtype {
        return with_dtype!(dtype, T => map::<T, T>(x, |v| v));
    }
    with_dtype!(x.dtype, T => with_dtype!(dtype, U => {
        if T::DTYPE.is_float() { map::<T, U>(x, |v| U::from_f64(v.to_f64())) } else { map::<T, U>(x, |v| U::from_i64(v.to_i64())) }
    }))
}

/// Write to the places of `dst`, which may be any layout without overlap.
pub fn write(dst: &Raw, src: &Raw) -> Result<()> {
    if dst.numel() == 0 {
        return Ok(());
    }
    let src = if src.dtype != dst.dtype || src.storage.same(&dst.storage) { &copy(src, dst.dtype)? } else { src };
    with_dtype!(dst.dtype, T => {
        let ss = src.storage.slice::<T>();
        let mut ds = dst.storage.slice_mut::<T>();
        if let (true, Some(s)) = (dst.layout.is_contiguous(), contiguous(&ss, &src.layout)) {
            let n = s.len();
            ds[dst.layout.offset..dst.layout.offset + n].copy_from_slice(s);
        } else {
            for (d, s) in dst.layout.places().zip(src.layout.places()) {
                ds[d] = ss[s];
            }
        }
    });
    Ok(())
}

pub fn select(cond: &Raw, a: &Raw, b: &Raw) -> Result<Raw> {
    with_dtype!(a.dtype, T => {
        let out = room_for(cond.shape(), T::DTYPE)?;
        if out.numel() > 0 {
            let (cs, xs, ys) = (cond.storage.slice::<B8>(), a.storage.slice::<T>(), b.storage.slice::<T>());
            let mut os = out.storage.slice_mut::<T>();
            let cs = rows(&cs, &cond.layout);
            let (x, y) = (one_of(&xs, &a.layout), one_of(&ys, &b.layout));
            let truth = bytemuck::cast_slice::<B8, u8>(&cs);
            match (x, y) {
                (_, Some(y)) if T::DTYPE == DType::F32 => {
                    let x = rows(&xs, &a.layout);
                    let os = bytemuck::cast_slice_mut(&mut os);
                    kernel::select(truth, false, bytemuck::cast_slice(&x), y.to_f64() as f32, os);
                }
                (Some(x), _) if T::DTYPE == DType::F32 => {
                    let y = rows(&ys, &b.layout);
                    let os = bytemuck::cast_slice_mut(&mut os);
                    kernel::select(truth, true, bytemuck::cast_slice(&y), x.to_f64() as f32, os);
                }
                _ => {
                    let (xs, ys) = (rows(&xs, &a.layout), rows(&ys, &b.layout));
                    let all = os.iter_mut().zip(cs.iter()).zip(xs.iter().zip(ys.iter()));
                    all.for_each(|((o, &c), (&x, &y))| *o = if c.0 != 0 { x } else { y });
                }
            }
        }
        Ok(out)
    })
}

pub fn unary(op: UnaryOp, x: &Raw) -> Result<Raw> {
    use UnaryOp::*;
    match op {
        LogicalNot => return with_dtype!(x.dtype, T => map::<T, B8>(x, |v| (v.to_f64() == 0.0).into())),
        IsNan => return with_dtype!(x.dtype, T => map::<T, B8>(x, |v| v.to_f64().is_nan().into())),
        IsInf => return with_dtype!(x.dtype, T => map::<T, B8>(x, |v| v.to_f64().is_infinite().into())),
        IsFinite => return with_dtype!(x.dtype, T => map::<T, B8>(x, |v| v.to_f64().is_finite().into())),
        _ => {}
    }
    match x.dtype {
        DType::F32 => unary_f32(op, x),
        DType::F64 => map::<f64, f64>(x, |v| float_unary(op, v)),
        DType::F16 | DType::BF16 => {
            with_dtype!(x.dtype, T => map::<T, T>(x, |v| T::from_f64(float_unary(op, v.to_f64()))))
        }
        dtype => with_dtype!(dtype, T => match op {
            Neg => map::<T, T>(x, |v| T::from_i64(v.to_i64().wrapping_neg())),
            Abs => map::<T, T>(x, |v| T::from_i64(v.to_i64().wrapping_abs())),
            Sign => map::<T, T>(x, |v| T::from_i64(v.to_i64().signum())),
            Floor | Ceil | Trunc | Round => map::<T, T>(x, |v| v),
            BitNot if T::DTYPE == DType::Bool => map::<T, T>(x, |v| T::from_i64((v.to_i64() == 0) as i64)),
            BitNot => map::<T, T>(x, |v| T::from_i64(!v.to_i64())),
            _ => Err(Error::no_kernel(&format!("{op:?}").to_lowercase(), dtype)),
        }),
    }
}

/// Float32: by a kernel, or through float64 and rounded once.
fn unary_f32(op: UnaryOp, x: &Raw) -> Result<Raw> {
    let op = match op {
        UnaryOp::Neg => Unary::Neg,
        UnaryOp::Abs => Unary::Abs,
        UnaryOp::Sqrt => Unary::Sqrt,
        UnaryOp::Reciprocal => Unary::Reciprocal,
        UnaryOp::Rsqrt => Unary::Rsqrt,
        UnaryOp::Floor => Unary::Floor,
        UnaryOp::Exp => Unary::Exp,
        UnaryOp::Expm1 => Unary::Expm1,
        UnaryOp::Log => Unary::Log,
        UnaryOp::Log1p => Unary::Log1p,
        UnaryOp::Tanh => Unary::Tanh,
        UnaryOp::Sigmoid => Unary::Sigmoid,
        UnaryOp::Silu => Unary::Silu,
        UnaryOp::LeakyRelu(slope) => Unary::LeakyRelu(slope),
        UnaryOp::Elu { alpha, scale, inner } => Unary::Elu { alpha, scale, inner },
        UnaryOp::Hardtanh { low, high } => Unary::Hardtanh { low: low as f32, high: high as f32 },
        UnaryOp::Threshold { at, value } => Unary::Threshold { at, value: value as f32 },
        _ => return map::<f32, f32>(x, |v| float_unary(op, v as f64) as f32),
    };
    let out = room_for(x.shape(), DType::F32)?;
    let xs = x.storage.slice::<f32>();
    kernel::unary(op, &rows(&xs, &x.layout), &mut out.storage.slice_mut::<f32>());
    Ok(out)
}

fn float_unary(op: UnaryOp, v: f64) -> f64 {
    use UnaryOp::*;
    match op {
        Neg => -v,
        Abs => v.abs(),
        Sign => {
            if v > 0.0 {
                1.0
            } else if v < 0.0 {
                -1.0
            } else {
                // NaN too.
                0.0
            }
        }
        Floor => v.floor(),
        Ceil => v.ceil(),
        Trunc => v.trunc(),
        Round => v.round_ties_even(),
        Frac => v - v.trunc(),
        Exp => v.exp(),
        Exp2 => v.exp2(),
        Expm1 => v.exp_m1(),
        Log => v.ln(),
        Log2 => v.log2(),
        Log10 => v.log10(),
        Log1p => v.ln_1p(),
        Sqrt => v.sqrt(),
        Rsqrt => 1.0 / v.sqrt(),
        Reciprocal => 1.0 / v,
        Sin => v.sin(),
        Cos => v.cos(),
        Tan => v.tan(),
        Asin => v.asin(),
        Acos => v.acos(),
        Atan => v.atan(),
        Sinh => v.sinh(),
        Cosh => v.cosh(),
        Tanh => v.tanh(),
        Asinh => v.asinh(),
        Acosh => v.acosh(),
        Atanh => v.atanh(),
        Sigmoid => 1.0 / (1.0 + (-v).exp()),
        Erf => special::erf(v),
        Erfc => special::erfc(v),
        ErfInv => special::erfinv(v),
        Lgamma => special::lgamma(v),
        Digamma => special::digamma(v),
        I0 => bessel::i0(v),
        I0e => bessel::i0e(v),
        I1 => bessel::i1(v),
        I1e => bessel::i1e(v),
        BesselJ0 => waves::j(0, v),
        BesselJ1 => waves::j(1, v),
        BesselY0 => waves::y(0, v),
        BesselY1 => waves::y(1, v),
        K0 => waves::k(0.0, v),
        K0e => waves::scaled_k(0.0, v),
        K1 => waves::k(1.0, v),
        K1e => waves::scaled_k(1.0, v),
        SphericalJ0 => waves::spherical_j0(v),
        Sinc if v == 0.0 => 1.0,
        Sinc => (std::f64::consts::PI * v).sin() / (std::f64::consts::PI * v),
        Ndtri => bessel::ndtri(v),
        Erfcx => bessel::erfcx(v),
        LogNdtr => bessel::log_ndtr(v),
        Entr if v > 0.0 => -v * v.ln(),
        Entr if v == 0.0 => 0.0,
        Entr => {
            if v.is_nan() {
                v
            } else {
                f64::NEG_INFINITY
            }
        }
        BitNot | LogicalNot | IsNan | IsInf | IsFinite => f64::NAN,
        activation => super::activation::value(activation, v),
    }
}

fn binary_f32(op: BinaryOp, a: &Raw, b: &Raw) -> Option<Result<Raw>> {
    let both = |op| Some(beside::<f32>(a, b, |os, xs, ys, swapped| kernel::binary(op, os, xs, ys, swapped)));
    // `x < y` is `y > x`.
    let compare = |op, turned| {
        Some(beside::<B8>(a, b, |os, xs, ys, swapped| {
            kernel::compare(if swapped { turned } else { op }, bytemuck::cast_slice_mut(os), xs, ys);
        }))
    };
    match op {
        BinaryOp::Add => both(Binary::Add),
        BinaryOp::Sub => both(Binary::Sub),
        BinaryOp::Mul => both(Binary::Mul),
        BinaryOp::Div => both(Binary::Div),
        BinaryOp::Max => both(Binary::Max),
        BinaryOp::Min => both(Binary::Min),
        BinaryOp::Eq => compare(Compare::Eq, Compare::Eq),
        BinaryOp::Ne => compare(Compare::Ne, Compare::Ne),
        BinaryOp::Lt => compare(Compare::Lt, Compare::Gt),
        BinaryOp::Le => compare(Compare::Le, Compare::Ge),
        BinaryOp::Gt => compare(Compare::Gt, Compare::Lt),
        BinaryOp::Ge => compare(Compare::Ge, Compare::Le),
        _ => None,
    }
}

pub fn binary(op: BinaryOp, a: &Raw, b: &Raw) -> Result<Raw> {
    use BinaryOp::*;
    if a.dtype == DType::F32
        && let Some(done) = binary_f32(op, a, b)
    {
        return done;
    }
    if op.gives_bool() {
        return with_dtype!(a.dtype, T => match op {
            Eq => zip::<T, B8>(a, b, |x, y| (x == y).into()),
            Ne => zip::<T, B8>(a, b, |x, y| (x != y).into()),
            Lt => zip::<T, B8>(a, b, |x, y| (x < y).into()),
            Le => zip::<T, B8>(a, b, |x, y| (x <= y).into()),
            Gt => zip::<T, B8>(a, b, |x, y| (x > y).into()),
            Ge => zip::<T, B8>(a, b, |x, y| (x >= y).into()),
            LogicalAnd => zip::<T, B8>(a, b, |x, y| (x.to_f64() != 0.0 && y.to_f64() != 0.0).into()),
            LogicalOr => zip::<T, B8>(a, b, |x, y| (x.to_f64() != 0.0 || y.to_f64() != 0.0).into()),
            _ => zip::<T, B8>(a, b, |x, y| ((x.to_f64() != 0.0) != (y.to_f64() != 0.0)).into()),
        });
    }
    match a.dtype {
        DType::F32 => zip::<f32, f32>(a, b, |x, y| float_binary(op, x as f64, y as f64, f32::EPSILON as f64) as f32),
        DType::F64 => match op {
            Add => zip::<f64, f64>(a, b, |x, y| x + y),
            Sub => zip::<f64, f64>(a, b, |x, y| x - y),
            Mul => zip::<f64, f64>(a, b, |x, y| x * y),
            Div => zip::<f64, f64>(a, b, |x, y| x / y),
            _ => zip::<f64, f64>(a, b, |x, y| float_binary(op, x, y, f64::EPSILON)),
        },
        DType::F16 | DType::BF16 => with_dtype!(a.dtype, T =>
            zip::<T, T>(a, b, |x, y| T::from_f64(float_binary(op, x.to_f64(), y.to_f64(), f32::EPSILON as f64)))),
        dtype => {
            with_dtype!(dtype, T => zip::<T, T>(a, b, |x, y| T::from_i64(int_binary(op, x.to_i64(), y.to_i64(), T::DTYPE))))
        }
    }
}

/// `eps` tells float32 from float64 for `nextafter`.
fn float_binary(op: BinaryOp, x: f64, y: f64, eps: f64) -> f64 {
    use BinaryOp::*;
    match op {
        Add => x + y,
        Sub => x - y,
        Mul => x * y,
        Div => x / y,
        FloorDiv => {
            if y == 0.0 {
                return x / y;
            }
            let m = x % y;
            let mut d = (x - m) / y;
            if m != 0.0 && (y < 0.0) != (m < 0.0) {
                d -= 1.0;
            }
            if d == 0.0 {
                return (0.0f64).copysign(x / y);
            }
            let f = d.floor();
            if d - f > 0.5 { f + 1.0 } else { f }
        }
        TruncDiv => (x / y).trunc(),
        Remainder => {
            let m = x % y;
            if m != 0.0 && (y < 0.0) != (m < 0.0) { m + y } else { m }
        }
        Fmod => x % y,
        Pow => x.powf(y),
        Atan2 => x.atan2(y),
        Max if x.is_nan() || y.is_nan() => f64::NAN,
        Min if x.is_nan() || y.is_nan() => f64::NAN,
        Max | Fmax => x.max(y),
        Min | Fmin => x.min(y),
        Hypot => x.hypot(y),
        NextAfter if eps == f64::EPSILON => next_after(x, y),
        NextAfter => next_after_f32(x as f32, y as f32) as f64,
        CopySign => x.copysign(y),
        Heaviside if x.is_nan() => f64::NAN,
        Heaviside if x == 0.0 => y,
        Heaviside => (x > 0.0) as u8 as f64,
        LogAddExp => log_add_exp(x, y),
        LogAddExp2 => log_add_exp2(x, y),
        Xlogy | Xlog1py if y.is_nan() => f64::NAN,
        Xlogy | Xlog1py if x == 0.0 => 0.0,
        Xlogy => x * y.ln(),
        Xlog1py => x * y.ln_1p(),
        Zeta => bessel::zeta(x, y),
        Igamma => waves::incomplete_gamma(x, y, false),
        Igammac => waves::incomplete_gamma(x, y, true),
        _ => f64::NAN,
    }
}

fn next_after(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        f64::NAN
    } else if x == y {
        y
    } else if y > x {
        x.next_up()
    } else {
        x.next_down()
    }
}

fn next_after_f32(x: f32, y: f32) -> f32 {
    if x.is_nan() || y.is_nan() {
        f32::NAN
    } else if x == y {
        y
    } else if y > x {
        x.next_up()
    } else {
        x.next_down()
    }
}

/// The caller casts the result back to the dtype, which wraps.
fn int_binary(op: BinaryOp, x: i64, y: i64, dtype: DType) -> i64 {
    use BinaryOp::*;
    let bool = dtype == DType::Bool;
    match op {
        Add if bool => x | y,
        Add => x.wrapping_add(y),
        Sub => x.wrapping_sub(y),
        Mul => x.wrapping_mul(y),
        FloorDiv => {
            let q = x.checked_div(y).unwrap_or(if y == 0 { 0 } else { x });
            if y != 0 && x.wrapping_rem(y) != 0 && (x < 0) != (y < 0) { q - 1 } else { q }
        }
        Div | TruncDiv => x.checked_div(y).unwrap_or(if y == 0 { 0 } else { x }),
        Remainder if y != 0 => {
            x.wrapping_rem(y).wrapping_add(if x.wrapping_rem(y) != 0 && (x < 0) != (y < 0) { y } else { 0 })
        }
        Fmod if y != 0 => x.wrapping_rem(y),
        Pow => int_pow(x, y),
        Max | Fmax => x.max(y),
        Min | Fmin => x.min(y),
        Heaviside if x == 0 => y,
        Heaviside => (x > 0) as i64,
        Gcd => gcd(x.unsigned_abs(), y.unsigned_abs()) as i64,
        Lcm => match gcd(x.unsigned_abs(), y.unsigned_abs()) {
            0 => 0,
            g => (x.unsigned_abs() / g).wrapping_mul(y.unsigned_abs()) as i64,
        },
        BitAnd => x & y,
        BitOr => x | y,
        BitXor => x ^ y,
        Shl if (0..64).contains(&y) => x << y,
        Shl => 0,
        Shr if (0..64).contains(&y) => x >> y,
        Shr if x < 0 => -1,
        Shr => 0,
        _ => 0,
    }
}

fn int_pow(x: i64, y: i64) -> i64 {
    match y {
        0.. => x.wrapping_pow(y.min(u32::MAX as i64) as u32),
        _ => match x {
            1 => 1,
            -1 if y % 2 == 0 => 1,
            -1 => -1,
            _ => 0,
        },
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
