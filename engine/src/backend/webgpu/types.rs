//! How dtypes stand in shaders. Buffers are arrays of 32-bit words whatever they hold; an element is computed with in one
//! of five types and turned into bits when it is stored.

use crate::dtype::DType;

/// What an element is inside a shader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Ty {
    F32,
    /// int8, int16, int32
    I32,
    /// uint8
    U32,
    Bool,
    /// Two words, the low one first.
    I64,
}

impl Ty {
    pub fn wgsl(self) -> &'static str {
        match self {
            Ty::F32 => "f32",
            Ty::I32 => "i32",
            Ty::U32 => "u32",
            Ty::Bool => "bool",
            Ty::I64 => "vec2<u32>",
        }
    }
}

/// `None` for the dtypes that shaders do not compute with: float64 and complex numbers.
pub(super) fn ty(dtype: DType) -> Option<Ty> {
    Some(match dtype {
        DType::F32 | DType::F16 | DType::BF16 => Ty::F32,
        DType::I8 | DType::I16 | DType::I32 => Ty::I32,
        DType::U8 => Ty::U32,
        DType::Bool => Ty::Bool,
        DType::I64 => Ty::I64,
        DType::F64 | DType::C64 | DType::C128 => return None,
    })
}

/// Elements that share a word.
pub(super) fn per_word(dtype: DType) -> usize {
    (4 / dtype.size()).max(1)
}

/// The element at `a` of the words `b`, and the helpers it needs.
pub(super) fn load(dtype: DType, b: &str, a: &str) -> (String, &'static [&'static str]) {
    match dtype {
        DType::F32 => (format!("bitcast<f32>({b}[{a}])"), &[]),
        DType::I32 => (format!("bitcast<i32>({b}[{a}])"), &[]),
        DType::I64 => (format!("vec2<u32>({b}[2u * {a}], {b}[2u * {a} + 1u])"), &[]),
        DType::U8 => (format!("(({b}[{a} >> 2u] >> (({a} & 3u) * 8u)) & 0xffu)"), &[]),
        DType::Bool => (format!("((({b}[{a} >> 2u] >> (({a} & 3u) * 8u)) & 0xffu) != 0u)"), &[]),
        DType::I8 => (format!("(bitcast<i32>({b}[{a} >> 2u] << (24u - ({a} & 3u) * 8u)) >> 24u)"), &[]),
        DType::I16 => (format!("(bitcast<i32>({b}[{a} >> 1u] << (16u - ({a} & 1u) * 16u)) >> 16u)"), &[]),
        DType::F16 => (format!("f16_value(({b}[{a} >> 1u] >> (({a} & 1u) * 16u)) & 0xffffu)"), &["f16_value"]),
        _ => (format!("bitcast<f32>((({b}[{a} >> 1u] >> (({a} & 1u) * 16u)) & 0xffffu) << 16u)"), &[]),
    }
}

/// The bits of a value: a word, of which as many low bits count as the dtype has; two words of an int64.
pub(super) fn bits(dtype: DType, v: &str) -> (String, &'static [&'static str]) {
    match dtype {
        DType::F32 | DType::I32 => (format!("bitcast<u32>({v})"), &[]),
        DType::I64 => (v.to_owned(), &[]),
        DType::U8 => (format!("({v} & 0xffu)"), &[]),
        DType::Bool => (format!("u32({v})"), &[]),
        DType::I8 => (format!("(bitcast<u32>({v}) & 0xffu)"), &[]),
        DType::I16 => (format!("(bitcast<u32>({v}) & 0xffffu)"), &[]),
        DType::F16 => (format!("f16_bits({v})"), &["f16_bits"]),
        _ => (format!("bf16_bits({v})"), &["bf16_bits", "is_nan"]),
    }
}

/// A value just computed, as its dtype holds it: wrapped or rounded.
pub(super) fn settled(dtype: DType, v: String) -> (String, &'static [&'static str]) {
    match dtype {
        DType::U8 => (format!("(({v}) & 0xffu)"), &[]),
        DType::I8 => (format!("((({v}) << 24u) >> 24u)"), &[]),
        DType::I16 => (format!("((({v}) << 16u) >> 16u)"), &[]),
        DType::F16 => (format!("f16_value(f16_bits({v}))"), &["f16_value", "f16_bits"]),
        DType::BF16 => (format!("bitcast<f32>(bf16_bits({v}) << 16u)"), &["bf16_bits", "is_nan"]),
        _ => (v, &[]),
    }
}

/// `v` of one dtype as another.
pub(super) fn cast(from: DType, to: DType, v: &str) -> Option<(String, &'static [&'static str])> {
    let (a, b) = (ty(from)?, ty(to)?);
    let out: (String, &'static [&'static str]) = match (a, b) {
        _ if from == to => (v.to_owned(), &[]),
        (Ty::F32, Ty::F32) => return Some(settled(to, v.to_owned())),
        (x, y) if x == y && x != Ty::I32 => (v.to_owned(), &[]),
        (Ty::I32, Ty::I32) => return Some(settled(to, v.to_owned())),
        (Ty::I64, Ty::Bool) => (format!("(({v}.x | {v}.y) != 0u)"), &[]),
        (Ty::F32, Ty::Bool) => (format!("({v} != 0.0)"), &[]),
        (Ty::I32, Ty::Bool) => (format!("({v} != 0)"), &[]),
        (Ty::U32, Ty::Bool) => (format!("({v} != 0u)"), &[]),
        (Ty::I64, Ty::F32) => {
            let (v, _) = settled(to, format!("i64_to_f32({v})"));
            (v, &["i64_to_f32", "i64_abs", "i64_neg", "f16_value", "f16_bits", "bf16_bits", "is_nan"])
        }
        (_, Ty::F32) => return Some(settled(to, format!("f32({v})"))),
        (Ty::F32, Ty::I64) => (format!("i64_of_f32({v})"), &["i64_of_f32", "i64_neg", "is_nan"]),
        (Ty::I32, Ty::I64) => (format!("i64_of_i32({v})"), &["i64_of_i32"]),
        (_, Ty::I64) => (format!("vec2<u32>(u32({v}), 0u)"), &[]),
        (Ty::F32, Ty::I32) => {
            let (v, _) = settled(to, format!("float_to_int({v})"));
            (v, &["float_to_int", "is_nan"])
        }
        (Ty::F32, Ty::U32) => (format!("(i64_of_f32({v}).x & 0xffu)"), &["i64_of_f32", "i64_neg", "is_nan"]),
        (Ty::I64, Ty::I32) => return Some(settled(to, format!("bitcast<i32>({v}.x)"))),
        (Ty::I64, Ty::U32) => (format!("({v}.x & 0xffu)"), &[]),
        (_, Ty::I32) => return Some(settled(to, format!("i32({v})"))),
        (Ty::I32, Ty::U32) => (format!("(bitcast<u32>({v}) & 0xffu)"), &[]),
        (_, Ty::U32) => (format!("u32({v})"), &[]),
        (_, Ty::Bool) => (v.to_owned(), &[]),
    };
    Some(out)
}
