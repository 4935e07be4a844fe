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

impl Generator {
    /// The words of the state and the place of the next draw, for `get_state`.
    pub fn words(&self) -> (&[u32], usize) {
        (&self.state, self.next)
    }
    /// A generator with a state that [`Generator::words`] gave; `None` when it can't be one.
    pub fn from_words(seed: u64, words: &[u32], next: usize) -> Option<Self> {
        let state: [u32; N] = words.try_into().ok()?;
        (next <= N).then_some(Generator { seed, state, next, next_normal_f64: None })
    }
}
