//! Draws by rejection (gamma, Dirichlet, Poisson, binomial) in the order and with the bits of PyTorch's CPU generator,
//! how gamma and Dirichlet draws depend on their parameters, and the incomplete gamma functions.

use crate::autograd::{Save, differentiable, non_differentiable};
use crate::backend::{BinaryOp, lgamma};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::layout::broadcast_shapes;
use crate::ops::slopes::{dirichlet_slope, gamma_slope};
use crate::ops::{Gen, binary_kernel, cast, drawn, exp, generator_at, mul, neg, number, result_type, sub, xlogy};
use crate::random::Generator;
use crate::registry::{Op, op, places};
use crate::tensor::{Raw, Tensor};

/// Rounds as the element type would.
type Round = fn(f64) -> f64;

fn rounding(dtype: DType) -> Round {
    if dtype == DType::F64 { |v| v } else { |v| v as f32 as f64 }
}

fn smallest(dtype: DType) -> f64 {
    if dtype == DType::F64 { f64::MIN_POSITIVE } else { f32::MIN_POSITIVE as f64 }
}

fn refuse_kernel(what: &str, dtype: DType) -> Result<()> {
    if matches!(dtype, DType::F32 | DType::F64) { Ok(()) } else { Err(Error::no_kernel(what, dtype)) }
}

/// A standard gamma draw by Marsaglia and Tsang's method.
fn gamma_draw(mut alpha: f64, at: Round, g: &mut Generator) -> f64 {
    let mut scale = 1.0;
    if alpha < 1.0 {
        if alpha == 0.0 {
            return 0.0;
        }
        scale = (1.0 - g.uniform_f64()).powf(at(1.0 / alpha));
        alpha = at(alpha + 1.0);
    }
    let d = at(alpha - at((1f32 / 3.0) as f64));
    let c = 1.0 / (9.0 * d).sqrt();
    let squeeze = 0.0331f32 as f64;
    loop {
        let (x, y) = loop {
            let x = g.normal_f64();
            let y = 1.0 + c * x;
            // NaN leaves the loop too.
            if y > 0.0 || y.is_nan() {
                break (x, y);
            }
        };
        let v = y * y * y;
        let u = 1.0 - g.uniform_f64();
        let xx = x * x;
        if v.is_nan() || u < 1.0 - squeeze * xx * xx || u.ln() < 0.5 * xx + d * (1.0 - v + v.ln()) {
            return scale * d * v;
        }
    }
}

/// `torch._standard_gamma(concentration)`
///
/// # Errors
/// Not float32 or float64.
pub fn standard_gamma(alpha: &Tensor, generator: &Gen) -> Result<Tensor> {
    let dtype = alpha.dtype();
    refuse_kernel("gamma_cpu", dtype)?;
    let (at, least) = (rounding(dtype), smallest(dtype));
    let mut alphas = alpha.to_vec::<f64>()?.into_iter();
    let raw =
        drawn(&alpha.shape(), dtype, generator, |g| at(gamma_draw(alphas.next().unwrap_or(1.0), at, g)).max(least))?;
    let saved = [Save::Input(alpha), Save::Output(0)];
    Ok(differentiable("StandardGammaBackward0", &[alpha], raw, &saved, |ctx| {
        let slope = standard_gamma_grad(ctx.saved(0), ctx.saved(1))?;
        Ok(vec![Some(mul(&ctx.grad()?, &slope)?)])
    }))
}

/// `torch._sample_dirichlet(concentration)`
///
/// # Errors
/// Not float32 or float64.
pub fn sample_dirichlet(alpha: &Tensor, generator: &Gen) -> Result<Tensor> {
    let dtype = alpha.dtype();
    refuse_kernel("dirichlet", dtype)?;
    let mut alphas = alpha.to_vec::<f64>()?.into_iter();
    let gammas = drawn(&alpha.shape(), DType::F64, generator, |g| {
        gamma_draw(alphas.next().unwrap_or(1.0), |v| v, g).max(f64::MIN_POSITIVE)
    })?;
    let gammas = Tensor::from_raw(gammas);
    let totals = crate::ops::sum(&gammas, &[-1], true, None)?;
    let shares = crate::ops::div(&gammas, &totals)?;
    let below_one = if dtype == DType::F64 { 1f64.next_down() } else { 1f32.next_down() as f64 };
    let shares: Vec<f64> = shares.to_vec::<f64>()?;
    let shares: Vec<f64> = shares.iter().map(|v| rounding(dtype)(*v).max(smallest(dtype)).min(below_one)).collect();
    Ok(non_differentiable(cast(&Tensor::from_slice(&shares, &alpha.shape())?, dtype)?.raw()))
}

/// `f` over the elements of operands of one dtype.
fn each(name: &'static str, xs: &[&Tensor], f: impl Fn(&[f64]) -> f64) -> Result<Raw> {
    let dtype = result_type(xs);
    refuse_kernel(name, dtype)?;
    let shape = xs.iter().try_fold(vec![], |s, x| broadcast_shapes(&s, &x.shape()))?;
    let columns = xs
        .iter()
        .map(|x| Tensor::from_raw(x.raw().broadcast_to(&shape)?).to_vec::<f64>())
        .collect::<Result<Vec<_>>>()?;
    let count = crate::layout::numel(&shape);
    let values: Vec<f64> = (0..count).map(|i| f(&columns.iter().map(|c| c[i]).collect::<Vec<f64>>())).collect();
    Ok(cast(&Tensor::from_slice(&values, &shape)?, dtype)?.raw())
}

/// `torch._standard_gamma_grad(concentration, draw)`
pub fn standard_gamma_grad(alpha: &Tensor, x: &Tensor) -> Result<Tensor> {
    let raw = each("_standard_gamma_grad_cpu", &[alpha, x], |v| gamma_slope(v[0], v[1]))?;
    Ok(differentiable("StandardGammaGradBackward0", &[alpha, x], raw, &[], |_| {
        Err(Error::not_implemented("the derivative for '_standard_gamma_grad' is not implemented."))
    }))
}

/// `torch._dirichlet_grad(draw, concentration, total)`
pub fn dirichlet_grad(x: &Tensor, alpha: &Tensor, total: &Tensor) -> Result<Tensor> {
    let raw = each("_dirichlet_grad_cpu", &[x, alpha, total], |v| dirichlet_slope(v[0], v[1], v[2]))?;
    Ok(differentiable("DirichletGradBackward0", &[x, alpha, total], raw, &[], |_| {
        Err(Error::not_implemented("the derivative for '_dirichlet_grad' is not implemented."))
    }))
}

/// Multiplication of uniforms for small rates, Hörmann's transformed rejection from 10 on.
fn poisson_draw(rate: f64, g: &mut Generator) -> f64 {
    if rate == 0.0 {
        return 0.0;
    }
    if rate.is_nan() {
        return rate;
    }
    if rate < 10.0 {
        let (limit, mut product, mut count) = ((-rate).exp(), 1.0, 0.0);
        loop {
            product *= g.uniform_f64();
            if product <= limit {
                return count;
            }
            count += 1.0;
        }
    }
    let (root, log) = (rate.sqrt(), rate.ln());
    let b = 0.931 + 2.53 * root;
    let a = -0.059 + 0.02483 * b;
    let inverse = 1.1239 + 1.1328 / (b - 3.4);
    let edge = 0.9277 - 3.6224 / (b - 2.0);
    loop {
        let u = g.uniform_f64() - 0.5;
        let v = g.uniform_f64();
        let us = 0.5 - u.abs();
        let k = ((2.0 * a / us + b) * u + rate + 0.43).floor();
        if us >= 0.07 && v <= edge || k.is_nan() {
            return k;
        }
        if k < 0.0 || us < 0.013 && v > us {
            continue;
        }
        if v.ln() + inverse.ln() - (a / (us * us) + b).ln() <= -rate + k * log - lgamma(k + 1.0) {
            return k;
        }
    }
}

/// `torch.poisson(rates)`
///
/// # Errors
/// Not a float, a negative rate.
pub fn poisson(rates: &Tensor, generator: &Gen) -> Result<Tensor> {
    if !rates.dtype().is_float() {
        return Err(Error::no_kernel("poisson_cpu", rates.dtype()));
    }
    let values = rates.to_vec::<f64>()?;
    if values.iter().any(|&r| r < 0.0) {
        return Err(Error::runtime("invalid Poisson rate, expected rate to be non-negative"));
    }
    let mut values = values.into_iter();
    let raw = drawn(&rates.shape(), rates.dtype(), generator, |g| poisson_draw(values.next().unwrap_or(0.0), g))?;
    Ok(differentiable("PoissonBackward0", &[rates], raw, &[], |ctx| Ok(vec![Some(ctx.grad()?.zeros_like()?)])))
}

/// How many geometric waits fit into the count.
fn binomial_by_waiting(count: f64, p: f64, at: Round, g: &mut Generator) -> f64 {
    let log = at((-p).ln_1p());
    let (mut waited, mut hits) = (0.0, 0.0);
    loop {
        waited += (g.uniform_f64().ln() / log).ceil();
        if waited > count || waited.is_nan() {
            return hits;
        }
        hits += 1.0;
    }
}

/// What Stirling's formula misses of `log k!`.
fn stirling_tail(k: f64) -> f64 {
    const FIRST: [f64; 10] = [
        0.0810614667953272,
        0.0413406959554092,
        0.0276779256849983,
        0.02079067210376509,
        0.0166446911898211,
        0.0138761288230707,
        0.0118967099458917,
        0.0104112652619720,
        0.00925546218271273,
        0.00833056343336287,
    ];
    if let (true, Some(tail)) = (k <= 9.0, FIRST.get(k as usize)) {
        return *tail;
    }
    let next = k + 1.0;
    (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / 1260.0 / (next * next)) / (next * next)) / next
}

/// Hörmann's transformed rejection with squeeze, for `count * p` from 10 on.
fn binomial_by_rejection(count: f64, p: f64, at: Round, g: &mut Generator) -> f64 {
    let root = at(at(at(count * p) * at(1.0 - p)).sqrt());
    let b = 1.15 + 2.53 * root;
    let a = -0.0873 + 0.0248 * b + 0.01 * p;
    let c = at(count * p) + 0.5;
    let edge = 0.92 - 4.2 / b;
    let odds = at(p / at(1.0 - p));
    let alpha = (2.83 + 5.1 / b) * root;
    let mode = at(at(count + 1.0) * p).floor();
    loop {
        let u = g.uniform_f64() - 0.5;
        let v = g.uniform_f64();
        let us = 0.5 - u.abs();
        let k = ((2.0 * a / us + b) * u + c).floor();
        if k < 0.0 || k > count {
            continue;
        }
        if us >= 0.07 && v <= edge || k.is_nan() {
            return k;
        }
        let v = (v * alpha / (a / (us * us) + b)).ln();
        let bound = (mode + 0.5) * ((mode + 1.0) / (odds * (count - mode + 1.0))).ln()
            + (count + 1.0) * ((count - mode + 1.0) / (count - k + 1.0)).ln()
            + (k + 0.5) * (odds * (count - k + 1.0) / (k + 1.0)).ln()
            + stirling_tail(mode)
            + stirling_tail(count - mode)
            - stirling_tail(k)
            - stirling_tail(count - k);
        if v <= bound {
            return k;
        }
    }
}

fn binomial_draw(count: f64, p: f64, at: Round, g: &mut Generator) -> f64 {
    if count <= 0.0 || p <= 0.0 {
        return 0.0;
    }
    if p >= 1.0 {
        return count;
    }
    if p.is_nan() || !count.is_finite() {
        return f64::NAN;
    }
    let draw = |p: f64, g: &mut Generator| {
        if at(count * p) >= 10.0 {
            binomial_by_rejection(count, p, at, g)
        } else {
            binomial_by_waiting(count, p, at, g)
        }
    };
    if p <= 0.5 { draw(p, g) } else { count - draw(at(1.0 - p), g) }
}

/// `torch.binomial(count, prob)`
///
/// # Errors
/// Not float32 or float64, or of two dtypes.
pub fn binomial(count: &Tensor, prob: &Tensor, generator: &Gen) -> Result<Tensor> {
    let dtype = count.dtype();
    if dtype != prob.dtype() {
        return Err(Error::runtime(format!(
            "Found dtype {} but expected {}",
            prob.dtype().scalar_type_name(),
            dtype.scalar_type_name()
        )));
    }
    refuse_kernel("binomial_cpu", dtype)?;
    let shape = broadcast_shapes(&count.shape(), &prob.shape())?;
    let wide = |x: &Tensor| Tensor::from_raw(x.raw().broadcast_to(&shape)?).to_vec::<f64>();
    let mut pairs = wide(count)?.into_iter().zip(wide(prob)?);
    let at = rounding(dtype);
    let raw = drawn(&shape, dtype, generator, |g| {
        let (n, p) = pairs.next().unwrap_or((0.0, 0.0));
        binomial_draw(n, p, at, g)
    })?;
    Ok(differentiable("BinomialBackward0", &[count, prob], raw, &[], |ctx| {
        let zero = ctx.grad()?.zeros_like()?;
        Ok(vec![Some(zero.clone()), Some(zero)])
    }))
}

fn incomplete(
    kind: BinaryOp,
    node: &'static str,
    what: &'static str,
    sign: i32,
    a: &Tensor,
    x: &Tensor,
) -> Result<Tensor> {
    let dtype = result_type(&[a, x]).to_float();
    if dtype.is_complex() {
        return Err(Error::no_kernel(&format!("{what}_cpu"), dtype));
    }
    let raw = binary_kernel(kind, a, x, dtype)?;
    Ok(differentiable(node, &[a, x], raw, &[Save::Input(a), Save::Input(x)], move |ctx| {
        if ctx.needs(0) {
            return Err(Error::not_implemented(format!("the derivative for '{what}: input' is not implemented.")));
        }
        let (a, x) = (ctx.saved(0), ctx.saved(1));
        // The density: exp(-x) x^(a-1) / gamma(a).
        let power = xlogy(&sub(a, &number(1)?)?, x)?;
        let density = exp(&sub(&sub(&power, x)?, &crate::ops::lgamma(a)?)?)?;
        let slope = mul(&ctx.grad()?, &density)?;
        Ok(vec![None, Some(if sign < 0 { neg(&slope)? } else { slope })])
    }))
}

/// The regularized lower incomplete gamma function.
pub fn igamma(a: &Tensor, x: &Tensor) -> Result<Tensor> {
    incomplete(BinaryOp::Igamma, "IgammaBackward0", "igamma", 1, a, x)
}

/// The regularized upper incomplete gamma function.
pub fn igammac(a: &Tensor, x: &Tensor) -> Result<Tensor> {
    incomplete(BinaryOp::Igammac, "IgammacBackward0", "igammac", -1, a, x)
}

pub(crate) const TABLE: &[Op] = &[
    op("_standard_gamma(Tensor self, Generator? generator=None) -> Tensor", places::BOTH, |a| {
        Ok(standard_gamma(a.tensor(0)?, &generator_at(a, 1)?)?.into())
    }),
    op("_standard_gamma_grad(Tensor self, Tensor output) -> Tensor", places::FUNCTION, |a| {
        Ok(standard_gamma_grad(a.tensor(0)?, a.tensor(1)?)?.into())
    }),
    op("_sample_dirichlet(Tensor self, Generator? generator=None) -> Tensor", places::FUNCTION, |a| {
        Ok(sample_dirichlet(a.tensor(0)?, &generator_at(a, 1)?)?.into())
    }),
    op("_dirichlet_grad(Tensor x, Tensor alpha, Tensor total) -> Tensor", places::FUNCTION, |a| {
        Ok(dirichlet_grad(a.tensor(0)?, a.tensor(1)?, a.tensor(2)?)?.into())
    }),
    op("poisson(Tensor self, Generator? generator=None) -> Tensor", places::FUNCTION, |a| {
        Ok(poisson(a.tensor(0)?, &generator_at(a, 1)?)?.into())
    }),
    op("binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor", places::FUNCTION, |a| {
        Ok(binomial(a.tensor(0)?, a.tensor(1)?, &generator_at(a, 2)?)?.into())
    }),
    op("igamma(Tensor self, Tensor other) -> Tensor", places::ALL, |a| Ok(igamma(a.tensor(0)?, a.tensor(1)?)?.into())),
    op(
        "igammac(Tensor self, Tensor other) -> Tensor",
        places::ALL,
        |a| Ok(igammac(a.tensor(0)?, a.tensor(1)?)?.into()),
    ),
    op("special_gammainc(Tensor self, Tensor other) -> Tensor", places::SPECIAL | places::OUT, |a| {
        Ok(igamma(a.tensor(0)?, a.tensor(1)?)?.into())
    }),
    op("special_gammaincc(Tensor self, Tensor other) -> Tensor", places::SPECIAL | places::OUT, |a| {
        Ok(igammac(a.tensor(0)?, a.tensor(1)?)?.into())
    }),
];
