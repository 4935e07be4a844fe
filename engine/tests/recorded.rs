//! Shape, index, creation, sorting and random ops, and printing, against what PyTorch gave: values, strides, gradients,
//! node names, errors.
//! The fixture and its recorder are in `recorded/`.

mod common;

use common::{on_device, on_gpu};
use rushlight_engine::autograd::grad;
use rushlight_engine::backend::backend;
use rushlight_engine::error::Class;
use rushlight_engine::format::{self, PrintOptions};
use rushlight_engine::layout::Layout;
use rushlight_engine::ops::{Index, index, index_put, mul, number as number_tensor};
use rushlight_engine::random::{Generator, default_generator};
use rushlight_engine::registry::{self, Args, Value};
use rushlight_engine::{DType, Scalar, Tensor};
use serde_json::Value as Json;

fn dtype(name: &str) -> DType {
    DType::ALL.into_iter().find(|d| d.name() == name).unwrap_or_else(|| panic!("no dtype {name}"))
}

fn number(j: &Json) -> f64 {
    match j {
        Json::String(s) => match s.as_str() {
            "nan" => f64::NAN,
            "inf" => f64::INFINITY,
            "-0.0" => -0.0,
            _ => f64::NEG_INFINITY,
        },
        j => j.as_f64().unwrap(),
    }
}

fn sizes(j: &Json) -> Vec<usize> {
    j.as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as usize).collect()
}

fn tensor(j: &Json) -> Tensor {
    let memory: Vec<f64> = j["memory"].as_array().unwrap().iter().map(number).collect();
    let shape = sizes(&j["shape"]);
    let flat = Tensor::from_slice(&memory, &[memory.len()]).unwrap();
    let t = rushlight_engine::ops::cast(&flat, dtype(j["dtype"].as_str().unwrap())).unwrap().detach();
    let mut layout = Layout::contiguous(&shape);
    if let Some(s) = j.get("strides") {
        layout.strides = sizes(s);
    }
    layout.offset = j.get("offset").map_or(0, |o| o.as_u64().unwrap() as usize);
    t.set_raw(t.raw().with_layout(layout));
    if j.get("grad").is_some() {
        t.set_requires_grad(true).unwrap();
    }
    t
}

/// The argument as the op's schema wants it: a number for a `Scalar` or `float` too.
fn argument(j: &Json, kind: &str, wanted: &mut Vec<Tensor>) -> Value {
    let mut keep = |j: &Json| {
        let t = tensor(j);
        wanted.push(t.clone());
        t
    };
    let Json::Object(map) = j else { return Value::None };
    let (tag, j) = map.iter().next().unwrap();
    let scalar = kind.starts_with("Scalar") && !kind.starts_with("ScalarType");
    match tag.as_str() {
        "t" => Value::Tensor(keep(j)),
        "b" if scalar => Value::Scalar(Scalar::Bool(j.as_bool().unwrap())),
        "b" => Value::Bool(j.as_bool().unwrap()),
        "i" if scalar => Value::Scalar(Scalar::Int(j.as_i64().unwrap())),
        "f" if scalar => Value::Scalar(Scalar::Float(number(j))),
        "i" if kind.starts_with("int[") => Value::Ints(vec![j.as_i64().unwrap()]),
        "i" => Value::Int(j.as_i64().unwrap()),
        "f" => Value::Float(number(j)),
        "s" => Value::Str(j.as_str().unwrap().to_owned()),
        "d" => Value::DType(dtype(j.as_str().unwrap())),
        "is" if kind.starts_with("Tensor") => Value::Tensors(vec![]),
        "is" => Value::Ints(j.as_array().unwrap().iter().map(|v| v.as_i64().unwrap()).collect()),
        "ts" if kind.starts_with("Tensor?") => {
            Value::OptTensors(j.as_array().unwrap().iter().map(|t| Some(keep(t))).collect())
        }
        "ts" => Value::Tensors(j.as_array().unwrap().iter().map(keep).collect()),
        _ => Value::OptTensors(j.as_array().unwrap().iter().map(|t| (!t.is_null()).then(|| keep(t))).collect()),
    }
}

/// The types of a schema's parameters.
fn kinds(schema: &str) -> Vec<String> {
    let inner = &schema[schema.find('(').unwrap() + 1..schema.rfind(") ->").unwrap()];
    let mut out = vec![];
    for part in inner.split(", ").filter(|p| p.trim() != "*") {
        // Commas inside a default belong to it.
        if part.contains(' ') {
            out.push(part.trim().to_owned());
        }
    }
    out
}

fn same_error(result: rushlight_engine::Result<()>, want: &Json) -> Result<(), String> {
    let (class, text) = (want[0].as_str().unwrap(), want[1].as_str().unwrap());
    let Err(e) = result else { return Err(format!("no error, but PyTorch says: {text}")) };
    let name = match e.class() {
        Class::Type => "TypeError",
        Class::Value => "ValueError",
        Class::Index => "IndexError",
        Class::NotImplemented => "NotImplementedError",
        _ => "RuntimeError",
    };
    if name != class || e.to_string() != text {
        return Err(format!("error\n   got  {name}: {e}\n   want {class}: {text}"));
    }
    Ok(())
}

/// A GPU says that an index is out of range when the result is looked at.
fn looked_at(result: Value) -> rushlight_engine::Result<()> {
    match result {
        Value::Tensor(t) => t.to_vec::<f64>().map(|_| ()),
        Value::Tuple(all) => all.into_iter().try_for_each(looked_at),
        _ => Ok(()),
    }
}

fn upstream(t: &Tensor) -> Tensor {
    let v: Vec<f64> = (0..t.numel()).map(|i| (i % 7) as f64 - 2.5).collect();
    rushlight_engine::ops::cast(&Tensor::from_slice(&v, &t.shape()).unwrap(), t.dtype()).unwrap()
}

fn same(got: &[f64], want: &Json) -> bool {
    let want: Vec<f64> = want.as_array().unwrap().iter().map(number).collect();
    let tolerance = if on_gpu() { 1e-5 } else { 1e-6 };
    got.len() == want.len()
        && got
            .iter()
            .zip(&want)
            .all(|(g, w)| g == w || (g.is_nan() && w.is_nan()) || (g - w).abs() <= tolerance * w.abs())
}

fn check(line: &Json) -> Result<(), String> {
    let key = line["op"].as_str().unwrap();
    let op = registry::all()
        .find(|o| o.schema.split('(').next() == Some(key))
        .ok_or_else(|| format!("no op {key} in the registry"))?;
    let mut wanted = vec![];
    let given = line["args"].as_array().unwrap();
    let kinds = kinds(op.schema);
    let mut args = vec![];
    for (i, kind) in kinds.iter().enumerate() {
        args.push(match given.get(i) {
            Some(j) => argument(j, kind, &mut wanted),
            None if kind.starts_with("bool ") => Value::Bool(kind.ends_with("True")),
            None if kind.starts_with("Scalar alpha") => Value::Scalar(Scalar::Int(1)),
            None => Value::None,
        });
    }
    let result = op.call(&Args(args));
    if let Some(want) = line.get("error") {
        return same_error(result.and_then(looked_at), want);
    }
    let outs = match result.map_err(|e| format!("raised {e:?}"))? {
        Value::Tensor(t) => vec![t],
        Value::Tensors(ts) => ts,
        Value::Tuple(vs) => vs.into_iter().map(|v| if let Value::Tensor(t) = v { t } else { panic!() }).collect(),
        _ => panic!("what came back?"),
    };
    let want = line["out"].as_array().unwrap();
    if want.len() != outs.len() {
        return Err(format!("{} results, want {}", outs.len(), want.len()));
    }
    for (t, w) in outs.iter().zip(want) {
        if t.dtype().name() != w["dtype"] || t.shape() != sizes(&w["shape"]) {
            return Err(format!("{} {:?}, want {} {}", t.dtype().name(), t.shape(), w["dtype"], w["shape"]));
        }
        let got = t.to_vec::<f64>().map_err(|e| e.to_string())?;
        if !same(&got, &w["values"]) {
            return Err(format!("values {got:?}\n   want {}", w["values"]));
        }
        if t.numel() > 0 && t.strides() != sizes(&w["strides"]) {
            return Err(format!("strides {:?}, want {} (shape {:?})", t.strides(), w["strides"], t.shape()));
        }
        // As Python's `type(grad_fn).__name__` shows it.
        let node = t.grad_fn().map(|n| n.name().rsplit("::").next().unwrap_or_default().to_owned());
        if node.as_deref() != w.get("node").and_then(Json::as_str) {
            return Err(format!("node {node:?}, want {:?}", w.get("node")));
        }
    }
    let wanted: Vec<Tensor> = wanted.into_iter().filter(|t| t.requires_grad()).collect();
    same_grads(&outs, &wanted, line)
}

fn same_grads(outs: &[Tensor], wanted: &[Tensor], line: &Json) -> Result<(), String> {
    if let Some(want) = line.get("grads") {
        let roots: Vec<_> = outs.iter().filter(|t| t.requires_grad()).map(|t| (t.clone(), Some(upstream(t)))).collect();
        let got = grad(&roots, wanted, false, false, true).map_err(|e| format!("backward raised {e:?}"))?;
        for (i, (g, w)) in got.iter().zip(want.as_array().unwrap()).enumerate() {
            let g = match g {
                Some(g) => g.to_vec::<f64>().map_err(|e| e.to_string())?,
                None => vec![0.0; wanted[i].numel()],
            };
            let zeros = Json::from(vec![0.0; g.len()]);
            if !same(&g, if w.is_null() { &zeros } else { w }) {
                return Err(format!("gradient {i} {g:?}\n   want {w}"));
            }
        }
    }
    Ok(())
}

/// Run every line of a fixture; say which differ.
fn run(name: &str, least: usize, check: fn(&Json) -> Result<(), String>) {
    let path = format!("{}/tests/recorded/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let (mut count, mut faults) = (0, vec![]);
    for line in text.lines() {
        count += 1;
        let json: Json = serde_json::from_str(line).unwrap();
        let outcome =
            std::panic::catch_unwind(|| on_device(|| check(&json))).unwrap_or_else(|_| Err("panicked".to_owned()));
        if let Err(fault) = outcome {
            let call: String = line.chars().take(300).collect();
            faults.push(format!("{call}\n   {fault}"));
        }
    }
    assert!(count > least, "the fixture is cut short");
    assert!(faults.is_empty(), "{} of {count} differ:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn ops_as_recorded() {
    run("ops", 1000, check);
}

fn hash(t: &Tensor) -> String {
    let flat = rushlight_engine::ops::contiguous(&t.detach()).unwrap();
    let bytes = backend(flat.device()).read(&flat.storage()).unwrap();
    let h = bytes.iter().fold(0xcbf2_9ce4_8422_2325u64, |h, &b| (h ^ b as u64).wrapping_mul(0x100_0000_01b3));
    format!("{h:016x}")
}

fn check_draw(line: &Json) -> Result<(), String> {
    let key = line["op"].as_str().unwrap();
    let op = registry::all()
        .find(|o| o.schema.split('(').next() == Some(key))
        .ok_or_else(|| format!("no op {key} in the registry"))?;
    let generator = default_generator();
    *generator.borrow_mut() = Generator::new(line["seed"].as_u64().unwrap());
    let given = line["args"].as_array().unwrap();
    let args = kinds(op.schema)
        .iter()
        .enumerate()
        .map(|(i, kind)| match given.get(i) {
            Some(j) => argument(j, kind, &mut vec![]),
            None if kind.starts_with("bool ") => Value::Bool(false),
            None => Value::None,
        })
        .collect();
    let Value::Tensor(t) = op.call(&Args(args)).map_err(|e| format!("raised {e:?}"))? else { panic!() };
    let want = &line["out"];
    let got = t.to_vec::<f64>().unwrap();
    if t.dtype().name() != want["dtype"] || t.shape() != sizes(&want["shape"]) {
        return Err(format!("{} {:?}", t.dtype().name(), t.shape()));
    }
    if hash(&t) != want["hash"] {
        let first = &got[..got.len().min(4)];
        return Err(format!("seed {}: {first:?}, want {}", line["seed"], want["first"]));
    }
    let next = generator.borrow_mut().uniform_f64();
    if (next - line["next"].as_f64().unwrap()).abs() > 1e-15 {
        return Err(format!("seed {}: the generator stands elsewhere afterwards", line["seed"]));
    }
    Ok(())
}

#[test]
fn draws_as_recorded() {
    run("random", 300, check_draw);
}

fn check_print(line: &Json) -> Result<(), String> {
    let given = &line["options"];
    let mut options = PrintOptions::profile(given["profile"].as_str().unwrap_or("default")).unwrap();
    let whole = |name: &str| given.get(name).map(|v| v.as_u64().unwrap() as usize);
    options.precision = whole("precision").unwrap_or(options.precision);
    options.edgeitems = whole("edgeitems").unwrap_or(options.edgeitems);
    options.linewidth = whole("linewidth").map_or(options.linewidth, |w| w as i64);
    options.threshold = whole("threshold").map_or(options.threshold, |t| t as f64);
    options.sci_mode = given.get("sci_mode").and_then(Json::as_bool);
    format::set_options(options);
    let text = format::repr(&tensor(&line["t"])).map_err(|e| e.to_string())?;
    format::set_options(PrintOptions::default());
    if text != line["repr"].as_str().unwrap() {
        return Err(format!("{given}\n{text}\n--- want\n{}", line["repr"].as_str().unwrap()));
    }
    Ok(())
}

#[test]
fn prints_as_recorded() {
    if on_gpu() {
        return; // The record has no device.
    }
    run("print", 300, check_print);
}

fn bracket_item(j: &Json) -> Index {
    let (tag, v) = j.as_object().unwrap().iter().next().unwrap();
    match tag.as_str() {
        "n" => Index::None,
        "e" => Index::Ellipsis,
        "i" => Index::Int(v.as_i64().unwrap()),
        "b" => Index::Bool(v.as_bool().unwrap()),
        "t" => Index::Tensor(tensor(v)),
        _ => Index::Slice { start: v[0].as_i64(), stop: v[1].as_i64(), step: v[2].as_i64() },
    }
}

fn check_brackets(line: &Json) -> Result<(), String> {
    let x = tensor(&line["t"]);
    let items: Vec<Index> = line["index"].as_array().unwrap().iter().map(bracket_item).collect();
    let value = line.get("value").map(tensor);
    let result = match &value {
        None => index(&x, &items),
        Some(v) => {
            let out = mul(&x, &number_tensor(1).unwrap()).unwrap();
            index_put(&out, &items, v).map(|()| out)
        }
    };
    if let Some(want) = line.get("error") {
        return same_error(result.and_then(|out| looked_at(Value::Tensor(out))), want);
    }
    let out = result.map_err(|e| format!("raised {e:?}"))?;
    let want = &line["out"];
    if out.shape() != sizes(&want["shape"]) || !same(&out.to_vec::<f64>().unwrap(), &want["values"]) {
        return Err(format!("{out:?}\n   want {want}"));
    }
    // The stride of a dimension of size 1 says nothing.
    let telling = |s: Vec<usize>| -> Vec<usize> { (0..s.len()).filter(|&d| out.size(d) != 1).map(|d| s[d]).collect() };
    if out.numel() > 0 && telling(out.strides()) != telling(sizes(&want["strides"])) {
        return Err(format!("strides {:?}, want {}", out.strides(), want["strides"]));
    }
    let node = out.grad_fn().map(|n| n.name().rsplit("::").next().unwrap_or_default().to_owned());
    if node.as_deref() != want.get("node").and_then(Json::as_str) {
        return Err(format!("node {node:?}, want {:?}", want.get("node")));
    }
    let wanted: Vec<Tensor> = [Some(x), value].into_iter().flatten().filter(Tensor::requires_grad).collect();
    same_grads(&[out], &wanted, line)
}

#[test]
fn brackets_as_recorded() {
    run("index", 250, check_brackets);
}

#[test]
fn states_are_pytorchs() {
    // torch.manual_seed(7); torch.rand(3); torch.randn(1); torch.get_rng_state(): 7 draws, one normal kept.
    let mut g = Generator::new(7);
    (0..3).for_each(|_| {
        g.uniform_f32();
    });
    g.normal_f64();
    let state = g.state_bytes();
    assert_eq!(state.len(), 5056);
    assert_eq!(state[..24], [7, 0, 0, 0, 0, 0, 0, 0, 106, 2, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(state[24..28], [249, 163, 137, 120]);
    assert_eq!(state[5024..5032], [203, 76, 63, 83, 71, 45, 240, 63]);
    assert_eq!(state[5040], 1);
    let mut back = Generator::from_state_bytes(&state).unwrap();
    assert_eq!(back.normal_f64(), g.normal_f64());
    assert_eq!(back.next_u32(), g.next_u32());
    assert!(Generator::from_state_bytes(&state[1..]).is_none());
}

#[test]
fn every_schema_stands_once() {
    let mut names: Vec<&str> = registry::all().map(|o| o.schema.split('(').next().unwrap()).collect();
    names.sort_unstable();
    let twice: Vec<_> = names.windows(2).filter(|w| w[0] == w[1]).map(|w| w[0]).collect();
    assert!(twice.is_empty(), "declared twice: {twice:?}");
}

#[test]
fn a_convolution_needs_a_weight_with_three_dimensions() {
    use rushlight_engine::ops::nn;
    let x = Tensor::zeros(&[1, 1, 4, 4], rushlight_engine::DType::F32).unwrap();
    let w = Tensor::zeros(&[], rushlight_engine::DType::F32).unwrap();
    let one: &[i64] = &[1];
    let text = "weight should have at least three dimensions";
    let plain = nn::convolution(&x, &w, None, 2, [one, &[0], one], 1).unwrap_err();
    assert_eq!(plain.to_string(), text);
    let transposed = nn::conv_transpose(&x, &w, None, 2, [one, &[0], &[0], one], 1).unwrap_err();
    assert_eq!(transposed.to_string(), text);
}
