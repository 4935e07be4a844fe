//! Random draws, in the order and with the bits of PyTorch's CPU generator.

use crate::autograd::{differentiable, grad_mode, inplace, non_differentiable};
use crate::backend::backend;
use crate::device::Device;
use crate::dtype::{DType, Element, Scalar, default_dtype};
use crate::error::{Error, Result};
use crate::layout::broadcast_shapes;
use crate::ops::{
    Gen, add, cast, cauchy_raw, check_fits, checked_shape, div, drawn, exponential_raw, float_kind, geometric_raw,
    log_normal_raw, mul, normal_raw, number, shaped_like, topk, uniform_raw, with_generator,
};
use crate::placement::placed;
use crate::registry::{Args, Op, Value, op, places};
use crate::tensor::{Raw, Tensor};
use crate::with_dtype;

/// `torch.rand(size)`.
pub fn rand(size: &[i64], dtype: Option<DType>, generator: &Gen) -> Result<Tensor> {
    let dtype = dtype.unwrap_or(default_dtype());
    Ok(non_differentiable(uniform_raw(&checked_shape(size, dtype)?, 0.0, 1.0, dtype, generator)?))
}

/// `torch.randn(size)`.
pub fn randn(size: &[i64], dtype: Option<DType>, generator: &Gen) -> Result<Tensor> {
    let dtype = dtype.unwrap_or(default_dtype());
    Ok(non_differentiable(normal_raw(&checked_shape(size, dtype)?, 0.0, 1.0, dtype, generator, true)?))
}

/// Ranges of `random_`: what a dtype holds exactly.
fn integer_limits(dtype: DType) -> (i64, i64) {
    match dtype {
        DType::Bool => (0, 1),
        DType::U8 => (0, 255),
        DType::I8 => (-128, 127),
        DType::I16 => (i16::MIN as i64, i16::MAX as i64),
        DType::I32 => (i32::MIN as i64, i32::MAX as i64),
        DType::I64 => (i64::MIN, i64::MAX),
        DType::F16 => (-2048, 2048),
        DType::BF16 => (-256, 256),
        DType::F32 => (-(1 << 24), 1 << 24),
        DType::F64 => (-(1 << 53), 1 << 53),
        DType::C64 | DType::C128 => (0, 0),
    }
}

/// Integers in `[from, to)`.
fn integers(shape: &[usize], from: i64, to: i64, dtype: DType, generator: &Gen) -> Result<Raw> {
    if dtype.is_complex() {
        return Err(Error::runtime("check_random_bounds handles only integral, floating-point and boolean types"));
    }
    if from >= to {
        return Err(Error::runtime(format!(
            "random_ expects 'from' to be less than 'to', but got from={from} >= to={to}"
        )));
    }
    if !dtype.is_float() {
        let (low, high) = integer_limits(dtype);
        let outside = |what: &str| Error::runtime(format!("{what} is out of bounds for {}", dtype.c_name()));
        if from < low || from > high {
            return Err(outside("from"));
        }
        if to - 1 < low || to - 1 > high {
            return Err(outside("to - 1"));
        }
    }
    let range = (to as u64).wrapping_sub(from as u64);
    let raw = backend(Device::Cpu).full(shape, Scalar::Int(0), dtype)?;
    with_generator(generator, |g| {
        with_dtype!(dtype, T => {
            for o in raw.storage.slice_mut::<T>().iter_mut() {
                *o = T::from_i64((g.below(range) as i64).wrapping_add(from));
            }
        }; else ());
    });
    placed(raw)
}

/// `torch.randint(low, high, size)`.
pub fn randint(low: i64, high: i64, size: &[i64], dtype: DType, generator: &Gen) -> Result<Tensor> {
    Ok(non_differentiable(integers(&checked_shape(size, dtype)?, low, high, dtype, generator)?))
}

/// `x.random_()`: all that the dtype holds exactly, from 0 on.
fn random_all(shape: &[usize], dtype: DType, generator: &Gen) -> Result<Raw> {
    if dtype.is_complex() {
        return Err(Error::no_kernel("random_cpu", dtype));
    }
    let raw = backend(Device::Cpu).full(shape, Scalar::Int(0), dtype)?;
    let count = integer_limits(dtype).1 as u64 + 1;
    let wide = matches!(dtype, DType::I64 | DType::F64);
    with_generator(generator, |g| {
        with_dtype!(dtype, T => {
            for o in raw.storage.slice_mut::<T>().iter_mut() {
                let v = if wide { g.next_u64() } else { g.next_u32() as u64 };
                *o = T::from_i64((v % count) as i64);
            }
        }; else ());
    });
    placed(raw)
}

/// `torch.randperm(n)`.
pub fn randperm(n: i64, dtype: DType, generator: &Gen) -> Result<Tensor> {
    if n < 0 {
        return Err(Error::runtime(format!("Trying to create tensor with negative dimension {n}: [{n}]")));
    }
    check_fits(Scalar::Int(n), dtype)?;
    let mut order = Vec::new();
    order.try_reserve_exact(n as usize).map_err(|_| Error::Allocation { bytes: n as u128 * 8 })?;
    order.extend(0..n);
    with_generator(generator, |g| {
        for i in 0..n.saturating_sub(1) {
            let left = (n - i) as u64;
            let z = if n < (u32::MAX / 20) as i64 { g.next_u32() as u64 % left } else { g.next_u64() % left };
            order.swap(i as usize, (z as i64 + i) as usize);
        }
    });
    cast(&Tensor::from_slice(&order, &[n as usize])?, dtype)
}

/// A bernoulli draw an element with probability `p`: a float64 uniform below `p`. Dropout's mask.
pub fn bernoulli_raw(shape: &[usize], p: f64, dtype: DType, generator: &Gen) -> Result<Raw> {
    if !(0.0..=1.0).contains(&p) {
        return Err(Error::runtime(format!("bernoulli_ expects p to be in [0, 1], but got p={p}")));
    }
    drawn(shape, dtype, generator, |g| (g.uniform_f64() < p) as u8 as f64)
}

/// Draws with a probability for each element.
fn bernoulli_each(p: &Tensor, shape: &[usize], dtype: DType, generator: &Gen) -> Result<Raw> {
    float_kind("bernoulli_tensor_cpu_p_", p.dtype())?;
    let probs = Tensor::from_raw(p.raw().broadcast_to(shape)?).to_vec::<f64>()?;
    if !probs.iter().all(|p| (0.0..=1.0).contains(p)) {
        return Err(Error::runtime(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If \
             so, please report an enhancement request to PyTorch.)",
        ));
    }
    let mut probs = probs.into_iter();
    let double = p.dtype() == DType::F64;
    drawn(shape, dtype, generator, |g| {
        let p = probs.next().unwrap_or(0.0);
        let u = if double { g.uniform_f64() } else { g.uniform_f32() as f64 };
        (u < p) as u8 as f64
    })
}

/// `torch.bernoulli(p)`.
pub fn bernoulli(p: &Tensor, generator: &Gen) -> Result<Tensor> {
    let raw = bernoulli_each(p, &p.shape(), p.dtype(), generator)?;
    Ok(differentiable("BernoulliBackward0", &[p], raw, &[], |_| Ok(vec![None])))
}

/// `torch.multinomial(weights, count, replacement)`.
pub fn multinomial(x: &Tensor, count: i64, replacement: bool, generator: &Gen) -> Result<Tensor> {
    if x.ndim() != 1 && x.ndim() != 2 {
        return Err(Error::runtime("prob_dist must be 1 or 2 dim"));
    }
    if !x.dtype().is_float() {
        return Err(Error::runtime(format!(
            "multinomial only supports floating-point dtypes for input, got: {}",
            x.dtype().scalar_type_name()
        )));
    }
    if count <= 0 {
        return Err(Error::runtime("cannot sample n_sample <= 0 samples"));
    }
    let n = x.size(x.ndim() - 1);
    if !replacement && count as usize > n {
        return Err(Error::runtime("cannot sample n_sample > prob_dist.size(-1) samples without replacement"));
    }
    let weights = x.to_vec::<f64>()?;
    if !weights.iter().all(|w| w.is_finite() && *w >= 0.0) {
        return Err(Error::runtime("probability tensor contains either `inf`, `nan` or element < 0"));
    }
    if weights.chunks(n.max(1)).any(|row| row.iter().sum::<f64>() <= 0.0) {
        return Err(Error::runtime("invalid multinomial distribution (sum of probabilities <= 0)"));
    }
    let x = x.detach();
    if !replacement || count == 1 {
        // A race of exponential waits: the largest weight over wait wins.
        let waits = shaped_like(&x, |shape| exponential_raw(shape, 1.0, x.dtype(), generator))?;
        let speed = div(&x, &Tensor::from_raw(waits))?;
        return Ok(topk(&speed, count, -1, true, true)?.1);
    }
    let round: fn(f64) -> f64 = match x.dtype() {
        DType::F64 => |v| v,
        _ => |v| v as f32 as f64,
    };
    crate::storage::room((count as usize).saturating_mul(weights.len() / n.max(1)), 32)?;
    let mut out = Vec::new();
    for row in weights.chunks(n.max(1)) {
        let mut total = 0.0;
        let mut upto: Vec<f64> = row
            .iter()
            .map(|w| {
                total = round(total + w);
                total
            })
            .collect();
        upto.iter_mut().for_each(|c| *c = round(*c / total));
        if let Some(last) = upto.last_mut() {
            *last = 1.0;
        }
        with_generator(generator, |g| {
            for _ in 0..count {
                let u = g.uniform_f64();
                out.push(upto.partition_point(|c| *c < u).min(n.saturating_sub(1)) as i64);
            }
        });
    }
    let mut shape = x.shape();
    if let Some(last) = shape.last_mut() {
        *last = count as usize;
    }
    Tensor::from_slice(&out, &shape)
}

/// `torch.normal(mean, std)` of tensors or numbers.
fn normal_of(mean: &Tensor, std: &Tensor, generator: &Gen) -> Result<Tensor> {
    if std.to_vec::<f64>()?.iter().any(|s| s.is_nan() || *s < 0.0) {
        return Err(if std.is_wrapped_number() {
            Error::runtime(format!("normal expects std >= 0.0, but found std {}", std.item()?.to_f64()))
        } else {
            Error::runtime("normal expects all elements of std >= 0.0")
        });
    }
    let shape = broadcast_shapes(&mean.shape(), &std.shape())?;
    let dtype = if mean.is_wrapped_number() { std.dtype() } else { mean.dtype() };
    let noise = Tensor::from_raw(normal_raw(&shape, 0.0, 1.0, dtype, generator, true)?);
    let out = grad_mode::no_grad(|| add(&mul(&noise, &std.detach())?, &mean.detach()))?;
    Ok(differentiable("NormalBackward1", &[mean, std], cast(&out, dtype)?.raw(), &[], |_| Ok(vec![None, None])))
}

/// A fresh value for the place of `x`, drawn in the order in which `x` lies in memory.
fn in_place_of(name: &'static str, x: &Tensor, draw: impl FnOnce(&[usize]) -> Result<Raw>) -> Result<Value> {
    let raw = shaped_like(x, draw)?;
    Ok(differentiable(name, &[x], raw, &[], |ctx| Ok(vec![crate::ops::overwritten(ctx)?])).into())
}

/// The generator among the arguments.
pub(crate) fn generator_at(a: &Args, i: usize) -> Result<Gen> {
    a.opt_generator(i)
}

fn like(a: &Args, dtype_at: usize, draw: impl FnOnce(&[usize], DType) -> Result<Raw>) -> Result<Value> {
    let x = a.tensor(0)?;
    let dtype = a.opt_dtype(dtype_at)?.unwrap_or(x.dtype());
    Ok(non_differentiable(shaped_like(x, |shape| draw(shape, dtype))?).into())
}

const MAKES: u16 = places::FUNCTION | places::OUT;

pub(crate) const TABLE: &[Op] = &[
    op(
        "rand(int[] size, *, Generator? generator=None, ScalarType? dtype=None, Device? device=None) -> Tensor",
        MAKES,
        |a| Ok(rand(&a.ints(0)?, a.opt_dtype(2)?, &generator_at(a, 1)?)?.into()),
    ),
    op(
        "randn(int[] size, *, Generator? generator=None, ScalarType? dtype=None, Device? device=None) -> Tensor",
        MAKES,
        |a| Ok(randn(&a.ints(0)?, a.opt_dtype(2)?, &generator_at(a, 1)?)?.into()),
    ),
    op(
        "randint(int high, int[] size, *, Generator? generator=None, ScalarType? dtype=long, Device? device=None) -> \
         Tensor",
        MAKES,
        |a| {
            let dtype = a.opt_dtype(3)?.unwrap_or(DType::I64);
            Ok(randint(0, a.int(0)?, &a.ints(1)?, dtype, &generator_at(a, 2)?)?.into())
        },
    ),
    op(
        "randint.low(int low, int high, int[] size, *, Generator? generator=None, ScalarType? dtype=long, Device? \
         device=None) -> Tensor",
        MAKES,
        |a| {
            let dtype = a.opt_dtype(4)?.unwrap_or(DType::I64);
            Ok(randint(a.int(0)?, a.int(1)?, &a.ints(2)?, dtype, &generator_at(a, 3)?)?.into())
        },
    ),
    op(
        "randperm(int n, *, Generator? generator=None, ScalarType? dtype=long, Device? device=None) -> Tensor",
        MAKES,
        |a| Ok(randperm(a.int(0)?, a.opt_dtype(2)?.unwrap_or(DType::I64), &generator_at(a, 1)?)?.into()),
    ),
    op(
        "rand_like(Tensor self, *, ScalarType? dtype=None, Device? device=None, MemoryFormat? memory_format=None) -> \
         Tensor",
        places::FUNCTION,
        |a| like(a, 1, |shape, dtype| uniform_raw(shape, 0.0, 1.0, dtype, &None)),
    ),
    op(
        "randn_like(Tensor self, *, ScalarType? dtype=None, Device? device=None, MemoryFormat? memory_format=None) -> \
         Tensor",
        places::FUNCTION,
        |a| {
            let whole = memory_is_rows(a.tensor(0)?);
            like(a, 1, |shape, dtype| normal_raw(shape, 0.0, 1.0, dtype, &None, whole))
        },
    ),
    op(
        "randint_like(Tensor self, int high, *, ScalarType? dtype=None, Device? device=None, MemoryFormat? \
         memory_format=None) -> Tensor",
        places::FUNCTION,
        |a| {
            let high = a.int(1)?;
            like(a, 2, |shape, dtype| integers(shape, 0, high, dtype, &None))
        },
    ),
    op(
        "randint_like.low_dtype(Tensor self, int low, int high, *, ScalarType? dtype=None, Device? device=None, \
         MemoryFormat? memory_format=None) -> Tensor",
        places::FUNCTION,
        |a| {
            let (low, high) = (a.int(1)?, a.int(2)?);
            like(a, 3, |shape, dtype| integers(shape, low, high, dtype, &None))
        },
    ),
    op("normal.Tensor_float(Tensor mean, float std=1, *, Generator? generator=None) -> Tensor", MAKES, |a| {
        Ok(normal_of(a.tensor(0)?, &number(a.float(1)?)?, &generator_at(a, 2)?)?.into())
    }),
    op("normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor", MAKES, |a| {
        Ok(normal_of(&number(a.float(0)?)?, a.tensor(1)?, &generator_at(a, 2)?)?.into())
    }),
    op("normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor", MAKES, |a| {
        Ok(normal_of(a.tensor(0)?, a.tensor(1)?, &generator_at(a, 2)?)?.into())
    }),
    op(
        "normal.float_float(float mean, float std, int[] size, *, Generator? generator=None, ScalarType? dtype=None, \
         Device? device=None) -> Tensor",
        MAKES,
        |a| {
            let dtype = a.opt_dtype(4)?.unwrap_or(default_dtype());
            let shape = checked_shape(&a.ints(2)?, dtype)?;
            let raw = normal_raw(&shape, a.float(0)?, a.float(1)?, dtype, &generator_at(a, 3)?, true)?;
            Ok(non_differentiable(raw).into())
        },
    ),
    op("bernoulli(Tensor self, *, Generator? generator=None) -> Tensor", places::BOTH | places::OUT, |a| {
        Ok(bernoulli(a.tensor(0)?, &generator_at(a, 1)?)?.into())
    }),
    op("bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor", places::BOTH, |a| {
        let (p, g) = (a.float(1)?, generator_at(a, 2)?);
        let dtype = a.tensor(0)?.dtype();
        in_place_of("BernoulliBackward0", a.tensor(0)?, |shape| bernoulli_raw(shape, p, dtype, &g))
    }),
    op(
        "multinomial(Tensor self, int num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor",
        places::BOTH | places::OUT,
        |a| Ok(multinomial(a.tensor(0)?, a.int(1)?, a.bool(2)?, &generator_at(a, 3)?)?.into()),
    ),
    op(
        "uniform(Tensor self, float from=0, float to=1, *, Generator? generator=None) -> Tensor",
        places::INPLACE,
        |a| {
            let (from, to, g, dtype) = (a.float(1)?, a.float(2)?, generator_at(a, 3)?, a.tensor(0)?.dtype());
            in_place_of("UniformBackward0", a.tensor(0)?, |shape| uniform_raw(shape, from, to, dtype, &g))
        },
    ),
    op(
        "normal_(Tensor self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor",
        places::METHOD,
        |a| {
            let x = a.tensor(0)?;
            let (mean, std, g, dtype) = (a.float(1)?, a.float(2)?, generator_at(a, 3)?, x.dtype());
            let whole = x.is_contiguous();
            let draw =
                || match in_place_of("NormalBackward0", x, |shape| normal_raw(shape, mean, std, dtype, &g, whole))? {
                    Value::Tensor(t) => Ok(t),
                    _ => Err(Error::runtime("a draw gives a tensor")),
                };
            Ok(inplace(x, draw)?.into())
        },
    ),
    op("random_(Tensor self, *, Generator? generator=None) -> Tensor", places::METHOD, |a| {
        let (x, g) = (a.tensor(0)?, generator_at(a, 1)?);
        random_into(x, |shape| random_all(shape, x.dtype(), &g))
    }),
    op("random_.to(Tensor self, int to, *, Generator? generator=None) -> Tensor", places::METHOD, |a| {
        let (x, to, g) = (a.tensor(0)?, a.int(1)?, generator_at(a, 2)?);
        random_into(x, |shape| integers(shape, 0, to, x.dtype(), &g))
    }),
    op("random_.from(Tensor self, int from, int? to, *, Generator? generator=None) -> Tensor", places::METHOD, |a| {
        let (x, from, g) = (a.tensor(0)?, a.int(1)?, generator_at(a, 3)?);
        let to = match a.opt_int(2)? {
            Some(to) => to,
            None => integer_limits(x.dtype()).1.saturating_add(1),
        };
        random_into(x, |shape| integers(shape, from, to, x.dtype(), &g))
    }),
    op("bernoulli_.Tensor(Tensor self, Tensor p, *, Generator? generator=None) -> Tensor", places::METHOD, |a| {
        let (x, p, g) = (a.tensor(0)?, a.tensor(1)?, generator_at(a, 2)?);
        random_into(x, |_| bernoulli_each(p, &x.shape(), x.dtype(), &g))
    }),
    op("bernoulli_.float(Tensor self, float p=0.5, *, Generator? generator=None) -> Tensor", places::METHOD, |a| {
        let (x, p, g) = (a.tensor(0)?, a.float(1)?, generator_at(a, 2)?);
        random_into(x, |shape| bernoulli_raw(shape, p, x.dtype(), &g))
    }),
    op("exponential(Tensor self, float lambd=1, *, Generator? generator=None) -> Tensor", places::INPLACE, |a| {
        let (l, g, dtype) = (a.float(1)?, generator_at(a, 2)?, a.tensor(0)?.dtype());
        in_place_of("ExponentialBackward0", a.tensor(0)?, |shape| exponential_raw(shape, l, dtype, &g))
    }),
    op("geometric(Tensor self, float p, *, Generator? generator=None) -> Tensor", places::INPLACE, |a| {
        let (p, g, dtype) = (a.float(1)?, generator_at(a, 2)?, a.tensor(0)?.dtype());
        in_place_of("GeometricBackward0", a.tensor(0)?, |shape| geometric_raw(shape, p, dtype, &g))
    }),
    op(
        "log_normal(Tensor self, float mean=1, float std=2, *, Generator? generator=None) -> Tensor",
        places::INPLACE,
        |a| {
            let (mean, std, g, dtype) = (a.float(1)?, a.float(2)?, generator_at(a, 3)?, a.tensor(0)?.dtype());
            in_place_of("LogNormalBackward0", a.tensor(0)?, |shape| log_normal_raw(shape, mean, std, dtype, &g))
        },
    ),
    op(
        "cauchy(Tensor self, float median=0, float sigma=1, *, Generator? generator=None) -> Tensor",
        places::INPLACE,
        |a| {
            let (m, s, g, dtype) = (a.float(1)?, a.float(2)?, generator_at(a, 3)?, a.tensor(0)?.dtype());
            in_place_of("CauchyBackward0", a.tensor(0)?, |shape| cauchy_raw(shape, m, s, dtype, &g))
        },
    ),
];

fn random_into(x: &Tensor, draw: impl FnOnce(&[usize]) -> Result<Raw>) -> Result<Value> {
    let fill = || match in_place_of("RandomBackward0", x, draw)? {
        Value::Tensor(t) => Ok(t),
        _ => Err(Error::runtime("a draw gives a tensor")),
    };
    Ok(inplace(x, fill)?.into())
}

/// Would a tensor laid out like `x` be contiguous?
fn memory_is_rows(x: &Tensor) -> bool {
    crate::ops::memory_order(&x.shape(), &[x.strides()]).is_sorted()
}
