//! Element types, Python scalars, and PyTorch's type promotion
//! (<https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc>).

use std::cell::Cell;

use bytemuck::{Pod, Zeroable};
use half::{bf16, f16};

/// The element type of a tensor. Complex elements are pairs of reals; kernels see them only as such (`backend/pairs.rs`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DType {
    Bool,
    U8,
    I8,
    I16,
    I32,
    I64,
    F16,
    BF16,
    F32,
    F64,
    /// Two float32.
    C64,
    /// Two float64.
    C128,
}

use DType::*;

impl DType {
    pub const ALL: [DType; 12] = [Bool, U8, I8, I16, I32, I64, F16, BF16, F32, F64, C64, C128];

    /// Bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Bool | U8 | I8 => 1,
            I16 | F16 | BF16 => 2,
            I32 | F32 => 4,
            I64 | F64 | C64 => 8,
            C128 => 16,
        }
    }
    /// Floats of 16 bits, whose kernels compute in float32.
    pub fn is_half(self) -> bool {
        matches!(self, F16 | BF16)
    }
    pub fn is_float(self) -> bool {
        matches!(self, F16 | BF16 | F32 | F64)
    }
    pub fn is_complex(self) -> bool {
        matches!(self, C64 | C128)
    }
    /// Float or complex: what has gradients.
    pub fn is_inexact(self) -> bool {
        self.is_float() || self.is_complex()
    }
    /// The dtype of the parts of a complex number; others as they are.
    pub fn to_real(self) -> DType {
        match self {
            C64 => F32,
            C128 => F64,
            real => real,
        }
    }
    /// The complex dtype that holds it (float16 and bfloat16 have none of their size here).
    pub fn to_complex(self) -> DType {
        match self {
            F64 | C128 => C128,
            _ => C64,
        }
    }
    /// Integers without bool.
    pub fn is_int(self) -> bool {
        matches!(self, U8 | I8 | I16 | I32 | I64)
    }
    pub fn is_signed(self) -> bool {
        !matches!(self, Bool | U8)
    }
    /// `float32`, as in `torch.float32`.
    pub fn name(self) -> &'static str {
        match self {
            Bool => "bool",
            U8 => "uint8",
            I8 => "int8",
            I16 => "int16",
            I32 => "int32",
            I64 => "int64",
            F16 => "float16",
            BF16 => "bfloat16",
            F32 => "float32",
            F64 => "float64",
            C64 => "complex64",
            C128 => "complex128",
        }
    }
    /// The C++ name PyTorch's messages use: `Float`, `Long`, …
    pub fn scalar_type_name(self) -> &'static str {
        match self {
            Bool => "Bool",
            U8 => "Byte",
            I8 => "Char",
            I16 => "Short",
            I32 => "Int",
            I64 => "Long",
            F16 => "Half",
            BF16 => "BFloat16",
            F32 => "Float",
            F64 => "Double",
            C64 => "ComplexFloat",
            C128 => "ComplexDouble",
        }
    }
    /// `FloatTensor`, as `Tensor.type()` and some messages say.
    pub fn tensor_type_name(self) -> String {
        format!("{}Tensor", self.scalar_type_name())
    }
    /// The tensor type as C++ names it: `torch.FloatTensor`, for some dtypes `CPUBoolType`.
    pub fn cpu_type_name(self) -> String {
        match self {
            Bool | BF16 | C64 | C128 => format!("CPU{}Type", self.scalar_type_name()),
            _ => format!("torch.{}", self.tensor_type_name()),
        }
    }
    /// The C type some messages use: `float`, `long int`, …
    pub fn c_name(self) -> &'static str {
        match self {
            Bool => "bool",
            U8 => "unsigned char",
            I8 => "signed char",
            I16 => "short",
            I32 => "int",
            I64 => "long",
            F16 => "c10::Half",
            BF16 => "c10::BFloat16",
            F32 => "float",
            F64 => "double",
            C64 => "c10::complex<float>",
            C128 => "c10::complex<double>",
        }
    }

    fn category(self) -> u8 {
        match self {
            Bool => 0,
            U8 | I8 | I16 | I32 | I64 => 1,
            F16 | BF16 | F32 | F64 => 2,
            C64 | C128 => 3,
        }
    }

    /// `torch.promote_types(a, b)`.
    pub fn promote(self, other: DType) -> DType {
        if self == other {
            return self;
        }
        match (self, other) {
            (Bool, x) | (x, Bool) => x,
            (F16, BF16) | (BF16, F16) => F32,
            (U8, I8) | (I8, U8) => I16,
            (F64, C64) | (C64, F64) => C128,
            (a, b) if a.category() != b.category() => {
                if a.category() > b.category() {
                    a
                } else {
                    b
                }
            }
            (a, b) => {
                if a.size() >= b.size() {
                    a
                } else {
                    b
                }
            }
        }
    }

    /// Can a result of type `self` be written into a tensor of type `to` (`torch.can_cast`)?
    pub fn can_cast(self, to: DType) -> bool {
        self == Bool || self.category().max(1) <= to.category()
    }

    /// Floats and complex as they are, everything else as the default dtype: what `exp`, `mean`, `/` compute in.
    pub fn to_float(self) -> DType {
        if self.is_inexact() { self } else { default_dtype() }
    }
}

thread_local! {
    static DEFAULT: Cell<DType> = const { Cell::new(F32) };
}

/// `torch.get_default_dtype()`.
pub fn default_dtype() -> DType {
    DEFAULT.get()
}

/// `torch.set_default_dtype(dtype)`; the caller has checked that it is a float type.
pub fn set_default_dtype(dtype: DType) {
    DEFAULT.set(dtype);
}

/// A Python number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar {
    Bool(bool),
    Int(i64),
    Float(f64),
    /// Real and imaginary part.
    Complex(f64, f64),
}

impl Scalar {
    /// The dtype a tensor made of it has.
    pub fn dtype(self) -> DType {
        match self {
            Scalar::Bool(_) => Bool,
            Scalar::Int(_) => I64,
            Scalar::Float(_) => default_dtype(),
            Scalar::Complex(..) => default_dtype().to_complex(),
        }
    }
    /// Of a complex number, the real part.
    pub fn to_f64(self) -> f64 {
        match self {
            Scalar::Bool(b) => b as u8 as f64,
            Scalar::Int(i) => i as f64,
            Scalar::Float(f) | Scalar::Complex(f, _) => f,
        }
    }
    pub fn to_i64(self) -> i64 {
        match self {
            Scalar::Bool(b) => b as i64,
            Scalar::Int(i) => i,
            Scalar::Float(f) | Scalar::Complex(f, _) => f as i64,
        }
    }
    /// The imaginary part: 0 of a real number.
    pub fn imag(self) -> f64 {
        if let Scalar::Complex(_, im) = self { im } else { 0.0 }
    }
    pub fn is_zero(self) -> bool {
        self.to_f64() == 0.0 && self.imag() == 0.0
    }
    pub fn is_one(self) -> bool {
        self.to_f64() == 1.0 && self.imag() == 0.0
    }
}

impl From<bool> for Scalar {
    fn from(b: bool) -> Self {
        Scalar::Bool(b)
    }
}
impl From<i64> for Scalar {
    fn from(i: i64) -> Self {
        Scalar::Int(i)
    }
}
impl From<f64> for Scalar {
    fn from(f: f64) -> Self {
        Scalar::Float(f)
    }
}

/// A bool as it lies in memory: one byte, 0 or 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(transparent)]
pub struct B8(pub u8);

impl From<bool> for B8 {
    fn from(b: bool) -> Self {
        B8(b as u8)
    }
}

/// A Rust type that tensors can hold. Conversions are PyTorch's casts: float to int truncates, to bool asks `!= 0`,
/// int to int wraps.
pub trait Element: Pod + PartialOrd + 'static {
    const DTYPE: DType;
    fn from_f64(x: f64) -> Self;
    fn from_i64(x: i64) -> Self;
    fn to_f64(self) -> f64;
    fn to_i64(self) -> i64;
    fn from_scalar(s: Scalar) -> Self {
        match s {
            Scalar::Float(f) | Scalar::Complex(f, _) => Self::from_f64(f),
            other => Self::from_i64(other.to_i64()),
        }
    }
    /// Python's number for it.
    fn to_scalar(self) -> Scalar {
        if Self::DTYPE == Bool {
            Scalar::Bool(self.to_i64() != 0)
        } else if Self::DTYPE.is_float() {
            Scalar::Float(self.to_f64())
        } else {
            Scalar::Int(self.to_i64())
        }
    }
}

macro_rules! int_element {
    ($($t:ty => $d:ident),*) => {$(
        impl Element for $t {
            const DTYPE: DType = $d;
            fn from_f64(x: f64) -> Self {
                // x86 converts to int32 or int64; out-of-range values become the smallest, of which the low bits stay.
                if matches!($d, I32 | I16 | I8) {
                    let inside = x > i32::MIN as f64 - 1.0 && x < i32::MAX as f64 + 1.0;
                    return if inside { x as i32 as $t } else { i32::MIN as $t };
                }
                if !(i64::MIN as f64..-(i64::MIN as f64)).contains(&x) {
                    i64::MIN as $t
                } else {
                    x as i64 as $t
                }
            }
            fn from_i64(x: i64) -> Self { x as $t }
            fn to_f64(self) -> f64 { self as f64 }
            fn to_i64(self) -> i64 { self as i64 }
        }
    )*};
}
int_element!(u8 => U8, i8 => I8, i16 => I16, i32 => I32, i64 => I64);

impl Element for B8 {
    const DTYPE: DType = Bool;
    fn from_f64(x: f64) -> Self {
        B8((x != 0.0) as u8)
    }
    fn from_i64(x: i64) -> Self {
        B8((x != 0) as u8)
    }
    fn to_f64(self) -> f64 {
        self.0 as f64
    }
    fn to_i64(self) -> i64 {
        self.0 as i64
    }
}

impl Element for f32 {
    const DTYPE: DType = F32;
    fn from_f64(x: f64) -> Self {
        x as f32
    }
    fn from_i64(x: i64) -> Self {
        x as f32
    }
    fn to_f64(self) -> f64 {
        self as f64
    }
    fn to_i64(self) -> i64 {
        i64::from_f64(self as f64)
    }
}

impl Element for f64 {
    const DTYPE: DType = F64;
    fn from_f64(x: f64) -> Self {
        x
    }
    fn from_i64(x: i64) -> Self {
        x as f64
    }
    fn to_f64(self) -> f64 {
        self
    }
    fn to_i64(self) -> i64 {
        i64::from_f64(self)
    }
}

macro_rules! half_element {
    ($t:ty, $d:ident) => {
        impl Element for $t {
            const DTYPE: DType = $d;
            fn from_f64(x: f64) -> Self {
                // PyTorch rounds through float32.
                <$t>::from_f32(x as f32)
            }
            fn from_i64(x: i64) -> Self {
                <$t>::from_f32(x as f32)
            }
            fn to_f64(self) -> f64 {
                self.to_f32() as f64
            }
            fn to_i64(self) -> i64 {
                i64::from_f64(self.to_f32() as f64)
            }
        }
    };
}
half_element!(f16, F16);
half_element!(bf16, BF16);

/// Run `$body` with the type alias `$t` bound to the Rust type of a dtype: `with_dtype!(dtype, T => kernel::<T>(x))`.
/// Complex dtypes have no such type, lest every kernel be compiled for them too: they return an error, or take what
/// stands after `else`.
#[macro_export]
macro_rules! with_dtype {
    ($dtype:expr, $t:ident => $body:expr) => {{
        let dtype: $crate::DType = $dtype;
        $crate::with_dtype!(dtype, $t => $body; else return Err($crate::Error::no_kernel("this op", dtype)))
    }};
    ($dtype:expr, $t:ident => $body:expr; else $other:expr) => {
        match $dtype {
            $crate::DType::C64 | $crate::DType::C128 => $other,
            $crate::DType::Bool => {
                type $t = $crate::dtype::B8;
                $body
            }
            $crate::DType::U8 => {
                type $t = u8;
                $body
            }
            $crate::DType::I8 => {
                type $t = i8;
                $body
            }
            $crate::DType::I16 => {
                type $t = i16;
                $body
            }
            $crate::DType::I32 => {
                type $t = i32;
                $body
            }
            $crate::DType::I64 => {
                type $t = i64;
                $body
            }
            $crate::DType::F16 => {
                type $t = half::f16;
                $body
            }
            $crate::DType::BF16 => {
                type $t = half::bf16;
                $body
            }
            $crate::DType::F32 => {
                type $t = f32;
                $body
            }
            $crate::DType::F64 => {
                type $t = f64;
                $body
            }
        }
    };
}
