//! Lists in one column, one item per line, so that people can read and search them with SQL.

/// Items may hold any text: backslashes and line ends are escaped, and `\e` is an empty item, so
/// that an empty text is an empty list.
pub(crate) fn encode<T: AsRef<str>>(items: &[T]) -> String {
    let items = items.iter().map(AsRef::as_ref);
    let mut text = String::with_capacity(items.clone().map(|item| item.len() + 1).sum());
    for (index, item) in items.enumerate() {
        if index > 0 {
            text.push('\n');
        }
        if item.is_empty() {
            text.push_str("\\e");
        }
        if !item.contains(['\\', '\n']) {
            text.push_str(item);
            continue;
        }
        for letter in item.chars() {
            match letter {
                '\\' => text.push_str("\\\\"),
                '\n' => text.push_str("\\n"),
                letter => text.push(letter),
            }
        }
    }
    text
}

pub(crate) fn decode(text: &str) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    text.split('\n').map(decode_item).collect()
}

fn decode_item(text: &str) -> String {
    let mut item = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('e') | None => {}
                Some('n') => item.push('\n'),
                Some(other) => item.push(other),
            },
            letter => item.push(letter),
        }
    }
    item
}

/// Numbers with spaces between them.
pub(crate) fn encode_numbers(numbers: &[u64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
    numbers.join(" ")
}

pub(crate) fn decode_numbers(text: &str) -> Option<Vec<u64>> {
    text.split_ascii_whitespace()
        .map(|number| number.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_list_comes_back(items in proptest::collection::vec("[a\\\\\n\0é]{0,4}", 0..5)) {
            prop_assert_eq!(decode(&encode(&items)), items);
        }

        #[test]
        fn any_numbers_come_back(numbers in proptest::collection::vec(any::<u64>(), 0..5)) {
            prop_assert_eq!(decode_numbers(&encode_numbers(&numbers)), Some(numbers));
        }
    }
}
