//! Every op against values, gradients, node names and error texts recorded from PyTorch (`op_values/record.py`), and
//! every gradient against finite differences.

mod common;

use std::rc::Rc;

use common::{on_device, on_gpu};
use rushlight_engine::autograd::{differentiable, grad, grad_mode::no_grad};
use rushlight_engine::dtype::{Element, Scalar};
use rushlight_engine::error::Class;
use rushlight_engine::layout::Layout;
use rushlight_engine::registry::{self, Args, Value};
use rushlight_engine::{DType, Error, Result, Tensor, ops, with_dtype};
use serde_json::Value as Json;

const RECORDED: &str = include_str!("op_values/op_values.json");

fn dtype(name: &str) -> DType {
    match name {
        "f32" => DType::F32,
        "f64" if on_gpu() => DType::F32,
        "f64" => DType::F64,
        "f16" => DType::F16,
        "bf16" => DType::BF16,
        "i64" => DType::I64,
        "i32" => DType::I32,
        "i8" => DType::I8,
        "u8" => DType::U8,
        "bool" => DType::Bool,
        other => panic!("a dtype the recorder does not write: {other}"),
    }
}

fn float(j: &Json) -> f64 {
    match j {
        Json::String(s) => match s.as_str() {
            "inf" => f64::INFINITY,
            "-inf" => f64::NEG_INFINITY,
            _ => f64::NAN,
        },
        j => j.as_f64().unwrap(),
    }
}

fn sizes(j: &Json) -> Vec<usize> {
    j.as_array().unwrap().iter().map(|s| s.as_u64().unwrap() as usize).collect()
}

/// The recorder's formula.
fn generate(j: &Json) -> Result<Tensor> {
    let (kind, shape, strides, offset) =
        (dtype(j[0].as_str().unwrap()), sizes(&j[1]), sizes(&j[2]), j[3].as_u64().unwrap() as usize);
    let (lo, hi, seed, ties) = (float(&j[4]), float(&j[5]), float(&j[6]), float(&j[7]) != 0.0);
    let n = if shape.contains(&0) {
        0
    } else {
        offset + shape.iter().zip(&strides).map(|(s, t)| (s - 1) * t).sum::<usize>() + 1
    };
    let values: Vec<f64> = (0..n)
        .map(|i| {
            let v = lo + (hi - lo) * ((i as f64 + 1.0 + 17.0 * seed) * 0.6180339887498949).fract();
            if ties || !kind.is_float() { v.floor() } else { v }
        })
        .collect();
    with_dtype!(kind, E => {
        let t = Tensor::from_slice(&values.iter().map(|&v| E::from_f64(v)).collect::<Vec<_>>(), &[n])?;
        let layout = if n == 0 { Layout::contiguous(&shape) } else { Layout { shape, strides, offset } };
        t.set_raw(t.raw().with_layout(layout));
        Ok(t)
    })
}

fn argument(j: &Json) -> Result<Value> {
    Ok(match j {
        Json::Null => Value::None,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(n) => Value::Int(n.as_i64().unwrap()),
        Json::String(s) => Value::Str(s.clone()),
        j => {
            let (key, v) = j.as_object().unwrap().iter().next().unwrap();
            match key.as_str() {
                "t" => Value::Tensor(generate(v)?),
                "ts" => Value::Tensors(v.as_array().unwrap().iter().map(|t| generate(&t["t"])).collect::<Result<_>>()?),
                "n" => Value::Tensor(Tensor::from_number(match v.as_i64() {
                    Some(i) => Scalar::Int(i),
                    None => Scalar::Float(float(v)),
                })?),
                "i" => Value::Ints(v.as_array().unwrap().iter().map(|i| i.as_i64().unwrap()).collect()),
                "d" => Value::DType(dtype(v.as_str().unwrap())),
                _ => Value::Float(float(v)),
            }
        }
    })
}

/// The float64 tensors among the arguments: what was differentiated.
fn leaves(args: &Args) -> Vec<Tensor> {
    let (leaf, mut out) = (dtype("f64"), vec![]);
    for a in &args.0 {
        match a {
            Value::Tensor(t) if t.dtype() == leaf && !t.is_wrapped_number() => out.push(t.clone()),
            Value::Tensors(ts) => out.extend(ts.iter().filter(|t| t.dtype() == leaf).cloned()),
            _ => {}
        }
    }
    out
}

fn flatten(v: Value) -> Vec<Value> {
    match v {
        Value::Tuple(vs) => vs,
        Value::Tensors(ts) => ts.into_iter().map(Value::Tensor).collect(),
        v => vec![v],
    }
}

fn run(op: &registry::Op, args: &Args) -> Result<Vec<Value>> {
    Ok(flatten(op.call(args)?))
}

fn tensors(values: &[Value]) -> Vec<Tensor> {
    values
        .iter()
        .filter_map(|v| match v {
            Value::Tensor(t) => Some(t.clone()),
            _ => None,
        })
        .collect()
}

/// `sum(out * weights)` over the results that have history, with the recorder's weights.
fn loss(outs: &[Tensor]) -> Result<Option<Tensor>> {
    let mut total: Option<Tensor> = None;
    for o in outs.iter().filter(|o| o.requires_grad()) {
        let w: Vec<f64> = (0..o.numel()).map(|i| 0.5 + 0.25 * (i % 7) as f64).collect();
        let w = ops::cast(&Tensor::from_slice(&w, &o.shape())?, o.dtype())?;
        let part = ops::sum(&ops::mul(o, &w)?, &[], false, None)?;
        total = Some(match total {
            Some(t) => ops::add(&t, &part)?,
            None => part,
        });
    }
    Ok(total)
}

fn close(got: f64, want: f64, single: bool) -> bool {
    if want.is_nan() || want.is_infinite() {
        return got == want || (got.is_nan() && want.is_nan());
    }
    // Float32 to about two units in the last place.
    let (rel, abs) = if single { (2.4e-7, 1e-7) } else { (1e-10, 1e-12) };
    (got - want).abs() <= abs + rel * want.abs()
}

/// `loose`: PyTorch's own digits are fewer here than ours.
fn compare(what: &str, got: &Tensor, want: &Json, loose: bool) -> std::result::Result<bool, String> {
    let (kind, shape) = (dtype(want[0].as_str().unwrap()), sizes(&want[1]));
    if got.dtype() != kind || got.shape() != shape {
        return Err(format!("{what}: {:?}{:?}, wanted {kind:?}{shape:?}", got.dtype(), got.shape()));
    }
    let values = got.to_vec::<f64>().map_err(|e| e.to_string())?;
    let want: Vec<f64> = want[2].as_array().unwrap().iter().map(float).collect();
    let half = matches!(kind, DType::F16 | DType::BF16);
    for (g, w) in values.iter().zip(&want) {
        let tolerable = if on_gpu() && kind == DType::F32 && w.is_finite() {
            // See the README on what GPUs compute otherwise.
            (g - w).abs() <= 2e-5 + 2e-5 * w.abs()
        } else if loose && w.is_finite() {
            let (rel, abs) = if kind == DType::F32 { (5e-6, 5e-6) } else { (1e-8, 1e-8) };
            (g - w).abs() <= abs + rel * w.abs()
        } else if half {
            (g - w).abs() <= 0.008 * w.abs() || close(*g, *w, true)
        } else {
            close(*g, *w, kind == DType::F32)
        };
        if !tolerable {
            return Err(format!("{what}: {values:?}\n     wanted {want:?}"));
        }
    }
    // As float32: the parser of the record is one unit of a double off now and then.
    Ok(values.iter().zip(&want).all(|(g, w)| *g as f32 == *w as f32 || (g.is_nan() && w.is_nan())))
}

fn class_name(e: &Error) -> &'static str {
    match e.class() {
        Class::Runtime | Class::OutOfMemory => "RuntimeError",
        Class::Type => "TypeError",
        Class::Value => "ValueError",
        Class::Index => "IndexError",
        Class::NotImplemented => "NotImplementedError",
        Class::LinAlg => "_LinAlgError",
    }
}

struct Case {
    name: String,
    args: Json,
    want: Json,
}

fn cases() -> Vec<Case> {
    RECORDED
        .lines()
        .map(|l| {
            let j: Json = serde_json::from_str(l).unwrap();
            Case { name: j[0].as_str().unwrap().to_owned(), args: j[1].clone(), want: j[2].clone() }
        })
        .collect()
}

fn find(name: &str) -> &'static registry::Op {
    registry::all()
        .find(|o| o.schema.strip_prefix(name).is_some_and(|rest| rest.starts_with('(')))
        .unwrap_or_else(|| panic!("no op is declared as {name}"))
}

fn arguments(case: &Case) -> Result<Args> {
    Ok(Args(case.args.as_array().unwrap().iter().map(argument).collect::<Result<_>>()?))
}

/// Compare one case; whether every float32 digit agreed.
fn check(case: &Case) -> std::result::Result<bool, String> {
    if std::env::var_os("RUSHLIGHT_TRACE").is_some() {
        eprintln!("{} {}", case.name, case.args);
    }
    let text = |e: Error| format!("{}: {e}", class_name(&e));
    let op = find(&case.name);
    let args = arguments(case).map_err(text)?;
    let with_grad = case.want.get("grad").is_some();
    if with_grad {
        leaves(&args).iter().try_for_each(|t| t.set_requires_grad(true)).map_err(text)?;
    }
    let result = run(op, &args);
    if let Some(error) = case.want.get("error") {
        let mut want = format!("{}: {}", error[0].as_str().unwrap(), error[1].as_str().unwrap());
        if on_gpu() {
            want = want.replace("'Double'", "'Float'");
        }
        return match result {
            Ok(_) => Err(format!("no error, wanted {want}")),
            Err(e) if text(e.clone()) == want => Ok(true),
            Err(e) => Err(format!("{}\n     wanted {want}", text(e))),
        };
    }
    let outs = result.map_err(text)?;
    let want = case.want["out"].as_array().unwrap();
    if outs.len() != want.len() {
        return Err(format!("{} results, wanted {}", outs.len(), want.len()));
    }
    let vectors = ["linalg_svd", "linalg_eigh"].contains(&case.name.as_str());
    let loose = case.name == "digamma" || case.name.contains("bessel") || vectors;
    let mut exact = true;
    for (nr, (o, w)) in outs.iter().zip(want).enumerate() {
        match o {
            Value::Tensor(t) => exact &= compare(&format!("result {nr}"), t, w, loose)?,
            Value::Bool(b) if *b as i64 == w.as_i64().unwrap() => {}
            _ => return Err(format!("result {nr} is not what was wanted: {w}")),
        }
    }
    if with_grad {
        let outs = tensors(&outs);
        let node = case.want["node"].as_str().unwrap();
        let got = outs.iter().find_map(|t| t.grad_fn()).map(|n: Rc<_>| n.name().to_owned()).unwrap_or_default();
        // Composite ops end in whatever step comes last; only plain ones promise a name.
        let composite = [
            "View", "Squeeze", "Unsafe", "Mul", "Sub", "Div", "Sum", "Clone", "Clamp", "Where", "Permute", "Cumsum",
            "Lerp", "Renorm",
        ];
        // `left=False` is solved transposed.
        let mirrored = got == "TransposeBackward0" && node.starts_with("LinalgSolve");
        if got != node && !mirrored && !composite.iter().any(|c| node.starts_with(c)) {
            return Err(format!("node {got}, wanted {node}"));
        }
        let inputs = leaves(&args);
        let total = loss(&outs).map_err(text)?.ok_or("no history")?;
        let grads = grad(&[(total, None)], &inputs, false, false, true).map_err(text)?;
        for (nr, (g, w)) in grads.iter().zip(case.want["grad"].as_array().unwrap()).enumerate() {
            match (g, w) {
                (None, Json::Null) => {}
                (Some(g), w) if !w.is_null() => {
                    compare(&format!("gradient {nr}"), g, w, loose)?;
                }
                (None, w) if w[2].as_array().unwrap().iter().all(|v| float(v) == 0.0) => {}
                _ => return Err(format!("gradient {nr}: {g:?}, wanted {w}")),
            }
        }
    }
    Ok(exact)
}

#[test]
fn values_gradients_and_errors_are_those_of_pytorch() {
    on_device(all_values);
}

fn all_values() {
    let (mut wrong, mut single, mut exact) = (vec![], 0, 0);
    let cases = cases();
    // On the GPU the record's float64 is float32: where that is the point, or ties come of it, nothing can be compared.
    let other = |case: &Case| {
        let text = case.args.to_string();
        on_gpu()
            && match case.name.as_str() {
                "float_power.Tensor_Tensor" | "linalg_svd" | "linalg_eigh" => true,
                "cdist" => text.contains("inf"),
                _ => text.contains("f64") && text.contains("f32"),
            }
    };
    for case in cases.iter().filter(|case| !other(case)) {
        match check(case) {
            Ok(all) => {
                // PyTorch's own last digits are wrong here.
                let rough = case.name.contains("bessel")
                    || case.name.starts_with("igamma")
                    || ["linalg_svd", "linalg_eigh"].contains(&case.name.as_str());
                if case.args.to_string().contains("\"f32\"") && !rough {
                    single += 1;
                    exact += all as usize;
                    if !all {
                        println!("not in every digit: {} {}", case.name, case.args);
                    }
                }
            }
            Err(why) => wrong.push(format!("{} {}\n     {why}", case.name, case.args)),
        }
    }
    println!("{} cases; float32: {exact} of {single} agree in every digit", cases.len());
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    assert!(on_gpu() || exact * 100 >= single * 80, "only {exact} of {single} float32 results agree in every digit");
}

/// The loss of an op's results at other values of its leaves.
fn loss_at(op: &registry::Op, args: &Args, weights_of: &[bool]) -> Result<f64> {
    no_grad(|| {
        let mut total = 0.0;
        for (o, _) in tensors(&run(op, args)?).iter().zip(weights_of).filter(|(_, w)| **w) {
            for (i, v) in o.to_vec::<f64>()?.iter().enumerate() {
                total += v * (0.5 + 0.25 * (i % 7) as f64);
            }
        }
        Ok(total)
    })
}

fn nudge(t: &Tensor, i: usize, by: f64) -> Result<()> {
    no_grad(|| {
        let mut v = t.to_vec::<f64>()?;
        v[i] += by;
        let layout = Layout::contiguous(&t.shape());
        let fresh = Tensor::from_slice(&v, &layout.shape)?;
        t.set_raw(fresh.raw());
        Ok(())
    })
}

/// The largest error of the op's gradient against central differences.
fn gradient_error(op: &registry::Op, args: &Args) -> Result<Option<f64>> {
    const H: f64 = 1e-6;
    let inputs = leaves(args);
    inputs.iter().try_for_each(|t| t.set_requires_grad(true))?;
    let outs = tensors(&run(op, args)?);
    let history: Vec<bool> = outs.iter().map(|o| o.requires_grad()).collect();
    let Some(total) = loss(&outs)? else { return Ok(None) };
    let grads = grad(&[(total, None)], &inputs, false, false, true)?;
    let mut worst: f64 = 0.0;
    for (t, g) in inputs.iter().zip(&grads) {
        let g = match g {
            Some(g) => g.to_vec::<f64>()?,
            None => vec![0.0; t.numel()],
        };
        for (i, g) in g.iter().enumerate() {
            nudge(t, i, H)?;
            let up = loss_at(op, args, &history)?;
            nudge(t, i, -2.0 * H)?;
            let down = loss_at(op, args, &history)?;
            nudge(t, i, H)?;
            let slope = (up - down) / (2.0 * H);
            worst = worst.max((slope - g).abs() / (1.0 + slope.abs()));
        }
    }
    Ok(Some(worst))
}

#[test]
fn gradients_agree_with_finite_differences() {
    if on_gpu() {
        return; // Differences need float64.
    }
    let mut wrong = vec![];
    let mut checked = 0;
    for case in cases() {
        // At ties and steps an op has no derivative; the recorded values speak for these.
        let text = case.args.to_string();
        let picks = ["max.dim", "min.dim", "cummax", "cummin"].contains(&case.name.as_str());
        let smooth = !text.contains(",1]}")
            && !(picks && text.contains("[0,1]"))
            && !(case.name == "cdist" && text.contains("inf"))
            && !["remainder", "fmod", "div.Tensor_mode", "frexp"].iter().any(|n| case.name.starts_with(n));
        if case.want.get("grad").is_none() || !smooth {
            continue;
        }
        match arguments(&case).and_then(|a| gradient_error(find(&case.name), &a)) {
            Ok(Some(e)) if e < 1e-5 => checked += 1,
            Ok(None) => {}
            other => wrong.push(format!("{} {text}: {other:?}", case.name)),
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(checked > 400, "only {checked} gradients were checked");
}

#[test]
fn a_wrong_gradient_is_noticed() -> Result<()> {
    if on_gpu() {
        return Ok(()); // Differences need float64.
    }
    let op = registry::op("wrong(Tensor self) -> Tensor", 0, |a| {
        let y = no_grad(|| ops::sin(a.tensor(0)?))?;
        Ok(differentiable("Wrong", &[a.tensor(0)?], y.raw(), &[], |ctx| Ok(vec![Some(ctx.grad()?)])).into())
    });
    let x = Tensor::from_slice(&[0.5f64, 1.0], &[2])?;
    let error = gradient_error(&op, &Args(vec![Value::Tensor(x)]))?;
    assert!(error.is_some_and(|e| e > 0.1), "{error:?}");
    Ok(())
}

#[test]
fn second_derivatives_agree_with_finite_differences() -> Result<()> {
    if on_gpu() {
        return Ok(()); // Differences need float64.
    }
    let mut wrong = vec![];
    let plain = ["[\"f64\",[2,3],[3,1],0", "[\"f64\",[3],[1],0"];
    for case in cases() {
        let text = case.args.to_string();
        let rounding =
            ["round", "floor", "ceil", "trunc", "sign", "sgn", "frexp", "div.Tensor_mode", "remainder", "fmod"];
        if case.want.get("grad").is_none()
            || text.contains(",1]}")
            || !plain.iter().any(|p| text.contains(p))
            || rounding.iter().any(|r| case.name.starts_with(r))
        {
            continue;
        }
        let args = arguments(&case)?;
        let inputs = leaves(&args);
        inputs.iter().try_for_each(|t| t.set_requires_grad(true))?;
        let op = find(&case.name);
        // g . v for fixed v, as a function of the first input along a fixed direction.
        let along = |record: bool| -> Result<Option<(Tensor, Vec<Tensor>)>> {
            let Some(total) = loss(&tensors(&run(op, &args)?))? else { return Ok(None) };
            let grads = grad(&[(total, None)], &inputs, true, record, true)?;
            let parts: Vec<Tensor> = grads.into_iter().flatten().collect();
            let mut sum = Tensor::from_slice(&[0f64], &[])?;
            for g in &parts {
                let w: Vec<f64> = (0..g.numel()).map(|i| 1.0 - 0.3 * (i % 5) as f64).collect();
                sum =
                    ops::add(&sum, &ops::sum(&ops::mul(g, &Tensor::from_slice(&w, &g.shape())?)?, &[], false, None)?)?;
            }
            Ok(Some((sum, parts)))
        };
        let Some((s, _)) = along(true)? else { continue };
        let got = if s.requires_grad() {
            match grad(&[(s, None)], &inputs[..1], false, false, true) {
                Ok(mut g) => g.remove(0).map(|g| g.to_vec::<f64>()).transpose()?,
                Err(e) => {
                    wrong.push(format!("{} {text}: {e}", case.name));
                    continue;
                }
            }
        } else {
            None
        };
        let Some(first) = inputs.first() else { continue };
        let got = got.unwrap_or_else(|| vec![0.0; first.numel()]);
        for (i, g) in got.iter().enumerate() {
            let at = |by: f64| -> Result<f64> {
                nudge(first, i, by)?;
                let v = along(false)?.map_or(0.0, |(s, _)| s.item().map_or(f64::NAN, |s| s.to_f64()));
                nudge(first, i, -by)?;
                Ok(v)
            };
            let slope = (at(1e-6)? - at(-1e-6)?) / 2e-6;
            if (slope - g).abs() / (1.0 + slope.abs()) > 1e-4 {
                wrong.push(format!("{} {text}: {g} at {i}, differences give {slope}", case.name));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    Ok(())
}

/// Factors that are determined up to sign only, or need a symmetric input: through functions that do not care.
#[test]
fn gradients_of_factorizations_agree_with_finite_differences() -> Result<()> {
    if on_gpu() {
        return Ok(()); // Differences need float64.
    }
    let all = [
        registry::op("cholesky", 0, |a| {
            let x = a.tensor(0)?;
            let eye = Tensor::from_slice(&[1f64, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], &[3, 3])?;
            let definite = ops::add(&ops::mm(x, &ops::transpose(x, 0, 1)?)?, &eye)?;
            Ok(ops::cholesky(&definite, false)?.into())
        }),
        registry::op("eigh", 0, |a| {
            let x = a.tensor(0)?;
            let (l, v) = ops::eigh(&ops::add(x, &ops::transpose(x, 0, 1)?)?, "L")?;
            Ok((l, ops::mul(&v, &v)?).into())
        }),
        registry::op("svd", 0, |a| {
            let (u, s, vh) = ops::svd(a.tensor(0)?, false)?;
            Ok((ops::mul(&u, &u)?, s, ops::mul(&vh, &vh)?).into())
        }),
        registry::op("lu", 0, |a| {
            let (_, l, u) = ops::lu(a.tensor(0)?)?;
            Ok((l, u).into())
        }),
        registry::op("lstsq", 0, |a| {
            let b = Tensor::from_slice(&[1f64, 2.0, 4.0], &[3, 1])?;
            let [x, ..] = ops::lstsq(a.tensor(0)?, &b, None, None)?;
            Ok(x.into())
        }),
    ];
    let square = [0.4f64, -1.1, 0.7, 1.9, 0.2, -0.8, 1.3, 0.5, -1.6];
    for op in &all {
        let shapes: &[&[usize]] = match op.schema {
            "svd" => &[&[3, 3], &[3, 2], &[2, 3]],
            "lstsq" => &[&[3, 2], &[3, 3]],
            _ => &[&[3, 3]],
        };
        for shape in shapes {
            let x = Tensor::from_slice(&square[..shape.iter().product()], shape)?;
            let error = gradient_error(op, &Args(vec![Value::Tensor(x)]))?;
            assert!(error.is_some_and(|e| e < 1e-5), "{} {shape:?}: {error:?}", op.schema);
        }
    }
    Ok(())
}
