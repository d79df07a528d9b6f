//! Small drawings. Shapes differ, so that nothing is told by colour alone.

use maud::{Markup, html};

/// The sign of the product: two tracks that meet, and a signal between them.
pub(crate) fn logo() -> Markup {
    html! {
        svg.logo viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" {
            path d="M2 7h7c4 0 4 10 8 10h5" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" {}
            path d="M2 17h5" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" {}
            path d="M16 7h6" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" {}
            circle.logo-dot cx="12.6" cy="12" r="2.6" {}
        }
    }
}

/// The shape of a state, by its tone.
pub(crate) fn shape(tone: &str) -> Markup {
    html! {
        svg.shape viewBox="0 0 10 10" width="10" height="10" aria-hidden="true" {
            @match tone {
                "run" => { path d="M2 1l7 4-7 4z" fill="currentColor" {} },
                "good" => { path d="M1 5.4l2.8 2.8L9 2" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" {} },
                "bad" => { path d="M1.8 1.8l6.4 6.4M8.2 1.8l-6.4 6.4" stroke="currentColor" stroke-width="2" stroke-linecap="round" {} },
                "wait" => { circle cx="5" cy="5" r="3.6" fill="none" stroke="currentColor" stroke-width="2" {} },
                "hold" => { path d="M3 1.2v7.6M7 1.2v7.6" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" {} },
                _ => { path d="M1.5 5h7" stroke="currentColor" stroke-width="2" stroke-linecap="round" {} },
            }
        }
    }
}
