//! `rushlight run`: a program with the host's files, its own output, and Python's exit status.

use rushlight_runtime::files::{DiskFiles, Errno};
use rushlight_runtime::protocol::{CheckLine, Stream};
use rushlight_runtime::torch::seed_by_chance;
use rushlight_runtime::{Program, Runtime, Sink, on_big_stack, webgpu};
use std::io::{IsTerminal, Read, Write};
use std::process::ExitCode;
use std::rc::Rc;

/// Standard streams of this process.
struct Console;

impl Sink for Console {
    fn write(&self, stream: Stream, bytes: &[u8]) -> Result<(), Errno> {
        match stream {
            Stream::Stdout => {
                let mut out = std::io::stdout().lock();
                out.write_all(bytes)?;
                out.flush()?;
            }
            Stream::Stderr => std::io::stderr().lock().write_all(bytes)?,
        }
        Ok(())
    }

    fn value(&self, _text: &str) {}

    fn figure(&self, _svg: &str, _alt: &str) {}

    fn checked(&self, _line: &CheckLine) {}

    fn read(&self, into: &mut [u8]) -> Result<usize, Errno> {
        Ok(std::io::stdin().lock().read(into)?)
    }

    fn is_terminal(&self, stream: Option<Stream>) -> bool {
        match stream {
            None => std::io::stdin().is_terminal(),
            Some(Stream::Stdout) => std::io::stdout().is_terminal(),
            Some(Stream::Stderr) => std::io::stderr().is_terminal(),
        }
    }
}

/// The value of `--device`, and the arguments after it.
fn device(arguments: &[String]) -> Result<(bool, &[String]), String> {
    let (name, rest) = match arguments {
        [flag, name, rest @ ..] if flag == "--device" => (name.as_str(), rest),
        [flag, rest @ ..] if flag.starts_with("--device=") => (&flag["--device=".len()..], rest),
        all => return Ok((false, all)),
    };
    match name {
        "cpu" => Ok((false, rest)),
        "webgpu" | "cuda" => Ok((true, rest)),
        other => Err(format!("there is no device '{other}'; it can be cpu or webgpu")),
    }
}

pub fn command(arguments: &[String]) -> ExitCode {
    let (gpu, arguments) = match device(arguments) {
        Ok(chosen) => chosen,
        Err(why) => {
            eprintln!("rushlight run: {why}");
            return ExitCode::from(2);
        }
    };
    let (program, rest) = match arguments {
        [flag, code, rest @ ..] if flag == "-c" => (Program::Code(code), rest),
        [flag, ..] if flag.starts_with('-') => {
            eprintln!("rushlight run: expected FILE.py or -c CODE");
            return ExitCode::from(2);
        }
        [file, rest @ ..] => (Program::File(file), rest),
        [] => {
            eprintln!("rushlight run: expected FILE.py or -c CODE");
            return ExitCode::from(2);
        }
    };
    if let Program::File(path) = program
        && let Err(error) = std::fs::File::open(path)
    {
        let error = Errno::from(error);
        eprintln!("rushlight: can't open file '{path}': [Errno {}] {}", error.0, error.text());
        return ExitCode::from(2);
    }
    let status = on_big_stack(|| {
        webgpu::allow(gpu);
        if let Some(why) = webgpu::absence().filter(|_| gpu) {
            eprintln!("rushlight run: there is no GPU: {why}; the program runs on the CPU");
        }
        match Runtime::new(Rc::new(DiskFiles), Rc::new(Console)) {
            Ok(runtime) => {
                seed_by_chance();
                runtime.run_program(program, rest)
            }
            Err(error) => {
                eprintln!("rushlight: the interpreter could not start\n{error}");
                70
            }
        }
    });
    ExitCode::from(u8::try_from(status & 0xff).unwrap_or(1))
}
