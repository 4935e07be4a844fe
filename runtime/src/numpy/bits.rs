//! Where NumPy's random bits come from: PCG64 seeded through `SeedSequence`, and the Mersenne Twister of old.

use rushlight_engine::random::Generator;

/// A source of random bits.
#[derive(Clone)]
pub enum Bits {
    /// `np.random.seed`, `RandomState`
    Twister(Box<Generator>),
    /// `default_rng`
    Pcg(Pcg64),
}

/// The generator behind `default_rng`: 128 bits of state, 64 of them given out a step.
#[derive(Clone)]
pub struct Pcg64 {
    state: u128,
    increment: u128,
    /// The half of a word that `u32` left.
    half: Option<u32>,
}

impl Pcg64 {
    fn new(seed: u128, sequence: u128) -> Self {
        let mut pcg = Pcg64 { state: 0, increment: (sequence << 1) | 1, half: None };
        pcg.step();
        pcg.state = pcg.state.wrapping_add(seed);
        pcg.step();
        pcg
    }
    fn step(&mut self) {
        const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }
    fn next(&mut self) -> u64 {
        self.step();
        let folded = (self.state >> 64) as u64 ^ self.state as u64;
        folded.rotate_right((self.state >> 122) as u32)
    }
}

impl Bits {
    /// PCG64 from the words of a `SeedSequence`.
    pub fn pcg(pool: &Pool) -> Self {
        let words = pool.words64(4);
        let join = |high: u64, low: u64| (u128::from(high) << 64) | u128::from(low);
        Bits::Pcg(Pcg64::new(join(words[0], words[1]), join(words[2], words[3])))
    }
    pub fn u32(&mut self) -> u32 {
        match self {
            Bits::Twister(twister) => twister.next_u32(),
            Bits::Pcg(pcg) => pcg.half.take().unwrap_or_else(|| {
                let word = pcg.next();
                pcg.half = Some((word >> 32) as u32);
                word as u32
            }),
        }
    }
    pub fn u64(&mut self) -> u64 {
        match self {
            Bits::Twister(twister) => twister.next_u64(),
            Bits::Pcg(pcg) => pcg.next(),
        }
    }
    /// A float64 in [0, 1) of 53 bits.
    pub fn f64(&mut self) -> f64 {
        const UNIT: f64 = 1.0 / (1u64 << 53) as f64;
        match self {
            Bits::Twister(twister) => {
                let (high, low) = (twister.next_u32() >> 5, twister.next_u32() >> 6);
                (f64::from(high) * 67_108_864.0 + f64::from(low)) * UNIT
            }
            Bits::Pcg(pcg) => (pcg.next() >> 11) as f64 * UNIT,
        }
    }
    /// A float32 in [0, 1) of 24 bits.
    pub fn f32(&mut self) -> f32 {
        (self.u32() >> 8) as f32 * (1.0 / (1u32 << 24) as f32)
    }
}

/// `SeedSequence`: seeds of any length, stirred into four words.
pub struct Pool([u32; 4]);

const MULTIPLY_IN: u32 = 0x931e_8875;
const MULTIPLY_OUT: u32 = 0x58f3_8ded;

fn hashed(value: u32, constant: &mut u32, multiplier: u32) -> u32 {
    let value = value ^ *constant;
    *constant = constant.wrapping_mul(multiplier);
    let value = value.wrapping_mul(*constant);
    value ^ (value >> 16)
}

fn mixed(x: u32, y: u32) -> u32 {
    let value = x.wrapping_mul(0xca01_f9dd).wrapping_sub(y.wrapping_mul(0x4973_f715));
    value ^ (value >> 16)
}

impl Pool {
    pub fn new(entropy: &[u32]) -> Self {
        let mut constant = 0x43b0_d7e5;
        let mut pool = [0; 4];
        for (i, word) in pool.iter_mut().enumerate() {
            *word = hashed(entropy.get(i).copied().unwrap_or(0), &mut constant, MULTIPLY_IN);
        }
        for from in 0..4 {
            for to in (0..4).filter(|to| *to != from) {
                pool[to] = mixed(pool[to], hashed(pool[from], &mut constant, MULTIPLY_IN));
            }
        }
        for word in entropy.iter().skip(4) {
            for to in &mut pool {
                *to = mixed(*to, hashed(*word, &mut constant, MULTIPLY_IN));
            }
        }
        Pool(pool)
    }
    /// `generate_state(n)`
    pub fn words(&self, n: usize) -> Vec<u32> {
        let mut constant = 0x8b51_f9dd;
        (0..n).map(|i| hashed(self.0[i % 4], &mut constant, MULTIPLY_OUT)).collect()
    }
    fn words64(&self, n: usize) -> Vec<u64> {
        let words = self.words(2 * n);
        words.chunks(2).map(|pair| u64::from(pair[0]) | (u64::from(pair[1]) << 32)).collect()
    }
}
