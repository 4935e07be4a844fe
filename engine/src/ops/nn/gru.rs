//! The gates of a GRU step as one op: a step is otherwise a dozen small ones, and as many on the way back.

use crate::autograd::{Save, differentiable, grad_mode, non_differentiable};
use crate::backend::backend;
use crate::dtype::DType;
use crate::error::Result;
use crate::ops::{add, cat, mul, narrow, number, sigmoid, sub, tanh};
use crate::tensor::Tensor;

/// Whether the kernel is for these: float32 matrices of matching sizes.
pub fn fits(from_input: &Tensor, from_state: &Tensor, h: &Tensor) -> bool {
    let shape = h.shape();
    let &[batch, size] = &shape[..] else { return false };
    let gates = [batch, 3 * size];
    [from_input, from_state].iter().all(|t| t.dtype() == DType::F32 && t.shape() == gates) && h.dtype() == DType::F32
}

/// The new state `n + z (h - n)`, where `r`, `z` and `n` come from the input's and the state's share of the gates.
pub fn gates(from_input: &Tensor, from_state: &Tensor, h: &Tensor) -> Result<Tensor> {
    let (out, gates) = backend(h.device()).gru(&from_input.raw(), &from_state.raw(), &h.raw())?;
    let gates = non_differentiable(gates);
    let saved = [Save::Input(from_input), Save::Input(from_state), Save::Input(h), Save::Input(&gates)];
    Ok(differentiable("AddBackward0", &[from_input, from_state, h], out, &saved, |ctx| {
        let (g, a, b, h, gates) = (ctx.grad()?, ctx.saved(0), ctx.saved(1), ctx.saved(2), ctx.saved(3));
        if !grad_mode::is_enabled() && g.dtype() == DType::F32 {
            let grads = backend(h.device()).gru_grad(&g.raw(), &gates.raw(), &b.raw(), &h.raw())?;
            return Ok(grads.map(|raw| Some(non_differentiable(raw))).into());
        }
        // The same in ops, which have gradients of their own.
        let size = h.size(1) as i64;
        let part = |t: &Tensor, i: i64| narrow(t, 1, i * size, size);
        let one = number(1)?;
        let r = sigmoid(&add(&part(a, 0)?, &part(b, 0)?)?)?;
        let z = sigmoid(&add(&part(a, 1)?, &part(b, 1)?)?)?;
        let state = part(b, 2)?;
        let n = tanh(&add(&part(a, 2)?, &mul(&r, &state)?)?)?;
        let slope = |s: &Tensor| mul(s, &sub(&one, s)?);
        let to_n = mul(&mul(&g, &sub(&one, &z)?)?, &sub(&one, &mul(&n, &n)?)?)?;
        let to_z = mul(&mul(&g, &sub(h, &n)?)?, &slope(&z)?)?;
        let to_r = mul(&mul(&to_n, &state)?, &slope(&r)?)?;
        let to_state = mul(&to_n, &r)?;
        let to_input = cat(&[to_r.clone(), to_z.clone(), to_n], 1)?;
        Ok(vec![Some(to_input), Some(cat(&[to_r, to_z, to_state], 1)?), Some(mul(&g, &z)?)])
    }))
}
