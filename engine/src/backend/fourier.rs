//! The discrete Fourier transform of one line of complex numbers, in float64: radix 2, by definition where the length is
//! small, and Bluestein's algorithm for other lengths.

/// Real and imaginary part.
pub type Pair = (f64, f64);

fn times(a: Pair, b: Pair) -> Pair {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

/// `exp(-2 pi i k / n)`, exact in every eighth of the circle where the value is.
fn root(k: usize, n: usize) -> Pair {
    let (k, n) = ((k % n) as u128, n as u128);
    let (quarter, rest) = (4 * k / n, 4 * k % n);
    // Of a part of a quarter; a third of it has the sine 1/2.
    let angle = |part: u128| std::f64::consts::FRAC_PI_2 * part as f64 / n as f64;
    let sine = |part: u128| if 3 * part == n { 0.5 } else { angle(part).sin() };
    let (c, s) = if 2 * rest <= n { (angle(rest).cos(), sine(rest)) } else { (sine(n - rest), angle(n - rest).cos()) };
    match quarter {
        0 => (c, -s),
        1 => (-s, -c),
        2 => (-c, s),
        _ => (s, c),
    }
}

/// The transform of lines of one length; without scaling.
pub struct Plan {
    n: usize,
    /// The n-th roots of one, for the direct sum and for radix 2.
    roots: Vec<Pair>,
    bluestein: Option<Box<Bluestein>>,
}

struct Bluestein {
    inner: Plan,
    chirp: Vec<Pair>,
    /// The transform of the conjugate chirp.
    filter: Vec<Pair>,
}

/// Up to this length a sum over all pairs is as good as anything.
const DIRECT: usize = 32;

impl Plan {
    pub fn new(n: usize) -> Plan {
        if n.is_power_of_two() || n <= DIRECT {
            return Plan { n, roots: (0..n).map(|k| root(k, n)).collect(), bluestein: None };
        }
        let size = (2 * n - 1).next_power_of_two();
        // The square is taken modulo 2n, where it stays exact.
        let chirp: Vec<Pair> =
            (0..n).map(|k| root((k as u128 * k as u128 % (2 * n) as u128) as usize, 2 * n)).collect();
        let inner = Plan::new(size);
        let mut filter = vec![(0.0, 0.0); size];
        for (k, &(re, im)) in chirp.iter().enumerate() {
            filter[k] = (re, -im);
            if k > 0 {
                filter[size - k] = (re, -im);
            }
        }
        inner.forward(&mut filter);
        Plan { n, roots: vec![], bluestein: Some(Box::new(Bluestein { inner, chirp, filter })) }
    }

    /// `out[k] = sum_j line[j] exp(-2 pi i j k / n)`, in place.
    pub fn forward(&self, line: &mut [Pair]) {
        let n = self.n;
        if n <= 1 {
            return;
        }
        if let Some(b) = &self.bluestein {
            let mut wide = vec![(0.0, 0.0); b.filter.len()];
            for (w, (&x, &c)) in wide.iter_mut().zip(line.iter().zip(&b.chirp)) {
                *w = times(x, c);
            }
            b.inner.forward(&mut wide);
            // The inverse transform is the forward one between conjugations.
            for (w, &f) in wide.iter_mut().zip(&b.filter) {
                let p = times(*w, f);
                *w = (p.0, -p.1);
            }
            b.inner.forward(&mut wide);
            let scale = 1.0 / wide.len() as f64;
            for (x, (&w, &c)) in line.iter_mut().zip(wide.iter().zip(&b.chirp)) {
                *x = times((w.0 * scale, -w.1 * scale), c);
            }
            return;
        }
        if n.is_power_of_two() {
            return self.radix_two(line);
        }
        let out: Vec<Pair> = (0..n)
            .map(|k| {
                line.iter().enumerate().fold((0.0, 0.0), |sum: Pair, (j, &x)| {
                    let p = times(x, self.roots[j * k % n]);
                    (sum.0 + p.0, sum.1 + p.1)
                })
            })
            .collect();
        line.copy_from_slice(&out);
    }

    fn radix_two(&self, line: &mut [Pair]) {
        let n = self.n;
        let bits = n.trailing_zeros();
        for i in 0..n {
            let j = i.reverse_bits() >> (usize::BITS - bits);
            if i < j {
                line.swap(i, j);
            }
        }
        let mut half = 1;
        while half < n {
            let step = n / (2 * half);
            for block in line.chunks_mut(2 * half) {
                let (a, b) = block.split_at_mut(half);
                for (k, (x, y)) in a.iter_mut().zip(b).enumerate() {
                    let t = times(*y, self.roots[k * step]);
                    *y = (x.0 - t.0, x.1 - t.1);
                    *x = (x.0 + t.0, x.1 + t.1);
                }
            }
            half *= 2;
        }
    }
}
