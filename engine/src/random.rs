//! PyTorch's CPU random generator, bit for bit: the Mersenne Twister mt19937, and how draws are made of it.

const N: usize = 624;
const M: usize = 397;

/// `torch.Generator`: mt19937 with PyTorch's seeding, plus the cached second normal of a Box-Muller pair.
#[derive(Clone)]
pub struct Generator {
    seed: u64,
    state: [u32; N],
    next: usize,
    /// The second normal of the last pair drawn one by one, in double precision.
    pub next_normal_f64: Option<f64>,
}

impl Generator {
    /// Seeded as `torch.manual_seed(seed)` seeds: by the low 32 bits.
    pub fn new(seed: u64) -> Self {
        let mut state = [0u32; N];
        state[0] = seed as u32;
        for i in 1..N {
            let prev = state[i - 1];
            state[i] = 1812433253u32.wrapping_mul(prev ^ (prev >> 30)).wrapping_add(i as u32);
        }
        Generator { seed, state, next: N, next_normal_f64: None }
    }
    /// Seeded by words of any number, as the twister's authors do it (NumPy's `seed([1, 2])`).
    pub fn from_words(words: &[u32]) -> Self {
        let mut new = Generator::new(19_650_218);
        let (mut i, mut j) = (1, 0);
        let turn = |state: &mut [u32; N], i: &mut usize, factor: u32, plus: u32, minus: u32| {
            let prev = state[*i - 1];
            state[*i] = (state[*i] ^ (prev ^ (prev >> 30)).wrapping_mul(factor)).wrapping_add(plus).wrapping_sub(minus);
            *i += 1;
            if *i >= N {
                state[0] = state[N - 1];
                *i = 1;
            }
        };
        if !words.is_empty() {
            for _ in 0..N.max(words.len()) {
                let plus = words[j].wrapping_add(j as u32);
                turn(&mut new.state, &mut i, 1_664_525, plus, 0);
                j = (j + 1) % words.len();
            }
        }
        for _ in 0..N - 1 {
            let minus = i as u32;
            turn(&mut new.state, &mut i, 1_566_083_941, 0, minus);
        }
        new.state[0] = 0x8000_0000;
        new
    }
    /// The words of the state and the number of the next one.
    pub fn words(&self) -> (&[u32], usize) {
        (&self.state, self.next)
    }
    /// Go on from such words; `None` where they are none.
    pub fn from_state_words(words: &[u32], next: usize) -> Option<Self> {
        let state = <[u32; N]>::try_from(words).ok()?;
        (next <= N).then_some(Generator { seed: 0, state, next, next_normal_f64: None })
    }
    /// `initial_seed()`
    pub fn seed(&self) -> u64 {
        self.seed
    }
    fn refill(&mut self) {
        for i in 0..N {
            let y = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % N] & 0x7fff_ffff);
            let mut v = self.state[(i + M) % N] ^ (y >> 1);
            if y & 1 != 0 {
                v ^= 0x9908_b0df;
            }
            self.state[i] = v;
        }
        self.next = 0;
    }
    /// 32 random bits.
    pub fn next_u32(&mut self) -> u32 {
        if self.next >= N {
            self.refill();
        }
        let mut y = self.state[self.next];
        self.next += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }
    /// 64 random bits: the first draw is the high half.
    pub fn next_u64(&mut self) -> u64 {
        let high = self.next_u32() as u64;
        let low = self.next_u32() as u64;
        (high << 32) | low
    }
}

thread_local! {
    static DEFAULT: std::rc::Rc<std::cell::RefCell<Generator>> =
        std::rc::Rc::new(std::cell::RefCell::new(Generator::new(DEFAULT_SEED)));
}

/// The seed of a generator nobody seeded.
pub const DEFAULT_SEED: u64 = 67_280_421_310_721;

/// `torch.default_generator`: the one ops draw from when they are given none.
pub fn default_generator() -> std::rc::Rc<std::cell::RefCell<Generator>> {
    DEFAULT.with(std::rc::Rc::clone)
}

/// Size of a state as PyTorch saves it.
pub const STATE_BYTES: usize = 5056;

impl Generator {
    /// The state in the bytes of `torch.get_rng_state()`: seed, draws left in the block, a mark, the next word's number,
    /// the words in 64 bits each, the cached normal.
    pub fn state_bytes(&self) -> Vec<u8> {
        let fresh = self.next >= N && self.state[0] == self.seed as u32;
        let next = if fresh { 0 } else { self.next };
        let left = if self.next >= N { 1 } else { N + 1 - self.next };
        let mut out = Vec::with_capacity(STATE_BYTES);
        out.extend(self.seed.to_le_bytes());
        out.extend((left as i32).to_le_bytes());
        out.extend(1i32.to_le_bytes());
        out.extend((next as u64).to_le_bytes());
        out.extend(self.state.iter().flat_map(|&w| (w as u64).to_le_bytes()));
        out.extend(0f64.to_le_bytes());
        out.extend(self.next_normal_f64.unwrap_or(0.0).to_le_bytes());
        out.extend(0f64.to_le_bytes());
        out.extend(i32::from(self.next_normal_f64.is_some()).to_le_bytes());
        out.resize(STATE_BYTES, 0);
        out
    }

    /// A generator from such bytes; `None` where they are not a state.
    pub fn from_state_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != STATE_BYTES {
            return None;
        }
        let word = |at: usize| bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes);
        let head = word(8)?;
        let (left, seeded) = (head as u32, (head >> 32) as u32);
        let next = word(16)?;
        if seeded == 0 || left == 0 || left as usize > N || next as usize > N {
            return None;
        }
        let mut state = [0u32; N];
        for (i, s) in state.iter_mut().enumerate() {
            *s = word(24 + 8 * i)? as u32;
        }
        let at = 24 + 8 * N;
        let cached = (word(at + 24)? as u32 == 1).then_some(f64::from_bits(word(at + 8)?));
        let next = if left == 1 { N } else { next as usize };
        Some(Generator { seed: word(0)?, state, next, next_normal_f64: cached })
    }

    /// A float64 in [0, 1) of 53 random bits.
    pub fn uniform_f64(&mut self) -> f64 {
        (self.next_u64() & ((1 << 53) - 1)) as f64 * (1.0 / (1u64 << 53) as f64)
    }
    /// A float32 in [0, 1) of 24 random bits.
    pub fn uniform_f32(&mut self) -> f32 {
        (self.next_u32() & ((1 << 24) - 1)) as f32 * (1.0 / (1u32 << 24) as f32)
    }
    /// A normal, one of a Box-Muller pair in float64; the other is kept for the next call.
    pub fn normal_f64(&mut self) -> f64 {
        if let Some(second) = self.next_normal_f64.take() {
            return second;
        }
        let (u1, u2) = (self.uniform_f64(), self.uniform_f64());
        let r = (-2.0 * (-u2).ln_1p()).sqrt();
        let theta = 2.0 * std::f64::consts::PI * u1;
        self.next_normal_f64 = Some(r * theta.sin());
        r * theta.cos()
    }
    /// An integer below `range` (0 means 2^64), by remainder: 64 bits are drawn for ranges from 2^28 on.
    pub fn below(&mut self, range: u64) -> u64 {
        match range {
            0 => self.next_u64(),
            r if r >= 1 << 28 => self.next_u64() % r,
            r => self.next_u32() as u64 % r,
        }
    }

    /// At least 16 normals in float32, as PyTorch's vector code makes them: uniforms first, turned into normals in
    /// groups of sixteen; the last sixteen are drawn again when the number is not a multiple of sixteen.
    pub fn fill_normal_f32(&mut self, out: &mut [f32], mean: f32, std: f32) {
        self.fill_in_sixteens(out, Self::uniform_f32, |group| normals_f32(group, mean, std));
    }
    /// The same in float64.
    pub fn fill_normal_f64(&mut self, out: &mut [f64], mean: f64, std: f64) {
        self.fill_in_sixteens(out, Self::uniform_f64, |group| {
            let (a, b) = group.split_at_mut(8);
            for (x, y) in a.iter_mut().zip(b) {
                let radius = (-2.0 * (1.0 - *x).ln()).sqrt();
                let theta = 2.0 * std::f64::consts::PI * *y;
                (*x, *y) = ((radius * theta.cos()).mul_add(std, mean), (radius * theta.sin()).mul_add(std, mean));
            }
        });
    }

    fn fill_in_sixteens<T>(&mut self, out: &mut [T], draw: fn(&mut Self) -> T, group: impl Fn(&mut [T; 16])) {
        for v in out.iter_mut() {
            *v = draw(self);
        }
        out.as_chunks_mut::<16>().0.iter_mut().for_each(&group);
        if !out.len().is_multiple_of(16)
            && let Some(tail) = out.last_chunk_mut::<16>()
        {
            for v in tail.iter_mut() {
                *v = draw(self);
            }
            group(tail);
        }
    }
}

/// Eight pairs: cosines of the first halves' radii before sines of the second.
fn normals_f32(group: &mut [f32; 16], mean: f32, std: f32) {
    let (a, b) = group.split_at_mut(8);
    for (x, y) in a.iter_mut().zip(b) {
        let radius = (-2.0 * log_f32(1.0 - *x)).sqrt();
        let (sin, cos) = sin_cos_f32(2.0 * std::f32::consts::PI * *y);
        *x = (radius * cos).mul_add(std, mean);
        *y = (radius * sin).mul_add(std, mean);
    }
}

/// Natural logarithm by the Cephes polynomial, with the fused steps of PyTorch's vector code: the bits of `randn` come
/// from it.
#[allow(clippy::excessive_precision)]
fn log_f32(x: f32) -> f32 {
    const P: [f32; 9] = [
        7.0376836292e-2,
        -1.1514610310e-1,
        1.1676998740e-1,
        -1.2420140846e-1,
        1.4249322787e-1,
        -1.6668057665e-1,
        2.0000714765e-1,
        -2.4999993993e-1,
        3.3333331174e-1,
    ];
    let bits = x.max(f32::MIN_POSITIVE).to_bits();
    let mut e = (bits >> 23) as i32 as f32 - 127.0 + 1.0;
    let m = f32::from_bits((bits & 0x007f_ffff) | 0.5f32.to_bits());
    let mut x = m - 1.0;
    if m < std::f32::consts::FRAC_1_SQRT_2 {
        e -= 1.0;
        x += m;
    }
    let z = x * x;
    let mut y = P[0];
    for p in &P[1..] {
        y = y.mul_add(x, *p);
    }
    y *= x;
    y = y.mul_add(z, e * -2.12194440e-4);
    y = z.mul_add(-0.5, y);
    e.mul_add(0.693_359_375, x + y)
}

/// Sine and cosine by the Cephes polynomials, as [`log_f32`].
#[allow(clippy::excessive_precision)]
fn sin_cos_f32(x: f32) -> (f32, f32) {
    let j = ((x * 1.27323954473516) as i32 + 1) & !1;
    let y = j as f32;
    let x = y.mul_add(-0.785_156_25, x);
    let x = y.mul_add(-2.4187564849853515625e-4, x);
    let x = y.mul_add(-3.77489497744594108e-8, x);
    let z = x * x;
    let c = 2.443315711809948e-5f32.mul_add(z, -1.388731625493765e-3).mul_add(z, 4.166664568298827e-2) * z;
    let c = c.mul_add(z, -(z * 0.5)) + 1.0;
    let s = (-1.9515295891e-4f32).mul_add(z, 8.3321608736e-3).mul_add(z, -1.6666654611e-1) * z;
    let s = s.mul_add(x, x);
    let (mut sin, mut cos) = if j & 2 == 0 { (s, c) } else { (c, s) };
    if j & 4 != 0 {
        sin = -sin;
    }
    if (j - 2) & 4 == 0 {
        cos = -cos;
    }
    (sin, cos)
}
