//! The rules, as tables: one file per verb or theme, all in one binary to keep builds short.

mod givens;
mod scenario;

mod barriers;
mod budgets_and_spend;
mod bump;
mod cancel;
mod caps_and_refusals;
mod children;
mod coalesce;
mod determinism;
mod drain_goodbye;
mod due_and_schedules;
mod exhaustive;
mod explain;
mod finish_retry;
mod gather_cancels;
mod groups_after;
mod hold_release;
mod idempotency;
mod lease_and_loss;
mod line;
mod pitfalls;
mod quotas;
mod recovery;
mod register;
mod resource_view;
mod slices;
mod submit_verdicts;
mod take;
mod time_order;
