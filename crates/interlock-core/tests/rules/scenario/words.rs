//! The words of one row: `verb thing thing option=value flag`.

/// The words of a row that were not understood yet.
pub(crate) struct Words<'a> {
    left: Vec<&'a str>,
}

impl<'a> Words<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            left: text.split_whitespace().collect(),
        }
    }

    /// The next word, if any.
    pub(crate) fn next(&mut self) -> Option<&'a str> {
        (!self.left.is_empty()).then(|| self.left.remove(0))
    }

    /// The next word, which must be there.
    pub(crate) fn need(&mut self, what: &str) -> &'a str {
        self.next().unwrap_or_else(|| panic!("{what} is missing"))
    }

    /// The value of `key=value`, wherever it stands.
    pub(crate) fn option(&mut self, key: &str) -> Option<&'a str> {
        let found = self
            .left
            .iter()
            .position(|word| word.split_once('=').is_some_and(|(name, _)| name == key))?;
        self.left
            .remove(found)
            .split_once('=')
            .map(|(_, value)| value)
    }

    /// Whether the word stands anywhere.
    pub(crate) fn flag(&mut self, word: &str) -> bool {
        let found = self.left.iter().position(|left| *left == word);
        if let Some(index) = found {
            self.left.remove(index);
        }
        found.is_some()
    }

    /// Everything that satisfies the test, in order.
    pub(crate) fn all(&mut self, test: impl Fn(&str) -> bool) -> Vec<&'a str> {
        let (taken, left) = self.left.iter().copied().partition(|word| test(word));
        self.left = left;
        taken
    }

    /// The words on both sides of `separator`, in pieces.
    pub(crate) fn pieces(self, separator: &str) -> Vec<Words<'a>> {
        self.left
            .split(|word| *word == separator)
            .map(|piece| Words {
                left: piece.to_vec(),
            })
            .collect()
    }

    /// A row must be understood to its last word.
    pub(crate) fn done(self) {
        assert!(self.left.is_empty(), "not understood: {:?}", self.left);
    }
}
