//! Matrix products. Float32 by the product that the host lends, where it does; else float32 and float64 by `gemm`, which takes
//! any strides; the rest in plain loops.

use rushlight_fused::Matrix;

use super::product::lent;
use super::{alloc_shape, room_for};
use crate::dtype::{DType, Element};
use crate::error::{Error, Result};
use crate::tensor::Raw;
use crate::with_dtype;

/// `[b, m, k] @ [b, k, n]`.
pub fn matmul(a: &Raw, b: &Raw) -> Result<Raw> {
    let (&[batch, m, k], &[b2, k2, n]) = (a.shape(), b.shape()) else {
        return Err(Error::runtime("the matmul kernel takes three-dimensional operands"));
    };
    if batch != b2 || k != k2 || a.dtype != b.dtype {
        return Err(Error::runtime("the matmul kernel takes operands of matching sizes and one dtype"));
    }
    if [batch, m, k, n].contains(&0) {
        return alloc_shape(&[batch, m, n], a.dtype);
    }
    let out = room_for(&[batch, m, n], a.dtype)?;
    match a.dtype {
        DType::F32 if by_lent(a, b, &out, [batch, m, k, n]) => {}
        DType::F32 => by_gemm::<f32>(a, b, &out, [batch, m, k, n], 0.0, 1.0),
        DType::F64 => by_gemm::<f64>(a, b, &out, [batch, m, k, n], 0.0, 1.0),
        dtype => with_dtype!(dtype, T => plain::<T>(a, b, &out, [batch, m, k, n])),
    }
    Ok(out)
}

/// With the product that the host lends; false where there is none.
fn by_lent(a: &Raw, b: &Raw, out: &Raw, [batch, m, k, n]: [usize; 4]) -> bool {
    let (x, y) = (a.storage.slice::<f32>(), b.storage.slice::<f32>());
    let mut z = out.storage.slice_mut::<f32>();
    let matrix = |elements, raw: &Raw| Matrix { elements, row: raw.layout.strides[1], column: raw.layout.strides[2] };
    z.chunks_exact_mut(m * n).take(batch).enumerate().all(|(i, out)| {
        let (pa, pb) = (a.layout.offset + i * a.layout.strides[0], b.layout.offset + i * b.layout.strides[0]);
        lent([m, k, n], matrix(&x[pa..], a), matrix(&y[pb..], b), out)
    })
}

fn by_gemm<T: Element>(a: &Raw, b: &Raw, out: &Raw, [batch, m, k, n]: [usize; 4], zero: T, one: T) {
    let (x, y) = (a.storage.slice::<T>(), b.storage.slice::<T>());
    let mut z = out.storage.slice_mut::<T>();
    let (sa, sb) = (&a.layout.strides, &b.layout.strides);
    for i in 0..batch {
        let (pa, pb) = (a.layout.offset + i * sa[0], b.layout.offset + i * sb[0]);
        // One past the last element each matrix touches; slicing checks it once for all of gemm's reads and writes.
        let (ea, eb) = (pa + (m - 1) * sa[1] + (k - 1) * sa[2] + 1, pb + (k - 1) * sb[1] + (n - 1) * sb[2] + 1);
        let (xa, yb, zc) = (&x[pa..ea], &y[pb..eb], &mut z[i * m * n..(i + 1) * m * n]);
        // SAFETY: gemm reads `lhs[r * rs + c * cs]` for r < m, c < k (and likewise rhs, dst). The slices above were
        // bounds-checked to hold the largest of these places, strides are not negative, and dst is a borrow apart from
        // lhs and rhs (a fresh storage), so nothing aliases.
        unsafe {
            gemm::gemm(
                m,
                n,
                k,
                zc.as_mut_ptr(),
                1,
                n as isize,
                false,
                xa.as_ptr(),
                sa[2] as isize,
                sa[1] as isize,
                yb.as_ptr(),
                sb[2] as isize,
                sb[1] as isize,
                zero,
                one,
                false,
                false,
                false,
                gemm::Parallelism::None,
            );
        }
    }
}

fn plain<T: Element>(a: &Raw, b: &Raw, out: &Raw, [batch, m, k, n]: [usize; 4]) {
    let (x, y) = (a.storage.slice::<T>(), b.storage.slice::<T>());
    let mut z = out.storage.slice_mut::<T>();
    let (sa, sb) = (&a.layout.strides, &b.layout.strides);
    let float = T::DTYPE.is_float();
    for i in 0..batch {
        for r in 0..m {
            for c in 0..n {
                let terms = (0..k).map(|j| {
                    let p = x[a.layout.offset + i * sa[0] + r * sa[1] + j * sa[2]];
                    let q = y[b.layout.offset + i * sb[0] + j * sb[1] + c * sb[2]];
                    (p, q)
                });
                z[(i * m + r) * n + c] = if float {
                    // Half types are summed in float32 and rounded once, as PyTorch does.
                    let sum = terms.fold(0f32, |s, (p, q)| s + p.to_f64() as f32 * q.to_f64() as f32);
                    T::from_f64(sum as f64)
                } else {
                    T::from_i64(terms.fold(0i64, |s, (p, q)| s.wrapping_add(p.to_i64().wrapping_mul(q.to_i64()))))
                };
            }
        }
    }
}
