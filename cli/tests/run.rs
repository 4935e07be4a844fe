//! `rushlight run`: what a script prints in the terminal.

use std::process::Command;

/// What a program prints.
fn run(name: &str, source: &str) -> String {
    let file = std::env::temp_dir().join(format!("rushlight-run-{}-{name}.py", std::process::id()));
    std::fs::write(&file, source).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_rushlight")).arg("run").arg(&file).output().unwrap();
    std::fs::remove_file(&file).unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// As PyTorch: other numbers in every run, unless a seed is given. The seeded ones are PyTorch's.
#[test]
fn numbers_are_other_ones_in_every_run_unless_seeded() {
    let unseeded = "import torch\nprint(torch.initial_seed(), torch.rand(4))\n";
    assert_ne!(run("once", unseeded), run("again", unseeded));
    let seeded = "import torch\nprint(torch.manual_seed(42).initial_seed(), torch.rand(2))\n";
    assert_eq!(run("seeded", seeded), "42 tensor([0.8823, 0.9150])\n");
}
