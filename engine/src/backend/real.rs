//! What factorizations need of a float, for float32 and float64 alike: with the rounding of the element type they take
//! the steps that LAPACK takes. And the two building blocks of these steps, reflections and rotations.

use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

pub trait Real:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
{
    const ZERO: Self;
    const ONE: Self;
    /// The distance from one to the next larger number.
    const EPSILON: f64;
    const TINY: f64;
    fn of(x: f64) -> Self;
    fn wide(self) -> f64;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    fn hypot(self, other: Self) -> Self;
    fn copysign(self, sign: Self) -> Self;
    fn larger(self, other: Self) -> Self;
}

macro_rules! real {
    ($($t:ident)*) => {$(
        impl Real for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const EPSILON: f64 = $t::EPSILON as f64;
            const TINY: f64 = $t::MIN_POSITIVE as f64;
            fn of(x: f64) -> Self {
                x as $t
            }
            fn wide(self) -> f64 {
                self as f64
            }
            fn abs(self) -> Self {
                $t::abs(self)
            }
            fn sqrt(self) -> Self {
                $t::sqrt(self)
            }
            fn hypot(self, other: Self) -> Self {
                $t::hypot(self, other)
            }
            fn copysign(self, sign: Self) -> Self {
                $t::copysign(self, sign)
            }
            fn larger(self, other: Self) -> Self {
                $t::max(self, other)
            }
        }
    )*};
}
real! { f32 f64 }

/// A matrix, row-major.
pub struct Matrix<T> {
    pub rows: usize,
    pub cols: usize,
    pub a: Vec<T>,
}

impl<T> std::ops::Index<(usize, usize)> for Matrix<T> {
    type Output = T;
    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.a[i * self.cols + j]
    }
}
impl<T> std::ops::IndexMut<(usize, usize)> for Matrix<T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        &mut self.a[i * self.cols + j]
    }
}

impl<T: Real> Matrix<T> {
    pub fn of(a: &[f64], rows: usize, cols: usize) -> Self {
        Matrix { rows, cols, a: a.iter().map(|&x| T::of(x)).collect() }
    }
    pub fn identity(rows: usize, cols: usize) -> Self {
        let mut m = Matrix { rows, cols, a: vec![T::ZERO; rows * cols] };
        (0..rows.min(cols)).for_each(|i| m[(i, i)] = T::ONE);
        m
    }
    pub fn transposed(&self) -> Self {
        let a = (0..self.cols * self.rows).map(|at| self[(at % self.rows, at / self.rows)]).collect();
        Matrix { rows: self.cols, cols: self.rows, a }
    }
    /// The upper left corner.
    pub fn corner(&self, rows: usize, cols: usize) -> Self {
        let a = (0..rows * cols).map(|at| self[(at / cols, at % cols)]).collect();
        Matrix { rows, cols, a }
    }
    pub fn wide(&self) -> Vec<f64> {
        self.a.iter().map(|x| x.wide()).collect()
    }
    pub fn swap_rows(&mut self, i: usize, j: usize) {
        if i != j {
            (0..self.cols).for_each(|k| self.a.swap(i * self.cols + k, j * self.cols + k));
        }
    }
    /// Rows `j` and `j + 1` turned: `lasr` of LAPACK.
    pub fn turn_rows(&mut self, j: usize, c: T, s: T) {
        for k in 0..self.cols {
            let (x, y) = (self[(j, k)], self[(j + 1, k)]);
            self[(j + 1, k)] = c * y - s * x;
            self[(j, k)] = s * y + c * x;
        }
    }
}

/// The factor by which elements so small or large that their squares are lost are brought near to one.
pub fn scale_for<T: Real>(a: &[f64]) -> f64 {
    let top = a.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let small = (T::TINY / T::EPSILON).sqrt();
    if top == 0.0 || (small..=1.0 / small).contains(&top) { 1.0 } else { (1.0 / top).min(1e300) }
}

/// `I - tau v v^T` with `v[0] = 1`, acting on rows (or columns) from `start` on.
pub struct Reflection<T> {
    pub start: usize,
    pub tau: T,
    pub v: Vec<T>,
}

impl<T: Real> Reflection<T> {
    /// The reflection that takes `x` to a multiple of the first unit vector, and that multiple.
    pub fn of(start: usize, mut x: Vec<T>) -> (Self, T) {
        let Some(&alpha) = x.first() else { return (Reflection { start, tau: T::ZERO, v: x }, T::ZERO) };
        let below = T::of(x[1..].iter().map(|v| v.wide() * v.wide()).sum::<f64>().sqrt());
        let (mut tau, mut beta) = (T::ZERO, alpha);
        if below != T::ZERO {
            beta = -alpha.hypot(below).copysign(alpha);
            x[1..].iter_mut().for_each(|v| *v /= alpha - beta);
            tau = (beta - alpha) / beta;
        }
        x[0] = T::ONE;
        (Reflection { start, tau, v: x }, beta)
    }

    /// Apply to the rows of `m`, in its columns from `from` on.
    pub fn to_rows(&self, m: &mut Matrix<T>, from: usize) {
        if self.tau == T::ZERO {
            return;
        }
        let mut sums = vec![T::ZERO; m.cols - from];
        for (i, &x) in self.v.iter().enumerate() {
            let row = (self.start + i) * m.cols;
            sums.iter_mut().zip(&m.a[row + from..row + m.cols]).for_each(|(s, y)| *s += x * *y);
        }
        for (i, &x) in self.v.iter().enumerate() {
            let (row, f) = ((self.start + i) * m.cols, self.tau * x);
            m.a[row + from..row + m.cols].iter_mut().zip(&sums).for_each(|(y, s)| *y -= f * *s);
        }
    }

    /// Apply to the columns of `m`, in its rows from `from` on.
    pub fn to_columns(&self, m: &mut Matrix<T>, from: usize) {
        if self.tau == T::ZERO {
            return;
        }
        for i in from..m.rows {
            let at = i * m.cols + self.start;
            let line = &mut m.a[at..at + self.v.len()];
            let f = self.tau * line.iter().zip(&self.v).fold(T::ZERO, |s, (y, x)| s + *y * *x);
            line.iter_mut().zip(&self.v).for_each(|(y, x)| *y -= f * *x);
        }
    }
}

/// Apply the product of reflections, the last one first, to the rows of `m`.
pub fn product_of<T: Real>(reflections: &[Reflection<T>], m: &mut Matrix<T>) {
    reflections.iter().rev().for_each(|r| r.to_rows(m, 0));
}

/// Cosine, sine and length of the rotation that takes `(f, g)` to `(r, 0)`. The sign of `r` is that of `f`.
pub fn rotation<T: Real>(f: T, g: T) -> (T, T, T) {
    if g == T::ZERO {
        return (T::ONE, T::ZERO, f);
    }
    if f == T::ZERO {
        return (T::ZERO, T::ONE, g);
    }
    let r = f.hypot(g).copysign(f);
    (f / r, g / r, r)
}

/// The same with the sign that older LAPACKs choose: `f`'s where `f` is the larger one, else positive.
pub fn old_rotation<T: Real>(f: T, g: T) -> (T, T, T) {
    let (c, s, r) = rotation(f, g);
    if f != T::ZERO && g != T::ZERO && f.abs() <= g.abs() && r < T::ZERO { (-c, -s, -r) } else { (c, s, r) }
}
