//! Cases that numbers decide.

/// Numbers that a seed decides.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(sides).expect("sides")).expect("a side")
    }
}

/// How many scripts are made: more with the variable, for a long run.
pub fn count() -> u64 {
    std::env::var("TAU_POLICY_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(150)
}
