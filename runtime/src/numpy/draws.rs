//! How NumPy makes numbers of random bits, draw by draw as it does: the streams depend on each step.

use super::bits::Bits;
use super::tables::*;

/// A source of bits and what its draws keep from one call to the next.
#[derive(Clone)]
pub struct Draws {
    pub bits: Bits,
    /// The second normal of a pair (the old streams only).
    pub second: Option<f64>,
}

/// Where the normal ziggurat's tail begins.
const NORMAL_TAIL: f64 = 3.654_152_885_361_009;
const EXPONENTIAL_TAIL: f64 = 7.697_117_470_131_05;

impl Draws {
    fn is_old(&self) -> bool {
        matches!(self.bits, Bits::Twister(_))
    }

    /// A standard normal: the polar method in the old streams, a ziggurat in the new.
    pub fn normal(&mut self) -> f64 {
        if self.is_old() { self.polar() } else { self.ziggurat() }
    }

    fn polar(&mut self) -> f64 {
        if let Some(second) = self.second.take() {
            return second;
        }
        loop {
            let x = 2.0 * self.bits.f64() - 1.0;
            let y = 2.0 * self.bits.f64() - 1.0;
            let square = x * x + y * y;
            if square < 1.0 && square != 0.0 {
                let scale = (-2.0 * square.ln() / square).sqrt();
                self.second = Some(scale * x);
                return scale * y;
            }
        }
    }

    fn ziggurat(&mut self) -> f64 {
        loop {
            let word = self.bits.u64();
            let layer = (word & 0xff) as usize;
            let (sign, inside) = ((word >> 8) & 1 == 1, (word >> 9) & 0x000f_ffff_ffff_ffff);
            let x = inside as f64 * f64::from_bits(NORMAL_W[layer]);
            let signed = |x: f64| if sign { -x } else { x };
            if inside < NORMAL_K[layer] {
                return signed(x);
            }
            if layer == 0 {
                loop {
                    let xx = -(1.0 / NORMAL_TAIL) * (-self.bits.f64()).ln_1p();
                    let yy = -(-self.bits.f64()).ln_1p();
                    if yy + yy > xx * xx {
                        return if (inside >> 8) & 1 == 1 { -(NORMAL_TAIL + xx) } else { NORMAL_TAIL + xx };
                    }
                }
            }
            let (above, here) = (f64::from_bits(NORMAL_F[layer - 1]), f64::from_bits(NORMAL_F[layer]));
            if (above - here) * self.bits.f64() + here < (-0.5 * x * x).exp() {
                return signed(x);
            }
        }
    }

    /// A standard normal in float32.
    pub fn normal_f32(&mut self) -> f32 {
        const TAIL: f32 = NORMAL_TAIL as f32;
        loop {
            let word = self.bits.u32();
            let layer = (word & 0xff) as usize;
            let (sign, inside) = ((word >> 8) & 1 == 1, (word >> 9) & 0x007f_ffff);
            let x = inside as f32 * f32::from_bits(NORMAL32_W[layer]);
            let signed = |x: f32| if sign { -x } else { x };
            if inside < NORMAL32_K[layer] {
                return signed(x);
            }
            if layer == 0 {
                loop {
                    let xx = -(1.0 / TAIL) * (-self.bits.f32()).ln_1p();
                    let yy = -(-self.bits.f32()).ln_1p();
                    if yy + yy > xx * xx {
                        return if (inside >> 8) & 1 == 1 { -(TAIL + xx) } else { TAIL + xx };
                    }
                }
            }
            let (above, here) = (f32::from_bits(NORMAL32_F[layer - 1]), f32::from_bits(NORMAL32_F[layer]));
            if f64::from((above - here) * self.bits.f32() + here) < (-0.5 * f64::from(x) * f64::from(x)).exp() {
                return signed(x);
            }
        }
    }

    /// A standard exponential.
    pub fn exponential(&mut self) -> f64 {
        if self.is_old() {
            return -(1.0 - self.bits.f64()).ln();
        }
        loop {
            let word = self.bits.u64() >> 3;
            let layer = (word & 0xff) as usize;
            let inside = word >> 8;
            let x = inside as f64 * f64::from_bits(EXPONENTIAL_W[layer]);
            if inside < EXPONENTIAL_K[layer] {
                return x;
            }
            if layer == 0 {
                return EXPONENTIAL_TAIL - (-self.bits.f64()).ln_1p();
            }
            let (above, here) = (f64::from_bits(EXPONENTIAL_F[layer - 1]), f64::from_bits(EXPONENTIAL_F[layer]));
            if (above - here) * self.bits.f64() + here < (-x).exp() {
                return x;
            }
        }
    }

    /// Up to and with `max`, by rejecting what a mask lets through: shuffles of the old streams.
    pub fn interval(&mut self, max: u64) -> u64 {
        if max == 0 {
            return 0;
        }
        let mask = u64::MAX >> max.leading_zeros();
        loop {
            let word = if max <= u64::from(u32::MAX) { u64::from(self.bits.u32()) } else { self.bits.u64() };
            if word & mask <= max {
                return word & mask;
            }
        }
    }

    /// Up to and with `range`: by a mask in the old streams, by multiplication in the new.
    pub fn bounded(&mut self, range: u64) -> u64 {
        if range == 0 {
            return 0;
        }
        if range == u64::MAX {
            return self.bits.u64();
        }
        if range == u64::from(u32::MAX) {
            return u64::from(self.bits.u32());
        }
        if self.is_old() {
            return self.interval(range);
        }
        let n = range + 1;
        if range < u64::from(u32::MAX) {
            let mut product = u64::from(self.bits.u32()) * n;
            if (product as u32 as u64) < n {
                let threshold = (u64::from(u32::MAX) - range) % n;
                while (product as u32 as u64) < threshold {
                    product = u64::from(self.bits.u32()) * n;
                }
            }
            return product >> 32;
        }
        let mut product = u128::from(self.bits.u64()) * u128::from(n);
        if (product as u64) < n {
            let threshold = (u64::MAX - range) % n;
            while (product as u64) < threshold {
                product = u128::from(self.bits.u64()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }

    /// `n` integers up to and with `range` for a dtype of `width` bits: several of the narrow ones share a word.
    pub fn fill_bounded(&mut self, range: u64, width: u32, n: usize) -> Vec<u64> {
        if width >= 32 {
            return (0..n).map(|_| self.bounded(range)).collect();
        }
        if range == 0 {
            return vec![0; n];
        }
        let (mut word, mut left) = (0u32, 0u32);
        let mut next = |draws: &mut Self| {
            if left == 0 {
                word = draws.bits.u32();
                left = 32 / width - 1;
            } else {
                word >>= width;
                left -= 1;
            }
            u64::from(word) & ((1 << width) - 1)
        };
        let full = (1u64 << width) - 1;
        let mut out = Vec::with_capacity(n);
        for _ in 0..n {
            out.push(if width == 1 || range >= full {
                next(self)
            } else if self.is_old() {
                let mask = u64::MAX >> range.leading_zeros();
                loop {
                    let value = next(self) & mask;
                    if value <= range {
                        break value;
                    }
                }
            } else {
                let count = range + 1;
                let mut product = next(self) * count;
                if product & full < count {
                    let threshold = (full - range) % count;
                    while product & full < threshold {
                        product = next(self) * count;
                    }
                }
                product >> width
            });
        }
        out
    }

    /// The order in which a shuffle leaves `n` things.
    pub fn order(&mut self, n: usize) -> Vec<i64> {
        self.swapped(n, 1, Self::interval)
    }

    /// Swaps from the last to `first`, each with one that `pick` chooses.
    fn swapped(&mut self, n: usize, first: usize, pick: fn(&mut Self, u64) -> u64) -> Vec<i64> {
        let mut order: Vec<i64> = (0..n as i64).collect();
        for i in (first.max(1)..n).rev() {
            let j = pick(self, i as u64) as usize;
            order.swap(i, j.min(i));
        }
        order
    }

    /// `size` different numbers below `n` (`Generator.choice(replace=False)`).
    pub fn sample(&mut self, n: usize, size: usize, shuffle: bool) -> Vec<i64> {
        let cutoff = if shuffle { 50 } else { 20 };
        if n > 10_000 && size > n / cutoff {
            let order = self.swapped(n, n.saturating_sub(size).max(1), Self::bounded);
            return order.into_iter().skip(n.saturating_sub(size)).collect();
        }
        let mut seen = std::collections::HashSet::new();
        let mut out = Vec::with_capacity(size);
        for j in n.saturating_sub(size)..n {
            let value = self.bounded(j as u64);
            let value = if seen.insert(value) { value } else { j as u64 };
            seen.insert(value);
            out.push(value as i64);
        }
        if shuffle {
            let order = self.swapped(size, 1, Self::bounded);
            out = order.into_iter().filter_map(|i| out.get(i as usize).copied()).collect();
        }
        out
    }
}
