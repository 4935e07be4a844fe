//! Reading and writing at computed places.

use std::rc::Rc;

use super::batch;
use super::gpu::{Gpu, gpu};
use super::lazy::{self, Op, cast, fresh, in_memory, input, narrowed, noted, widened};
use super::shader::Shader;
use super::types::ty;
use crate::backend::{CumOp, ScatterOp};
use crate::device::Device;
use crate::dtype::DType;
use crate::error::Result;
use crate::layout::Layout;
use crate::tensor::Raw;

/// The places of an index's elements in `over`, but for the dimension that the index speaks of.
fn walk(over: &Layout, shape: &[usize], dim: usize) -> (Layout, usize) {
    let mut strides = over.strides.clone();
    let mut stride = 0;
    if let Some(s) = strides.get_mut(dim) {
        stride = std::mem::replace(s, 0);
    }
    (Layout { shape: shape.to_vec(), strides, offset: over.offset }, stride)
}

/// See [`crate::backend::Backend::gather`].
pub(super) fn gather(x: &Raw, dim: usize, index: &Raw) -> Result<Raw> {
    let (walk, stride) = walk(&x.layout, index.shape(), dim);
    noted(Op::Gather { walk, stride }, &[x, index], index.shape(), x.dtype)
}

/// See [`crate::backend::Backend::take`].
pub(super) fn take(x: &Raw, places: &Raw) -> Result<Raw> {
    noted(Op::Take, &[x, places], places.shape(), x.dtype)
}

/// See [`crate::backend::Backend::scatter`].
pub(super) fn scatter(device: Device, op: ScatterOp, x: &Raw, dim: usize, index: &Raw, src: &Raw) -> Result<Raw> {
    let (walk, stride) = walk(&Layout::contiguous(x.shape()), index.shape(), dim);
    updated(device, op, x, index, src, Some((&walk, stride)))
}

/// See [`crate::backend::Backend::put`].
pub(super) fn put(device: Device, op: ScatterOp, x: &Raw, places: &Raw, src: &Raw) -> Result<Raw> {
    updated(device, op, x, places, src, None)
}

/// Whether there is a kernel for an update.
pub(super) fn updates(op: ScatterOp, dtype: DType) -> bool {
    match ty(dtype) {
        None => false,
        Some(super::types::Ty::I64) => matches!(op, ScatterOp::Set | ScatterOp::Add),
        Some(_) => true,
    }
}

/// Where the index's element `i` points: its own number, or a step along the dimension from where `walk` is.
fn target(s: &mut Shader, gpu: &Rc<Gpu>, index: &Raw, walk: Option<(&Layout, usize)>) -> Result<String> {
    let (of_index, _held) = input(s, gpu, "index", index)?;
    s.place_function("index_at", &of_index);
    Ok(match walk {
        None => "index(index_at(i)).x".to_owned(),
        Some((walk, stride)) => {
            s.place_function("base", walk);
            format!("base(i) + index(index_at(i)).x * {}", s.param(stride))
        }
    })
}

/// A contiguous copy of `x` with `src` joined to the places that the index speaks of.
fn updated(
    device: Device,
    op: ScatterOp,
    x: &Raw,
    index: &Raw,
    src: &Raw,
    walk: Option<(&Layout, usize)>,
) -> Result<Raw> {
    let gpu = gpu()?;
    let (to, wide) = (x.dtype, super::lazy::wide(x.dtype));
    let out = cast(x, wide)?;
    if index.numel() == 0 || x.numel() == 0 {
        return narrowed(out, to);
    }
    let memory = in_memory(&gpu, &out)?;
    let (src, dtype) = (widened(src)?, wide);
    let mut s = Shader::default();
    let place = target(&mut s, &gpu, index, walk)?;
    let (of_src, _held) = input(&mut s, &gpu, "source", &src)?;
    s.place_function("source_at", &of_src);
    let n = index.numel();
    if op == ScatterOp::Set {
        // Of several that go to one place the last one stays: so first each place learns which that is.
        let owners = in_memory(&gpu, &lazy::full(device, x.shape(), 0i64.into(), DType::I32)?)?;
        let mut first = Shader::default();
        let place = target(&mut first, &gpu, index, walk)?;
        let o = first.updates(&owners);
        first.run_each(&gpu, n, &format!("atomicMax(&{o}[{place}], i + 1u);"))?;
        let (o, b) = (s.reads(&owners), s.writes(&memory));
        let store = s.store(&b, dtype, "at", "v");
        let body = format!("let at = {place};\nif ({o}[at] == i + 1u) {{ let v = source(source_at(i)); {store} }}");
        s.run_each(&gpu, n, &body)?;
        return narrowed(out, to);
    }
    let b = s.updates(&memory);
    let v = "let at = ".to_owned() + &place + ";\nlet v = source(source_at(i));\n";
    let body = match (op, dtype) {
        (ScatterOp::Add, DType::I64) => format!(
            "{v}let old = atomicAdd(&{b}[2u * at], v.x);\natomicAdd(&{b}[2u * at + 1u], v.y + u32(old + v.x < old));"
        ),
        (ScatterOp::Add, DType::I32) => format!("{v}atomicAdd(&{b}[at], bitcast<u32>(v));"),
        _ => {
            let kind = ty(dtype).map_or("f32", |t| t.wgsl());
            let joined = match (op, dtype) {
                (ScatterOp::Add, _) => "old + v".to_owned(),
                (ScatterOp::Mul, _) => "old * v".to_owned(),
                (ScatterOp::Max, DType::F32) => s.call("max_nan", &["old", "v"]),
                (ScatterOp::Max, _) => "max(old, v)".to_owned(),
                (_, DType::F32) => s.call("min_nan", &["old", "v"]),
                _ => "min(old, v)".to_owned(),
            };
            format!(
                "{v}var bits = atomicLoad(&{b}[at]);\nloop {{\nlet old = bitcast<{kind}>(bits);\nlet new_bits = \
                 bitcast<u32>({joined});\nlet was = atomicCompareExchangeWeak(&{b}[at], bits, new_bits);\nif (was.exchanged) {{ \
                 break; }}\nbits = was.old_value;\n}}"
            )
        }
    };
    s.run_each(&gpu, n, &body)?;
    narrowed(out, to)
}

/// See [`crate::backend::Backend::nonzero`]. How many there are must be read: the result's shape depends on it.
pub(super) fn nonzero(device: Device, mask: &Raw) -> Result<Raw> {
    let gpu = gpu()?;
    let n = mask.numel();
    if n == 0 {
        return Ok(fresh(&gpu, device, &[0], DType::I64)?.0);
    }
    let flat = {
        let counted = cast(mask, DType::I32)?;
        counted.with_layout(Layout::contiguous(&[n]))
    };
    let ranks = super::scan::cumulate(device, CumOp::Sum, &flat, 0)?;
    let last = cast(&ranks.with_layout(Layout { shape: vec![1], strides: vec![1], offset: n - 1 }), DType::I32)?;
    let bytes = super::read(&last.storage)?;
    let found = bytes.as_chunks::<4>().0.first().map_or(0, |b| u32::from_le_bytes(*b)) as usize;
    let (out, memory) = fresh(&gpu, device, &[found], DType::I64)?;
    if found == 0 {
        return Ok(out);
    }
    let mut s = Shader::default();
    let (of_mask, _held) = input(&mut s, &gpu, "mask", mask)?;
    let (of_rank, _held) = input(&mut s, &gpu, "rank", &ranks)?;
    s.place_function("mask_at", &of_mask);
    s.place_function("rank_at", &of_rank);
    let b = s.writes(&memory);
    let store = s.store(&b, DType::I64, "at", "vec2<u32>(i, 0u)");
    s.run_each(&gpu, n, &format!("if (mask(mask_at(i))) {{ let at = u32(rank(rank_at(i))) - 1u; {store} }}"))?;
    Ok(out)
}

/// Words from the host for a kernel.
pub(super) fn table(gpu: &Rc<Gpu>, words: &[u32]) -> Result<Rc<super::pool::Memory>> {
    batch::upload(gpu, bytemuck::cast_slice(words))
}
