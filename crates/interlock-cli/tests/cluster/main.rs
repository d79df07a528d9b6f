//! Several nodes on one database, as processes.

mod chaos;
mod nodes;
mod steering;
