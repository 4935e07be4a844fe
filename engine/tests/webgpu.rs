//! The GPU backend by itself: what is put off and joined, what is counted, what becomes of memory and of lost devices.

mod common;

use rushlight_engine::backend::webgpu;
use rushlight_engine::ops::*;
use rushlight_engine::{Device, Scalar, Tensor, device};

fn on_gpu<T>(f: impl FnOnce() -> T) -> T {
    webgpu::allow(true);
    assert_eq!(webgpu::absence(), None, "there is no GPU to test on");
    device::within(Device::WebGpu, f)
}

#[test]
fn a_chain_of_four_ops_is_one_kernel() {
    on_gpu(|| {
        let x = Tensor::from_slice(&[0.0f32, 0.5, -1.0, 2.0], &[4]).unwrap();
        let before = webgpu::counts().launches;
        let y = mul(&tanh(&add(&mul(&x, &number(2).unwrap()).unwrap(), &number(1).unwrap()).unwrap()).unwrap(), &x);
        let got = y.unwrap().to_vec::<f32>().unwrap();
        assert_eq!(webgpu::counts().launches - before, 1);
        for (g, x) in got.iter().zip([0.0f32, 0.5, -1.0, 2.0]) {
            assert!((g - (2.0 * x + 1.0).tanh() * x).abs() < 1e-6, "{got:?}");
        }
    });
}

#[test]
fn the_time_on_the_device_grows_with_its_work() {
    on_gpu(|| {
        let Some(before) = webgpu::device_ms() else { return };
        let x = full(&[64, 64], Scalar::Float(0.5), None).unwrap();
        // More passes than the clock has stamps for: reads end passes.
        for _ in 0..1500 {
            let y = matmul(&x, &x).unwrap();
            assert_eq!(y.to_vec::<f32>().unwrap()[5], 16.0);
        }
        let after = webgpu::device_ms().unwrap();
        assert!(after > before, "{before} ms, then {after} ms");
        assert_eq!(webgpu::device_ms(), Some(after), "nothing was computed since");
    });
}
