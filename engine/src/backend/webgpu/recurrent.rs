//! The gates of recurrent layers.

use super::gpu::gpu;
use super::lazy::{fresh, input};
use super::shader::Shader;
use crate::device::Device;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::tensor::Raw;

/// Batch and state size; operands of other sizes are refused.
fn sizes(h: &Raw, gates: &[&Raw]) -> Result<(usize, usize)> {
    match *h.shape() {
        [batch, size] if size > 0 && gates.iter().all(|g| *g.shape() == [batch, 3 * size]) => Ok((batch, size)),
        _ => Err(Error::runtime("the GRU kernel takes matrices of matching sizes")),
    }
}

/// The functions `{name}(p)` and `{name}_at(i)` for an operand.
fn operand(s: &mut Shader, gpu: &std::rc::Rc<super::gpu::Gpu>, name: &str, raw: &Raw) -> Result<()> {
    let (layout, _) = input(s, gpu, name, raw)?;
    s.place_function(&format!("{name}_at"), &layout);
    Ok(())
}

/// See [`crate::backend::Backend::gru`].
pub(super) fn gru(device: Device, a: &Raw, b: &Raw, h: &Raw) -> Result<(Raw, Raw)> {
    let (batch, size) = sizes(h, &[a, b])?;
    let gpu = gpu()?;
    let (out, out_memory) = fresh(&gpu, device, &[batch, size], DType::F32)?;
    let (gates, gate_memory) = fresh(&gpu, device, &[batch, 3 * size], DType::F32)?;
    let mut s = Shader::default();
    operand(&mut s, &gpu, "a", a)?;
    operand(&mut s, &gpu, "b", b)?;
    operand(&mut s, &gpu, "h", h)?;
    let (o, g) = (s.writes(&out_memory), s.writes(&gate_memory));
    s.helper("sigmoid");
    s.helper("tanh_");
    let n = s.param(size);
    let body = format!(
        "let first = (i / {n}) * 3u * {n} + i % {n};\nlet second = first + {n};\nlet third = second + {n};\nlet r = \
         sigmoid(a(a_at(first)) + b(b_at(first)));\nlet z = sigmoid(a(a_at(second)) + b(b_at(second)));\nlet n = \
         tanh_(a(a_at(third)) + r * b(b_at(third)));\n{g}[first] = bitcast<u32>(r);\n{g}[second] = bitcast<u32>(z);\n{g}[third] = \
         bitcast<u32>(n);\n{o}[i] = bitcast<u32>((h(h_at(i)) - n) * z + n);"
    );
    s.run_each(&gpu, batch * size, &body)?;
    Ok((out, gates))
}

/// See [`crate::backend::Backend::gru_grad`].
pub(super) fn gru_grad(device: Device, g: &Raw, gates: &Raw, b: &Raw, h: &Raw) -> Result<[Raw; 3]> {
    let (batch, size) = sizes(h, &[gates, b])?;
    if *g.shape() != [batch, size] {
        return Err(Error::runtime("the GRU kernel takes a gradient of the state's size"));
    }
    let gpu = gpu()?;
    let (to_a, a_memory) = fresh(&gpu, device, &[batch, 3 * size], DType::F32)?;
    let (to_b, b_memory) = fresh(&gpu, device, &[batch, 3 * size], DType::F32)?;
    let (to_h, h_memory) = fresh(&gpu, device, &[batch, size], DType::F32)?;
    let mut s = Shader::default();
    operand(&mut s, &gpu, "g", g)?;
    operand(&mut s, &gpu, "x", gates)?;
    operand(&mut s, &gpu, "b", b)?;
    operand(&mut s, &gpu, "h", h)?;
    let (oa, ob, oh) = (s.writes(&a_memory), s.writes(&b_memory), s.writes(&h_memory));
    let n = s.param(size);
    let body = format!(
        "let first = (i / {n}) * 3u * {n} + i % {n};\nlet second = first + {n};\nlet third = second + {n};\nlet d = \
         g(g_at(i));\nlet r = x(x_at(first));\nlet z = x(x_at(second));\nlet n = x(x_at(third));\nlet to_n = d * (1.0 - z) * (1.0 - \
         n * n);\nlet to_z = d * (h(h_at(i)) - n) * (z * (1.0 - z));\nlet to_r = to_n * b(b_at(third)) * (r * (1.0 - r));\n\
         {oa}[first] = bitcast<u32>(to_r);\n{oa}[second] = bitcast<u32>(to_z);\n{oa}[third] = bitcast<u32>(to_n);\n{ob}[first] = \
         bitcast<u32>(to_r);\n{ob}[second] = bitcast<u32>(to_z);\n{ob}[third] = bitcast<u32>(to_n * r);\n{oh}[i] = bitcast<u32>(d * \
         z);"
    );
    s.run_each(&gpu, batch * size, &body)?;
    Ok([to_a, to_b, to_h])
}
