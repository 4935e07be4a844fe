//! Gives the module its stack.

/// Python's recursion is stopped when this is used up (the interpreter looks at it), which must be before the browser's
/// own stack of about 1 MB is: that would end the worker. Chromium overflows at some 500 nested native calls, this at 190.
const WASM_STACK: u32 = 384 << 10;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "wasm32") {
        println!("cargo:rustc-link-arg-cdylib=-zstack-size={WASM_STACK}");
    }
}
