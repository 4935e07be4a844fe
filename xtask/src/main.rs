//! The project's one command: `cargo xtask serve | build | test | bench`. Everything a newcomer needs beside
//! rustup and Node is installed or built from here.

mod api;
mod bench;
mod blank;
mod conformance;
mod dist;
mod flags;
mod fused;
mod prune;
mod serve;
mod site;
mod step;
mod test;
mod tools;
mod watch;

use flags::Flags;
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask COMMAND

  serve [--release] [--port N]   build everything, serve it on 127.0.0.1, rebuild on change
  build [--release]              build into dist/ (plain static files)
  test  [--fast] [--only PART]   run every test; --fast leaves out the browsers
  api                            write the reference course: what is here, by name
  bench [--peers | --gpu]        cold start in Chromium and download sizes, as a Markdown table;
                                 --peers: speed beside jax-js, TensorFlow.js and Pyodide

--release also writes .br and .gz beside each file, as a static host would serve them.
Parts of test: fmt, clippy, unit, gpu, conformance, api, lessons, browser (several: --only fmt,clippy).
";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let command = args.next().unwrap_or_default();
    let done = match Flags::parse(args) {
        Ok(flags) => match command.as_str() {
            "serve" => serve::run(&flags),
            "build" => site::build(flags.release).map(|_| ()),
            "test" => test::run(&flags),
            "api" => api::write(),
            "bench" => bench::run(&flags),
            "" | "help" | "-h" | "--help" => {
                print!("{USAGE}");
                return ExitCode::SUCCESS;
            }
            other => Err(anyhow::anyhow!("there is no command `{other}`\n\n{USAGE}")),
        },
        Err(wrong) => Err(anyhow::anyhow!("{wrong}\n\n{USAGE}")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nfailed: {error:#}");
            ExitCode::FAILURE
        }
    }
}
