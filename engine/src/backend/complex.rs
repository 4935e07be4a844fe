//! One complex number and its functions, in float64: what `pairs.rs` computes on the host. Branch cuts are C's; the
//! inverse functions are written in the forms that lose no digits near the cuts.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A complex number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Complex {
    pub re: f64,
    pub im: f64,
}

impl Complex {
    pub const ZERO: Complex = Complex { re: 0.0, im: 0.0 };
    pub const ONE: Complex = Complex { re: 1.0, im: 0.0 };

    pub fn new(re: f64, im: f64) -> Self {
        Complex { re, im }
    }
    pub fn norm(self) -> f64 {
        self.re.hypot(self.im)
    }
    fn conj(self) -> Self {
        Complex::new(self.re, -self.im)
    }
    pub fn times(self, factor: f64) -> Self {
        Complex::new(self.re * factor, self.im * factor)
    }
    /// `i z`
    fn turned(self) -> Self {
        Complex::new(-self.im, self.re)
    }
    /// `-i z`
    fn turned_back(self) -> Self {
        Complex::new(self.im, -self.re)
    }
    pub fn recip(self) -> Self {
        Complex::ONE / self
    }

    pub fn exp(self) -> Self {
        let r = self.re.exp();
        // A real number stays one, whatever the size of `r`.
        if self.im == 0.0 {
            return Complex::new(r, self.im);
        }
        Complex::new(r * self.im.cos(), r * self.im.sin())
    }
    pub fn exp_m1(self) -> Self {
        // exp(a) cos b - 1 without cancellation near zero.
        let half = (self.im / 2.0).sin();
        Complex::new(self.re.exp_m1() * self.im.cos() - 2.0 * half * half, self.re.exp() * self.im.sin())
    }
    pub fn ln(self) -> Self {
        Complex::new(self.norm().ln(), self.im.atan2(self.re))
    }
    pub fn ln_1p(self) -> Self {
        let near = self.re * (2.0 + self.re) + self.im * self.im;
        Complex::new(0.5 * near.ln_1p(), self.im.atan2(1.0 + self.re))
    }
    pub fn sqrt(self) -> Self {
        if self == Complex::ZERO {
            return Complex::new(0.0, self.im);
        }
        let t = ((self.norm() + self.re.abs()) / 2.0).sqrt();
        if self.re >= 0.0 {
            Complex::new(t, self.im / (2.0 * t))
        } else {
            Complex::new(self.im.abs() / (2.0 * t), t.copysign(self.im))
        }
    }
    /// `z^y` by logarithm; powers of 0 are 0 or NaN.
    pub fn pow(self, y: Self) -> Self {
        if y == Complex::ZERO {
            Complex::ONE
        } else if self == Complex::ZERO {
            if y.re > 0.0 { Complex::ZERO } else { Complex::new(f64::NAN, f64::NAN) }
        } else {
            (y * self.ln()).exp()
        }
    }

    pub fn sinh(self) -> Self {
        Complex::new(self.re.sinh() * self.im.cos(), self.re.cosh() * self.im.sin())
    }
    pub fn cosh(self) -> Self {
        Complex::new(self.re.cosh() * self.im.cos(), self.re.sinh() * self.im.sin())
    }
    pub fn tanh(self) -> Self {
        let (x, y) = (2.0 * self.re, 2.0 * self.im);
        if x.abs() > 700.0 {
            return Complex::new(1f64.copysign(x), 0f64.copysign(y.sin()));
        }
        let d = x.cosh() + y.cos();
        Complex::new(x.sinh() / d, y.sin() / d)
    }
    pub fn sin(self) -> Self {
        self.turned().sinh().turned_back()
    }
    pub fn cos(self) -> Self {
        self.turned().cosh()
    }
    pub fn tan(self) -> Self {
        self.turned().tanh().turned_back()
    }
    pub fn asin(self) -> Self {
        let (a, b) = ((Complex::ONE - self).sqrt(), (Complex::ONE + self).sqrt());
        Complex::new(self.re.atan2((a * b).re), (a.conj() * b).im.asinh())
    }
    pub fn acos(self) -> Self {
        let (a, b) = ((Complex::ONE - self).sqrt(), (Complex::ONE + self).sqrt());
        Complex::new(2.0 * a.re.atan2(b.re), (b.conj() * a).im.asinh())
    }
    pub fn acosh(self) -> Self {
        let (a, b) = ((self - Complex::ONE).sqrt(), (self + Complex::ONE).sqrt());
        Complex::new((a.conj() * b).re.asinh(), 2.0 * a.im.atan2(b.re))
    }
    pub fn asinh(self) -> Self {
        self.turned().asin().turned_back()
    }
    pub fn atanh(self) -> Self {
        let (x, y) = (self.re, self.im);
        let re = 0.25 * (4.0 * x / ((1.0 - x) * (1.0 - x) + y * y)).ln_1p();
        Complex::new(re, 0.5 * (y.atan2(1.0 + x) + y.atan2(1.0 - x)))
    }
    pub fn atan(self) -> Self {
        self.turned().atanh().turned_back()
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Complex::new(self.re + o.re, self.im + o.im)
    }
}
impl Sub for Complex {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Complex::new(self.re - o.re, self.im - o.im)
    }
}
impl Neg for Complex {
    type Output = Self;
    fn neg(self) -> Self {
        Complex::new(-self.re, -self.im)
    }
}
impl Mul for Complex {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Complex::new(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)
    }
}
impl Div for Complex {
    type Output = Self;
    /// Scaled by the larger part of the divisor, so that its square cannot overflow.
    fn div(self, o: Self) -> Self {
        let scale = o.re.abs().max(o.im.abs());
        if scale == 0.0 || !scale.is_finite() {
            let d = o.re * o.re + o.im * o.im;
            let p = self * o.conj();
            return Complex::new(p.re / d, p.im / d);
        }
        let (c, d) = (o.re / scale, o.im / scale);
        let n = c * c + d * d;
        let p = self * Complex::new(c, -d);
        Complex::new(p.re / n / scale, p.im / n / scale)
    }
}
