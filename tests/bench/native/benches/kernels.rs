//! The kernels, and the ops around them.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rushlight_engine::{Tensor, ops};
use rushlight_kernels::pointwise::{Binary, Shown, Unary, binary, unary};
use rushlight_kernels::{extreme, moments, optim, recurrent, softmax};
use std::hint::black_box;

fn some(n: usize) -> Vec<f32> {
    (0..n).map(|i| (i * 7919 % 1000) as f32 / 1000.0 - 0.5).collect()
}

fn tensor(shape: &[usize]) -> Tensor {
    Tensor::from_slice(&some(shape.iter().product()), shape).expect("there is memory")
}

fn pointwise(c: &mut Criterion) {
    let mut group = c.benchmark_group("pointwise");
    let n = 1 << 16;
    group.throughput(Throughput::Elements(n as u64));
    let (xs, mut os) = (some(n), some(n));
    for op in [Unary::Sqrt, Unary::Exp, Unary::Log, Unary::Tanh, Unary::Sigmoid, Unary::Silu] {
        group.bench_function(BenchmarkId::new("unary", format!("{op:?}")), |b| {
            b.iter(|| unary(op, black_box(&xs), &mut os))
        });
    }
    let row = some(256);
    for (name, elements, each) in [("full", &xs[..], 1), ("row", &row[..], 1), ("column", &row[..], 256)] {
        group.bench_function(BenchmarkId::new("add", name), |b| {
            b.iter(|| binary(Binary::Add, &mut os, black_box(&xs), Shown { elements, each }, false))
        });
    }
    group.finish();
}

fn lines(c: &mut Criterion) {
    let mut group = c.benchmark_group("lines");
    let (rows, size) = (256, 1000);
    group.throughput(Throughput::Elements((rows * size) as u64));
    let (xs, mut os) = (some(rows * size), some(rows * size));
    group.bench_function("softmax", |b| b.iter(|| softmax::softmax(black_box(&xs), &mut os, size, 1, false)));
    group.bench_function("log softmax", |b| b.iter(|| softmax::softmax(black_box(&xs), &mut os, size, 1, true)));
    group.bench_function("softmax of columns", |b| {
        b.iter(|| softmax::softmax(black_box(&xs), &mut os, rows, size, false))
    });
    let ys = some(rows * size);
    group.bench_function("gradient of log softmax", |b| {
        b.iter(|| softmax::gradient(black_box(&xs), &ys, &mut os, size, true))
    });
    group.bench_function("largest of rows", |b| {
        b.iter(|| xs.chunks(size).map(|row| extreme::of_line(row, true)).sum::<f32>())
    });
    group.bench_function("largest of columns", |b| {
        b.iter(|| extreme::of_columns(black_box(&xs), &mut os[..size], rows, size, true))
    });
    group.bench_function("deviations", |b| {
        b.iter(|| xs.chunks(size).map(|row| moments::deviations(row, 0.1).0).sum::<f64>())
    });
    group.finish();
}

fn training(c: &mut Criterion) {
    let mut group = c.benchmark_group("training");
    let n = 100_480;
    let (mut ps, gs, mut ms, mut vs) = (some(n), some(n), some(n), vec![1.0; n]);
    let numbers = optim::Adam { to_mean: 0.1, keep: 0.999, come: 0.001, root: 0.5, eps: 1e-8, step: -1e-3 };
    group.bench_function("a step of Adam", |b| {
        b.iter(|| optim::adam(&mut ps, black_box(&gs), &mut ms, &mut vs, &numbers))
    });
    group.bench_function("a step of SGD", |b| b.iter(|| optim::add_scaled(&mut ps, black_box(&gs), -1e-3)));
    let (gates, state) = (some(32 * 192), some(32 * 64));
    let (mut out, mut kept) = (some(32 * 64), some(32 * 192));
    group.bench_function("a GRU's gates", |b| {
        b.iter(|| recurrent::gru([black_box(&gates), &gates, &state], &mut out, &mut kept, 64))
    });
    group.finish();
}

fn op_calls(c: &mut Criterion) {
    let mut group = c.benchmark_group("ops");
    for n in [256, 512] {
        let (a, b) = (tensor(&[n, n]), tensor(&[n, n]));
        group.throughput(Throughput::Elements((2 * n * n * n) as u64));
        group.bench_function(BenchmarkId::new("matmul", n), |bench| bench.iter(|| ops::matmul(&a, &b)));
    }
    let (a, b) = (tensor(&[1]), tensor(&[1]));
    group.throughput(Throughput::Elements(1));
    group.bench_function("add, one element", |bench| bench.iter(|| ops::add(&a, &b)));
    a.set_requires_grad(true).expect("it is a leaf of floats");
    group.bench_function("add, one element, with gradient", |bench| bench.iter(|| ops::add(&a, &b)));
    group.finish();
}

criterion_group!(kernels, pointwise, lines, training, op_calls);
criterion_main!(kernels);
