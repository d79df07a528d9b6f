//! Parts that pages share. Each is a function from data to markup.

pub(crate) mod badge;
pub(crate) mod bar;
pub(crate) mod button;
pub(crate) mod command;
pub(crate) mod confirm;
pub(crate) mod empty;
pub(crate) mod icon;
pub(crate) mod link;
pub(crate) mod more;
pub(crate) mod number;
pub(crate) mod plot;
pub(crate) mod quota;
pub(crate) mod spark;
pub(crate) mod time;
