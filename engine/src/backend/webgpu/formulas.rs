//! The pointwise ops as WGSL expressions. `None`: shaders have no formula for it, and the op is computed on the host.

use super::shader::Shader;
use super::types::{Ty, settled, ty};
use crate::backend::{BinaryOp, UnaryOp};
use crate::dtype::DType;

/// An op over `x` of `dtype`, whose result has the dtype too (bool for predicates).
pub(super) fn unary(s: &mut Shader, op: UnaryOp, dtype: DType, x: &str) -> Option<String> {
    use UnaryOp::*;
    let kind = ty(dtype)?;
    match (op, kind) {
        (LogicalNot, Ty::I64) => return Some(format!("(({x}.x | {x}.y) == 0u)")),
        (LogicalNot, Ty::Bool) => return Some(format!("(!{x})")),
        (LogicalNot, kind) => return Some(format!("({x} == {}(0))", kind.wgsl())),
        (IsNan | IsInf, kind) if kind != Ty::F32 => return Some("false".to_owned()),
        (IsFinite, kind) if kind != Ty::F32 => return Some("true".to_owned()),
        (IsNan, _) => return Some(s.call("is_nan", &[x])),
        (IsInf, _) => return Some(s.call("is_inf", &[x])),
        (IsFinite, _) => return Some(format!("((bitcast<u32>({x}) & 0x7fffffffu) < 0x7f800000u)")),
        _ => {}
    }
    let text = match kind {
        Ty::F32 => float(s, op, x)?,
        Ty::Bool => match op {
            BitNot => format!("(!{x})"),
            _ => return None,
        },
        Ty::I64 => match op {
            Neg => s.call("i64_neg", &[x]),
            Abs => s.call("i64_abs", &[x]),
            Sign => format!(
                "select(vec2<u32>(u32(({x}.x | {x}.y) != 0u), 0u), vec2<u32>(0xffffffffu, 0xffffffffu), ({x}.y >> 31u) == 1u)"
            ),
            Floor | Ceil | Trunc | Round => x.to_owned(),
            BitNot => format!("(~{x})"),
            _ => return None,
        },
        Ty::I32 | Ty::U32 => match op {
            Neg if kind == Ty::U32 => format!("(0u - {x})"),
            Neg => format!("(-{x})"),
            Abs => format!("abs({x})"),
            Sign if kind == Ty::U32 => format!("min({x}, 1u)"),
            Sign => format!("sign({x})"),
            Floor | Ceil | Trunc | Round => x.to_owned(),
            BitNot => format!("(~{x})"),
            _ => return None,
        },
    };
    Some(s.with(settled(dtype, text)))
}

fn float(s: &mut Shader, op: UnaryOp, x: &str) -> Option<String> {
    use UnaryOp::*;
    let named = match op {
        Sign => "sign_",
        Exp => "exp_",
        Expm1 => "expm1",
        Log => "log_",
        Log1p => "log1p",
        Sqrt => "sqrt_",
        Asin => "asin_",
        Acos => "acos_",
        Atan => "atan_",
        Sinh => "sinh_",
        Cosh => "cosh_",
        Tanh => "tanh_",
        Asinh => "asinh_",
        Acosh => "acosh_",
        Atanh => "atanh_",
        Sigmoid => "sigmoid",
        Erf => "erf_",
        Erfc => "erfc_",
        ErfInv => "erfinv",
        _ => "",
    };
    if !named.is_empty() {
        return Some(s.call(named, &[x]));
    }
    Some(match op {
        Neg => format!("(-{x})"),
        Abs => format!("abs({x})"),
        Floor => format!("floor({x})"),
        Ceil => format!("ceil({x})"),
        Trunc => format!("trunc({x})"),
        Round => format!("round({x})"),
        Frac => format!("({x} - trunc({x}))"),
        Exp2 => {
            let inner = format!("({x} * 0.69314718)");
            s.call("exp_", &[&inner])
        }
        Log2 => format!("({} * 1.44269504)", s.call("log_", &[x])),
        Log10 => format!("({} * 0.43429448)", s.call("log_", &[x])),
        Rsqrt => format!("(1.0 / {})", s.call("sqrt_", &[x])),
        Reciprocal => format!("(1.0 / {x})"),
        Sin => s.call("wave", &[x, "0"]),
        Cos => s.call("wave", &[x, "1"]),
        Tan => {
            let (sin, cos) = (s.call("wave", &[x, "0"]), s.call("wave", &[x, "1"]));
            format!("({sin} / {cos})")
        }
        Sinc | SphericalJ0 => {
            let z = if op == Sinc { format!("(3.14159265 * {x})") } else { x.to_owned() };
            let sin = s.call("wave", &[&z, "0"]);
            format!("select({sin} / {z}, 1.0, {x} == 0.0)")
        }
        Entr => {
            let log = s.call("log_", &[x]);
            let low = s.number(f32::NEG_INFINITY);
            format!("select(select(-{x} * {log}, 0.0, {x} == 0.0), {low}, {x} < 0.0)")
        }
        Step { at, below, above } => {
            let [at, below, above] = [at, below, above].map(|v| s.number(v as f32));
            let step = format!("select({above}, {below}, {x} <= {at})");
            nan_kept(s, x, &step)
        }
        LeakyRelu(slope) => {
            let slope = s.number(slope as f32);
            format!("select({x} * {slope}, {x}, {x} > 0.0)")
        }
        Elu { alpha, scale, inner } => {
            let [factor, scale, inner] = [scale * alpha, scale, inner].map(|v| s.number(v as f32));
            let inner = format!("min({x} * {inner}, 0.0)");
            let low = s.call("expm1", &[&inner]);
            let elu = format!("select({factor} * {low}, {scale} * {x}, {x} > 0.0)");
            nan_kept(s, x, &elu)
        }
        Gelu => {
            let inner = format!("({x} * -0.70710678)");
            format!("(0.5 * {x} * {})", s.call("erfc_", &[&inner]))
        }
        GeluTanh => {
            let inner = format!("(0.79788456 * ({x} + 0.044715 * {x} * {x} * {x}))");
            format!("(0.5 * {x} * (1.0 + {}))", s.call("tanh_", &[&inner]))
        }
        Silu => format!("({x} * {})", s.call("sigmoid", &[x])),
        Mish => {
            let soft = s.call("softplus", &[x, "1.0", "30.0"]);
            format!("({x} * {})", s.call("tanh_", &[&soft]))
        }
        Softplus { beta, threshold } => {
            let [beta, threshold] = [beta, threshold].map(|v| s.number(v as f32));
            s.call("softplus", &[x, &beta, &threshold])
        }
        LogSigmoid => {
            let e = format!("(-abs({x}))");
            let e = s.call("exp_", &[&e]);
            let soft = format!("(min({x}, 0.0) - {})", s.call("log1p", &[&e]));
            nan_kept(s, x, &soft)
        }
        Hardtanh { low, high } => {
            let [low, high] = [low, high].map(|v| s.number(v as f32));
            let clamped = format!("min(max({x}, {low}), {high})");
            nan_kept(s, x, &clamped)
        }
        Hardsigmoid | Hardswish => {
            let six = format!("(clamp({x} + 3.0, 0.0, 6.0) / 6.0)");
            let value = if op == Hardswish { format!("({x} * {six})") } else { six };
            nan_kept(s, x, &value)
        }
        Softshrink(l) => {
            let l = s.number(l as f32);
            let shrunk = format!("select(select(0.0, {x} + {l}, {x} < -{l}), {x} - {l}, {x} > {l})");
            nan_kept(s, x, &shrunk)
        }
        Hardshrink(l) => {
            let l = s.number(l as f32);
            format!("select({x}, 0.0, {x} >= -{l} && {x} <= {l})")
        }
        Threshold { at, value } => {
            let [at, value] = [at, value].map(|v| s.number(v as f32));
            format!("select({x}, {value}, {x} <= {at})")
        }
        _ => return None,
    })
}

fn nan_kept(s: &mut Shader, x: &str, value: &str) -> String {
    let nan = s.call("is_nan", &[x]);
    format!("select({value}, {x}, {nan})")
}

/// An op over `a` and `b` of one dtype, whose result has the dtype too (bool for comparisons).
pub(super) fn binary(s: &mut Shader, op: BinaryOp, dtype: DType, a: &str, b: &str) -> Option<String> {
    use BinaryOp::*;
    let kind = ty(dtype)?;
    if op.gives_bool() {
        return Some(comparison(s, op, kind, a, b));
    }
    let text = match kind {
        Ty::F32 => float_pair(s, op, a, b)?,
        Ty::Bool => match op {
            Add | BitOr | Max | Fmax => format!("({a} || {b})"),
            Mul | BitAnd | Min | Fmin => format!("({a} && {b})"),
            BitXor | Sub => format!("({a} != {b})"),
            _ => return None,
        },
        Ty::I64 => int64_pair(s, op, a, b)?,
        Ty::I32 => match op {
            Add => format!("({a} + {b})"),
            Sub => format!("({a} - {b})"),
            Mul => format!("({a} * {b})"),
            Div | TruncDiv => s.call("i32_quotient", &[a, b]),
            FloorDiv => s.call("i32_floordiv", &[a, b]),
            Remainder => s.call("i32_rem", &[a, b]),
            Fmod => s.call("i32_fmod", &[a, b]),
            Pow => s.call("i32_pow", &[a, b]),
            Max | Fmax => format!("max({a}, {b})"),
            Min | Fmin => format!("min({a}, {b})"),
            BitAnd => format!("({a} & {b})"),
            BitOr => format!("({a} | {b})"),
            BitXor => format!("({a} ^ {b})"),
            Shl => format!("select({a} << (u32({b}) & 31u), 0, {b} < 0 || {b} > 31)"),
            Shr => format!("({a} >> select(u32({b}) & 31u, 31u, {b} < 0 || {b} > 31))"),
            Heaviside => format!("select(i32({a} > 0), {b}, {a} == 0)"),
            Gcd => format!("i32({})", s.call("gcd_", &[&format!("u32(abs({a}))"), &format!("u32(abs({b}))")])),
            _ => return None,
        },
        Ty::U32 => match op {
            Add => format!("({a} + {b})"),
            Sub => format!("({a} - {b})"),
            Mul => format!("({a} * {b})"),
            Div | TruncDiv | FloorDiv => format!("select({a} / max({b}, 1u), 0u, {b} == 0u)"),
            Remainder | Fmod => format!("select({a} % max({b}, 1u), 0u, {b} == 0u)"),
            Pow => format!("u32({})", s.call("i32_pow", &[&format!("i32({a})"), &format!("i32({b})")])),
            Max | Fmax => format!("max({a}, {b})"),
            Min | Fmin => format!("min({a}, {b})"),
            BitAnd => format!("({a} & {b})"),
            BitOr => format!("({a} | {b})"),
            BitXor => format!("({a} ^ {b})"),
            Shl => format!("select({a} << ({b} & 31u), 0u, {b} > 31u)"),
            Shr => format!("select({a} >> ({b} & 31u), 0u, {b} > 31u)"),
            Heaviside => format!("select(u32({a} > 0u), {b}, {a} == 0u)"),
            Gcd => s.call("gcd_", &[a, b]),
            _ => return None,
        },
    };
    Some(s.with(settled(dtype, text)))
}

fn comparison(s: &mut Shader, op: BinaryOp, kind: Ty, a: &str, b: &str) -> String {
    use BinaryOp::*;
    let truth = |x: &str| match kind {
        Ty::I64 => format!("(({x}.x | {x}.y) != 0u)"),
        Ty::Bool => x.to_owned(),
        kind => format!("({x} != {}(0))", kind.wgsl()),
    };
    match (op, kind) {
        (LogicalAnd, _) => format!("({} && {})", truth(a), truth(b)),
        (LogicalOr, _) => format!("({} || {})", truth(a), truth(b)),
        (LogicalXor, _) => format!("({} != {})", truth(a), truth(b)),
        (Eq, Ty::I64) => format!("all({a} == {b})"),
        (Ne, Ty::I64) => format!("any({a} != {b})"),
        (Lt, Ty::I64) => s.call("i64_lt", &[a, b]),
        (Gt, Ty::I64) => s.call("i64_lt", &[b, a]),
        (Le, Ty::I64) => format!("(!{})", s.call("i64_lt", &[b, a])),
        (Ge, Ty::I64) => format!("(!{})", s.call("i64_lt", &[a, b])),
        (Lt, Ty::Bool) => format!("(!{a} && {b})"),
        (Gt, Ty::Bool) => format!("({a} && !{b})"),
        (Le, Ty::Bool) => format!("(!{a} || {b})"),
        (Ge, Ty::Bool) => format!("({a} || !{b})"),
        (Eq, _) => format!("({a} == {b})"),
        (Ne, _) => format!("({a} != {b})"),
        (Lt, _) => format!("({a} < {b})"),
        (Gt, _) => format!("({a} > {b})"),
        (Le, _) => format!("({a} <= {b})"),
        (_, _) => format!("({a} >= {b})"),
    }
}

fn float_pair(s: &mut Shader, op: BinaryOp, a: &str, b: &str) -> Option<String> {
    use BinaryOp::*;
    Some(match op {
        Add => format!("({a} + {b})"),
        Sub => format!("({a} - {b})"),
        Mul => format!("({a} * {b})"),
        Div => format!("({a} / {b})"),
        TruncDiv => format!("trunc({a} / {b})"),
        FloorDiv => s.call("floordiv", &[a, b]),
        Remainder => s.call("rem_", &[a, b]),
        Fmod => s.call("fmod_", &[a, b]),
        Pow => s.call("pow_", &[a, b]),
        Atan2 => s.call("atan2_", &[a, b]),
        Max => s.call("max_nan", &[a, b]),
        Min => s.call("min_nan", &[a, b]),
        Fmax => s.call("fmax_", &[a, b]),
        Fmin => s.call("fmin_", &[a, b]),
        Hypot => s.call("hypot_", &[a, b]),
        CopySign => s.call("copysign_", &[a, b]),
        Heaviside => {
            let step = format!("select(f32({a} > 0.0), {b}, {a} == 0.0)");
            nan_kept(s, a, &step)
        }
        LogAddExp => s.call("log_add_exp", &[a, b]),
        Xlogy | Xlog1py => {
            let log = s.call(if op == Xlogy { "log_" } else { "log1p" }, &[b]);
            let value = format!("select({a} * {log}, 0.0, {a} == 0.0)");
            nan_kept(s, b, &value)
        }
        _ => return None,
    })
}

fn int64_pair(s: &mut Shader, op: BinaryOp, a: &str, b: &str) -> Option<String> {
    use BinaryOp::*;
    Some(match op {
        Add => s.call("i64_add", &[a, b]),
        Sub => s.call("i64_sub", &[a, b]),
        Mul => s.call("i64_mul", &[a, b]),
        Div | TruncDiv => s.call("i64_quotient", &[a, b]),
        FloorDiv => s.call("i64_floordiv", &[a, b]),
        Remainder => s.call("i64_rem", &[a, b]),
        Fmod => s.call("i64_fmod", &[a, b]),
        Pow => s.call("i64_pow", &[a, b]),
        Max | Fmax => format!("select({a}, {b}, {})", s.call("i64_lt", &[a, b])),
        Min | Fmin => format!("select({a}, {b}, {})", s.call("i64_lt", &[b, a])),
        BitAnd => format!("({a} & {b})"),
        BitOr => format!("({a} | {b})"),
        BitXor => format!("({a} ^ {b})"),
        Shl => s.call("i64_shl", &[a, &format!("select({b}.x, 64u, {b}.y != 0u)")]),
        Shr => s.call("i64_shr", &[a, &format!("select({b}.x, 64u, {b}.y != 0u)")]),
        Heaviside => {
            let positive = s.call("i64_lt", &["vec2<u32>(0u, 0u)", a]);
            format!("select(vec2<u32>(u32({positive}), 0u), {b}, ({a}.x | {a}.y) == 0u)")
        }
        _ => return None,
    })
}
