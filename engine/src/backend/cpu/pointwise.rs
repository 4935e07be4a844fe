//! One or more values in, one out, element by element. Strided operands are walked by `ndarray`.

use super::vector::{self, wide};
use super::{bessel, contiguous, room_for, rows, special, waves};
use crate::backend::cpu::scan::{log_add_exp, log_add_exp2};
use crate::backend::{BinaryOp, UnaryOp};
use crate::dtype::{B8, DType, Element};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::tensor::Raw;
use crate::with_dtype;

/// The loops are kept few and plain, since each is compiled for every pair of dtypes: strided operands are gathered
/// first (by `rows`, once for each dtype).
fn map<T: Element, U: Element>(x: &Raw, f: impl Fn(T) -> U) -> Result<Raw> {
    let out = room_for(x.shape(), U::DTYPE)?;
    {
        let xs = x.storage.slice::<T>();
        let xs = rows(&xs, &x.layout);
        let mut os = out.storage.slice_mut::<U>();
        let mut run = || os.iter_mut().zip(xs.iter()).for_each(|(o, &v)| *o = f(v));
        if T::DTYPE == DType::F32 { wide(run) } else { run() }
    }
    Ok(out)
}

/// The elements of a broadcast operand, as they lie in memory: each is shown `each` times in a row, and the whole again
/// and again. A contiguous operand, a row (a bias), a column, channels, a number.
#[derive(Clone, Copy)]
struct Shown<'a, T> {
    elements: &'a [T],
    each: usize,
}

fn shown<'a, T: Element>(slice: &'a [T], layout: &Layout) -> Option<Shown<'a, T>> {
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

/// `o = f(x, y)` along, where `ys` is broadcast.
fn beside<T: Copy, U>(os: &mut [U], xs: &[T], ys: Shown<T>, f: impl Fn(T, T) -> U) {
    match ys.elements {
        [y] => os.iter_mut().zip(xs).for_each(|(o, &x)| *o = f(x, *y)),
        ys if ys.len() == os.len() => os.iter_mut().zip(xs.iter().zip(ys)).for_each(|(o, (&x, &y))| *o = f(x, y)),
        elements if ys.each == 1 => {
            for (os, xs) in os.chunks_mut(elements.len()).zip(xs.chunks(elements.len())) {
                os.iter_mut().zip(xs.iter().zip(elements)).for_each(|(o, (&x, &y))| *o = f(x, y));
            }
        }
        elements => {
            let runs = os.chunks_mut(ys.each).zip(xs.chunks(ys.each)).zip(elements.iter().cycle());
            runs.for_each(|((os, xs), &y)| os.iter_mut().zip(xs).for_each(|(o, &x)| *o = f(x, y)));
        }
    }
}

fn zip<T: Element, U: Element>(a: &Raw, b: &Raw, f: impl Fn(T, T) -> U) -> Result<Raw> {
    let out = room_for(a.shape(), U::DTYPE)?;
    if out.numel() == 0 {
        return Ok(out);
    }
    {
        let (xs, ys) = (a.storage.slice::<T>(), b.storage.slice::<T>());
        let mut os = out.storage.slice_mut::<U>();
        let n = os.len();
        let (x, y) = (shown(&xs, &a.layout), shown(&ys, &b.layout));
        let mut run = || match (x, y) {
            (Some(x), Some(y)) if x.elements.len() == n => beside(&mut os, x.elements, y, &f),
            (Some(x), Some(y)) if y.elements.len() == n => beside(&mut os, y.elements, x, |y, x| f(x, y)),
            (_, Some(y)) => beside(&mut os, &rows(&xs, &a.layout), y, &f),
            (Some(x), None) => beside(&mut os, &rows(&ys, &b.layout), x, |y, x| f(x, y)),
            (None, None) => {
                let (xs, ys) = (rows(&xs, &a.layout), rows(&ys, &b.layout));
                os.iter_mut().zip(xs.iter().zip(ys.iter())).for_each(|(o, (&x, &y))| *o = f(x, y));
            }
        };
        if T::DTYPE == DType::F32 { wide(run) } else { run() }
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
        {
            let (cs, xs, ys) = (cond.storage.slice::<B8>(), a.storage.slice::<T>(), b.storage.slice::<T>());
            let mut os = out.storage.slice_mut::<T>();
            let n = os.len();
            let choose = |o: &mut T, c: B8, x: T, y: T| *o = if c.0 != 0 { x } else { y };
            let one = |shown: Option<Shown<T>>| shown.and_then(|s| if let [v] = s.elements { Some(*v) } else { None });
            let (x, y) = (one(shown(&xs, &a.layout)), one(shown(&ys, &b.layout)));
            match (contiguous(&cs, &cond.layout), contiguous(&xs, &a.layout), contiguous(&ys, &b.layout), x, y) {
                _ if n == 0 => {}
                (Some(cs), Some(xs), _, _, Some(y)) => {
                    os.iter_mut().zip(cs.iter().zip(xs)).for_each(|(o, (&c, &x))| choose(o, c, x, y));
                }
                (Some(cs), _, Some(ys), Some(x), _) => {
                    os.iter_mut().zip(cs.iter().zip(ys)).for_each(|(o, (&c, &y))| choose(o, c, x, y));
                }
                _ => {
                    let (cs, xs, ys) = (rows(&cs, &cond.layout), rows(&xs, &a.layout), rows(&ys, &b.layout));
                    let all = os.iter_mut().zip(cs.iter()).zip(xs.iter().zip(ys.iter()));
                    all.for_each(|((o, &c), (&x, &y))| choose(o, c, x, y));
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

/// Float32: the cheap ops in float32, the rest through float64 and rounded once.
fn unary_f32(op: UnaryOp, x: &Raw) -> Result<Raw> {
    use UnaryOp::*;
    match op {
        Neg => map::<f32, f32>(x, |v| -v),
        Abs => map::<f32, f32>(x, f32::abs),
        Sqrt => map::<f32, f32>(x, f32::sqrt),
        Reciprocal => map::<f32, f32>(x, |v| 1.0 / v),
        Rsqrt => map::<f32, f32>(x, |v| 1.0 / v.sqrt()),
        Floor => map::<f32, f32>(x, f32::floor),
        // Each step rounded to float32, as in PyTorch.
        Sigmoid => map::<f32, f32>(x, |v| 1.0 / (1.0 + vector::exp_f32(-v))),
        Exp => map::<f32, f32>(x, |v| vector::exp(v as f64) as f32),
        Expm1 => map::<f32, f32>(x, |v| vector::exp_m1(v as f64) as f32),
        Log => map::<f32, f32>(x, |v| vector::ln(v as f64) as f32),
        Log1p => map::<f32, f32>(x, |v| vector::ln_1p(v as f64) as f32),
        Tanh => map::<f32, f32>(x, |v| vector::tanh(v as f64) as f32),
        Silu => map::<f32, f32>(x, |v| (v as f64 / (1.0 + vector::exp(-v as f64))) as f32),
        LeakyRelu(slope) => map::<f32, f32>(x, |v| if v <= 0.0 { (v as f64 * slope) as f32 } else { v }),
        Elu { alpha, scale, inner } => map::<f32, f32>(x, |v| {
            let v = v as f64;
            let below = scale * alpha * vector::exp_m1(v * inner);
            (if v > 0.0 { scale * v } else { below }) as f32
        }),
        Hardtanh { low, high } => map::<f32, f32>(x, |v| {
            let (low, high) = (low as f32, high as f32);
            let v = if v < low { low } else { v };
            if v > high { high } else { v }
        }),
        Threshold { at, value } => map::<f32, f32>(x, |v| if v as f64 <= at { value as f32 } else { v }),
        _ => map::<f32, f32>(x, |v| float_unary(op, v as f64) as f32),
    }
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

pub fn binary(op: BinaryOp, a: &Raw, b: &Raw) -> Result<Raw> {
    use BinaryOp::*;
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
        DType::F32 => match op {
            Add => zip::<f32, f32>(a, b, |x, y| x + y),
            Sub => zip::<f32, f32>(a, b, |x, y| x - y),
            Mul => zip::<f32, f32>(a, b, |x, y| x * y),
            Div => zip::<f32, f32>(a, b, |x, y| x / y),
            Max => zip::<f32, f32>(a, b, |x, y| if x > y || x.is_nan() { x } else { y }),
            Min => zip::<f32, f32>(a, b, |x, y| if x < y || x.is_nan() { x } else { y }),
            _ => zip::<f32, f32>(a, b, |x, y| float_binary(op, x as f64, y as f64, f32::EPSILON as f64) as f32),
        },
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
        // Fast arms for float32 are in `binary`.
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
