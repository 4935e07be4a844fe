//! The native module `_rushlight`: what the start-up code in `py/boot.py` needs from the host, and `open`.

pub(crate) use _rushlight::{module_def, tick};

#[rustpython_vm::pymodule]
mod _rushlight {
    use crate::embedded;
    use crate::host;
    use crate::posix::{Path, how_of, os_error};
    use rustpython_vm::builtins::{PyBaseExceptionRef, PyCode, PyDictRef, PyUtf8StrRef};
    use rustpython_vm::protocol::PyNumberMethods;
    use rustpython_vm::scope::Scope;
    use rustpython_vm::types::AsNumber;
    use rustpython_vm::{AsObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass};

    /// Folder under which embedded sources appear.
    #[pyattr]
    const ROOT: &str = embedded::ROOT;

    /// Whether printed lines are passed on at once although nothing says it is a terminal: the page shows them live.
    #[pyattr]
    const LIVE: bool = cfg!(target_arch = "wasm32");

    /// Asked for its truth, it looks for Stop: see `watch.rs`.
    #[pyattr]
    #[pyclass(module = false, name)]
    #[derive(Debug, PyPayload)]
    struct Tick;

    #[pyclass(flags(DISALLOW_INSTANTIATION), with(AsNumber))]
    impl Tick {}

    impl AsNumber for Tick {
        fn as_number() -> &'static PyNumberMethods {
            static METHODS: PyNumberMethods = PyNumberMethods {
                boolean: Some(|_, vm| crate::stop::tick(vm).map(|()| true)),
                ..PyNumberMethods::NOT_IMPLEMENTED
            };
            &METHODS
        }
    }

    pub(crate) fn tick(vm: &VirtualMachine) -> PyObjectRef {
        Tick.into_ref(&vm.ctx).into()
    }

    #[pyfunction]
    fn has(name: PyUtf8StrRef) -> bool {
        embedded::source(name.as_str()).is_some()
    }

    fn text(name: &str, vm: &VirtualMachine) -> PyResult<std::borrow::Cow<'static, str>> {
        embedded::source(name)
            .ok_or_else(|| vm.new_import_error(format!("no embedded source {name}"), vm.ctx.new_utf8_str(name)))
    }

    #[pyfunction]
    fn source(name: PyUtf8StrRef, vm: &VirtualMachine) -> PyResult<String> {
        Ok(text(name.as_str(), vm)?.into_owned())
    }

    #[pyfunction]
    fn compile_embedded(name: PyUtf8StrRef, vm: &VirtualMachine) -> PyResult<PyRef<PyCode>> {
        let source = text(name.as_str(), vm)?;
        let path = format!("{}{}", embedded::ROOT, name.as_str());
        crate::interpreter::compile_ours(vm, &source, &path)
    }

    #[pyfunction]
    fn run_embedded(name: PyUtf8StrRef, globals: PyDictRef, vm: &VirtualMachine) -> PyResult<()> {
        let code = compile_embedded(name, vm)?;
        vm.run_code_obj(code, Scope::with_builtins(None, globals, vm)).map(drop)
    }

    /// Whether this is the browser, whose standard library lacks clocks.
    #[pyattr]
    const BROWSER: bool = cfg!(target_arch = "wasm32");

    #[pyfunction]
    fn clock() -> f64 {
        crate::clock::now()
    }

    #[pyfunction]
    fn sleep(seconds: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
        crate::clock::sleep(&seconds, vm)
    }

    /// A mode as `open` reads it.
    struct Mode_ {
        /// One of `r`, `w`, `x`, `a`.
        kind: char,
        plus: bool,
        binary: bool,
    }

    impl Mode_ {
        fn of(mode: &str, vm: &VirtualMachine) -> PyResult<Self> {
            let invalid = || vm.new_value_error(format!("invalid mode: '{mode}'"));
            let (mut kind, mut kinds, mut plus, mut text, mut binary) = ('r', 0, false, false, false);
            for (at, letter) in mode.chars().enumerate() {
                if mode.chars().skip(at + 1).any(|later| later == letter) {
                    return Err(invalid());
                }
                match letter {
                    'r' | 'w' | 'x' | 'a' => {
                        kind = letter;
                        kinds += 1;
                    }
                    '+' => plus = true,
                    't' => text = true,
                    'b' => binary = true,
                    _ => return Err(invalid()),
                }
            }
            if text && binary {
                return Err(vm.new_value_error("can't have text and binary mode at once".to_owned()));
            }
            if kinds != 1 {
                let message = "must have exactly one of create/read/write/append mode";
                return Err(vm.new_value_error(message.to_owned()));
            }
            Ok(Self { kind, plus, binary })
        }

        fn flags(&self) -> i32 {
            let access = match (self.kind, self.plus) {
                (_, true) => 2,
                ('r', false) => 0,
                _ => 1,
            };
            access
                | match self.kind {
                    'w' => 0o100 | 0o1000,
                    'x' => 0o100 | 0o200,
                    'a' => 0o100 | 0o2000,
                    _ => 0,
                }
        }

        /// As `FileIO.mode` shows it.
        fn raw(&self) -> String {
            let plus = if self.plus { "+" } else { "" };
            match (self.kind, self.plus) {
                ('w', true) => "rb+".to_owned(),
                (kind, _) => format!("{kind}b{plus}"),
            }
        }
    }

    struct Raw {
        fd: i32,
        name: PyObjectRef,
    }

    /// Opens a file, or takes an open descriptor.
    fn raw_of(
        file: PyObjectRef,
        mode: &Mode_,
        closefd: bool,
        opener: Option<PyObjectRef>,
        vm: &VirtualMachine,
    ) -> PyResult<Raw> {
        let is_int = file.class().fast_issubclass(vm.ctx.types.int_type) && !file.class().is(vm.ctx.types.bool_type);
        if is_int {
            let fd: i32 = file.clone().try_into_value(vm)?;
            if fd < 0 {
                return Err(vm.new_value_error("negative file descriptor".to_owned()));
            }
            host::stat(fd).map_err(|error| os_error(error, &[], vm))?;
            return Ok(Raw { fd, name: file });
        }
        let path = Path::of(file, vm)?;
        if !closefd {
            return Err(vm.new_value_error("Cannot use closefd=False with file name".to_owned()));
        }
        if let Some(opener) = opener.filter(|opener| !vm.is_none(opener)) {
            let fd = opener.call((path.object.clone(), mode.flags()), vm)?;
            let fd: i32 = fd
                .try_into_value(vm)
                .map_err(|_: PyBaseExceptionRef| vm.new_type_error("expected integer from opener".to_owned()))?;
            return Ok(Raw { fd, name: path.object });
        }
        let fd = path.or_raise(host::open(&path.text, how_of(mode.flags(), 0o666)), vm)?;
        if mode.kind == 'a' {
            // As the file object's first `tell` shows.
            let _ = host::seek(fd, crate::files::Seek::End(0));
        }
        Ok(Raw { fd, name: path.object })
    }

    /// What `FileIO(...)` needs: the descriptor, the mode it shows, the name, and whether to close it.
    #[pyfunction]
    fn open_raw(
        file: PyObjectRef,
        mode: PyUtf8StrRef,
        closefd: bool,
        opener: Option<PyObjectRef>,
        vm: &VirtualMachine,
    ) -> PyResult<(i32, String, PyObjectRef, bool)> {
        let mode = Mode_::of(mode.as_str(), vm)?;
        let raw = raw_of(file, &mode, closefd, opener, vm)?;
        Ok((raw.fd, mode.raw(), raw.name, closefd))
    }

    #[derive(rustpython_vm::FromArgs)]
    struct OpenArgs {
        #[pyarg(any)]
        file: PyObjectRef,
        #[pyarg(any, optional)]
        mode: Option<PyUtf8StrRef>,
        #[pyarg(any, default = -1)]
        buffering: isize,
        #[pyarg(any, optional)]
        encoding: Option<PyUtf8StrRef>,
        #[pyarg(any, optional)]
        errors: Option<PyUtf8StrRef>,
        #[pyarg(any, optional)]
        newline: Option<PyUtf8StrRef>,
        #[pyarg(any, default = true)]
        closefd: bool,
        #[pyarg(any, optional)]
        opener: Option<PyObjectRef>,
    }

    /// Opens a file, as the builtin of that name does.
    #[pyfunction]
    fn open(args: OpenArgs, vm: &VirtualMachine) -> PyResult<PyObjectRef> {
        let shown = args.mode.as_ref().map_or("r", |mode| mode.as_str()).to_owned();
        let mode = Mode_::of(&shown, vm)?;
        if mode.binary {
            let given = [("encoding", &args.encoding), ("errors", &args.errors), ("newline", &args.newline)];
            if let Some((name, _)) = given.iter().find(|(_, value)| value.is_some()) {
                let a = if name.starts_with('e') { "an" } else { "a" };
                return Err(vm.new_value_error(format!("binary mode doesn't take {a} {name} argument")));
            }
        }
        if args.buffering == 0 && !mode.binary {
            return Err(vm.new_value_error("can't have unbuffered text I/O".to_owned()));
        }
        if let Some(newline) = &args.newline
            && !matches!(newline.as_str(), "" | "\n" | "\r" | "\r\n")
        {
            return Err(vm.new_value_error(format!("illegal newline value: '{}'", newline.as_str())));
        }
        let raw = raw_of(args.file, &mode, args.closefd, args.opener, vm)?;
        let io = vm.import("_io", 0)?;
        let class = io.get_attr("FileIO", vm)?;
        let file = vm.call_method(class.as_object(), "__new__", (class.clone(),))?;
        vm.call_method(&file, "_take", (raw.fd, mode.raw(), raw.name, args.closefd))?;
        if args.buffering == 0 {
            return Ok(file);
        }
        let terminal = args.buffering == 1 || (args.buffering < 0 && host::is_terminal(raw.fd));
        let size = if args.buffering > 1 { args.buffering } else { 8192 };
        let buffered = match (mode.plus, mode.kind) {
            (true, _) => "BufferedRandom",
            (false, 'r') => "BufferedReader",
            _ => "BufferedWriter",
        };
        let buffered = vm.call_method(&io, buffered, (file, size))?;
        if mode.binary {
            return Ok(buffered);
        }
        let encoding = args.encoding.map_or_else(|| vm.ctx.new_utf8_str("UTF-8").into(), PyObjectRef::from);
        let or_none = |text: Option<PyUtf8StrRef>| text.map_or_else(|| vm.ctx.none(), PyObjectRef::from);
        let stream = vm.call_method(
            &io,
            "TextIOWrapper",
            (buffered.clone(), encoding, or_none(args.errors), or_none(args.newline), terminal),
        );
        let stream = stream.inspect_err(|_| {
            let _ = vm.call_method(&buffered, "close", ());
        })?;
        stream.set_attr("mode", vm.ctx.new_str(shown), vm)?;
        Ok(stream)
    }
}
