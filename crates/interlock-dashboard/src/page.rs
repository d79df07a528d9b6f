//! The pages, one file each: `fetch` asks `/v1`, `draw` is a function of what was answered.

pub(crate) mod failures;
pub(crate) mod find;
pub(crate) mod groups;
pub(crate) mod kinds;
pub(crate) mod nodes;
pub(crate) mod overview;
pub(crate) mod quotas;
pub(crate) mod resources;
pub(crate) mod schedules;
pub(crate) mod submit;
pub(crate) mod tasks;
pub(crate) mod workers;
