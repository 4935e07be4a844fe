//! The GPU backend by itself: what is put off and joined, when memory is taken over, what is counted, what becomes of
//! indices out of range, of memory that runs out and of lost devices. What ops compute is tested with the other backend's
//! tests (`RUSHLIGHT_DEVICE=webgpu`).

mod common;

use rushlight_engine::autograd::{backward, grad_mode::no_grad, inplace};
use rushlight_engine::backend::webgpu;
use rushlight_engine::error::Class;
use rushlight_engine::ops::*;
use rushlight_engine::placement::to_device;
use rushlight_engine::{DType, Device, Result, Scalar, Tensor, device};

/// On a GPU of this thread's own, where the tests are to have one.
fn on_gpu(f: impl FnOnce() -> Result<()>) {
    if !common::on_gpu() {
        return;
    }
    webgpu::allow(true);
    assert_eq!(webgpu::absence(), None, "there is no GPU to test on");
    device::within(Device::WebGpu, f).unwrap();
}

fn floats(t: &Tensor) -> Vec<f32> {
    t.to_vec::<f32>().unwrap()
}

fn launches(f: impl FnOnce()) -> u64 {
    let before = webgpu::counts().launches;
    f();
    webgpu::counts().launches - before
}

#[test]
fn a_chain_of_four_ops_is_one_kernel() {
    on_gpu(|| {
        let values = [0.0f32, 0.5, -1.0, 2.0];
        let x = Tensor::from_slice(&values, &[4])?;
        let y = mul(&tanh(&add(&mul(&x, &number(2)?)?, &number(1)?)?)?, &x)?;
        let mut got = vec![];
        assert_eq!(launches(|| got = floats(&y)), 1);
        for (g, x) in got.iter().zip(values) {
            assert!((g - (2.0 * x + 1.0).tanh() * x).abs() < 1e-6, "{got:?}");
        }
        Ok(())
    });
}

#[test]
fn a_chain_before_a_sum_is_part_of_its_kernel() {
    on_gpu(|| {
        let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0], &[3])?;
        let work = || floats(&sum(&mul(&x, &x).unwrap(), &[], false, None).unwrap());
        assert_eq!(launches(|| assert_eq!(work(), [14.0])), 1);
        Ok(())
    });
}

#[test]
fn a_chain_of_any_length_is_computed() {
    on_gpu(|| {
        let x = Tensor::from_slice(&[1.0f32; 5], &[5])?;
        let mut y = x.clone();
        for _ in 0..500 {
            y = add(&y, &x)?;
        }
        assert_eq!(floats(&y), [501.0; 5]);
        Ok(())
    });
}

#[test]
fn what_was_put_off_sees_the_values_of_its_time() {
    on_gpu(|| {
        let x = Tensor::from_slice(&[1.0f32, 2.0], &[2])?;
        let before = mul(&x, &number(10)?)?;
        no_grad(|| inplace(&x, || add(&x, &number(1)?)))?;
        let row = select(&x, 0, 0)?;
        let between = mul(&x, &number(100)?)?;
        no_grad(|| inplace(&row, || mul(&row, &number(7)?)))?;
        assert_eq!(floats(&before), [10.0, 20.0]);
        assert_eq!(floats(&between), [200.0, 300.0]);
        assert_eq!(floats(&x), [14.0, 3.0]);
        Ok(())
    });
}

#[test]
fn overlapping_views_are_read_before_they_are_written() {
    on_gpu(|| {
        let x = arange(0.into(), 6.into(), 1.into(), Some(DType::F32))?;
        let (to, from) = (narrow(&x, 0, 1, 5)?, narrow(&x, 0, 0, 5)?);
        no_grad(|| copy_(&to, &from))?;
        assert_eq!(floats(&x), [0.0, 0.0, 1.0, 2.0, 3.0, 4.0]);
        Ok(())
    });
}

#[test]
fn bytes_that_share_a_word_are_written_one_by_one() {
    on_gpu(|| {
        let x = Tensor::zeros(&[11], DType::U8)?;
        let odd = slice_of(&x, 0, Some(1), None, 2)?;
        no_grad(|| copy_(&odd, &Tensor::from_slice(&[1u8, 2, 3, 4, 5], &[5])?))?;
        assert_eq!(x.to_vec::<u8>()?, [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0]);
        Ok(())
    });
}

/// Lines and matrices that several workgroups share, against the CPU.
#[test]
fn what_is_long_or_large_is_computed_as_on_the_cpu() {
    let values: Vec<f32> =
        (0..6000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 8_388_608.0 - 1.0).collect();
    let work = |device: Device| -> Result<Vec<(&'static str, Vec<f64>)>> {
        device::within(device, || {
            let line = Tensor::from_slice(&values, &[6000])?;
            let rows = reshape(&line, &[3, 2000])?;
            let (a, b) = (reshape(&line, &[75, 80])?, reshape(&line, &[80, 75])?);
            let vector = narrow(&line, 0, 0, 2000)?;
            let (sorted, order) = sort(&rows, 1, true, None)?;
            let all = |t: Tensor| t.to_vec::<f64>();
            Ok(vec![
                ("sum", all(sum(&line, &[], false, None)?)?),
                ("sums of rows", all(sum(&rows, &[1], false, None)?)?),
                ("largest", all(max_all(&line)?)?),
                ("where the largest is", all(argmax(&rows, Some(1), false)?)?),
                ("norm", all(vector_norm(&line, 2.0, &[], false, None)?)?),
                ("running sums", all(cumsum(&rows, 1, None)?)?),
                ("softmax", all(softmax(&rows, 1, None)?)?),
                ("variance", all(var(&rows, &[1], 1.0, false)?)?),
                ("sorted", all(sorted)?),
                ("order", all(order)?),
                ("product", all(matmul(&a, &b)?)?),
                ("transposed", all(matmul(&transpose(&b, 0, 1)?, &transpose(&a, 0, 1)?)?)?),
                ("matrix and vector", all(matmul(&rows, &vector)?)?),
            ])
        })
    };
    on_gpu(|| {
        let (here, there) = (work(Device::Cpu)?, work(Device::WebGpu)?);
        for ((name, want), (_, got)) in here.iter().zip(&there) {
            assert_eq!(want.len(), got.len(), "{name}");
            for (w, g) in want.iter().zip(got) {
                assert!((w - g).abs() <= 2e-4 + 2e-5 * w.abs(), "{name}: {g}, on the CPU {w}");
            }
        }
        Ok(())
    });
}

/// Sizes around the edges of the blocks that kernels compute, operands that lie crosswise and begin inside of memory; whole
/// numbers, whose sums are exact in every order and dtype.
#[test]
fn products_of_every_size_are_exact() {
    on_gpu(|| {
        for (at, &m) in [1usize, 2, 5, 16, 17, 33, 70].iter().enumerate() {
            for &n in &[1usize, 3, 8, 15, 32, 33, 65] {
                let k = [1, 2, 3, 16, 21, 64, 65][(at + n) % 7];
                let number = |i: usize| (i.wrapping_mul(2_654_435_761) >> 7) as i64 % 3 - 1;
                let a: Vec<i64> = (0..m * k).map(number).collect();
                let b: Vec<i64> = (0..k * n).map(|i| number(i + 7)).collect();
                let want: Vec<f64> = (0..m * n)
                    .map(|i| (0..k).map(|j| a[i / n * k + j] * b[j * n + i % n]).sum::<i64>() as f64)
                    .collect();
                for dtype in [DType::F32, DType::F16, DType::BF16, DType::I64] {
                    let place = |values: &[i64], shape: [usize; 2], crosswise: bool| -> Result<Tensor> {
                        let whole = [&[5; 3], values].concat();
                        let from = Tensor::from_slice(&whole, &[whole.len()])?;
                        let dense = reshape(
                            &narrow(&cast(&from, dtype)?, 0, 3, values.len() as i64)?,
                            &shape.map(|s| s as i64),
                        )?;
                        if !crosswise {
                            return Ok(dense);
                        }
                        transpose(&contiguous(&transpose(&dense, 0, 1)?)?, 0, 1)
                    };
                    for crosswise in [0, 1, 2, 3] {
                        let product =
                            matmul(&place(&a, [m, k], crosswise & 1 > 0)?, &place(&b, [k, n], crosswise & 2 > 0)?)?;
                        assert_eq!(
                            product.to_vec::<f64>()?,
                            want,
                            "{m} by {k} by {n}, {dtype:?}, crosswise {crosswise}"
                        );
                    }
                }
            }
        }
        // The last row of an odd depth counts once: nothing of it is multiplied by a zero.
        let infinite = Tensor::from_slice(&[1.0, 1.0, f32::INFINITY, 1.0, 1.0, 2.0], &[3, 2])?;
        let ones = Tensor::from_slice(&[1.0f32; 6], &[2, 3])?;
        assert_eq!(floats(&matmul(&ones, &infinite)?), [f32::INFINITY, 4.0, f32::INFINITY, 4.0]);
        Ok(())
    });
}

#[test]
fn half_types_are_rounded_after_each_op() {
    on_gpu(|| {
        // 2048 + 1 is 2048 in float16 and 256 + 1 is 256 in bfloat16 (ties to even); 65520 is infinite in float16.
        let half = cast(&Tensor::from_slice(&[2048.0f32, 65504.0, 1.0 / 3.0], &[3])?, DType::F16)?;
        let up = add(&half, &number(1)?)?;
        assert_eq!(up.to_vec::<f64>()?, [2048.0, 65504.0, half::f16::from_f32(4.0 / 3.0).to_f64()]);
        assert_eq!(add(&half, &number(16)?)?.to_vec::<f64>()?[1], f64::INFINITY);
        let brain = cast(&Tensor::from_slice(&[256.0f32, 258.0], &[2])?, DType::BF16)?;
        assert_eq!(add(&brain, &number(1)?)?.to_vec::<f64>()?, [256.0, 260.0]);
        Ok(())
    });
}

#[test]
fn whole_numbers_have_64_bits() {
    on_gpu(|| {
        let big = [i64::MAX, i64::MIN, -1, 1 << 40, 123_456_789_012];
        let x = Tensor::from_slice(&big, &[5])?;
        let wrapped: Vec<i64> = big.iter().map(|v| v.wrapping_mul(3).wrapping_add(1)).collect();
        assert_eq!(add(&mul(&x, &number(3)?)?, &number(1)?)?.to_vec::<i64>()?, wrapped);
        let floored: Vec<i64> = big.iter().map(|v| v.div_euclid(7)).collect();
        assert_eq!(floor_divide(&x, &number(7)?)?.to_vec::<i64>()?, floored);
        let left: Vec<i64> = big.iter().map(|v| v.rem_euclid(7)).collect();
        assert_eq!(remainder(&x, &number(7)?)?.to_vec::<i64>()?, left);
        let as_float: Vec<f32> = big.iter().map(|v| *v as f32).collect();
        assert_eq!(floats(&cast(&x, DType::F32)?), as_float);
        Ok(())
    });
}

#[test]
fn an_index_out_of_range_is_told_at_the_next_look_and_then_forgotten() {
    on_gpu(|| {
        let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0], &[3])?;
        let at = Tensor::from_slice(&[0i64, 5], &[2])?;
        let taken = index(&x, &[Index::Tensor(at)])?;
        let error = taken.to_vec::<f32>().unwrap_err();
        assert_eq!(
            (error.class(), error.to_string().as_str()),
            (Class::Index, "index 5 is out of bounds for dimension 0 with size 3")
        );
        assert_eq!(floats(&x), [1.0, 2.0, 3.0]);
        let last = Tensor::from_slice(&[-1i64], &[1])?;
        assert_eq!(floats(&index(&x, &[Index::Tensor(last)])?), [3.0]);
        Ok(())
    });
}

#[test]
fn what_has_no_kernel_is_computed_on_the_host_and_counted() {
    on_gpu(|| {
        webgpu::forget_fallbacks();
        let x = Tensor::from_slice(&[0.5f32, 4.0], &[2])?;
        let found = all_ops("lgamma").call(&args(&x))?;
        let rushlight_engine::registry::Value::Tensor(y) = found else { panic!("a tensor") };
        assert_eq!(y.device(), Device::WebGpu);
        let got = floats(&y);
        assert!((got[0] - 0.572_364_9).abs() < 1e-6 && (got[1] - 1.791_759_5).abs() < 1e-6, "{got:?}");
        assert_eq!(webgpu::fallbacks(), [("lgamma".to_owned(), 1)]);
        Ok(())
    });
}

fn all_ops(name: &str) -> &'static rushlight_engine::registry::Op {
    rushlight_engine::registry::all().find(|op| op.name() == name).unwrap()
}

fn args(x: &Tensor) -> rushlight_engine::registry::Args {
    rushlight_engine::registry::Args(vec![rushlight_engine::registry::Value::Tensor(x.clone())])
}

#[test]
fn tensors_that_lie_apart_are_refused_in_pytorchs_words() {
    on_gpu(|| {
        let here = Tensor::zeros(&[2], DType::F32)?;
        let there = device::within(Device::Cpu, || Tensor::zeros(&[2], DType::F32))?;
        let one = device::within(Device::Cpu, || Tensor::full(&[], Scalar::Float(3.0), DType::F32))?;
        let call = |name: &str, a: &Tensor, b: &Tensor| {
            let mut given = args(a);
            given.0.push(rushlight_engine::registry::Value::Tensor(b.clone()));
            given.0.push(rushlight_engine::registry::Value::Scalar(Scalar::Int(1)));
            rushlight_engine::registry::all().find(|op| op.schema.starts_with(name)).unwrap().call(&given)
        };
        let error = call("add.Tensor", &here, &there).err().unwrap().to_string();
        assert_eq!(
            error,
            "Expected all tensors to be on the same device, but found at least two devices, webgpu:0 and cpu!"
        );
        // A 0-d tensor of the host may come along.
        assert!(call("add.Tensor", &here, &one).is_ok());
        Ok(())
    });
}

/// Float64 waits on the host, but what `cpu()` gives is a copy.
#[test]
fn what_is_brought_to_the_host_is_a_copy_in_every_dtype() {
    on_gpu(|| {
        for dtype in [DType::F32, DType::F64, DType::C64] {
            let x = Tensor::full(&[2], Scalar::Float(1.0), dtype)?;
            let here = to_device(&x, Device::Cpu)?;
            no_grad(|| inplace(&here, || add(&here, &number(1)?)))?;
            no_grad(|| copy_(&narrow(&here, 0, 0, 1)?, &number(5)?))?;
            assert_eq!(x.to_pairs()?, [(1.0, 0.0), (1.0, 0.0)], "{dtype:?}");
            assert_eq!(here.to_pairs()?, [(5.0, 0.0), (2.0, 0.0)], "{dtype:?}");
        }
        Ok(())
    });
}

#[test]
fn gradients_come_back_to_where_their_tensors_are() {
    on_gpu(|| {
        let w = device::within(Device::Cpu, || Tensor::from_slice(&[1.0f32, 2.0], &[2]))?;
        w.set_requires_grad(true)?;
        let moved = to_device(&w, Device::WebGpu)?;
        let total = sum(&mul(&moved, &moved)?, &[], false, None)?;
        backward(&[(total, None)], false, false, None)?;
        let grad = w.grad().unwrap();
        assert_eq!((grad.device(), floats(&grad)), (Device::Cpu, vec![2.0, 4.0]));
        Ok(())
    });
}

#[test]
fn memory_stays_what_it_was_over_a_thousand_steps() {
    on_gpu(|| {
        let w = Tensor::full(&[32, 32], Scalar::Float(0.01), DType::F32)?;
        w.set_requires_grad(true)?;
        let x = Tensor::full(&[16, 32], Scalar::Float(1.0), DType::F32)?;
        let step = || -> Result<()> {
            let loss = mean(&tanh(&matmul(&x, &w)?)?, &[], false, None)?;
            backward(&[(loss.clone(), None)], false, false, None)?;
            let g = w.grad().unwrap();
            no_grad(|| optim::add_scaled(std::slice::from_ref(&w), std::slice::from_ref(&g), -0.1))?;
            w.set_grad(None);
            loss.item()?;
            Ok(())
        };
        let now = || (webgpu::live_bytes(), webgpu::live_buffers(), webgpu::reserved_bytes());
        (0..10).try_for_each(|_| step())?;
        let before = now();
        (0..1000).try_for_each(|_| step())?;
        assert_eq!(now(), before);
        Ok(())
    });
}

#[test]
fn memory_that_runs_out_is_pytorchs_error() {
    on_gpu(|| {
        webgpu::set_budget(Some(1 << 20));
        let error = Tensor::zeros(&[1 << 20], DType::F32).unwrap_err();
        assert_eq!(error.class(), Class::OutOfMemory);
        let text = error.to_string();
        assert!(
            text.starts_with("CUDA out of memory. Tried to allocate 4.00 MiB. GPU 0 has a total capacity of 1.00 MiB")
        );
        webgpu::set_budget(None);
        assert!(Tensor::zeros(&[1 << 20], DType::F32).is_ok());
        Ok(())
    });
}

#[test]
fn after_a_loss_there_is_a_new_device() {
    on_gpu(|| {
        let x = Tensor::from_slice(&[1.0f32], &[1])?;
        assert_eq!(floats(&x), [1.0]);
        webgpu::destroy();
        let error = x.to_vec::<f32>().unwrap_err().to_string();
        assert!(error.starts_with("the GPU device was lost"), "{error}");
        let y = add(&Tensor::from_slice(&[2.0f32], &[1])?, &number(1)?)?;
        assert_eq!(floats(&y), [3.0]);
        Ok(())
    });
}

#[test]
fn the_time_on_the_device_grows_with_its_work() {
    on_gpu(|| {
        let Some(before) = webgpu::device_ms() else { return Ok(()) };
        let x = full(&[64, 64], Scalar::Float(0.5), None)?;
        // More passes than the clock has stamps for: reads end passes.
        for _ in 0..1500 {
            let y = matmul(&x, &x)?;
            assert_eq!(floats(&y)[5], 16.0);
        }
        let after = webgpu::device_ms();
        assert!(after > Some(before), "{before} ms, then {after:?} ms");
        assert_eq!(webgpu::device_ms(), after, "nothing was computed since");
        Ok(())
    });
}
