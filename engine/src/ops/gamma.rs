//! Draws by rejection (gamma, Dirichlet, Poisson, binomial) in the order and with the bits of PyTorch's CPU generator,
//! how gamma and Dirichlet draws depend on their parameters, and the incomplete gamma functions.

use crate::autograd::{Save, differentiable, non_differentiable};
use crate::backend::{BinaryOp, digamma, lgamma};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::layout::broadcast_shapes;
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

/// How a gamma draw `x` moves with its concentration.
fn gamma_slope(alpha: f64, x: f64) -> f64 {
    if x < 0.8 {
        // Taylor series of the distribution function.
        let (mut top, mut bottom) = (1.0, alpha);
        let (mut first, mut second) = (1.0 / bottom, 1.0 / (bottom * bottom));
        for i in 1..=5 {
            top *= -x / i as f64;
            bottom += 1.0;
            first += top / bottom;
            second += top / (bottom * bottom);
        }
        let power = x.powf(alpha);
        let density = x.powf(alpha - 1.0) * (-x).exp();
        let slope = (x.ln() - digamma(alpha)) * power * first - power * second;
        let result = -slope / density;
        return if result.is_nan() { 0.0 } else { result };
    }
    if alpha > 8.0 {
        // Rice's saddle point expansion.
        if 0.9 * alpha <= x && x <= 1.1 * alpha {
            let a = 1.0 + 24.0 * alpha * (1.0 + 12.0 * alpha);
            let b = 1440.0 * alpha * alpha + 6.0 * x * (53.0 - 120.0 * x) - 65.0 * x * x / alpha
                + alpha * (107.0 + 3600.0 * x);
            return a * b / (1_244_160.0 * alpha.powi(4));
        }
        let root = (8.0 * alpha).sqrt();
        let log = (x / alpha).ln();
        let near = root / (alpha - x);
        let far = (x - alpha - alpha * log).powf(-1.5);
        let both = if x < alpha { near - far } else { near + far };
        let inner = log * both - (2.0 / alpha).sqrt() * (alpha + x) / ((alpha - x) * (alpha - x));
        let stirling = 1.0 + 1.0 / (12.0 * alpha) * (1.0 + 1.0 / (24.0 * alpha));
        return -stirling * x * inner / root;
    }
    // A rational function in two variables, fitted.
    const FIT: [[f64; 8]; 3] = [
        [0.16009398, -0.094634809, 0.025146376, -0.0030648343, 1.0, 0.32668115, 0.10406089, 0.0014179084],
        [0.53487893, 0.1298071, 0.065735949, -0.0015649758, 0.16639465, 0.020070113, -0.0035938915, -0.00058392623],
        [
            0.040121004,
            -0.0065914022,
            -0.0026286047,
            -0.0013441777,
            0.017050642,
            -0.0021309326,
            0.00085092367,
            -1.5247877e-07,
        ],
    ];
    let (u, v) = ((x / alpha).ln(), alpha.ln());
    let c = |i: usize| FIT[0][i] + u * (FIT[1][i] + u * FIT[2][i]);
    let cubic = |i: usize| c(i) + v * (c(i + 1) + v * (c(i + 2) + v * c(i + 3)));
    (cubic(0) / cubic(4)).exp()
}

/// How a share `x` of a Dirichlet draw moves with its own concentration (and the total with it).
fn dirichlet_slope(x: f64, alpha: f64, total: f64) -> f64 {
    let beta = total - alpha;
    let edge = total * x * (1.0 - x);
    if x <= 0.5 && edge < 2.5 {
        return beta_slope_near_zero(x, alpha, beta);
    }
    if x >= 0.5 && edge < 0.75 {
        return -beta_slope_near_one(1.0 - x, beta, alpha);
    }
    if alpha > 6.0 && beta > 6.0 {
        return beta_slope_middle(x, alpha, beta);
    }
    // A rational correction to an analytic approximation, fitted.
    const P: [[[f64; 4]; 3]; 3] = [
        [
            [1.003668233, -0.01061107488, -0.0657888334, 0.01201642863],
            [0.6336835991, -0.3557432599, 0.05486251648, -0.001465281033],
            [-0.03276231906, 0.004474107445, 0.002429354597, -0.0001557569013],
        ],
        [
            [0.221950385, -0.3187676331, 0.01799915743, 0.01074823814],
            [-0.2951249643, 0.06219954479, 0.01535556598, 0.001550077057],
            [0.02155310298, 0.004170831599, 0.001292462449, 6.976601077e-05],
        ],
        [
            [-0.05980841433, 0.008441916499, 0.01085618172, 0.002319392565],
            [0.02911413504, 0.01400243777, -0.002721828457, 0.000751041181],
            [0.005900514878, -0.001936558688, -9.495446725e-06, 5.385558597e-05],
        ],
    ];
    const Q: [[[f64; 4]; 3]; 3] = [
        [
            [1.0, -0.02924021934, -0.04438342661, 0.007285809825],
            [0.6357567472, -0.3473456711, 0.05454656494, -0.002407477521],
            [-0.03301322327, 0.004845219414, 0.00231480583, -0.0002307248149],
        ],
        [
            [0.5925320577, -0.1757678135, 0.01505928619, 0.000564515273],
            [0.1014815858, -0.06589186703, 0.01272886114, -0.0007316646956],
            [-0.007258481865, 0.001096195486, 0.0003934994223, -4.12701925e-05],
        ],
        [
            [0.06469649321, -0.0236701437, 0.002902096474, -5.896963079e-05],
            [0.001925008108, -0.002869809258, 0.0008000589141, -6.063713228e-05],
            [-0.0003477407336, 6.959756487e-05, 1.097287507e-05, -1.650964693e-06],
        ],
    ];
    let u = x.ln();
    let a = alpha.ln() - u;
    let b = total.ln() - a;
    let value = |table: &[[[f64; 4]; 3]; 3]| -> f64 {
        let row = |r: &[[f64; 4]; 3]| -> f64 {
            (0..3).map(|j| a.powi(j as i32) * (r[j][0] + b * (r[j][1] + b * (r[j][2] + b * r[j][3])))).sum()
        };
        (0..3).map(|i| u.powi(i as i32) * row(&table[i])).sum()
    };
    value(&P) / value(&Q) * x * (digamma(total) - digamma(alpha)) / beta
}

fn beta_slope_near_zero(x: f64, alpha: f64, beta: f64) -> f64 {
    let factor = digamma(alpha) - digamma(alpha + beta) - x.ln();
    let mut top = 1.0;
    let mut series = 1.0 / alpha * (factor + 1.0 / alpha);
    for i in 1..=10 {
        let i = i as f64;
        top *= (i - beta) * x / i;
        series += top / (alpha + i) * (factor + 1.0 / (alpha + i));
    }
    let result = x * (1.0 - x).powf(-beta) * series;
    if result.is_nan() { 0.0 } else { result }
}

fn beta_slope_near_one(x: f64, alpha: f64, beta: f64) -> f64 {
    let factor = digamma(alpha + beta) - digamma(beta);
    let (mut top, mut betas, mut slopes) = (1.0, 1.0, 0.0);
    let mut series = factor / alpha;
    for i in 1..=8 {
        let i = i as f64;
        top *= -x / i;
        slopes = slopes * (beta - i) + betas;
        betas *= beta - i;
        series += top / (alpha + i) * (slopes + factor * betas);
    }
    let result = -(1.0 - x).powf(1.0 - beta) * series;
    if result.is_nan() { 0.0 } else { result }
}

fn beta_slope_middle(x: f64, alpha: f64, beta: f64) -> f64 {
    let total = alpha + beta;
    let mean = alpha / total;
    let std = (alpha * beta / (total + 1.0)).sqrt() / total;
    if mean - 0.1 * std <= x && x <= mean + 0.1 * std {
        let poly = 47.0 * x * beta.powi(4)
            + alpha
                * ((43.0 + 20.0 * (16.0 + 27.0 * beta) * x) * beta.powi(3)
                    + alpha
                        * (3.0 * (59.0 + 180.0 * beta - 90.0 * x) * beta.powi(2)
                            + alpha
                                * ((453.0 + 1620.0 * beta * (1.0 - x) - 455.0 * x) * beta
                                    + alpha * (8.0 * (1.0 - x) * (135.0 * beta - 11.0)))));
        let top = (1.0 + 12.0 * alpha) * (1.0 + 12.0 * beta) / (total * total);
        let bottom = 12960.0 * alpha.powi(3) * beta.powi(2) * (1.0 + 12.0 * total);
        return top / (1.0 - x) * poly / bottom;
    }
    let stirling = |v: f64| 1.0 + 1.0 / (12.0 * v) + 1.0 / (288.0 * v * v);
    let off = alpha * (x - 1.0) + beta * x;
    let first = (2.0 * alpha * alpha * (x - 1.0) + alpha * beta * (x - 1.0) - x * beta * beta)
        / ((2.0 * alpha / beta).sqrt() * total.powf(1.5) * off * off);
    let half_log = 0.5 * (alpha / (total * x)).ln();
    let near = (8.0 * alpha * beta / total).sqrt() / off;
    let far = (beta * (beta / (total * (1.0 - x))).ln() + alpha * (alpha / (total * x)).ln()).powf(-1.5);
    let inner = first + half_log * (near + if x < mean { far } else { -far });
    stirling(alpha) * stirling(beta) / stirling(total) * (-x / (2.0 * alpha * beta / total).sqrt()) * inner
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
