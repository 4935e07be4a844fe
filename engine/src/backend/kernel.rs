//! The names of the kernels that every backend has.

/// One value in, one out. Floating point unless said otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum UnaryOp {
    /// Any dtype but bool.
    Neg,
    /// Any number.
    Abs,
    /// Any number.
    Sign,
    /// Integers are unchanged by these four.
    Floor,
    Ceil,
    Trunc,
    /// Half to even.
    Round,
    Frac,
    Exp,
    Exp2,
    Expm1,
    Log,
    Log2,
    Log10,
    Log1p,
    Sqrt,
    Rsqrt,
    Reciprocal,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Sigmoid,
    Erf,
    Erfc,
    ErfInv,
    Lgamma,
    Digamma,
    /// Modified Bessel functions of the first kind; `e` is scaled by `exp(-|x|)`.
    I0,
    I0e,
    I1,
    I1e,
    /// Bessel functions of the first and second kind.
    BesselJ0,
    BesselJ1,
    BesselY0,
    BesselY1,
    /// Modified Bessel functions of the second kind; `e` is scaled by `exp(x)`.
    K0,
    K0e,
    K1,
    K1e,
    /// `sin x / x`
    SphericalJ0,
    /// `sin(pi x) / (pi x)`
    Sinc,
    /// Inverse of the normal distribution function.
    Ndtri,
    /// `exp(x^2) erfc(x)`
    Erfcx,
    /// Log of the normal distribution function.
    LogNdtr,
    /// `-x log x`
    Entr,
    /// Integers and bool.
    BitNot,
    /// To bool, any dtype.
    LogicalNot,
    IsNan,
    IsInf,
    IsFinite,
    /// Activations. `below` where `x <= at`, `above` elsewhere: also the slope of piecewise linear ones.
    Step {
        at: f64,
        below: f64,
        above: f64,
    },
    /// `max(x, 0) + slope * min(x, 0)`
    LeakyRelu(f64),
    /// `x > 0 ? scale * x : scale * alpha * (exp(inner * x) - 1)`
    Elu {
        alpha: f64,
        scale: f64,
        inner: f64,
    },
    Gelu,
    GeluTanh,
    Silu,
    Mish,
    /// `log(1 + exp(beta * x)) / beta`, `x` itself where `beta * x` is over the threshold.
    Softplus {
        beta: f64,
        threshold: f64,
    },
    LogSigmoid,
    /// `clamp(x, low, high)`
    Hardtanh {
        low: f64,
        high: f64,
    },
    Hardsigmoid,
    Hardswish,
    Softshrink(f64),
    Hardshrink(f64),
    /// `x > at ? x : value`
    Threshold {
        at: f64,
        value: f64,
    },
}

/// Two values of one dtype in, one out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOp {
    /// On bool: or.
    Add,
    Sub,
    /// On bool: and.
    Mul,
    /// Floating point.
    Div,
    /// Python's `//`. Integers: the divisor is not zero (checked by the op).
    FloorDiv,
    /// Division rounded to zero.
    TruncDiv,
    /// Python's `%`.
    Remainder,
    /// C's `fmod`.
    Fmod,
    Pow,
    Atan2,
    /// NaN wins.
    Max,
    Min,
    /// NaN loses.
    Fmax,
    Fmin,
    Hypot,
    NextAfter,
    CopySign,
    /// `a > 0 ? b : 0`-style steps: 0 where `a < 0`, `b` where `a == 0`, 1 elsewhere.
    Heaviside,
    LogAddExp,
    LogAddExp2,
    /// `a log b` and `a log1p b`, 0 where `a` is 0.
    Xlogy,
    Xlog1py,
    /// Hurwitz zeta.
    Zeta,
    /// Regularized incomplete gamma functions, lower and upper.
    Igamma,
    Igammac,
    /// Greatest common divisor, integers.
    Gcd,
    Lcm,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    /// To bool, from here on.
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    LogicalAnd,
    LogicalOr,
    LogicalXor,
}

impl BinaryOp {
    pub fn gives_bool(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge | LogicalAnd | LogicalOr | LogicalXor)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReduceOp {
    Sum,
    Prod,
    /// The square root of the sum of squares. Float types.
    Norm2,
    /// NaN wins. Not over an empty dimension (checked by the op).
    Max,
    Min,
    /// To bool.
    Any,
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgOp {
    Max,
    Min,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CumOp {
    Sum,
    Prod,
    Max,
    Min,
    LogSumExp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScatterOp {
    Set,
    Add,
    Mul,
    Max,
    Min,
}

/// A sliding window over the last dimensions of `[batch, channels, spatial…]`: kernel size, stride, padding and dilation
/// for each spatial dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    pub kernel: Vec<usize>,
    pub stride: Vec<usize>,
    pub padding: Vec<usize>,
    pub dilation: Vec<usize>,
}

impl Window {
    /// How often the window fits into each dimension of `input`; `None` where the kernel is larger than the padded input.
    pub fn output(&self, input: &[usize]) -> Option<Vec<usize>> {
        (0..input.len())
            .map(|d| {
                let room = self.padded(d, input[d]).checked_sub(self.span(d))?;
                Some(room / self.stride[d] + 1)
            })
            .collect()
    }

    /// How far the window reaches in dimension `d`: as far as a number can say, where it is larger than that.
    pub fn span(&self, d: usize) -> usize {
        self.dilation[d].saturating_mul(self.kernel[d].saturating_sub(1)).saturating_add(1)
    }

    /// The size of dimension `d` with its padding.
    pub fn padded(&self, d: usize, size: usize) -> usize {
        self.padding[d].saturating_mul(2).saturating_add(size)
    }

    /// Where kernel element `k` of window `o` lies in dimension `d`; `None` in the padding.
    pub fn place(&self, d: usize, o: usize, k: usize, size: usize) -> Option<usize> {
        (o * self.stride[d] + k * self.dilation[d]).checked_sub(self.padding[d]).filter(|&p| p < size)
    }
}

/// For each spatial dimension and each output index: the input indices of its window, none of them padding. Windows may
/// differ in size (adaptive pooling).
pub type Regions = Vec<Vec<Vec<usize>>>;
