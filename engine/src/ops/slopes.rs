//! How gamma and Dirichlet draws move with their concentrations: the approximations that PyTorch takes.

use crate::backend::digamma;

/// How a gamma draw `x` moves with its concentration.
pub(super) fn gamma_slope(alpha: f64, x: f64) -> f64 {
    if x < 0.8 {
        // Taylor series of the distribution function.
        let (mut top, mut bottom) = (1.0, alpha);
        let (mut first, mut second) = (1.0 / bottom, 1.0 / (bottom * bottom));
        for i in 1..=5 {
            top *= -x / i as f64;
            bottom += 1.0;
            first += top / bottom;
            second += top / (bottom * bottom);
        }
        let power = x.powf(alpha);
        let density = x.powf(alpha - 1.0) * (-x).exp();
        let slope = (x.ln() - digamma(alpha)) * power * first - power * second;
        let result = -slope / density;
        return if result.is_nan() { 0.0 } else { result };
    }
    if alpha > 8.0 {
        // Rice's saddle point expansion.
        if 0.9 * alpha <= x && x <= 1.1 * alpha {
            let a = 1.0 + 24.0 * alpha * (1.0 + 12.0 * alpha);
            let b = 1440.0 * alpha * alpha + 6.0 * x * (53.0 - 120.0 * x) - 65.0 * x * x / alpha
                + alpha * (107.0 + 3600.0 * x);
            return a * b / (1_244_160.0 * alpha.powi(4));
        }
        let root = (8.0 * alpha).sqrt();
        let log = (x / alpha).ln();
        let near = root / (alpha - x);
        let far = (x - alpha - alpha * log).powf(-1.5);
        let both = if x < alpha { near - far } else { near + far };
        let inner = log * both - (2.0 / alpha).sqrt() * (alpha + x) / ((alpha - x) * (alpha - x));
        let stirling = 1.0 + 1.0 / (12.0 * alpha) * (1.0 + 1.0 / (24.0 * alpha));
        return -stirling * x * inner / root;
    }
    // A rational function in two variables, fitted.
    const FIT: [[f64; 8]; 3] = [
        [0.16009398, -0.094634809, 0.025146376, -0.0030648343, 1.0, 0.32668115, 0.10406089, 0.0014179084],
        [0.53487893, 0.1298071, 0.065735949, -0.0015649758, 0.16639465, 0.020070113, -0.0035938915, -0.00058392623],
        [
            0.040121004,
            -0.0065914022,
            -0.0026286047,
            -0.0013441777,
            0.017050642,
            -0.0021309326,
            0.00085092367,
            -1.5247877e-07,
        ],
    ];
    let (u, v) = ((x / alpha).ln(), alpha.ln());
    let c = |i: usize| FIT[0][i] + u * (FIT[1][i] + u * FIT[2][i]);
    let cubic = |i: usize| c(i) + v * (c(i + 1) + v * (c(i + 2) + v * c(i + 3)));
    (cubic(0) / cubic(4)).exp()
}

/// How a share `x` of a Dirichlet draw moves with its own concentration (and the total with it).
pub(super) fn dirichlet_slope(x: f64, alpha: f64, total: f64) -> f64 {
    let beta = total - alpha;
    let edge = total * x * (1.0 - x);
    if x <= 0.5 && edge < 2.5 {
        return beta_slope_near_zero(x, alpha, beta);
    }
    if x >= 0.5 && edge < 0.75 {
        return -beta_slope_near_one(1.0 - x, beta, alpha);
    }
    if alpha > 6.0 && beta > 6.0 {
        return beta_slope_middle(x, alpha, beta);
    }
    // A rational correction to an analytic approximation, fitted.
    const P: [[[f64; 4]; 3]; 3] = [
        [
            [1.003668233, -0.01061107488, -0.0657888334, 0.01201642863],
            [0.6336835991, -0.3557432599, 0.05486251648, -0.001465281033],
            [-0.03276231906, 0.004474107445, 0.002429354597, -0.0001557569013],
        ],
        [
            [0.221950385, -0.3187676331, 0.01799915743, 0.01074823814],
            [-0.2951249643, 0.06219954479, 0.01535556598, 0.001550077057],
            [0.02155310298, 0.004170831599, 0.001292462449, 6.976601077e-05],
        ],
        [
            [-0.05980841433, 0.008441916499, 0.01085618172, 0.002319392565],
            [0.02911413504, 0.01400243777, -0.002721828457, 0.000751041181],
            [0.005900514878, -0.001936558688, -9.495446725e-06, 5.385558597e-05],
        ],
    ];
    const Q: [[[f64; 4]; 3]; 3] = [
        [
            [1.0, -0.02924021934, -0.04438342661, 0.007285809825],
            [0.6357567472, -0.3473456711, 0.05454656494, -0.002407477521],
            [-0.03301322327, 0.004845219414, 0.00231480583, -0.0002307248149],
        ],
        [
            [0.5925320577, -0.1757678135, 0.01505928619, 0.000564515273],
            [0.1014815858, -0.06589186703, 0.01272886114, -0.0007316646956],
            [-0.007258481865, 0.001096195486, 0.0003934994223, -4.12701925e-05],
        ],
        [
            [0.06469649321, -0.0236701437, 0.002902096474, -5.896963079e-05],
            [0.001925008108, -0.002869809258, 0.0008000589141, -6.063713228e-05],
            [-0.0003477407336, 6.959756487e-05, 1.097287507e-05, -1.650964693e-06],
        ],
    ];
    let u = x.ln();
    let a = alpha.ln() - u;
    let b = total.ln() - a;
    let value = |table: &[[[f64; 4]; 3]; 3]| -> f64 {
        let row = |r: &[[f64; 4]; 3]| -> f64 {
            (0..3).map(|j| a.powi(j as i32) * (r[j][0] + b * (r[j][1] + b * (r[j][2] + b * r[j][3])))).sum()
        };
        (0..3).map(|i| u.powi(i as i32) * row(&table[i])).sum()
    };
    value(&P) / value(&Q) * x * (digamma(total) - digamma(alpha)) / beta
}

fn beta_slope_near_zero(x: f64, alpha: f64, beta: f64) -> f64 {
    let factor = digamma(alpha) - digamma(alpha + beta) - x.ln();
    let mut top = 1.0;
    let mut series = 1.0 / alpha * (factor + 1.0 / alpha);
    for i in 1..=10 {
        let i = i as f64;
        top *= (i - beta) * x / i;
        series += top / (alpha + i) * (factor + 1.0 / (alpha + i));
    }
    let result = x * (1.0 - x).powf(-beta) * series;
    if result.is_nan() { 0.0 } else { result }
}

fn beta_slope_near_one(x: f64, alpha: f64, beta: f64) -> f64 {
    let factor = digamma(alpha + beta) - digamma(beta);
    let (mut top, mut betas, mut slopes) = (1.0, 1.0, 0.0);
    let mut series = factor / alpha;
    for i in 1..=8 {
        let i = i as f64;
        top *= -x / i;
        slopes = slopes * (beta - i) + betas;
        betas *= beta - i;
        series += top / (alpha + i) * (slopes + factor * betas);
    }
    let result = -(1.0 - x).powf(1.0 - beta) * series;
    if result.is_nan() { 0.0 } else { result }
}

fn beta_slope_middle(x: f64, alpha: f64, beta: f64) -> f64 {
    let total = alpha + beta;
    let mean = alpha / total;
    let std = (alpha * beta / (total + 1.0)).sqrt() / total;
    if mean - 0.1 * std <= x && x <= mean + 0.1 * std {
        let poly = 47.0 * x * beta.powi(4)
            + alpha
                * ((43.0 + 20.0 * (16.0 + 27.0 * beta) * x) * beta.powi(3)
                    + alpha
                        * (3.0 * (59.0 + 180.0 * beta - 90.0 * x) * beta.powi(2)
                            + alpha
                                * ((453.0 + 1620.0 * beta * (1.0 - x) - 455.0 * x) * beta
                                    + alpha * (8.0 * (1.0 - x) * (135.0 * beta - 11.0)))));
        let top = (1.0 + 12.0 * alpha) * (1.0 + 12.0 * beta) / (total * total);
        let bottom = 12960.0 * alpha.powi(3) * beta.powi(2) * (1.0 + 12.0 * total);
        return top / (1.0 - x) * poly / bottom;
    }
    let stirling = |v: f64| 1.0 + 1.0 / (12.0 * v) + 1.0 / (288.0 * v * v);
    let off = alpha * (x - 1.0) + beta * x;
    let first = (2.0 * alpha * alpha * (x - 1.0) + alpha * beta * (x - 1.0) - x * beta * beta)
        / ((2.0 * alpha / beta).sqrt() * total.powf(1.5) * off * off);
    let half_log = 0.5 * (alpha / (total * x)).ln();
    let near = (8.0 * alpha * beta / total).sqrt() / off;
    let far = (beta * (beta / (total * (1.0 - x))).ln() + alpha * (alpha / (total * x)).ln()).powf(-1.5);
    let inner = first + half_log * (near + if x < mean { far } else { -far });
    stirling(alpha) * stirling(beta) / stirling(total) * (-x / (2.0 * alpha * beta / total).sqrt()) * inner
}
