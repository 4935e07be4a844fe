//! Every op of the tables with random arguments: shapes with zeros and of many dimensions, indices far outside, sizes
//! that no machine has, NaN. An op may refuse; it must not panic.

mod common;

use common::{Random, on_device, on_gpu};
use rushlight_engine::backend::webgpu;
use rushlight_engine::placement::to_device;
use rushlight_engine::registry::{Args, Op, Value, all};
use rushlight_engine::{DType, Device, Scalar, Tensor, autograd, ops, storage};
use std::panic::{AssertUnwindSafe, catch_unwind};

impl Random {
    fn of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

const SHAPES: &[&[usize]] = &[
    &[],
    &[0],
    &[1],
    &[3],
    &[2, 3],
    &[3, 3],
    &[0, 3],
    &[2, 0],
    &[2, 3, 4],
    &[1, 2, 1],
    &[1, 2, 4, 4],
    &[1, 2, 1, 2, 1, 2],
];
const DTYPES: &[DType] = &[
    DType::F32,
    DType::F64,
    DType::I64,
    DType::Bool,
    DType::U8,
    DType::I8,
    DType::F16,
    DType::BF16,
    DType::C64,
    DType::I32,
];
const INTS: &[i64] = &[0, 1, -1, 2, -2, 3, 7, 100, i64::MAX, i64::MIN, 1 << 62, 1 << 40, -(1 << 31)];
const FLOATS: &[f64] = &[0.0, 1.0, -1.0, 0.5, 2.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e-300, 3.7e18];
const WORDS: &[&str] = &["mean", "none", "ij,jk->ik", "", "reflect", "constant", "amax", "fro", "left", "floor", "é"];

fn tensor(r: &mut Random, first: Option<&Tensor>) -> Tensor {
    let shape = match first {
        Some(t) if r.chance(60) => t.shape(),
        _ => r.of(SHAPES).to_vec(),
    };
    let dtype = match first {
        Some(t) if r.chance(60) => t.dtype(),
        _ if r.chance(40) => DType::F32,
        _ => r.of(DTYPES),
    };
    let n = shape.iter().product::<usize>();
    let wild = r.chance(20);
    let values: Vec<f64> =
        (0..n).map(|_| if wild { r.of(FLOATS) } else { r.of(&[0.0, 1.0, 2.0, -1.0, 0.25, -1.5]) }).collect();
    let made = Tensor::from_slice(&values, &shape).and_then(|t| ops::cast(&t, dtype));
    let mut t = made.expect("values of a shape make a tensor");
    if t.ndim() > 1 && r.chance(20) {
        t = ops::transpose(&t, 0, -1).expect("two dimensions can be swapped");
    }
    let t = t.detach();
    if dtype.is_inexact() && r.chance(40) {
        t.set_requires_grad(true).expect("floats can require grad");
    }
    t
}

fn ints(r: &mut Random) -> Vec<i64> {
    (0..r.below(5)).map(|_| if r.chance(15) { r.of(INTS) } else { r.below(5) as i64 - 1 }).collect()
}

/// A value for one parameter of a schema: `int[2]? dim=None`.
fn value(r: &mut Random, param: &str, first: Option<&Tensor>) -> Value {
    let kind = param.split(' ').next().unwrap_or_default();
    if kind.ends_with('?') && r.chance(50) {
        return Value::None;
    }
    let list = kind.contains('[');
    match kind.split(['[', '?', '(', '|']).next().unwrap_or_default() {
        "Tensor" if list && kind.contains("?[") => {
            Value::OptTensors((0..r.below(3)).map(|_| r.chance(70).then(|| tensor(r, first))).collect())
        }
        "Tensor" if list => Value::Tensors((0..r.below(4)).map(|_| tensor(r, first)).collect()),
        "Tensor" | "Number" => Value::Tensor(tensor(r, first)),
        "int" | "SymInt" if list => Value::Ints(ints(r)),
        "int" | "SymInt" => Value::Int(if r.chance(25) { r.of(INTS) } else { r.below(6) as i64 - 2 }),
        "float" if list => Value::Floats((0..r.below(3)).map(|_| r.of(FLOATS)).collect()),
        "float" => Value::Float(r.of(FLOATS)),
        "Scalar" => Value::Scalar(if r.chance(50) { Scalar::Int(r.of(INTS)) } else { Scalar::Float(r.of(FLOATS)) }),
        "bool" => Value::Bool(r.chance(50)),
        "str" => Value::Str(r.of(WORDS).to_owned()),
        "ScalarType" => Value::DType(r.of(DTYPES)),
        _ => Value::None,
    }
}

fn parameters(op: &Op) -> Vec<&'static str> {
    let inside = op.schema.split_once('(').map_or("", |(_, rest)| rest);
    let inside = inside.rsplit_once(") ->").map_or(inside, |(params, _)| params);
    let (mut parts, mut depth, mut from) = (vec![], 0, 0);
    for (i, c) in inside.char_indices() {
        match c {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(inside[from..i].trim());
                from = i + 1;
            }
            _ => {}
        }
    }
    parts.push(inside[from..].trim());
    parts.into_iter().filter(|p| !p.is_empty() && *p != "*").collect()
}

/// An error may be of any kind, but that a shader or a command is wrong is our fault.
fn well_said(e: &rushlight_engine::Error) {
    assert!(!e.to_string().contains("WebGPU error"), "{e}");
}

/// Ask for what a result says and for the gradients it leads to.
fn use_up(value: &Value) {
    match value {
        Value::Tensor(t) => {
            let _ = rushlight_engine::format::repr(t).inspect_err(well_said);
            if t.requires_grad() && t.numel() < 1000 {
                let _ = ops::sum(t, &[], false, None).and_then(|s| autograd::backward(&[(s, None)], true, false, None));
                let _ = t.to_vec::<f64>().inspect_err(well_said);
            }
        }
        Value::Tensors(ts) => ts.iter().for_each(|t| use_up(&Value::Tensor(t.clone()))),
        Value::Tuple(parts) => parts.iter().for_each(use_up),
        _ => {}
    }
}

fn describe(args: &[Value]) -> String {
    let one = |v: &Value| match v {
        Value::Tensor(t) => format!("{}{:?}", t.dtype().name(), t.shape()),
        Value::Tensors(ts) => format!("{} tensors", ts.len()),
        Value::OptTensors(ts) => format!("{} tensors or none", ts.len()),
        Value::Int(i) => i.to_string(),
        Value::Ints(v) => format!("{v:?}"),
        Value::Float(f) => f.to_string(),
        Value::Floats(v) => format!("{v:?}"),
        Value::Bool(b) => b.to_string(),
        Value::Scalar(s) => format!("{s:?}"),
        Value::Str(s) => format!("{s:?}"),
        Value::DType(d) => d.name().to_owned(),
        _ => "None".to_owned(),
    };
    args.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[test]
fn no_op_panics() {
    on_device(all_ops);
}

fn all_ops() {
    // So that an op that is asked for terabytes refuses at once, as it does in a browser.
    storage::set_budget(Some(256 << 20));
    webgpu::set_budget(Some(256 << 20));
    // A GPU has a kernel to compile for many a call.
    let rounds = if on_gpu() { 25 } else { 400u64 };
    let hook = std::panic::take_hook();
    if std::env::var_os("RUSHLIGHT_FUZZ_TRACE").is_none() {
        std::panic::set_hook(Box::new(|_| {}));
    }
    let mut failures = vec![];
    let mut calls = 0;
    // `RUSHLIGHT_FUZZ_SEED=7` makes other calls than those of every day.
    let seed: u64 = std::env::var("RUSHLIGHT_FUZZ_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    // `RUSHLIGHT_FUZZ_TRACE=1` shows each call before it is made: to find one that ends the process.
    let trace = std::env::var_os("RUSHLIGHT_FUZZ_TRACE").is_some();
    for (nr, op) in all().enumerate() {
        let params = parameters(op);
        for round in 0..rounds {
            let mut r = Random(nr as u64 * 1_000_003 + round * 7919 + seed);
            let mut args: Vec<Value> = vec![];
            for param in &params {
                let first = args.iter().find_map(|v| if let Value::Tensor(t) = v { Some(t.clone()) } else { None });
                let mut given = value(&mut r, param, first.as_ref());
                if let Value::Tensor(t) = &given
                    && on_gpu()
                    && r.below(8) == 0
                {
                    // Some lie elsewhere.
                    match to_device(t, Device::Cpu) {
                        Ok(t) => given = Value::Tensor(t),
                        Err(e) => failures.push(format!("{}\n    with\n    moved: {e}", op.schema)),
                    }
                }
                args.push(given);
            }
            let shown = describe(&args);
            let args = Args(args);
            calls += 1;
            if trace {
                eprintln!("{} with {shown}", op.schema);
            }
            let result = catch_unwind(AssertUnwindSafe(|| match op.call(&args) {
                Ok(value) => use_up(&value),
                Err(e) => well_said(&e),
            }));
            let _ = autograd::packed();
            // What a GPU has to say of an index is said now, and not of the next op.
            let _ = Tensor::zeros(&[1], DType::F32).and_then(|t| t.to_vec::<f32>());
            if let Err(panic) = result {
                let why = panic
                    .downcast_ref::<String>()
                    .cloned()
                    .or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()))
                    .unwrap_or_default();
                failures.push(format!("{}\n    with {shown}\n    {why}", op.schema));
            }
        }
    }
    std::panic::set_hook(hook);
    assert!(on_gpu() || calls > 10_000, "only {calls} calls");
    assert!(failures.is_empty(), "{} of {calls} calls panicked:\n{}", failures.len(), failures.join("\n"));
}
