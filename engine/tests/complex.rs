//! Complex tensors against values and gradients recorded from PyTorch (`complex/record.py`), and how they print.

use rushlight_engine::autograd::backward;
use rushlight_engine::dtype::Scalar;
use rushlight_engine::registry::{self, Args, Value};
use rushlight_engine::{DType, Result, Tensor, format, ops};
use serde_json::Value as Json;

const RECORDED: &str = include_str!("complex/complex.jsonl");

fn tensor(j: &Json) -> Result<Tensor> {
    let shape: Vec<usize> = j["shape"].as_array().unwrap().iter().map(|s| s.as_u64().unwrap() as usize).collect();
    let dtype = DType::ALL.into_iter().find(|d| d.name() == j["dtype"]).unwrap();
    let one = |v: &Json| match v {
        Json::Array(p) => (p[0].as_f64().unwrap_or(f64::NAN), p[1].as_f64().unwrap_or(f64::NAN)),
        Json::Bool(b) => (*b as u8 as f64, 0.0),
        v => (v.as_f64().unwrap(), 0.0),
    };
    let values: Vec<(f64, f64)> = j["values"].as_array().unwrap().iter().map(one).collect();
    ops::cast(&Tensor::from_pairs(&values, &shape, DType::C128)?, dtype)
}

fn assert_close(what: &str, got: &Tensor, want: &Tensor) {
    assert_eq!((got.shape(), got.dtype()), (want.shape(), want.dtype()), "{what}");
    for (g, w) in got.to_pairs().unwrap().into_iter().zip(want.to_pairs().unwrap()) {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-10 * (1.0 + b.abs()) || (a.is_nan() && b.is_nan());
        assert!(near(g.0, w.0) && near(g.1, w.1), "{what}: {g:?}, PyTorch has {w:?}");
    }
}

/// The recorder's loss.
fn loss(out: &Tensor) -> Result<Tensor> {
    let weights = |from: f64, by: f64| {
        let w: Vec<f64> = (0..out.numel()).map(|i| from + by * i as f64).collect();
        Tensor::from_slice(&w, &out.shape())
    };
    let part = |x: Tensor, w: Tensor| ops::sum(&ops::mul(&x, &w)?, &[], false, None);
    let re = part(ops::real(out)?, weights(1.0, 0.5)?)?;
    if out.dtype().is_complex() { ops::add(&re, &part(ops::imag(out)?, weights(0.75, -0.25)?)?) } else { Ok(re) }
}

#[test]
fn values_and_gradients_are_pytorchs() {
    let mut cases = 0;
    for line in RECORDED.lines() {
        let j: Json = serde_json::from_str(line).unwrap();
        let name = j["op"].as_str().unwrap();
        let op = registry::all().find(|op| op.schema.split('(').next() == Some(name)).expect(name);
        let given = j["args"].as_array().unwrap().iter();
        let mut args: Vec<Value> = given
            .map(|a| match a {
                Json::Bool(b) => Value::Bool(*b),
                Json::Array(list) => Value::Ints(list.iter().map(|v| v.as_i64().unwrap()).collect()),
                a if a.is_i64() => Value::Int(a.as_i64().unwrap()),
                a => Value::Tensor(tensor(a).unwrap()),
            })
            .collect();
        let leaves: Vec<Tensor> =
            args.iter().filter_map(|a| if let Value::Tensor(t) = a { Some(t.clone()) } else { None }).collect();
        leaves.iter().for_each(|t| t.set_requires_grad(true).unwrap());
        // What the schema has beside the operands has its default.
        if op.schema.contains("Scalar alpha") {
            args.push(Value::Scalar(Scalar::Int(1)));
        }
        let Value::Tensor(out) = op.call(&Args(args)).unwrap_or_else(|e| panic!("{name}: {e}")) else {
            panic!("{name} gives no tensor")
        };
        assert_close(name, &out, &tensor(&j["out"]).unwrap());
        if let Some(grads) = j["grads"].as_array() {
            backward(&[(loss(&out).unwrap(), None)], false, false, None).unwrap_or_else(|e| panic!("{name}: {e}"));
            for (t, want) in leaves.iter().zip(grads) {
                assert_close(&format!("gradient of {name}"), &t.grad().unwrap(), &tensor(want).unwrap());
            }
        }
        cases += 1;
    }
    assert!(cases > 100);
}

#[test]
fn they_print_as_pytorch_prints_them() {
    let print = |pairs: &[(f64, f64)], dtype| format::repr(&Tensor::from_pairs(pairs, &[pairs.len()], dtype).unwrap());
    assert_eq!(print(&[(1.0, 2.0), (3.0, -1.0)], DType::C64).unwrap(), "tensor([1.+2.j, 3.-1.j])");
    assert_eq!(
        print(&[(1.5, 2.0), (f64::NAN, f64::INFINITY)], DType::C64).unwrap(),
        "tensor([1.5000+2.j,    nan+infj])"
    );
    assert_eq!(print(&[(1.0, -0.0)], DType::C128).unwrap(), "tensor([1.-0.j], dtype=torch.complex128)");
    assert_eq!(print(&[], DType::C64).unwrap(), "tensor([], dtype=torch.complex64)");
    assert_eq!(
        print(&[(1e10, 1e-5), (1.0, 0.0)], DType::C64).unwrap(),
        "tensor([1.0000e+10+1.0000e-05j, 1.0000e+00+0.0000e+00j])"
    );
}

#[test]
fn what_has_no_meaning_is_refused_by_name() {
    let z = Tensor::from_pairs(&[(1.0, 2.0)], &[1], DType::C64).unwrap();
    let text = |r: Result<Tensor>| r.map(|t| format!("{t:?}")).unwrap_err().to_string();
    assert_eq!(text(ops::lt(&z, &z)), "\"lt_cpu\" not implemented for 'ComplexFloat'");
    assert_eq!(text(ops::erf(&z)), "\"erf_vml_cpu\" not implemented for 'ComplexFloat'");
    assert_eq!(text(ops::max_all(&z)), "\"max_all\" not implemented for 'ComplexFloat'");
    // Code on the host that is written for real numbers gets an error, never the real parts.
    assert!(z.to_vec::<f64>().is_err());
}
