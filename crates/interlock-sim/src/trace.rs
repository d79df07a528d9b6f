//! The trace of a world: a hash of everything that happened, and on demand the lines themselves.

/// A trace.
#[derive(Debug)]
pub struct Trace {
    hash: u64,
    print: bool,
}

impl Trace {
    /// An empty trace.
    pub fn new(print: bool) -> Self {
        Self {
            hash: 0xCBF2_9CE4_8422_2325,
            print,
        }
    }

    /// The hash of everything so far.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Takes in bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.number(u64::from_le_bytes(word));
        }
    }

    /// Takes in a number.
    pub fn number(&mut self, number: u64) {
        self.hash = (self.hash ^ number)
            .wrapping_mul(0x0000_0100_0000_01B3)
            .rotate_left(29);
    }

    /// Prints a line if lines are wanted.
    pub fn line(&self, text: impl FnOnce() -> String) {
        if self.print {
            println!("{}", text());
        }
    }
}
