//! Steps of optimisers in one pass, with the roundings of the ops they are written in.

use crate::wide;

/// The numbers of one step of Adam.
#[derive(Debug, Clone, Copy)]
pub struct Adam {
    /// How far the mean moves towards the gradient.
    pub to_mean: f64,
    /// What stays of the mean square, and what comes to it.
    pub keep: f32,
    pub come: f32,
    /// Correction of the mean square's root, and what is added to it.
    pub root: f32,
    pub eps: f32,
    /// Factor of the step, negative.
    pub step: f32,
}

/// One step: the running means `ms` of the gradient and `vs` of its square move, and the parameters `ps` with them.
#[inline(never)]
pub fn adam(ps: &mut [f32], gs: &[f32], ms: &mut [f32], vs: &mut [f32], a: &Adam) {
    // As `lerp`: from the nearer end.
    let (near, weight) =
        if a.to_mean.abs() < 0.5 { (true, a.to_mean as f32) } else { (false, (1.0 - a.to_mean) as f32) };
    let Adam { keep, come, root, eps, step, .. } = *a;
    wide(|| {
        for ((p, &g), (m, v)) in ps.iter_mut().zip(gs).zip(ms.iter_mut().zip(vs)) {
            let span = (g - *m) * weight;
            *m = if near { *m + span } else { g - span };
            *v = *v * keep + g * come * g;
            *p += *m * step / (v.sqrt() / root + eps);
        }
    });
}

/// `xs += alpha * ys`
#[inline(never)]
pub fn add_scaled(xs: &mut [f32], ys: &[f32], alpha: f32) {
    wide(|| xs.iter_mut().zip(ys).for_each(|(x, &y)| *x += y * alpha));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, for one parameter: the first step of Adam moves by the learning rate against the gradient's sign.
    #[test]
    fn the_first_step_has_the_size_of_the_learning_rate() {
        for n in [1, 3, 4, 7, 8, 33] {
            let (mut p, g, mut m, mut v) = (vec![1.0; n], vec![0.5; n], vec![0.0; n], vec![0.0; n]);
            let (b1, b2) = (0.9f64, 0.999f64);
            let numbers = Adam {
                to_mean: 1.0 - b1,
                keep: b2 as f32,
                come: (1.0 - b2) as f32,
                root: (1.0 - b2).sqrt() as f32,
                eps: 1e-8,
                step: (-0.01 / (1.0 - b1)) as f32,
            };
            adam(&mut p, &g, &mut m, &mut v, &numbers);
            assert!(p.iter().all(|p| (p - 0.99).abs() < 1e-6), "{p:?}");
            assert!(m.iter().all(|m| (m - 0.05).abs() < 1e-7) && v.iter().all(|v| (v - 0.00025).abs() < 1e-8));
        }
    }
}
