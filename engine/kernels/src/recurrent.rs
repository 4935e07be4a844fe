//! The gates of a GRU, over rows of float32.

use crate::math::{exp_f32, tanh};
use crate::wide;

#[inline(always)]
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp_f32(-x))
}

/// A row's three parts.
#[inline(always)]
fn thirds(row: &[f32]) -> [&[f32]; 3] {
    let size = row.len() / 3;
    [&row[..size], &row[size..2 * size], &row[2 * size..3 * size]]
}

#[inline(always)]
fn thirds_mut(row: &mut [f32]) -> [&mut [f32]; 3] {
    let size = row.len() / 3;
    let (first, rest) = row.split_at_mut(size);
    let (second, third) = rest.split_at_mut(size);
    [first, second, third]
}

/// The new states `os` and the gates `gs` (`r`, `z`, `n` beside each other) from the input's and the state's share of the
/// gates and the old states, rows of `size` (gates: three times as long).
#[inline(never)]
pub fn gru([xa, xb, xh]: [&[f32]; 3], os: &mut [f32], gs: &mut [f32], size: usize) {
    wide(|| {
        let inputs = xa.chunks_exact(3 * size).zip(xb.chunks_exact(3 * size)).zip(xh.chunks_exact(size));
        for (((a, b), h), (o, g)) in inputs.zip(os.chunks_exact_mut(size).zip(gs.chunks_exact_mut(3 * size))) {
            let ([ar, az, an], [br, bz, bn], [r, z, n]) = (thirds(a), thirds(b), thirds_mut(g));
            r.iter_mut().zip(ar.iter().zip(br)).for_each(|(r, (a, b))| *r = sigmoid(a + b));
            z.iter_mut().zip(az.iter().zip(bz)).for_each(|(z, (a, b))| *z = sigmoid(a + b));
            let fresh = n.iter_mut().zip(an.iter().zip(bn)).zip(&*r);
            fresh.for_each(|((n, (a, b)), r)| *n = tanh((a + r * b) as f64) as f32);
            let parts = o.iter_mut().zip(h).zip(z.iter().zip(&*n));
            parts.for_each(|((o, h), (z, n))| *o = (h - n) * z + n);
        }
    });
}

/// The gradients of `gru`'s three inputs, from that of the new states, the gates, the state's share and the old states.
#[inline(never)]
pub fn gru_gradient([xg, xs, xb, xh]: [&[f32]; 4], [oa, ob, oh]: [&mut [f32]; 3], size: usize) {
    wide(|| {
        let inputs = xg.chunks_exact(size).zip(xh.chunks_exact(size));
        let inputs = inputs.zip(xs.chunks_exact(3 * size).zip(xb.chunks_exact(3 * size)));
        let outputs = oa.chunks_exact_mut(3 * size).zip(ob.chunks_exact_mut(3 * size));
        let outputs = outputs.zip(oh.chunks_exact_mut(size));
        for (((g, h), (gates, b)), ((oa, ob), oh)) in inputs.zip(outputs) {
            let ([r, z, n], [.., bn]) = (thirds(gates), thirds(b));
            let ([ar, az, an], [br, bz, bn_out]) = (thirds_mut(oa), thirds_mut(ob));
            // All of one length: the loop needs no checks.
            let [g, h, r, z, n, bn] = [g, h, r, z, n, bn].map(|x| &x[..size]);
            let [ar, az, an, br, bz, bn_out, oh] = [ar, az, an, br, bz, bn_out, oh].map(|x| &mut x[..size]);
            for i in 0..size {
                let (g, r, z, n) = (g[i], r[i], z[i], n[i]);
                let to_n = g * (1.0 - z) * (1.0 - n * n);
                let to_z = g * (h[i] - n) * (z * (1.0 - z));
                let to_r = to_n * bn[i] * (r * (1.0 - r));
                (ar[i], az[i], an[i]) = (to_r, to_z, to_n);
                (br[i], bz[i], bn_out[i]) = (to_r, to_z, to_n * r);
                oh[i] = g * z;
            }
        }
    });
}
