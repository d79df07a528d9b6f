//! The wire as others see it: codes and their pages, schemas, shapes of answers, and what strangers
//! may send.

/// Compares the JSON of a value, exactly as it is sent, with what is kept under a name.
macro_rules! assert_shape {
    ($name:expr, $value:expr $(,)?) => {
        insta::assert_snapshot!(
            $name,
            serde_json::to_string_pretty(&$value).expect("it can be sent")
        )
    };
}

mod codes;
mod conversions;
mod poison;
mod schemas;
mod shapes;
mod world;
