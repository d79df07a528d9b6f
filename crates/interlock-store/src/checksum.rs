//! Checksums of rows: XXH3-64 over everything in a row, its place included, so that a row that was
//! moved is as wrong as one that was changed.

use twox_hash::XxHash3_64;

/// Collects the fields of a row so that no two rows collect to the same bytes.
pub(crate) struct Fields(Vec<u8>);

impl Fields {
    /// Of a row of this table.
    pub(crate) fn of(table: &str) -> Self {
        let mut fields = Self(Vec::with_capacity(256));
        fields.text(table);
        fields
    }

    pub(crate) fn number(&mut self, number: u64) -> &mut Self {
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    pub(crate) fn option(&mut self, number: Option<u64>) -> &mut Self {
        self.0.push(u8::from(number.is_some()));
        self.number(number.unwrap_or(0))
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    pub(crate) fn optional_text(&mut self, text: Option<&str>) -> &mut Self {
        self.0.push(u8::from(text.is_some()));
        self.text(text.unwrap_or(""))
    }

    pub(crate) fn texts<T: AsRef<str>>(&mut self, texts: &[T]) -> &mut Self {
        self.number(texts.len() as u64);
        for text in texts {
            self.text(text.as_ref());
        }
        self
    }

    pub(crate) fn numbers(&mut self, numbers: &[u64]) -> &mut Self {
        self.number(numbers.len() as u64);
        for &number in numbers {
            self.number(number);
        }
        self
    }

    /// Numbers of which there is mostly none or one, collected as [`Self::option`] would then: what
    /// was an option once and became a list keeps its sums.
    pub(crate) fn few(&mut self, numbers: &[u64]) -> &mut Self {
        match numbers {
            [] => self.option(None),
            [one] => self.option(Some(*one)),
            several => {
                self.0.push(2);
                self.numbers(several)
            }
        }
    }

    pub(crate) fn sum(&self) -> u64 {
        XxHash3_64::oneshot(&self.0)
    }
}

/// Of some bytes that stand under a few numbers. Does not copy the bytes, which may be many.
pub(crate) fn of_bytes(numbers: &[u64], bytes: &[u8]) -> u64 {
    let mut fields = Fields(Vec::with_capacity(64));
    fields.numbers(numbers);
    XxHash3_64::oneshot_with_seed(fields.sum(), bytes)
}

/// A checksum of a set of rows that can be kept while rows come and go: how many, and the sum of
/// their checksums. It tells when a row is missing, which no checksum of a row can.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SetSum {
    pub(crate) count: u64,
    pub(crate) sum: u64,
}

impl SetSum {
    pub(crate) fn add(&mut self, row: u64) {
        self.count = self.count.wrapping_add(1);
        self.sum = self.sum.wrapping_add(row);
    }

    pub(crate) fn remove(&mut self, row: u64) {
        self.count = self.count.wrapping_sub(1);
        self.sum = self.sum.wrapping_sub(row);
    }

    /// Adds another set that has nothing in common with this one.
    pub(crate) fn join(&mut self, other: Self) {
        self.count = self.count.wrapping_add(other.count);
        self.sum = self.sum.wrapping_add(other.sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_only_share_their_concatenation_differ() {
        let split = |a: &str, b: &str| Fields::of("t").text(a).text(b).sum();
        assert_ne!(split("ab", "c"), split("a", "bc"));
        assert_ne!(
            Fields::of("t").option(None).sum(),
            Fields::of("t").option(Some(0)).sum()
        );
    }

    #[test]
    fn few_numbers_collect_as_an_option_and_several_as_nothing_else() {
        let few = |numbers: &[u64]| Fields::of("t").few(numbers).sum();
        assert_eq!(few(&[]), Fields::of("t").option(None).sum());
        assert_eq!(few(&[7]), Fields::of("t").option(Some(7)).sum());
        assert_ne!(few(&[7, 8]), Fields::of("t").numbers(&[7, 8]).sum());
        assert_ne!(few(&[7, 8]), few(&[8, 7]));
    }

    #[test]
    fn a_set_forgets_what_was_removed() {
        let mut set = SetSum::default();
        set.add(7);
        let before = set;
        set.add(u64::MAX);
        set.remove(u64::MAX);
        assert_eq!(set, before);
    }
}
