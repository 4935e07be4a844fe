//! Random programs of ops, over tensors of many shapes, strides and offsets, against a plain reference: loops over
//! indices, written here. Gradients are compared with differences of the reference.

mod common;

use common::{Random, on_device, on_gpu};
use rushlight_engine::registry::{Args, Value, all};
use rushlight_engine::{DType, Result, Tensor, autograd, ops};

impl Random {
    fn unit(&mut self) -> f64 {
        self.below(1 << 20) as f64 / (1u64 << 19) as f64 - 1.0
    }
}

/// Elements row by row.
#[derive(Clone, Debug)]
struct Plain {
    shape: Vec<usize>,
    data: Vec<f64>,
}

fn count(shape: &[usize]) -> usize {
    shape.iter().product()
}

fn place(shape: &[usize], index: &[usize]) -> usize {
    index.iter().zip(shape).fold(0, |at, (i, n)| at * n + i)
}

fn unplace(shape: &[usize], mut at: usize) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for d in (0..shape.len()).rev() {
        index[d] = at % shape[d];
        at /= shape[d];
    }
    index
}

impl Plain {
    fn make(shape: Vec<usize>, f: impl Fn(&[usize]) -> f64) -> Self {
        let data = (0..count(&shape)).map(|at| f(&unplace(&shape, at))).collect();
        Plain { shape, data }
    }
    fn at(&self, index: &[usize]) -> f64 {
        self.data[place(&self.shape, index)]
    }
    /// The element of a smaller shape that stands for `index`.
    fn stretched(&self, index: &[usize]) -> f64 {
        let own: Vec<usize> = index[index.len() - self.shape.len()..]
            .iter()
            .zip(&self.shape)
            .map(|(i, n)| if *n == 1 { 0 } else { *i })
            .collect();
        self.at(&own)
    }
}

fn broadcast(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let n = a.len().max(b.len());
    let get = |s: &[usize], d: usize| if d + s.len() < n { 1 } else { s[d + s.len() - n] };
    (0..n)
        .map(|d| match (get(a, d), get(b, d)) {
            (x, y) if x == y => Some(x),
            (1, y) => Some(y),
            (x, 1) => Some(x),
            _ => None,
        })
        .collect()
}

/// One op; numbers are places in the pool.
#[derive(Clone, Debug)]
enum Step {
    Add(usize, usize),
    Sub(usize, usize),
    Mul(usize, usize),
    Sin(usize),
    Tanh(usize),
    Sum(usize, usize, bool),
    Mean(usize, usize),
    CumSum(usize, usize),
    Permute(usize, Vec<usize>),
    Flatten(usize),
    Unsqueeze(usize, usize),
    Stretch(usize, usize),
    Slice(usize, usize, usize, usize, usize),
    Select(usize, usize, usize),
    Flip(usize, usize),
    Pick(usize, usize, Vec<usize>),
    Cat(usize, usize, usize),
    Stack(usize, usize, usize),
    MatMul(usize, usize),
}

fn with(shape: &[usize], d: usize, n: usize) -> Vec<usize> {
    let mut shape = shape.to_vec();
    shape[d] = n;
    shape
}
fn at(index: &[usize], d: usize, i: usize) -> Vec<usize> {
    with(index, d, i)
}
fn without(shape: &[usize], d: usize) -> Vec<usize> {
    let mut shape = shape.to_vec();
    shape.remove(d);
    shape
}
fn inserted(index: &[usize], d: usize, i: usize) -> Vec<usize> {
    let mut index = index.to_vec();
    index.insert(d, i);
    index
}

/// The reference.
fn plain(pool: &[Plain], step: &Step) -> Plain {
    let two = |a: &usize, b: &usize, f: fn(f64, f64) -> f64| {
        let (a, b) = (&pool[*a], &pool[*b]);
        let shape = broadcast(&a.shape, &b.shape).expect("generated to fit");
        Plain::make(shape, |i| f(a.stretched(i), b.stretched(i)))
    };
    let one = |a: &usize, f: fn(f64) -> f64| {
        let a = &pool[*a];
        Plain { shape: a.shape.clone(), data: a.data.iter().map(|v| f(*v)).collect() }
    };
    match step {
        Step::Add(a, b) => two(a, b, |x, y| x + y),
        Step::Sub(a, b) => two(a, b, |x, y| x - y),
        Step::Mul(a, b) => two(a, b, |x, y| x * y),
        Step::Sin(a) => one(a, f64::sin),
        Step::Tanh(a) => one(a, f64::tanh),
        Step::Sum(a, d, keep) => {
            let a = &pool[*a];
            let total = |i: &[usize]| (0..a.shape[*d]).map(|k| a.at(&at(i, *d, k))).sum::<f64>();
            let kept = Plain::make(with(&a.shape, *d, 1), total);
            if *keep { kept } else { Plain { shape: without(&a.shape, *d), data: kept.data } }
        }
        Step::Mean(a, d) => {
            let a = &pool[*a];
            let n = a.shape[*d] as f64;
            Plain::make(without(&a.shape, *d), |i| (0..a.shape[*d]).map(|k| a.at(&inserted(i, *d, k))).sum::<f64>() / n)
        }
        Step::CumSum(a, d) => {
            let a = &pool[*a];
            Plain::make(a.shape.clone(), |i| (0..=i[*d]).map(|k| a.at(&at(i, *d, k))).sum())
        }
        Step::Permute(a, order) => {
            let a = &pool[*a];
            let shape = order.iter().map(|d| a.shape[*d]).collect();
            Plain::make(shape, |i| {
                let mut own = vec![0; i.len()];
                order.iter().zip(i).for_each(|(d, k)| own[*d] = *k);
                a.at(&own)
            })
        }
        Step::Flatten(a) => Plain { shape: vec![pool[*a].data.len()], data: pool[*a].data.clone() },
        Step::Unsqueeze(a, d) => Plain { shape: inserted(&pool[*a].shape, *d, 1), data: pool[*a].data.clone() },
        Step::Stretch(a, n) => {
            let a = &pool[*a];
            Plain::make(inserted(&a.shape, 0, *n), |i| a.at(&i[1..]))
        }
        Step::Slice(a, d, from, to, step) => {
            let a = &pool[*a];
            let n = (to - from).div_ceil(*step);
            Plain::make(with(&a.shape, *d, n), |i| a.at(&at(i, *d, from + i[*d] * step)))
        }
        Step::Select(a, d, k) => {
            let a = &pool[*a];
            Plain::make(without(&a.shape, *d), |i| a.at(&inserted(i, *d, *k)))
        }
        Step::Flip(a, d) => {
            let a = &pool[*a];
            Plain::make(a.shape.clone(), |i| a.at(&at(i, *d, a.shape[*d] - 1 - i[*d])))
        }
        Step::Pick(a, d, rows) => {
            let a = &pool[*a];
            Plain::make(with(&a.shape, *d, rows.len()), |i| a.at(&at(i, *d, rows[i[*d]])))
        }
        Step::Cat(a, b, d) => {
            let (a, b) = (&pool[*a], &pool[*b]);
            let n = a.shape[*d];
            Plain::make(with(&a.shape, *d, n + b.shape[*d]), |i| {
                if i[*d] < n { a.at(i) } else { b.at(&at(i, *d, i[*d] - n)) }
            })
        }
        Step::Stack(a, b, d) => {
            let (a, b) = (&pool[*a], &pool[*b]);
            Plain::make(inserted(&a.shape, *d, 2), |i| (if i[*d] == 0 { a } else { b }).at(&without(i, *d)))
        }
        Step::MatMul(a, b) => {
            let (a, b) = (&pool[*a], &pool[*b]);
            Plain::make(vec![a.shape[0], b.shape[1]], |i| {
                (0..a.shape[1]).map(|k| a.at(&[i[0], k]) * b.at(&[k, i[1]])).sum()
            })
        }
    }
}

fn call(name: &str, args: Vec<Value>) -> Result<Tensor> {
    let op = all().find(|op| op.schema.starts_with(name)).expect("an op of this name");
    match op.call(&Args(args))? {
        Value::Tensor(t) => Ok(t),
        _ => panic!("{name} gives one tensor"),
    }
}

/// The same by the engine.
fn engine(pool: &[Tensor], step: &Step) -> Result<Tensor> {
    let d = |d: &usize| *d as i64;
    match step {
        Step::Add(a, b) => ops::add(&pool[*a], &pool[*b]),
        Step::Sub(a, b) => ops::sub(&pool[*a], &pool[*b]),
        Step::Mul(a, b) => ops::mul(&pool[*a], &pool[*b]),
        Step::Sin(a) => call("sin(", vec![Value::Tensor(pool[*a].clone())]),
        Step::Tanh(a) => call("tanh(", vec![Value::Tensor(pool[*a].clone())]),
        Step::Sum(a, dim, keep) => ops::sum(&pool[*a], &[d(dim)], *keep, None),
        Step::Mean(a, dim) => ops::mean(&pool[*a], &[d(dim)], false, None),
        Step::CumSum(a, dim) => ops::cumsum(&pool[*a], d(dim), None),
        Step::Permute(a, order) => ops::permute(&pool[*a], &order.iter().map(|d| *d as i64).collect::<Vec<_>>()),
        Step::Flatten(a) => ops::reshape(&pool[*a], &[-1]),
        Step::Unsqueeze(a, dim) => ops::unsqueeze(&pool[*a], d(dim)),
        Step::Stretch(a, n) => {
            let mut shape = vec![*n as i64];
            shape.extend(pool[*a].shape().iter().map(|s| *s as i64));
            ops::expand(&pool[*a], &shape)
        }
        Step::Slice(a, dim, from, to, step) => {
            ops::slice_of(&pool[*a], d(dim), Some(*from as i64), Some(*to as i64), *step as i64)
        }
        Step::Select(a, dim, k) => ops::select(&pool[*a], d(dim), *k as i64),
        Step::Flip(a, dim) => ops::flip(&pool[*a], &[d(dim)]),
        Step::Pick(a, dim, rows) => {
            let rows: Vec<i64> = rows.iter().map(|r| *r as i64).collect();
            ops::index_select(&pool[*a], d(dim), &Tensor::from_slice(&rows, &[rows.len()])?)
        }
        Step::Cat(a, b, dim) => ops::cat(&[pool[*a].clone(), pool[*b].clone()], d(dim)),
        Step::Stack(a, b, dim) => ops::stack(&[pool[*a].clone(), pool[*b].clone()], d(dim)),
        Step::MatMul(a, b) => ops::matmul(&pool[*a], &pool[*b]),
    }
}

/// A step that fits the shapes in the pool. `whole`: only what integers can do exactly.
fn choose(r: &mut Random, shapes: &[Vec<usize>], whole: bool) -> Option<Step> {
    let (a, b) = (r.below(shapes.len()), r.below(shapes.len()));
    let (sa, sb) = (&shapes[a], &shapes[b]);
    let pair = broadcast(sa, sb).is_some_and(|s| count(&s) <= 400);
    let d = r.below(sa.len());
    let dims = !sa.is_empty();
    let n = if dims { sa[d] } else { 0 };
    Some(match r.below(19) {
        0 if pair => Step::Add(a, b),
        1 if pair => Step::Sub(a, b),
        2 if pair => Step::Mul(a, b),
        3 if !whole => Step::Sin(a),
        4 if !whole => Step::Tanh(a),
        5 if dims => Step::Sum(a, d, r.below(2) == 0),
        6 if dims && n > 0 && !whole => Step::Mean(a, d),
        7 if dims => Step::CumSum(a, d),
        8 if dims => {
            let mut order: Vec<usize> = (0..sa.len()).collect();
            for i in (1..order.len()).rev() {
                order.swap(i, r.below(i + 1));
            }
            Step::Permute(a, order)
        }
        9 => Step::Flatten(a),
        10 if sa.len() < 5 => Step::Unsqueeze(a, r.below(sa.len() + 1)),
        11 if sa.len() < 5 && count(sa) <= 100 => Step::Stretch(a, 1 + r.below(3)),
        12 if n > 0 => {
            let from = r.below(n);
            Step::Slice(a, d, from, from + 1 + r.below(n - from), 1 + r.below(2))
        }
        13 if n > 0 => Step::Select(a, d, r.below(n)),
        14 if dims => Step::Flip(a, d),
        15 if n > 0 => Step::Pick(a, d, (0..1 + r.below(4)).map(|_| r.below(n)).collect()),
        16 if dims && sa.len() == sb.len() && without(sa, d) == without(sb, d) && count(sa) <= 200 => {
            Step::Cat(a, b, d)
        }
        17 if sa == sb && sa.len() < 5 && count(sa) <= 200 => Step::Stack(a, b, r.below(sa.len() + 1)),
        18 if !whole && sa.len() == 2 && sb.len() == 2 && sa[1] == sb[0] => Step::MatMul(a, b),
        _ => return None,
    })
}

const SHAPES: &[&[usize]] = &[&[], &[3], &[2, 3], &[3, 2], &[3, 3], &[1, 3], &[2, 1, 3], &[2, 3, 2], &[0, 3], &[1]];

/// A leaf with the elements of `p`, in memory that starts later and runs the other way where `turned`.
fn leaf(p: &Plain, dtype: DType, turned: bool) -> Result<Tensor> {
    let t = if turned && p.shape.len() > 1 {
        let back: Vec<usize> = p.shape.iter().rev().copied().collect();
        let mut data = vec![77.0; 3];
        data.extend((0..p.data.len()).map(|i| {
            let mut index = unplace(&back, i);
            index.reverse();
            p.at(&index)
        }));
        let whole = Tensor::from_slice(&data, &[data.len()])?;
        let own = ops::slice_of(&ops::cast(&whole, dtype)?, 0, Some(3), None, 1)?;
        let own = ops::reshape(&own, &back.iter().map(|s| *s as i64).collect::<Vec<_>>())?;
        ops::permute(&own, &(0..back.len()).rev().map(|d| d as i64).collect::<Vec<_>>())?
    } else {
        ops::cast(&Tensor::from_slice(&p.data, &p.shape)?, dtype)?
    };
    let t = t.detach();
    if dtype.is_float() {
        t.set_requires_grad(true)?;
    }
    Ok(t)
}

struct Program {
    leaves: Vec<Plain>,
    steps: Vec<Step>,
}

fn program(seed: u64, whole: bool) -> Program {
    let mut r = Random(seed * 7919 + 13);
    let number = |r: &mut Random| if whole { r.below(7) as f64 - 3.0 } else { r.unit() };
    let leaves: Vec<Plain> = (0..2 + r.below(3))
        .map(|_| {
            let shape = SHAPES[r.below(SHAPES.len())].to_vec();
            let data = (0..count(&shape)).map(|_| number(&mut r)).collect();
            Plain { shape, data }
        })
        .collect();
    let mut pool = leaves.clone();
    let mut steps = vec![];
    let wanted = 5 + r.below(16);
    for _ in 0..400 {
        let shapes: Vec<Vec<usize>> = pool.iter().map(|p| p.shape.clone()).collect();
        if let Some(step) = choose(&mut r, &shapes, whole) {
            let made = plain(&pool, &step);
            if made.data.iter().all(|v| v.abs() < 1e6) {
                pool.push(made);
                steps.push(step);
            }
        }
        if steps.len() == wanted {
            break;
        }
    }
    Program { leaves, steps }
}

fn run_plain(leaves: &[Plain], steps: &[Step]) -> Vec<Plain> {
    let mut pool = leaves.to_vec();
    for step in steps {
        let made = plain(&pool, step);
        pool.push(made);
    }
    pool
}

/// One number of a whole program: everything in the pool, each element weighed by where it stands.
fn total(pool: &[Plain]) -> f64 {
    let weighed = |p: &Plain| p.data.iter().enumerate().map(|(i, v)| v * (1.0 + (i % 3) as f64)).sum::<f64>();
    pool.iter().enumerate().map(|(k, p)| weighed(p) * (1.0 + k as f64 / 10.0)).sum()
}

fn values(t: &Tensor) -> Vec<f64> {
    t.scalars().expect("elements can be read").into_iter().map(|s| s.to_f64()).collect()
}

fn run_engine(program: &Program, dtype: DType) -> Result<(Vec<Tensor>, Vec<Tensor>)> {
    let made = program.leaves.iter().enumerate().map(|(i, p)| leaf(p, dtype, i % 2 == 0));
    let leaves = made.collect::<Result<Vec<_>>>()?;
    let mut pool = leaves.clone();
    for step in &program.steps {
        pool.push(engine(&pool, step)?);
    }
    Ok((leaves, pool))
}

fn compare(program: &Program, seed: u64, want: &[Plain], got: &[Tensor], tolerance: f64) {
    for (k, (w, g)) in want.iter().zip(got).enumerate() {
        let step = k.checked_sub(program.leaves.len()).map(|s| &program.steps[s]);
        assert_eq!(w.shape, g.shape(), "program {seed}, result {k}: {step:?}");
        for (i, (x, y)) in w.data.iter().zip(values(g)).enumerate() {
            let close = (x - y).abs() <= tolerance * (1.0 + x.abs());
            assert!(close, "program {seed}, result {k}, element {i}: {x} and {y}; {step:?} of {:?}", program.steps);
        }
    }
}

#[test]
fn programs_compute_what_loops_compute() {
    on_device(all_programs);
}

fn all_programs() {
    for seed in 0..400 {
        let p = program(seed, false);
        let want = run_plain(&p.leaves, &p.steps);
        for (dtype, tolerance) in [(DType::F64, 1e-9), (DType::F32, 2e-4)] {
            let (_, got) = run_engine(&p, dtype).expect("generated to fit");
            compare(&p, seed, &want, &got, tolerance);
        }
    }
}

#[test]
fn programs_of_integers_are_exact() {
    on_device(all_integers);
}

fn all_integers() {
    for seed in 0..300 {
        let p = program(seed + 5000, true);
        let want = run_plain(&p.leaves, &p.steps);
        for dtype in [DType::I64, DType::I32] {
            let (_, got) = run_engine(&p, dtype).expect("generated to fit");
            compare(&p, seed, &want, &got, 0.0);
        }
    }
}

#[test]
fn gradients_of_programs_are_differences() {
    if !on_gpu() {
        all_gradients();
    }
}

fn all_gradients() {
    for seed in 0..150 {
        let p = program(seed + 9000, false);
        let (leaves, pool) = run_engine(&p, DType::F64).expect("generated to fit");
        let mut sum = ops::number(0.0).expect("a number");
        for (k, t) in pool.iter().enumerate() {
            let weights: Vec<f64> = (0..t.numel()).map(|i| (1.0 + (i % 3) as f64) * (1.0 + k as f64 / 10.0)).collect();
            let weights = Tensor::from_slice(&weights, &t.shape()).expect("as many weights as elements");
            let part = ops::mul(t, &weights).and_then(|m| ops::sum(&m, &[], false, None));
            sum = ops::add(&sum, &part.expect("a number")).expect("a number");
        }
        autograd::backward(&[(sum, None)], false, false, None).expect("a graph to walk");
        for (k, leaf) in leaves.iter().enumerate() {
            let gradient = leaf.grad().map(|g| values(&g)).unwrap_or_else(|| vec![0.0; leaf.numel()]);
            for (i, got) in gradient.iter().enumerate() {
                let eps = 1e-5;
                let moved = |by: f64| {
                    let mut leaves = p.leaves.clone();
                    leaves[k].data[i] += by;
                    total(&run_plain(&leaves, &p.steps))
                };
                let want = (moved(eps) - moved(-eps)) / (2.0 * eps);
                let close = (want - got).abs() <= 1e-4 * (1.0 + want.abs());
                assert!(close, "program {seed}, leaf {k}, element {i}: {want} and {got}; {:?}", p.steps);
            }
        }
    }
}
