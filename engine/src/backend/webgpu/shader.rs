//! Building a shader: which memories it reads and writes, the numbers it is given, the helpers it calls. Shapes, strides
//! and numbers are given at each launch and do not stand in the text, so that a shader serves all sizes and is compiled
//! once.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use std::rc::Rc;

use super::batch;
use super::gpu::Gpu;
use super::pool::Memory;
use super::types;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::layout::Layout;

/// Invocations in a workgroup, where a kernel has no reason for others.
pub(super) const GROUP: u32 = 64;
/// Workgroups in a row of the grid: a grid's side has at most 65,535.
const ROW: u32 = 32_768;

struct Helper {
    text: &'static str,
    calls: Vec<usize>,
}

/// The helpers of the `.wgsl` files, in an order in which each stands after those it calls (WGSL does not ask for one).
struct Library {
    helpers: Vec<Helper>,
    by_name: HashMap<&'static str, usize>,
}

thread_local! {
    static LIBRARY: Library = library();
}

fn library() -> Library {
    let files = [include_str!("wgsl/maths.wgsl"), include_str!("wgsl/int64.wgsl")];
    let parts: Vec<(&str, &str)> =
        files.iter().flat_map(|f| f.split("//: ").skip(1)).map(|p| p.split_once('\n').unwrap_or((p, ""))).collect();
    let name = |head: &'static str| head.split(' ').next().unwrap_or_default();
    let by_name: HashMap<&str, usize> = parts.iter().enumerate().map(|(i, (head, _))| (name(head), i)).collect();
    let helpers = parts.iter().map(|(head, text)| Helper {
        text: text.trim_end(),
        calls: head.split(' ').skip(1).filter_map(|n| by_name.get(n).copied()).collect(),
    });
    Library { helpers: helpers.collect(), by_name }
}

struct Bound {
    memory: Rc<Memory>,
    written: bool,
    atomic: bool,
}

/// A shader in the making.
#[derive(Default)]
pub(super) struct Shader {
    parameters: Vec<u32>,
    bound: Vec<Bound>,
    helpers: BTreeSet<usize>,
    /// Functions and declarations before `main`.
    pub declared: String,
    names: usize,
    /// WGSL's extensions, as lines of the text.
    enabled: BTreeSet<&'static str>,
}

impl Shader {
    /// A fresh name.
    pub fn name(&mut self) -> String {
        self.names += 1;
        format!("t{}", self.names)
    }

    /// Let `main` speak of subgroups: only where [`Gpu::lanes`] are known.
    pub fn use_subgroups(&mut self) {
        // Browsers ask for the word; naga goes by the device's features and does not know it.
        if cfg!(target_family = "wasm") {
            self.enabled.insert("enable subgroups;\n");
        }
    }

    /// Let the text speak of `f16`: only where the device is [`Gpu::half`].
    pub fn use_half(&mut self) {
        self.enabled.insert("enable f16;\n");
    }

    /// A whole number given at the launch.
    pub fn param(&mut self, value: usize) -> String {
        self.word(value as u32)
    }

    fn word(&mut self, value: u32) -> String {
        let at = self.parameters.len();
        self.parameters.push(value);
        format!("P[{}].{}", at / 4, ["x", "y", "z", "w"][at % 4])
    }

    /// A float given at the launch.
    pub fn number(&mut self, value: f32) -> String {
        format!("bitcast<f32>({})", self.word(value.to_bits()))
    }

    /// A number of a dtype given at the launch.
    pub fn scalar(&mut self, value: crate::dtype::Scalar, dtype: DType) -> String {
        use crate::dtype::Element;
        match dtype {
            DType::I64 => {
                let v = i64::from_scalar(value) as u64;
                let (low, high) = (self.word(v as u32), self.word((v >> 32) as u32));
                format!("vec2<u32>({low}, {high})")
            }
            DType::Bool => format!("({} != 0u)", self.word((crate::dtype::B8::from_scalar(value).0 != 0) as u32)),
            DType::U8 => self.word(u8::from_scalar(value) as u32),
            DType::I8 => format!("bitcast<i32>({})", self.word(i8::from_scalar(value) as i32 as u32)),
            DType::I16 => format!("bitcast<i32>({})", self.word(i16::from_scalar(value) as i32 as u32)),
            DType::I32 => format!("bitcast<i32>({})", self.word(i32::from_scalar(value) as u32)),
            DType::F16 => self.number(half::f16::from_scalar(value).to_f32()),
            DType::BF16 => self.number(half::bf16::from_scalar(value).to_f32()),
            _ => self.number(f32::from_scalar(value)),
        }
    }

    fn include(&mut self, library: &Library, at: usize) {
        if self.helpers.insert(at) {
            library.helpers[at].calls.iter().for_each(|&c| self.include(library, c));
        }
    }

    /// Have a helper of the `.wgsl` files.
    pub fn helper(&mut self, name: &str) {
        LIBRARY.with(|library| {
            let at = library.by_name.get(name);
            debug_assert!(at.is_some(), "no helper is called {name}");
            at.iter().for_each(|&&at| self.include(library, at));
        });
    }

    pub fn call(&mut self, name: &str, args: &[&str]) -> String {
        self.helper(name);
        format!("{name}({})", args.join(", "))
    }

    /// A text, and the helpers that come with it.
    pub fn with(&mut self, (text, helpers): (String, &'static [&'static str])) -> String {
        helpers.iter().for_each(|h| self.helper(h));
        text
    }

    fn bind(&mut self, memory: &Rc<Memory>) -> usize {
        if let Some(at) = self.bound.iter().position(|b| Rc::ptr_eq(&b.memory, memory)) {
            return at;
        }
        self.bound.push(Bound { memory: memory.clone(), written: false, atomic: false });
        self.bound.len() - 1
    }

    /// The words of a memory.
    pub fn reads(&mut self, memory: &Rc<Memory>) -> String {
        format!("b{}", self.bind(memory))
    }

    /// The words of a memory, to be written to.
    pub fn writes(&mut self, memory: &Rc<Memory>) -> String {
        let at = self.bind(memory);
        self.bound[at].written = true;
        format!("b{at}")
    }

    /// The words of a memory, as atomics.
    pub fn updates(&mut self, memory: &Rc<Memory>) -> String {
        let at = self.bind(memory);
        self.bound[at].written = true;
        self.bound[at].atomic = true;
        format!("b{at}")
    }

    pub fn load(&mut self, memory: &Rc<Memory>, dtype: DType, address: &str) -> String {
        let b = self.reads(memory);
        self.with(types::load(dtype, &b, address))
    }

    /// The statement that stores `value` as element `address` of the words `b`: whole words only, so not for dtypes that
    /// share them.
    pub fn store(&mut self, b: &str, dtype: DType, address: &str, value: &str) -> String {
        let bits = self.with(types::bits(dtype, value));
        match dtype {
            DType::I64 => format!("{{ let w = {bits}; {b}[2u * {address}] = w.x; {b}[2u * {address} + 1u] = w.y; }}"),
            _ => format!("{b}[{address}] = {bits};"),
        }
    }

    /// Statements that bring the element's place in a layout's memory into a name; `index` counts its elements row by
    /// row.
    pub fn address(&mut self, layout: &Layout, index: &str, lines: &mut String) -> String {
        let dims = collapsed(layout);
        if layout.offset == 0 && layout.is_contiguous() {
            return index.to_owned();
        }
        let mut terms = vec![];
        if layout.offset != 0 {
            terms.push(self.param(layout.offset));
        }
        let mut rest = index.to_owned();
        for (at, &(size, stride)) in dims.iter().enumerate().rev() {
            let here = if at == 0 {
                rest.clone()
            } else {
                let size = self.param(size);
                let here = format!("({rest} % {size})");
                // A dimension that is stood still in needs no place of its own, but the next ones count on.
                let next = self.name();
                let _ = writeln!(lines, "let {next} = {rest} / {size};");
                rest = next;
                here
            };
            match stride {
                0 => {}
                1 => terms.push(here),
                _ => {
                    let stride = self.param(stride);
                    terms.push(format!("{here} * {stride}"));
                }
            }
        }
        if terms.is_empty() {
            return "0u".to_owned();
        }
        let name = self.name();
        let _ = writeln!(lines, "let {name} = {};", terms.join(" + "));
        name
    }

    /// A function `name(i: u32) -> u32` from the number of an element to its place.
    pub fn place_function(&mut self, name: &str, layout: &Layout) {
        let mut lines = String::new();
        let place = self.address(layout, "i", &mut lines);
        let _ = writeln!(self.declared, "fn {name}(i: u32) -> u32 {{\n{lines}return {place};\n}}");
    }

    /// Run `body` once for each number `i` below `count`.
    ///
    /// # Errors
    /// The device is gone, or refuses the shader.
    pub fn run_each(mut self, gpu: &Rc<Gpu>, count: usize, body: &str) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        let n = self.param(count);
        if gpu.facts.software {
            return self.run_each_in_turn(gpu, count, &n, body);
        }
        let main = format!(
            "@compute @workgroup_size({GROUP})\nfn main(@builtin(global_invocation_id) grid: vec3<u32>) {{\nlet i = grid.x + grid.y * \
             {}u;\nif (i >= {n}) {{ return; }}\n{body}\n}}\n",
            ROW * GROUP
        );
        let groups = u32::try_from(count.div_ceil(GROUP as usize)).map_err(|_| too_many())?;
        self.run(gpu, &main, [groups.min(ROW), groups.div_ceil(ROW), 1])
    }

    /// The same for a processor that pretends to be a GPU, where each workgroup costs about a microsecond: few of them, in
    /// which the invocations go from element to element.
    fn run_each_in_turn(mut self, gpu: &Rc<Gpu>, count: usize, n: &str, body: &str) -> Result<()> {
        const SIDE_BY_SIDE: usize = 8;
        const GROUPS: usize = 32;
        let turns = count.div_ceil(SIDE_BY_SIDE * GROUPS);
        let chunk = self.param(turns * SIDE_BY_SIDE);
        let main = format!(
            "@compute @workgroup_size({SIDE_BY_SIDE})\nfn main(@builtin(workgroup_id) grid: vec3<u32>, @builtin(local_invocation_index) \
             turn: u32) {{\nlet turns = grid.x * {chunk};\nlet last_turn = min(turns + {chunk}, {n});\nfor (var i = turns + turn; i < \
             last_turn; i += {SIDE_BY_SIDE}u) {{\n{body}\n}}\n}}\n"
        );
        let groups = u32::try_from(count.div_ceil(turns * SIDE_BY_SIDE)).map_err(|_| too_many())?;
        u32::try_from(count).map_err(|_| too_many())?;
        self.run(gpu, &main, [groups, 1, 1])
    }

    /// Run `body` in one workgroup of `GROUP` for each `line` below `count`; `lane` is the invocation's number.
    ///
    /// # Errors
    /// As [`Shader::run_each`].
    pub fn run_lines(mut self, gpu: &Rc<Gpu>, count: usize, body: &str) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        let n = self.param(count);
        let main = format!(
            "@compute @workgroup_size({GROUP})\nfn main(@builtin(workgroup_id) grid: vec3<u32>, @builtin(local_invocation_index) \
             lane: u32) {{\nlet line = grid.x + grid.y * {ROW}u;\nif (line >= {n}) {{ return; }}\n{body}\n}}\n"
        );
        let groups = u32::try_from(count).map_err(|_| too_many())?;
        self.run(gpu, &main, [groups.min(ROW), groups.div_ceil(ROW), 1])
    }

    /// Compile (the first time) and launch.
    ///
    /// # Errors
    /// As [`Shader::run_each`].
    pub fn run(self, gpu: &Rc<Gpu>, main: &str, groups: [u32; 3]) -> Result<()> {
        self.run_text(gpu, main, Text { name: String::new(), write: &String::new }, groups)
    }

    /// As [`Shader::run`], where `main` goes on with a text that is written only when it is to be compiled.
    ///
    /// # Errors
    /// As [`Shader::run_each`].
    pub fn run_text(mut self, gpu: &Rc<Gpu>, main: &str, rest: Text, groups: [u32; 3]) -> Result<()> {
        let words = self.parameters.len().next_multiple_of(4);
        self.parameters.resize(words, 0);
        let mut text = String::with_capacity(4096);
        text.extend(self.enabled.iter().copied());
        if words > 0 {
            let _ = writeln!(text, "@group(0) @binding(0) var<uniform> P: array<vec4<u32>, {}>;", words / 4);
        }
        for (i, b) in self.bound.iter().enumerate() {
            let access = if b.written { "read_write" } else { "read" };
            let word = if b.atomic { "atomic<u32>" } else { "u32" };
            let _ = writeln!(text, "@group(0) @binding({}) var<storage, {access}> b{i}: array<{word}>;", i + 1);
        }
        LIBRARY.with(|library| {
            for &at in &self.helpers {
                text.push_str(library.helpers[at].text);
                text.push('\n');
            }
        });
        text.push_str(&self.declared);
        text.push_str(main);
        let pipeline = pipeline(gpu, text, rest);
        let memories: Vec<Rc<Memory>> = self.bound.into_iter().map(|b| b.memory).collect();
        batch::launch(gpu, &pipeline, &memories, &self.parameters, groups)
    }
}

fn too_many() -> Error {
    Error::runtime("a tensor of so many elements is more than a GPU kernel can count")
}

/// A pipeline and the layout of what it is given.
pub(super) struct Pipeline {
    pub pipeline: wgpu::ComputePipeline,
    pub layout: wgpu::BindGroupLayout,
}

/// The rest of a shader that is long: its name, which tells it from others after the same beginning, and how to write it.
pub(super) struct Text<'a> {
    pub name: String,
    pub write: &'a dyn Fn() -> String,
}

fn pipeline(gpu: &Rc<Gpu>, mut key: String, rest: Text) -> Rc<Pipeline> {
    let begun = key.len();
    key.push_str(&rest.name);
    if let Some(known) = gpu.pipelines.borrow().get(&key) {
        return known.clone();
    }
    let text = format!("{}{}", &key[..begun], (rest.write)());
    // For whoever works on kernels.
    if std::env::var_os("RUSHLIGHT_SHOW_SHADERS").is_some() {
        eprintln!("{text}\n");
    }
    let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(text.as_str().into()),
    });
    let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions {
            // Every memory is written before it is read.
            zero_initialize_workgroup_memory: false,
            ..Default::default()
        },
        cache: None,
    });
    batch::count(|c| c.pipelines += 1);
    let made = Rc::new(Pipeline { layout: pipeline.get_bind_group_layout(0), pipeline });
    gpu.pipelines.borrow_mut().insert(key, made.clone());
    made
}

/// Sizes and strides from slowest to fastest, without dimensions of one element; neighbours that one stride serves are
/// merged.
fn collapsed(layout: &Layout) -> Vec<(usize, usize)> {
    let mut dims: Vec<(usize, usize)> = vec![];
    for (&size, &stride) in layout.shape.iter().zip(&layout.strides) {
        if size == 1 {
            continue;
        }
        match dims.last_mut() {
            Some(last) if last.1 == size * stride => *last = (last.0 * size, stride),
            _ => dims.push((size, stride)),
        }
    }
    dims
}
