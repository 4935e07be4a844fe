//! Complex values before a backend that has only real kernels. A complex value lies in memory as pairs of reals, so its
//! real and imaginary parts are strided real values: moves and linear kernels run on the parts, products are put
//! together from real ones. Functions (`exp`, `pow`, …) are computed on the host in float64, as factorizations are.
//! What is not here is refused by name; no backend ever sees a complex dtype but in `alloc`.

use rushlight_kernels::optim::Adam;

use super::complex::Complex;
use super::{ArgOp, Backend, BinaryOp, CumOp, Fault, ReduceOp, Regions, ScatterOp, UnaryOp, Window};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::storage::Storage;
use crate::tensor::Raw;

/// A backend that takes complex values too.
pub struct Pairs<B: Backend>(pub B);

/// The real (0) or imaginary (1) part of a complex value, in its memory.
fn part(x: &Raw, which: usize) -> Raw {
    let Layout { shape, strides, offset } = &x.layout;
    let strides = strides.iter().map(|s| s.saturating_mul(2)).collect();
    Raw {
        storage: x.storage.clone(),
        layout: Layout { shape: shape.clone(), strides, offset: offset * 2 + which },
        dtype: x.dtype.to_real(),
    }
}

/// Complex values of zero, and their memory as real ones.
fn zeros(b: &dyn Backend, shape: &[usize], dtype: DType) -> Result<Raw> {
    let real = b.full(&[shape, &[2]].concat(), Scalar::Int(0), dtype.to_real())?;
    Ok(Raw::whole(real.storage, shape, dtype))
}

fn join(b: &dyn Backend, re: &Raw, im: &Raw) -> Result<Raw> {
    let out = zeros(b, re.shape(), re.dtype.to_complex())?;
    b.write(&part(&out, 0), re)?;
    b.write(&part(&out, 1), im)?;
    Ok(out)
}

/// A kernel that treats both parts alike.
fn each(b: &dyn Backend, f: impl Fn(usize) -> Result<Raw>) -> Result<Raw> {
    join(b, &f(0)?, &f(1)?)
}

/// What is not zero.
fn truth(b: &dyn Backend, x: &Raw) -> Result<Raw> {
    if x.dtype.is_complex() { b.binary(BinaryOp::LogicalOr, &part(x, 0), &part(x, 1)) } else { b.copy(x, DType::Bool) }
}

/// Real and imaginary part of a product, whose real products `f` makes.
fn product(b: &dyn Backend, x: &Raw, y: &Raw, f: impl Fn(&Raw, &Raw) -> Result<Raw>) -> Result<Raw> {
    let ([a, bi], [c, d]) = ([part(x, 0), part(x, 1)], [part(y, 0), part(y, 1)]);
    let re = b.binary(BinaryOp::Sub, &f(&a, &c)?, &f(&bi, &d)?)?;
    let im = b.binary(BinaryOp::Add, &f(&a, &d)?, &f(&bi, &c)?)?;
    join(b, &re, &im)
}

fn multiply(b: &dyn Backend, x: &Raw, y: &Raw) -> Result<Raw> {
    product(b, x, y, |p, q| b.binary(BinaryOp::Mul, p, q))
}

fn read(b: &dyn Backend, x: &Raw) -> Result<Vec<Complex>> {
    let wide = each(b, |i| b.copy(&part(x, i), DType::F64))?;
    let flat: Vec<f64> = bytemuck::allocation::pod_collect_to_vec(&b.read(&wide.storage)?);
    Ok(flat.as_chunks::<2>().0.iter().map(|p| Complex::new(p[0], p[1])).collect())
}

fn upload(b: &dyn Backend, values: impl Iterator<Item = Complex>, like: &Raw) -> Result<Raw> {
    let flat: Vec<f64> = values.flat_map(|z| [z.re, z.im]).collect();
    let wide = Raw::whole(b.upload(bytemuck::cast_slice(&flat))?, like.shape(), DType::C128);
    each(b, |i| b.copy(&part(&wide, i), like.dtype.to_real()))
}

/// The name under which PyTorch's dispatch knows a kernel.
fn kernel_name(op: &dyn std::fmt::Debug) -> String {
    let name = format!("{op:?}");
    let name = name.split(['(', ' ']).next().unwrap_or_default().to_lowercase();
    match name.as_str() {
        "floordiv" => "div_floor_cpu".to_owned(),
        "truncdiv" => "div_trunc_cpu".to_owned(),
        "round" | "erf" | "erfc" | "erfinv" | "lgamma" => format!("{name}_vml_cpu"),
        _ => format!("{name}_cpu"),
    }
}

/// Functions of one complex number.
fn function(op: UnaryOp) -> Option<fn(Complex) -> Complex> {
    use UnaryOp::*;
    Some(match op {
        Exp => Complex::exp,
        Exp2 => |z| z.times(std::f64::consts::LN_2).exp(),
        Expm1 => Complex::exp_m1,
        Log => Complex::ln,
        Log2 => |z| z.ln().times(1.0 / std::f64::consts::LN_2),
        Log10 => |z| z.ln().times(1.0 / std::f64::consts::LN_10),
        Log1p => Complex::ln_1p,
        Sqrt => Complex::sqrt,
        Rsqrt => |z| z.sqrt().recip(),
        Reciprocal => Complex::recip,
        Sin => Complex::sin,
        Cos => Complex::cos,
        Tan => Complex::tan,
        Asin => Complex::asin,
        Acos => Complex::acos,
        Atan => Complex::atan,
        Sinh => Complex::sinh,
        Cosh => Complex::cosh,
        Tanh => Complex::tanh,
        Asinh => Complex::asinh,
        Acosh => Complex::acosh,
        Atanh => Complex::atanh,
        Sigmoid => |z| (Complex::ONE + (-z).exp()).recip(),
        Silu => |z| z / (Complex::ONE + (-z).exp()),
        Sign => |z| if z.norm() == 0.0 { Complex::ZERO } else { z.times(1.0 / z.norm()) },
        _ => return None,
    })
}

impl<B: Backend> Backend for Pairs<B> {
    fn iota(&self, n: usize, start: i64, step: i64) -> Result<Raw> {
        self.0.iota(n, start, step)
    }
    fn checked(&self, index: &Raw, size: usize, fault: Fault) -> Result<Raw> {
        self.0.checked(index, size, fault)
    }
    fn alloc(&self, numel: usize, dtype: DType) -> Result<Storage> {
        self.0.alloc(numel, dtype)
    }
    fn upload(&self, bytes: &[u8]) -> Result<Storage> {
        self.0.upload(bytes)
    }
    fn read(&self, storage: &Storage) -> Result<Vec<u8>> {
        self.0.read(storage)
    }
    fn full(&self, shape: &[usize], value: Scalar, dtype: DType) -> Result<Raw> {
        if !dtype.is_complex() {
            return self.0.full(shape, value, dtype);
        }
        let out = zeros(&self.0, shape, dtype)?;
        for (i, v) in [value.to_f64(), value.imag()].into_iter().enumerate() {
            if v.to_bits() != 0 {
                let one = self.0.full(&[], Scalar::Float(v), dtype.to_real())?;
                self.0.write(&part(&out, i), &one.broadcast_to(shape)?)?;
            }
        }
        Ok(out)
    }
    fn copy(&self, x: &Raw, dtype: DType) -> Result<Raw> {
        let b = &self.0;
        match (x.dtype.is_complex(), dtype.is_complex()) {
            (false, false) => b.copy(x, dtype),
            (true, true) => each(b, |i| b.copy(&part(x, i), dtype.to_real())),
            (true, false) if dtype == DType::Bool => truth(b, x),
            (true, false) => b.copy(&part(x, 0), dtype),
            (false, true) => {
                let out = zeros(b, x.shape(), dtype)?;
                b.write(&part(&out, 0), x)?;
                Ok(out)
            }
        }
    }
    fn write(&self, dst: &Raw, src: &Raw) -> Result<()> {
        match (dst.dtype.is_complex(), src.dtype.is_complex()) {
            (false, false) => self.0.write(dst, src),
            (false, true) => self.0.write(dst, &self.copy(src, dst.dtype)?),
            (true, _) => {
                // A copy first: the imaginary part must not read what the real part has written.
                let src = self.copy(src, dst.dtype)?;
                (0..2).try_for_each(|i| self.0.write(&part(dst, i), &part(&src, i)))
            }
        }
    }
    fn unary(&self, op: UnaryOp, x: &Raw) -> Result<Raw> {
        let b: &dyn Backend = &self.0;
        if !x.dtype.is_complex() {
            return b.unary(op, x);
        }
        let either = |join: BinaryOp| b.binary(join, &b.unary(op, &part(x, 0))?, &b.unary(op, &part(x, 1))?);
        match op {
            UnaryOp::Neg => each(b, |i| b.unary(op, &part(x, i))),
            UnaryOp::Abs => b.binary(BinaryOp::Hypot, &part(x, 0), &part(x, 1)),
            UnaryOp::IsNan | UnaryOp::IsInf => either(BinaryOp::LogicalOr),
            UnaryOp::IsFinite => either(BinaryOp::LogicalAnd),
            UnaryOp::LogicalNot => b.unary(op, &truth(b, x)?),
            _ => match function(op) {
                Some(f) => upload(b, read(b, x)?.into_iter().map(f), x),
                None => Err(Error::no_kernel(&kernel_name(&op), x.dtype)),
            },
        }
    }
    fn binary(&self, op: BinaryOp, x: &Raw, y: &Raw) -> Result<Raw> {
        use BinaryOp::*;
        let b: &dyn Backend = &self.0;
        if !x.dtype.is_complex() {
            return b.binary(op, x, y);
        }
        let host = |f: fn(Complex, Complex) -> Complex| {
            upload(b, read(b, x)?.into_iter().zip(read(b, y)?).map(|(p, q)| f(p, q)), x)
        };
        let both =
            |join| b.binary(join, &b.binary(op, &part(x, 0), &part(y, 0))?, &b.binary(op, &part(x, 1), &part(y, 1))?);
        match op {
            Add | Sub => each(b, |i| b.binary(op, &part(x, i), &part(y, i))),
            Mul => multiply(b, x, y),
            Div => host(|p, q| p / q),
            Pow => host(Complex::pow),
            Eq => both(LogicalAnd),
            Ne => both(LogicalOr),
            LogicalAnd | LogicalOr | LogicalXor => b.binary(op, &truth(b, x)?, &truth(b, y)?),
            _ => Err(Error::no_kernel(&kernel_name(&op), x.dtype)),
        }
    }
    fn select(&self, cond: &Raw, x: &Raw, y: &Raw) -> Result<Raw> {
        let b = &self.0;
        if !x.dtype.is_complex() {
            return b.select(cond, x, y);
        }
        each(b, |i| b.select(cond, &part(x, i), &part(y, i)))
    }
    fn reduce(&self, op: ReduceOp, x: &Raw, dims: &[usize]) -> Result<Raw> {
        let b: &dyn Backend = &self.0;
        if !x.dtype.is_complex() {
            return b.reduce(op, x, dims);
        }
        match op {
            ReduceOp::Sum => each(b, |i| b.reduce(op, &part(x, i), dims)),
            ReduceOp::Any | ReduceOp::All => b.reduce(op, &truth(b, x)?, dims),
            ReduceOp::Norm2 => b.reduce(op, &b.binary(BinaryOp::Hypot, &part(x, 0), &part(x, 1))?, dims),
            ReduceOp::Prod => dims.iter().try_fold(x.clone(), |x, &d| product_along(b, &x, d)),
            ReduceOp::Max => Err(Error::no_kernel("max_all", x.dtype)),
            ReduceOp::Min => Err(Error::no_kernel("min_all", x.dtype)),
        }
    }
    fn arg_reduce(&self, op: ArgOp, x: &Raw, dim: usize) -> Result<Raw> {
        refuse("argmax_cpu", x)?;
        self.0.arg_reduce(op, x, dim)
    }
    fn cumulate(&self, op: CumOp, x: &Raw, dim: usize) -> Result<Raw> {
        let b: &dyn Backend = &self.0;
        match op {
            _ if !x.dtype.is_complex() => b.cumulate(op, x, dim),
            CumOp::Sum => each(b, |i| b.cumulate(op, &part(x, i), dim)),
            CumOp::Prod => {
                let out = each(b, |i| b.copy(&part(x, i), x.dtype.to_real()))?;
                let at = |i: usize| out.with_layout(out.layout.slice(dim, i, i + 1, 1));
                for i in 1..x.shape().get(dim).copied().unwrap_or(0) {
                    self.write(&at(i), &multiply(b, &at(i - 1), &at(i))?)?;
                }
                Ok(out)
            }
            _ => Err(Error::no_kernel(&format!("cum{op:?}_cpu").to_lowercase(), x.dtype)),
        }
    }
    fn cumulate_arg(&self, op: ArgOp, x: &Raw, dim: usize) -> Result<Raw> {
        refuse(&format!("cum{op:?}_cpu").to_lowercase(), x)?;
        self.0.cumulate_arg(op, x, dim)
    }
    fn variance(&self, x: &Raw, dims: &[usize], correction: f64, root: bool) -> Result<(Raw, Raw)> {
        refuse("std_cpu", x)?;
        self.0.variance(x, dims, correction, root)
    }
    fn softmax(&self, x: &Raw, dim: usize, log: bool) -> Result<Raw> {
        let name = if log { "log_softmax_lastdim_kernel_impl" } else { "softmax_lastdim_kernel_impl" };
        refuse(name, x)?;
        self.0.softmax(x, dim, log)
    }
    fn softmax_grad(&self, g: &Raw, y: &Raw, log: bool) -> Result<Raw> {
        self.0.softmax_grad(g, y, log)
    }
    fn sort(&self, x: &Raw, dim: usize, descending: bool) -> Result<(Raw, Raw)> {
        if x.dtype.is_complex() {
            return Err(Error::type_error(" Sort does not support complex dtypes on CPU"));
        }
        self.0.sort(x, dim, descending)
    }
    fn matmul(&self, x: &Raw, y: &Raw) -> Result<Raw> {
        if !x.dtype.is_complex() || x.dtype != y.dtype {
            return self.0.matmul(x, y);
        }
        product(&self.0, x, y, |p, q| self.0.matmul(p, q))
    }
    fn add_scaled(&self, pairs: &[(Raw, Raw)], alpha: f32) -> Result<()> {
        self.0.add_scaled(pairs, alpha)
    }
    fn adam(&self, steps: &[([Raw; 3], Raw, Adam)]) -> Result<()> {
        self.0.adam(steps)
    }
    fn gru(&self, from_input: &Raw, from_state: &Raw, h: &Raw) -> Result<(Raw, Raw)> {
        self.0.gru(from_input, from_state, h)
    }
    fn gru_grad(&self, g: &Raw, gates: &Raw, from_state: &Raw, h: &Raw) -> Result<[Raw; 3]> {
        self.0.gru_grad(g, gates, from_state, h)
    }
    fn gather(&self, x: &Raw, dim: usize, index: &Raw) -> Result<Raw> {
        if !x.dtype.is_complex() {
            return self.0.gather(x, dim, index);
        }
        each(&self.0, |i| self.0.gather(&part(x, i), dim, index))
    }
    fn scatter(&self, op: ScatterOp, x: &Raw, dim: usize, index: &Raw, src: &Raw) -> Result<Raw> {
        if !x.dtype.is_complex() {
            return self.0.scatter(op, x, dim, index, src);
        }
        linear(op, x)?;
        each(&self.0, |i| self.0.scatter(op, &part(x, i), dim, index, &part(src, i)))
    }
    fn take(&self, x: &Raw, places: &Raw) -> Result<Raw> {
        if !x.dtype.is_complex() {
            return self.0.take(x, places);
        }
        each(&self.0, |i| self.0.take(&part(x, i), places))
    }
    fn put(&self, op: ScatterOp, x: &Raw, places: &Raw, src: &Raw) -> Result<Raw> {
        if !x.dtype.is_complex() {
            return self.0.put(op, x, places, src);
        }
        linear(op, x)?;
        each(&self.0, |i| self.0.put(op, &part(x, i), places, &part(src, i)))
    }
    fn nonzero(&self, mask: &Raw) -> Result<Raw> {
        self.0.nonzero(mask)
    }
    fn im2col(&self, x: &Raw, w: &Window) -> Result<Raw> {
        if !x.dtype.is_complex() {
            return self.0.im2col(x, w);
        }
        each(&self.0, |i| self.0.im2col(&part(x, i), w))
    }
    fn col2im(&self, columns: &Raw, w: &Window, input: &[usize]) -> Result<Raw> {
        if !columns.dtype.is_complex() {
            return self.0.col2im(columns, w, input);
        }
        each(&self.0, |i| self.0.col2im(&part(columns, i), w, input))
    }
    fn max_regions(&self, x: &Raw, regions: &Regions) -> Result<(Raw, Raw)> {
        refuse("max_pool2d", x)?;
        self.0.max_regions(x, regions)
    }
}

fn refuse(kernel: &str, x: &Raw) -> Result<()> {
    if x.dtype.is_complex() { Err(Error::no_kernel(kernel, x.dtype)) } else { Ok(()) }
}

/// Scattering that treats both parts alike.
fn linear(op: ScatterOp, x: &Raw) -> Result<()> {
    match op {
        ScatterOp::Set | ScatterOp::Add => Ok(()),
        _ => Err(Error::no_kernel("scatter_cpu", x.dtype)),
    }
}

/// The product along one dimension, by halves.
fn product_along(b: &dyn Backend, x: &Raw, dim: usize) -> Result<Raw> {
    let mut x = x.clone();
    let mut n = x.shape().get(dim).copied().unwrap_or(1);
    if n == 0 {
        let mut shape = x.shape().to_vec();
        shape[dim] = 1;
        let one = b.full(&shape, Scalar::Int(1), x.dtype.to_real())?;
        let zero = b.full(&shape, Scalar::Int(0), x.dtype.to_real())?;
        return join(b, &one, &zero);
    }
    while n > 1 {
        let half = n / 2;
        let cut = |from: usize, to: usize| x.with_layout(x.layout.slice(dim, from, to, 1));
        let out = multiply(b, &cut(0, half), &cut(half, 2 * half))?;
        if n % 2 == 1 {
            let first = out.with_layout(out.layout.slice(dim, 0, 1, 1));
            let new = multiply(b, &first, &cut(n - 1, n))?;
            (0..2).try_for_each(|i| b.write(&part(&first, i), &part(&new, i)))?;
        }
        (x, n) = (out, half);
    }
    Ok(x)
}
