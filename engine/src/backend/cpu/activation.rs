//! The activations' formulas, in float64.

use super::special::erfc;
use crate::backend::UnaryOp;

/// One activation's value. NaN in, NaN out.
pub fn value(op: UnaryOp, x: f64) -> f64 {
    use UnaryOp::*;
    match op {
        _ if x.is_nan() => x,
        Step { at, below, above } => {
            if x <= at {
                below
            } else {
                above
            }
        }
        LeakyRelu(slope) => {
            if x > 0.0 {
                x
            } else {
                x * slope
            }
        }
        Elu { alpha, scale, inner } => {
            if x > 0.0 {
                scale * x
            } else {
                scale * alpha * (x * inner).exp_m1()
            }
        }
        Gelu => 0.5 * x * erfc(-x * std::f64::consts::FRAC_1_SQRT_2),
        GeluTanh => {
            let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
            0.5 * x * (1.0 + inner.tanh())
        }
        Silu => x / (1.0 + (-x).exp()),
        Mish => x * softplus(x).tanh(),
        Softplus { beta, threshold } => {
            if x * beta > threshold {
                x
            } else {
                (x * beta).exp().ln_1p() / beta
            }
        }
        LogSigmoid => x.min(0.0) - (-x.abs()).exp().ln_1p(),
        Hardtanh { low, high } => x.max(low).min(high),
        Hardsigmoid => (x + 3.0).clamp(0.0, 6.0) / 6.0,
        Hardswish => x * (x + 3.0).clamp(0.0, 6.0) / 6.0,
        Softshrink(l) => {
            if x > l {
                x - l
            } else if x < -l {
                x + l
            } else {
                0.0
            }
        }
        Hardshrink(l) => {
            if x >= -l && x <= l {
                0.0
            } else {
                x
            }
        }
        Threshold { at, value } => {
            if x <= at {
                value
            } else {
                x
            }
        }
        _ => f64::NAN,
    }
}

fn softplus(x: f64) -> f64 {
    if x > 30.0 { x } else { x.exp().ln_1p() }
}
