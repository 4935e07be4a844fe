//! Native benchmarks, apart from the packages they measure so that nobody else compiles what they need:
//! `cargo bench -p rushlight-bench`.
