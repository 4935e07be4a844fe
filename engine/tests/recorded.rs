//! Shape, index, creation and sorting ops against what PyTorch gave: values, strides, gradients, node names, errors.
//! The fixture and its recorder are in `recorded/`.

use rushlight_engine::autograd::grad;
use rushlight_engine::error::Class;
use rushlight_engine::layout::Layout;
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

fn upstream(t: &Tensor) -> Tensor {
    let v: Vec<f64> = (0..t.numel()).map(|i| (i % 7) as f64 - 2.5).collect();
    rushlight_engine::ops::cast(&Tensor::from_slice(&v, &t.shape()).unwrap(), t.dtype()).unwrap()
}

fn same(got: &[f64], want: &Json) -> bool {
    let want: Vec<f64> = want.as_array().unwrap().iter().map(number).collect();
    got.len() == want.len()
        && got.iter().zip(&want).all(|(g, w)| g == w || (g.is_nan() && w.is_nan()) || (g - w).abs() <= 1e-6 * w.abs())
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
    let result = (op.run)(&Args(args));
    if let Some(want) = line.get("error") {
        let (class, text) = (want[0].as_str().unwrap(), want[1].as_str().unwrap());
        let e = match result {
            Ok(_) => return Err(format!("no error, but PyTorch says: {text}")),
            Err(e) => e,
        };
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
        return Ok(());
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
        let node = t.grad_fn().map(|n| n.name().to_owned());
        if node.as_deref() != w.get("node").and_then(Json::as_str) {
            return Err(format!("node {node:?}, want {:?}", w.get("node")));
        }
    }
    if let Some(want) = line.get("grads") {
        let wanted: Vec<Tensor> = wanted.into_iter().filter(|t| t.requires_grad()).collect();
        let roots: Vec<_> = outs.iter().filter(|t| t.requires_grad()).map(|t| (t.clone(), Some(upstream(t)))).collect();
        let got = grad(&roots, &wanted, false, false, true).map_err(|e| format!("backward raised {e:?}"))?;
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

#[test]
fn as_pytorch_recorded() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recorded/ops.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let (mut count, mut faults) = (0, vec![]);
    for line in text.lines() {
        count += 1;
        let json: Json = serde_json::from_str(line).unwrap();
        let outcome = std::panic::catch_unwind(|| check(&json)).unwrap_or_else(|_| Err("panicked".to_owned()));
        if let Err(fault) = outcome {
            faults.push(format!("{} {}\n   {fault}", json["op"], json["args"]));
        }
    }
    assert!(count > 1000, "the fixture is cut short");
    assert!(faults.is_empty(), "{} of {count} differ:\n{}", faults.len(), faults.join("\n"));
}
