//! Recurrent layers: one step written in tensor ops, run over time, layers and directions.
//!
//! Formulas and parameter order as in the documentation of `torch.nn.RNN`, `LSTM` and `GRU`.

use crate::autograd::named;
use crate::error::{Error, Result, list};
use crate::ops::nn::activation::relu;
use crate::ops::nn::dropout::dropout;
use crate::ops::nn::gru;
use crate::ops::{
    add, cat, linear, mul, narrow, select, sigmoid, size_at, stack, sub, tanh, transpose, transpose_named, unbind,
};
use crate::registry::{Args, Op, Value, op, places};
use crate::tensor::Tensor;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cell {
    Tanh,
    Relu,
    Lstm,
    Gru,
}

/// The weights of one layer in one direction.
struct Weights<'a> {
    w_ih: &'a Tensor,
    w_hh: &'a Tensor,
    b_ih: Option<&'a Tensor>,
    b_hh: Option<&'a Tensor>,
    /// LSTM with projection.
    w_hr: Option<&'a Tensor>,
}

fn part(gates: &Tensor, i: usize, size: i64) -> Result<Tensor> {
    narrow(gates, -1, i as i64 * size, size)
}

/// One step: `(h, c)` from the input's share of the gates and the last `(h, c)`.
fn step(
    cell: Cell,
    from_input: &Tensor,
    h: &Tensor,
    c: Option<&Tensor>,
    w: &Weights,
) -> Result<(Tensor, Option<Tensor>)> {
    let from_state = linear(h, w.w_hh, w.b_hh)?;
    match cell {
        Cell::Tanh => Ok((tanh(&add(from_input, &from_state)?)?, None)),
        Cell::Relu => Ok((relu(&add(from_input, &from_state)?)?, None)),
        Cell::Gru if gru::fits(from_input, &from_state, h) => Ok((gru::gates(from_input, &from_state, h)?, None)),
        Cell::Gru => {
            let n = (w.w_hh.size(0) / 3) as i64;
            let reset = sigmoid(&add(&part(from_input, 0, n)?, &part(&from_state, 0, n)?)?)?;
            let update = sigmoid(&add(&part(from_input, 1, n)?, &part(&from_state, 1, n)?)?)?;
            let fresh = tanh(&add(&part(from_input, 2, n)?, &mul(&reset, &part(&from_state, 2, n)?)?)?)?;
            // (1 - z) n + z h, as (h - n) z + n.
            Ok((add(&mul(&sub(h, &fresh)?, &update)?, &fresh)?, None))
        }
        Cell::Lstm => {
            let n = (w.w_hh.size(0) / 4) as i64;
            let gates = add(from_input, &from_state)?;
            let input = sigmoid(&part(&gates, 0, n)?)?;
            let forget = sigmoid(&part(&gates, 1, n)?)?;
            let fresh = tanh(&part(&gates, 2, n)?)?;
            let output = sigmoid(&part(&gates, 3, n)?)?;
            let c = c.ok_or_else(|| Error::runtime("an LSTM step needs a cell state"))?;
            let c = add(&mul(&forget, c)?, &mul(&input, &fresh)?)?;
            let mut h = mul(&output, &tanh(&c)?)?;
            if let Some(p) = w.w_hr {
                h = linear(&h, p, None)?;
            }
            Ok((h, Some(c)))
        }
    }
}

/// One layer in one direction over `steps` (inputs by time, `[batch_t, features]`, batches never growing in `forward`
/// order). Gives the outputs by time and the last states.
fn run_direction(
    cell: Cell,
    steps: &[Tensor],
    h0: &Tensor,
    c0: Option<&Tensor>,
    w: &Weights,
    backwards: bool,
) -> Result<(Vec<Tensor>, Tensor, Option<Tensor>)> {
    let order: Vec<usize> = if backwards { (0..steps.len()).rev().collect() } else { (0..steps.len()).collect() };
    let full = h0.size(0);
    // Without packing all steps go through the weights at once.
    let at_once = if steps.iter().all(|s| s.size(0) == full) && steps.len() > 1 {
        unbind(&linear(&stack(steps, 0)?, w.w_ih, w.b_ih)?, 0)?
    } else {
        vec![]
    };
    let mut outs: Vec<Option<Tensor>> = vec![None; steps.len()];
    let (mut h, mut c) = (h0.clone(), c0.cloned());
    // Sequences that ended keep their last state; with packed input later steps have fewer rows.
    let mut ended: Vec<(Tensor, Option<Tensor>)> = vec![];
    let rows = |t: &Tensor, from: usize, n: usize| narrow(t, 0, from as i64, n as i64);
    let mut live = if backwards { steps.last().map_or(full, |s| s.size(0)) } else { full };
    if live < full {
        (h, c) = (rows(h0, 0, live)?, c0.map(|c| rows(c, 0, live)).transpose()?);
    }
    for &t in &order {
        let now = steps[t].size(0);
        if now < live {
            ended.push((rows(&h, now, live - now)?, c.as_ref().map(|c| rows(c, now, live - now)).transpose()?));
            (h, c) = (rows(&h, 0, now)?, c.as_ref().map(|c| rows(c, 0, now)).transpose()?);
        } else if now > live {
            h = cat(&[h, rows(h0, live, now - live)?], 0)?;
            c = match (c, c0) {
                (Some(c), Some(c0)) => Some(cat(&[c, rows(c0, live, now - live)?], 0)?),
                _ => None,
            };
        }
        live = now;
        let from_input = match at_once.get(t) {
            Some(one) => one.clone(),
            None => linear(&steps[t], w.w_ih, w.b_ih)?,
        };
        (h, c) = step(cell, &from_input, &h, c.as_ref(), w)?;
        outs[t] = Some(h.clone());
    }
    if !ended.is_empty() {
        let (mut hs, mut cs) = (vec![h], c.into_iter().collect::<Vec<_>>());
        for (h, c) in ended.into_iter().rev() {
            hs.push(h);
            cs.extend(c);
        }
        h = cat(&hs, 0)?;
        c = if cs.is_empty() { None } else { Some(cat(&cs, 0)?) };
    }
    Ok((outs.into_iter().flatten().collect(), h, c))
}

struct Plan<'a> {
    cell: Cell,
    params: &'a [Tensor],
    biases: bool,
    layers: usize,
    dropout: f64,
    train: bool,
    bidirectional: bool,
}

/// All layers. `h0`, `c0` are `[layers * directions, batch, hidden]`.
fn run(
    plan: &Plan,
    mut steps: Vec<Tensor>,
    h0: &Tensor,
    c0: Option<&Tensor>,
) -> Result<(Vec<Tensor>, Tensor, Option<Tensor>)> {
    let directions = if plan.bidirectional { 2 } else { 1 };
    let per = if plan.biases { 4 } else { 2 };
    let sets = plan.layers.saturating_mul(directions);
    let projected = plan.cell == Cell::Lstm && plan.params.len() == sets.saturating_mul(per + 1);
    let stride = per + projected as usize;
    if plan.params.len() != sets.saturating_mul(stride) {
        return Err(Error::runtime(format!("got {} weights for {sets} directions of layers", plan.params.len())));
    }
    if h0.size(0) != sets {
        return Err(Error::runtime(format!("Expected hidden size with {sets} layers, got {}", list(&h0.shape()))));
    }
    let (mut hs, mut cs) = (vec![], vec![]);
    for layer in 0..plan.layers {
        let mut sides = vec![];
        for direction in 0..directions {
            let set = layer * directions + direction;
            let p = &plan.params[set * stride..(set + 1) * stride];
            let w = Weights {
                w_ih: &p[0],
                w_hh: &p[1],
                b_ih: plan.biases.then(|| &p[2]),
                b_hh: plan.biases.then(|| &p[3]),
                w_hr: projected.then(|| &p[per]),
            };
            let h = select(h0, 0, set as i64)?;
            let c = c0.map(|c| select(c, 0, set as i64)).transpose()?;
            let (outs, h, c) = run_direction(plan.cell, &steps, &h, c.as_ref(), &w, direction == 1)?;
            hs.push(h);
            cs.extend(c);
            sides.push(outs);
        }
        steps = if let [forward, backward] = &sides[..] {
            forward.iter().zip(backward).map(|(f, b)| cat(&[f.clone(), b.clone()], -1)).collect::<Result<_>>()?
        } else {
            sides.pop().unwrap_or_default()
        };
        if plan.dropout > 0.0 && plan.train && layer + 1 < plan.layers {
            steps = steps.iter().map(|s| dropout(s, plan.dropout, true)).collect::<Result<_>>()?;
        }
    }
    let c = if cs.is_empty() { None } else { Some(stack(&cs, 0)?) };
    Ok((steps, stack(&hs, 0)?, c))
}

fn states(cell: Cell, a: &Args, i: usize) -> Result<(Tensor, Option<Tensor>)> {
    if cell == Cell::Lstm {
        let hx = a.tensors(i)?;
        let [h, c] = &hx[..] else { return Err(Error::runtime("lstm expects two hidden states")) };
        return Ok((h.clone(), Some(c.clone())));
    }
    Ok((a.tensor(i)?.clone(), None))
}

fn result(out: Tensor, h: Tensor, c: Option<Tensor>) -> Value {
    match c {
        Some(c) => (out, h, c).into(),
        None => (out, h).into(),
    }
}

/// `(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)`
fn padded(cell: Cell, a: &Args) -> Result<Value> {
    let (h, c) = states(cell, a, 1)?;
    let params = a.tensors(2)?;
    let plan = Plan {
        cell,
        params: &params,
        biases: a.bool(3)?,
        layers: a.int(4)?.max(0) as usize,
        dropout: a.float(5)?,
        train: a.bool(6)?,
        bidirectional: a.bool(7)?,
    };
    let batch_first = a.bool(8)?;
    let x = if batch_first { transpose(a.tensor(0)?, 0, 1)? } else { a.tensor(0)?.clone() };
    if x.ndim() != 3 {
        return Err(Error::runtime(format!("input must have 3 dimensions, got {}", x.ndim())));
    }
    if x.size(0) == 0 {
        return Err(Error::runtime("Expected sequence length to be larger than 0 in RNN"));
    }
    let steps = (0..x.size(0)).map(|t| select(&x, 0, t as i64)).collect::<Result<_>>()?;
    let (outs, h, c) = run(&plan, steps, &h, c.as_ref())?;
    let mut out = stack(&outs, 0)?;
    if plan.bidirectional {
        out = named(out, "CatBackward0");
    } else if cell == Cell::Lstm
        && out.dtype() == crate::DType::F32
        && c.as_ref().is_some_and(|c| c.size(2) == h.size(2))
    {
        out = named(out, "MkldnnRnnLayerBackward0");
    }
    // As PyTorch's own code for each kind of layer turns it.
    let name = if matches!(cell, Cell::Lstm) { "TransposeBackward0" } else { "TransposeBackward1" };
    Ok(result(if batch_first { transpose_named(&out, 0, 1, name)? } else { out }, h, c))
}

/// `(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional)`
fn packed(cell: Cell, a: &Args) -> Result<Value> {
    let (h, c) = states(cell, a, 2)?;
    let params = a.tensors(3)?;
    let plan = Plan {
        cell,
        params: &params,
        biases: a.bool(4)?,
        layers: a.int(5)?.max(0) as usize,
        dropout: a.float(6)?,
        train: a.bool(7)?,
        bidirectional: a.bool(8)?,
    };
    let (data, sizes) = (a.tensor(0)?, a.tensor(1)?.to_vec::<i64>()?);
    let mut start = 0;
    let mut steps = vec![];
    for n in sizes {
        steps.push(narrow(data, 0, start, n)?);
        start += n;
    }
    let (outs, h, c) = run(&plan, steps, &h, c.as_ref())?;
    Ok(result(cat(&outs, 0)?, h, c))
}

/// What a cell asks of its shapes, in PyTorch's order, which differs from cell to cell.
fn check_cell(cell: Cell, x: &Tensor, states: &[&Tensor], w: &Weights) -> Result<()> {
    let gates = match cell {
        Cell::Tanh | Cell::Relu => 1,
        Cell::Gru => 3,
        Cell::Lstm => 4,
    };
    let hidden = || size_at(w.w_hh, 1);
    let weights = || -> Result<()> {
        let hidden = hidden()?;
        for (t, name) in [(w.w_ih, "ih"), (w.w_hh, "hh")] {
            let (got, want) = (size_at(t, 0)?, gates * hidden);
            if got != want {
                return Err(Error::runtime(format!(
                    "weight_{name} first dim must be {gates} * hidden_size = {want}, but got {got}"
                )));
            }
        }
        Ok(())
    };
    let input = || -> Result<()> {
        let want = size_at(w.w_ih, 1)?;
        if x.ndim() != 2 {
            return Err(Error::runtime(format!("Expected 2D input (batch x feature), but got {}D input", x.ndim())));
        }
        if x.size(1) != want {
            return Err(Error::runtime(format!(
                "input has inconsistent input_size: got {} expected {want}",
                x.size(1)
            )));
        }
        Ok(())
    };
    let state = || -> Result<()> {
        let want = hidden()?;
        for (k, h) in states.iter().enumerate() {
            if h.ndim() != 2 {
                return Err(Error::runtime(format!(
                    "Expected 2D hidden{k} (batch x hidden_size), but got {}D tensor",
                    h.ndim()
                )));
            }
            if h.size(0) != x.size(0) {
                return Err(Error::runtime(format!(
                    "Input batch size {} doesn't match hidden{k} batch size {}",
                    x.size(0),
                    h.size(0)
                )));
            }
            if h.size(1) != want {
                return Err(Error::runtime(format!(
                    "hidden{k} has inconsistent hidden_size: got {}, expected {want}",
                    h.size(1)
                )));
            }
        }
        Ok(())
    };
    match cell {
        Cell::Tanh | Cell::Relu => weights().and_then(|()| input()).and_then(|()| state()),
        Cell::Gru => input().and_then(|()| state()).and_then(|()| weights()),
        Cell::Lstm => input().and_then(|()| weights()).and_then(|()| state()),
    }
}

/// `(input, hx, w_ih, w_hh, b_ih, b_hh)`
fn one_step(cell: Cell, a: &Args) -> Result<Value> {
    let (h, c) = states(cell, a, 1)?;
    let (b_ih, b_hh) = (a.opt_tensor(4)?, a.opt_tensor(5)?);
    let w = Weights { w_ih: a.tensor(2)?, w_hh: a.tensor(3)?, b_ih: b_ih.as_ref(), b_hh: b_hh.as_ref(), w_hr: None };
    let x = a.tensor(0)?;
    let given: Vec<&Tensor> = [Some(&h), c.as_ref()].into_iter().flatten().collect();
    check_cell(cell, x, &given, &w)?;
    let from_input = linear(x, w.w_ih, w.b_ih)?;
    let (h, c) = step(cell, &from_input, &h, c.as_ref(), &w)?;
    Ok(match c {
        Some(c) => (h, c).into(),
        None => h.into(),
    })
}

const F: u16 = places::FUNCTION;

macro_rules! layer {
    ($name:literal, $hx:literal, $results:literal, $cell:expr) => {
        [
            op(
                concat!(
                    $name,
                    ".input(Tensor input, ",
                    $hx,
                    " hx, Tensor[] params, bool has_biases, int num_layers, float dropout, ",
                    "bool train, bool bidirectional, bool batch_first) -> ",
                    $results
                ),
                F,
                |a| padded($cell, a),
            ),
            op(
                concat!(
                    $name,
                    ".data(Tensor data, Tensor batch_sizes, ",
                    $hx,
                    " hx, Tensor[] params, bool has_biases, ",
                    "int num_layers, float dropout, bool train, bool bidirectional) -> ",
                    $results
                ),
                F,
                |a| packed($cell, a),
            ),
        ]
    };
}

const LSTM: [Op; 2] = layer!("lstm", "Tensor[]", "(Tensor, Tensor, Tensor)", Cell::Lstm);
const GRU: [Op; 2] = layer!("gru", "Tensor", "(Tensor, Tensor)", Cell::Gru);
const TANH: [Op; 2] = layer!("rnn_tanh", "Tensor", "(Tensor, Tensor)", Cell::Tanh);
const RELU: [Op; 2] = layer!("rnn_relu", "Tensor", "(Tensor, Tensor)", Cell::Relu);

const CELLS: &[Op] = &[
    op(
        "lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> \
         (Tensor, Tensor)",
        F,
        |a| one_step(Cell::Lstm, a),
    ),
    op(
        "gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor",
        F,
        |a| one_step(Cell::Gru, a),
    ),
    op(
        "rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor",
        F,
        |a| one_step(Cell::Tanh, a),
    ),
    op(
        "rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor",
        F,
        |a| one_step(Cell::Relu, a),
    ),
];

pub(crate) const TABLES: [&[Op]; 5] = [&LSTM, &GRU, &TANH, &RELU, CELLS];
