//! Choices: the same ones for the same seed.

use std::time::{SystemTime, UNIX_EPOCH};

/// Draws numbers that look random. Good enough to make up traffic, and for nothing else.
#[derive(Clone, Debug)]
pub struct Dice(u64);

/// Another seed each time.
pub fn any_seed() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos() as u64)
}

impl Dice {
    /// Dice that fall in a way of their own for each seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Further dice, for somebody else.
    pub fn split(&self, number: u64) -> Self {
        let mut dice = Self(
            self.0
                .wrapping_add(number.wrapping_mul(0x5851_f42d_4c95_7f2d)),
        );
        dice.next();
        dice
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// A number from the first to the last, both included.
    pub fn between(&mut self, first: u64, last: u64) -> u64 {
        first + self.below(last.saturating_sub(first) + 1)
    }

    /// A number below a bound, smaller ones more often.
    pub fn rather_low(&mut self, bound: u64) -> u64 {
        self.below(bound).min(self.below(bound))
    }

    /// Whether something happens that does so many times in a hundred.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// A step through all numbers of 64 bits, and a thorough shuffle of its bits.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_choices() {
        let draw = |seed| {
            let mut dice = Dice::new(seed).split(2);
            [0; 8].map(|_| dice.between(3, 9))
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        assert!(draw(7).iter().all(|number| (3..=9).contains(number)));
    }
}
