//! The runtime as one module for the browser's worker. It is a package of its own because the level at which the linked
//! whole is optimised is that of the last package: this one's is high, so that the kernels' loops become SIMD code, while
//! the interpreter and the bindings stay small (see the profile `wasm`).

extern crate rushlight_runtime;
