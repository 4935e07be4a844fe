//! The native tool: `rushlight run FILE.py`, `rushlight check COURSE`.

mod check;
mod run;

use std::process::ExitCode;

const USAGE: &str = "\
usage: rushlight run [--device cpu|webgpu] FILE.py [ARGUMENT...]
                                              run a program as `python FILE.py` does
       rushlight run -c CODE [ARGUMENT...]    run CODE
       rushlight check [COURSE] [--lesson ID] prove a course: examples run, starters fail, solutions pass
";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next();
    let rest: Vec<String> = arguments.collect();
    match command.as_deref() {
        Some("run") => run::command(&rest),
        Some("check") => check::command(&rest),
        Some("--help" | "-h" | "help") => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        Some("--version" | "-V") => {
            println!("rushlight {}", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        Some(other) => {
            eprint!("rushlight: no command named {other}\n{USAGE}");
            ExitCode::from(2)
        }
        None => {
            eprint!("{USAGE}");
            ExitCode::from(2)
        }
    }
}
