//! Native benchmarks, apart from the packages they measure so that nobody else compiles what they need:
//! `cargo bench -p rushlight-bench`, or with `--profile dev` for the interpreter that is compiled already.
