//! Optimisers' steps in place, many parameters in one launch.

use std::rc::Rc;

use rushlight_kernels::optim::Adam;

use super::gpu::{Gpu, gpu};
use super::lazy::{input, settle};
use super::pool::Memory;
use super::shader::Shader;
use super::write::own;
use crate::error::Result;
use crate::tensor::Raw;

/// Buffers a shader may bind, the parameters of the launch not counted.
fn room(gpu: &Gpu) -> usize {
    gpu.limits.max_storage_buffers_per_shader_stage as usize
}

/// What goes into a launch each: as many as there is room for, `each` buffers to one. A processor that pretends to be a GPU
/// goes through what is done for all of them at every element, so there the large ones go alone.
fn launches<'a, T>(gpu: &Gpu, all: &'a [T], each: usize, size: impl Fn(&T) -> usize) -> Vec<Vec<&'a T>> {
    let (large, small): (Vec<&T>, Vec<&T>) = all.iter().partition(|item| gpu.facts.software && size(item) > 8192);
    let shared = small.chunks((room(gpu) / each).max(1)).map(<[&T]>::to_vec);
    large.into_iter().map(|item| vec![item]).chain(shared).collect()
}

/// One launch over several groups of values of one size each: `body(shader, group)` is what is done for element `e` of
/// group number `group`.
fn together(
    gpu: &Rc<Gpu>,
    sizes: &[usize],
    mut s: Shader,
    mut body: impl FnMut(&mut Shader, usize) -> Result<String>,
) -> Result<()> {
    let (mut text, mut begin) = (String::new(), 0);
    if let [size] = sizes {
        let inner = body(&mut s, 0)?;
        return s.run_each(gpu, *size, &format!("let e = i;\n{inner}"));
    }
    for (group, &size) in sizes.iter().enumerate() {
        let (first, end) = (s.param(begin), s.param(begin + size));
        let inner = body(&mut s, group)?;
        text += &format!("if (i >= {first} && i < {end}) {{ let e = i - {first}; {inner} }}\n");
        begin += size;
    }
    s.run_each(gpu, begin, &text)
}

/// A value that is written to: its memory, and the place of its element `e`.
fn written(s: &mut Shader, gpu: &Rc<Gpu>, x: &Raw) -> Result<(String, String, Rc<Memory>)> {
    let memory = own(gpu, x)?;
    let (b, offset) = (s.writes(&memory), s.param(x.layout.offset));
    Ok((b, format!("(e + {offset})"), memory))
}

/// See [`crate::backend::Backend::add_scaled`].
pub(super) fn add_scaled(pairs: &[(Raw, Raw)], alpha: f32) -> Result<()> {
    let gpu = gpu()?;
    for some in launches(&gpu, pairs, 2, |(x, _)| x.numel()) {
        let mut s = Shader::default();
        let alpha = s.number(alpha);
        let sizes: Vec<usize> = some.iter().map(|(x, _)| x.numel()).collect();
        let settled = some.iter().map(|(_, g)| settle(&gpu, g)).collect::<Result<Vec<_>>>()?;
        together(&gpu, &sizes, s, |s, at| {
            let (b, place, _) = written(s, &gpu, &some[at].0)?;
            let (layout, _) = input(s, &gpu, &format!("g{at}"), &settled[at])?;
            s.place_function(&format!("g{at}_at"), &layout);
            Ok(format!("{b}[{place}] = bitcast<u32>(bitcast<f32>({b}[{place}]) + g{at}(g{at}_at(e)) * {alpha});"))
        })?;
    }
    Ok(())
}

/// See [`crate::backend::Backend::adam`].
pub(super) fn adam(steps: &[([Raw; 3], Raw, Adam)]) -> Result<()> {
    let gpu = gpu()?;
    for some in launches(&gpu, steps, 4, |(places, ..)| places[0].numel()) {
        let sizes: Vec<usize> = some.iter().map(|(places, ..)| places[0].numel()).collect();
        let settled = some.iter().map(|(_, g, _)| settle(&gpu, g)).collect::<Result<Vec<_>>>()?;
        together(&gpu, &sizes, Shader::default(), |s, at| {
            let ([p, mean, square], _, numbers) = &some[at];
            let (pb, p_at, _) = written(s, &gpu, p)?;
            let (mb, m_at, _) = written(s, &gpu, mean)?;
            let (vb, v_at, _) = written(s, &gpu, square)?;
            let (layout, _) = input(s, &gpu, &format!("g{at}"), &settled[at])?;
            s.place_function(&format!("g{at}_at"), &layout);
            // As `lerp`: from the nearer end.
            let near = numbers.to_mean.abs() < 0.5;
            let weight = s.number(if near { numbers.to_mean } else { 1.0 - numbers.to_mean } as f32);
            let [keep, come, root, eps, step] =
                [numbers.keep, numbers.come, numbers.root, numbers.eps, numbers.step].map(|v| s.number(v));
            let moved = if near { format!("m + (g - m) * {weight}") } else { format!("g - (g - m) * {weight}") };
            Ok(format!(
                "let g = g{at}(g{at}_at(e)); let m = bitcast<f32>({mb}[{m_at}]); let mean = {moved}; let square = \
                 bitcast<f32>({vb}[{v_at}]) * {keep} + g * {come} * g; {mb}[{m_at}] = bitcast<u32>(mean); {vb}[{v_at}] = \
                 bitcast<u32>(square); {pb}[{p_at}] = bitcast<u32>(bitcast<f32>({pb}[{p_at}]) + mean * {step} / (sqrt(square) / \
                 {root} + {eps}));"
            ))
        })?;
    }
    Ok(())
}
