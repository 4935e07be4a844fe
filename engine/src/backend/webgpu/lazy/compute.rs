//! From what was put off to a kernel: the statements that compute an element, and the memory the elements go to.

use std::collections::HashMap;
use std::fmt::Write;
use std::rc::Rc;

use super::{Expr, Op, Operand, State, Value, operand};
use crate::backend::backend;
use crate::backend::webgpu::gpu::Gpu;
use crate::backend::webgpu::pool::{Memory, memory};
use crate::backend::webgpu::shader::Shader;
use crate::backend::webgpu::types::{self, per_word, ty};
use crate::backend::webgpu::{batch, faults, formulas, window};
use crate::device::Device;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::tensor::Raw;

/// The statements of a shader's function, and what they have computed already.
#[derive(Default)]
pub(in crate::backend::webgpu) struct Body {
    pub lines: String,
    known: HashMap<(*const Value, String), String>,
    /// Memories read elsewhere than at the place of the result.
    scattered: Vec<*const Memory>,
    inlined: Vec<Rc<Value>>,
}

impl Body {
    /// The operand's element number `index`.
    pub fn element(&mut self, s: &mut Shader, gpu: &Rc<Gpu>, o: &Operand, index: &str) -> Result<String> {
        let address = s.address(&o.layout, index, &mut self.lines);
        self.at(s, gpu, &o.value, o.dtype, &address)
    }

    /// The element at a place of a value.
    pub fn at(
        &mut self,
        s: &mut Shader,
        gpu: &Rc<Gpu>,
        value: &Rc<Value>,
        dtype: DType,
        address: &str,
    ) -> Result<String> {
        let key = (Rc::as_ptr(value), address.to_owned());
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        if value.worth_keeping() {
            force(gpu, value)?;
        }
        let text = match value.expr() {
            None => {
                let memory = value.memory_if_ready().ok_or_else(|| Error::runtime("a value without memory"))?;
                if address != "i" {
                    self.scattered.push(Rc::as_ptr(&memory));
                }
                s.load(&memory, dtype, address)
            }
            Some(expr) => {
                if !matches!(expr.op, Op::Constant(_) | Op::Iota { .. }) {
                    self.inlined.push(value.clone());
                }
                self.formula(s, gpu, &expr, value.dtype, address)?
            }
        };
        let name = s.name();
        let _ = writeln!(self.lines, "let {name} = {text};");
        self.known.insert(key, name.clone());
        Ok(name)
    }

    fn formula(&mut self, s: &mut Shader, gpu: &Rc<Gpu>, expr: &Expr, dtype: DType, address: &str) -> Result<String> {
        let mut args = vec![];
        let elsewhere = matches!(expr.op, Op::Take | Op::Gather { .. } | Op::Unfold { .. });
        for o in &expr.inputs[elsewhere as usize..] {
            args.push(self.element(s, gpu, o, address)?);
        }
        let no_formula = || Error::runtime("an op that shaders have no formula for was put off");
        match &expr.op {
            Op::Constant(v) => Ok(s.scalar(*v, dtype)),
            Op::Iota { start, step } => {
                let (start, step) = (s.scalar((*start).into(), dtype), s.scalar((*step).into(), dtype));
                let scaled = s.call("i64_mul", &[&format!("vec2<u32>({address}, 0u)"), &step]);
                Ok(s.call("i64_add", &[&start, &scaled]))
            }
            Op::Unary(op) => formulas::unary(s, *op, expr.inputs[0].dtype, &args[0]).ok_or_else(no_formula),
            Op::Binary(op) => formulas::binary(s, *op, expr.inputs[0].dtype, &args[0], &args[1]).ok_or_else(no_formula),
            Op::Select => Ok(format!("select({}, {}, {})", args[2], args[1], args[0])),
            Op::Cast => {
                let text = types::cast(expr.inputs[0].dtype, dtype, &args[0]).ok_or_else(no_formula)?;
                Ok(s.with(text))
            }
            Op::Take => {
                let place = s.name();
                let _ = writeln!(self.lines, "let {place} = {}.x;", args[0]);
                self.element(s, gpu, &expr.inputs[0], &place)
            }
            Op::Gather { walk, stride } => {
                let base = s.address(walk, address, &mut self.lines);
                let (place, stride) = (s.name(), s.param(*stride));
                let _ = writeln!(self.lines, "let {place} = {base} + {}.x * {stride};", args[0]);
                self.at(s, gpu, &expr.inputs[0].value, expr.inputs[0].dtype, &place)
            }
            Op::Unfold { window, output } => {
                let o = &expr.inputs[0];
                let [_, channels, spatial @ ..] = &o.layout.shape[..] else { return Err(no_formula()) };
                let (b, c, places, inside) =
                    window::unfold_places(s, &mut self.lines, window, spatial, output, *channels, address);
                let mut at = format!("{} + {b} * {}", s.param(o.layout.offset), s.param(o.layout.strides[0]));
                for (place, stride) in std::iter::once(&c).chain(&places).zip(&o.layout.strides[1..]) {
                    let _ = write!(at, " + {place} * {}", s.param(*stride));
                }
                // In the padding nothing is read from a place that is none.
                let (ok, place) = (s.name(), s.name());
                let _ =
                    writeln!(self.lines, "let {ok} = {};\nlet {place} = select(0u, {at}, {ok});", inside.join(" && "));
                let v = self.at(s, gpu, &o.value, o.dtype, &place)?;
                let zero = s.scalar(Scalar::Int(0), dtype);
                Ok(format!("select({zero}, {v}, {ok})"))
            }
            Op::Checked { size, wraps, fault } => {
                let (given, size) = (args[0].clone(), s.param(*size));
                let name = if *wraps {
                    // Large enough ones stay negative, and so out of range.
                    let (sum, name) = (s.call("i64_add", &[&given, &format!("vec2<u32>({size}, 0u)")]), s.name());
                    let _ = writeln!(self.lines, "let {name} = select({given}, {sum}, ({given}.y >> 31u) == 1u);");
                    name
                } else {
                    given.clone()
                };
                faults::emit(s, gpu, &mut self.lines, (&name, &given), &size, *fault)?;
                Ok(format!("select({name}, vec2<u32>(0u, 0u), {name}.y != 0u || {name}.x >= {size})"))
            }
        }
    }

    /// The kernel is about to run: what was computed inside of it has been computed once.
    pub fn done(&self) {
        self.inlined.iter().for_each(|v| v.inlined.set(true));
    }
}

/// The memory of a value, which is computed now if it was not before.
pub(in crate::backend::webgpu) fn force(gpu: &Rc<Gpu>, value: &Rc<Value>) -> Result<Rc<Memory>> {
    if let Some(storage) = value.on_host() {
        let bytes = backend(Device::Cpu).read(&storage)?;
        let memory = batch::upload(gpu, &bytes)?;
        drop(value.state.replace(State::Ready(memory.clone())));
        return Ok(memory);
    }
    let Some(expr) = value.expr() else {
        return value.memory_if_ready().ok_or_else(|| Error::runtime("a value without memory"));
    };
    let dtype = value.dtype;
    let mut s = Shader::default();
    let mut body = Body::default();
    let text = body.formula(&mut s, gpu, &expr, dtype, "i")?;
    let out = match donor(&expr, &body, value) {
        Some(memory) => memory,
        None => memory(gpu, value.bytes, false)?,
    };
    if value.numel > 0 {
        run(s, gpu, &body.lines, &text, &out, dtype, value.numel)?;
    }
    body.done();
    let old = value.state.replace(State::Ready(out.clone()));
    drop(old);
    Ok(out)
}

/// Memory that is free once this expression is computed: nobody else holds it, and each of its elements is read only where
/// the result's element of the same place is written.
fn donor(expr: &Rc<Expr>, body: &Body, value: &Value) -> Option<Rc<Memory>> {
    // The state and the caller hold the expression.
    if Rc::strong_count(expr) > 2 {
        return None;
    }
    expr.inputs.iter().find_map(|o| {
        let held_once = Rc::strong_count(&o.value) == 1;
        let fits = o.value.bytes == value.bytes && o.dtype.size() == value.dtype.size();
        let memory = match &*o.value.state.borrow() {
            // The state and the shader hold it.
            State::Ready(memory) if held_once && fits && Rc::strong_count(memory) <= 2 => memory.clone(),
            _ => return None,
        };
        (!body.scattered.contains(&Rc::as_ptr(&memory))).then_some(memory)
    })
}

/// A kernel that computes `text` for each element `i` after `lines`, into the whole of `out`.
pub(in crate::backend::webgpu) fn run(
    mut s: Shader,
    gpu: &Rc<Gpu>,
    lines: &str,
    text: &str,
    out: &Rc<Memory>,
    dtype: DType,
    numel: usize,
) -> Result<()> {
    let b = s.writes(out);
    if per_word(dtype) == 1 {
        let store = s.store(&b, dtype, "i", "v");
        return s.run_each(gpu, numel, &format!("{lines}let v = {text};\n{store}"));
    }
    // Elements that share a word are computed by one invocation.
    let (each, width) = (per_word(dtype), dtype.size() * 8);
    let kind = ty(dtype).map_or("u32", |t| t.wgsl());
    let _ = writeln!(s.declared, "fn element(i: u32) -> {kind} {{\n{lines}return {text};\n}}");
    let bits = s.with(types::bits(dtype, "element(at)"));
    let n = s.param(numel);
    let body = format!(
        "var word = 0u;\nfor (var k = 0u; k < {each}u; k++) {{\nlet at = i * {each}u + k;\nif (at < {n}) {{ word |= {bits} << (k \
         * {width}u); }}\n}}\n{b}[i] = word;"
    );
    s.run_each(gpu, numel.div_ceil(each), &body)
}

/// A function `name(a: u32)` giving the element at place `a` of what `raw` lies in; the layout says which places those
/// are. So kernels read what was put off as they read memory.
pub(in crate::backend::webgpu) fn input(
    s: &mut Shader,
    gpu: &Rc<Gpu>,
    name: &str,
    raw: &Raw,
) -> Result<(Layout, Rc<Value>)> {
    let o = operand(gpu, raw)?;
    let mut body = Body::default();
    let v = body.at(s, gpu, &o.value, o.dtype, "a")?;
    let kind = ty(raw.dtype).ok_or_else(|| Error::no_kernel("this op", raw.dtype))?.wgsl();
    let _ = writeln!(s.declared, "fn {name}(a: u32) -> {kind} {{\n{}return {v};\n}}", body.lines);
    body.done();
    Ok((o.layout, o.value))
}
