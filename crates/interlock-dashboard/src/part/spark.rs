//! A row of small columns: how a number went, hour by hour.

use maud::{Markup, html};

const COLUMN: usize = 5;
const HEIGHT: u64 = 24;

/// Columns for these numbers, the largest as high as there is room.
pub(crate) fn spark(numbers: &[u64], label: &str) -> Markup {
    let most = numbers.iter().copied().max().unwrap_or(0).max(1);
    let width = numbers.len() * COLUMN;
    html! {
        svg.spark viewBox={ "0 0 " (width) " " (HEIGHT) } width=(width) height=(HEIGHT) role="img" aria-label=(label) {
            path.spark-ground d={ "M0 " (HEIGHT) "h" (width) } {}
            @for (at, number) in numbers.iter().enumerate() {
                @if *number > 0 {
                    @let height = (number * HEIGHT / most).max(2);
                    rect.spark-column x=(at * COLUMN) y=(HEIGHT - height) width=(COLUMN - 1) height=(height) {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_is_as_high_as_there_is_room_and_none_is_invisible() {
        let drawn = spark(&[0, 1, 1_000], "Failures").into_string();
        assert_eq!(drawn.matches("<rect").count(), 2);
        assert!(
            drawn.contains(r#"x="5" y="22" width="4" height="2""#),
            "{drawn}"
        );
        assert!(
            drawn.contains(r#"x="10" y="0" width="4" height="24""#),
            "{drawn}"
        );
        assert!(drawn.contains(r#"aria-label="Failures""#));
    }
}
