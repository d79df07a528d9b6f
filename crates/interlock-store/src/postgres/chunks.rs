//! Many rows in several statements, none of which is too large.

use crate::limits::{BYTES_PER_STATEMENT, ROWS_PER_STATEMENT};

/// Cuts a list so that each part has few enough items and bytes, or one item.
pub(super) fn of<T>(items: &[T], bytes: impl Fn(&T) -> usize) -> Vec<&[T]> {
    let mut chunks = Vec::new();
    let (mut begun, mut held) = (0, 0);
    for (index, item) in items.iter().enumerate() {
        let size = bytes(item);
        let is_full = index - begun == ROWS_PER_STATEMENT || held + size > BYTES_PER_STATEMENT;
        if is_full && index > begun {
            chunks.push(&items[begun..index]);
            (begun, held) = (index, 0);
        }
        held += size;
    }
    if begun < items.len() {
        chunks.push(&items[begun..]);
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_out_and_no_chunk_is_too_large() {
        let sizes = [1, BYTES_PER_STATEMENT, BYTES_PER_STATEMENT + 1, 2, 3];
        let cut = of(&sizes, |size| *size);
        assert_eq!(cut.concat(), sizes);
        assert_eq!(
            cut.iter().map(|chunk| chunk.len()).collect::<Vec<_>>(),
            [1, 1, 1, 2]
        );
        let many = vec![1; 2 * ROWS_PER_STATEMENT + 1];
        assert_eq!(of(&many, |_| 1).len(), 3);
        assert!(of(&[] as &[usize], |_| 1).is_empty());
    }
}
