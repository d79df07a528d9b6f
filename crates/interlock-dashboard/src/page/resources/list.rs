//! The list of resources that are claimed, held or metered.

use crate::Shared;
use crate::ask::{Ask, Page, page};
use crate::form::Form;
use crate::part::number::{counted, grouped};
use crate::part::{badge, empty, link, more};
use crate::viewer::Viewer;
use axum::Router;
use interlock_api::page::Page as Listed;
use interlock_api::resource::{ResourceQuery, ResourceRow, ResourceState};
use interlock_api::token::Scope;
use interlock_api::{Code, Problem};
use maud::{Markup, html};

/// Resources on one page.
const SHOWN: u32 = 50;

const STATES: [(&str, ResourceState); 5] = [
    ("idle", ResourceState::Idle),
    ("busy", ResourceState::Busy),
    ("queued", ResourceState::Queued),
    ("failing", ResourceState::Failing),
    ("held", ResourceState::Held),
];

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/resources", page(show))
        .route("/resources-confirm", page(confirm))
}

async fn show(ask: Ask) -> Result<Page, Problem> {
    let query = read(&ask.query)?;
    let listed: Listed<ResourceRow> = ask.api.list("/v1/resources", &query).await?;
    Ok(Page::live("Resources", draw(&ask.viewer, &query, &listed)))
}

fn read(form: &Form) -> Result<ResourceQuery, Problem> {
    let state = form.some("state").map(|text| {
        let found = STATES.iter().find(|(name, _)| *name == text);
        let unknown = Problem::new(Code::BadValue, "there is no such state of a resource");
        found.map(|(_, state)| *state).ok_or(unknown.at("state"))
    });
    Ok(ResourceQuery {
        prefix: form.some("prefix"),
        state: state.transpose()?,
        cursor: form.some("cursor"),
        limit: Some(SHOWN),
    })
}

fn word(state: ResourceState) -> &'static str {
    let found = STATES.iter().find(|(_, found)| *found == state);
    found.map_or("", |(name, _)| name)
}

fn draw(viewer: &Viewer, query: &ResourceQuery, listed: &Listed<ResourceRow>) -> Markup {
    let prefix = query.prefix.as_deref().unwrap_or("");
    let state = query.state.map_or("", word);
    let kept = [("prefix", prefix), ("state", state)];
    let is_first = query.cursor.is_none();
    html! {
        div.head { h1 { "Resources" } }
        form.filters.card method="get" action=(viewer.to("/resources")) role="search" aria-label="Filter resources" {
            div.field {
                label for="by-prefix" { "Begins with" }
                input #by-prefix name="prefix" value=(prefix) placeholder="repository:" spellcheck="false" autocomplete="off";
            }
            div.field {
                label for="by-state" { "State" }
                select #by-state name="state" {
                    option value="" { "any" }
                    @for (name, _) in STATES { option value=(name) selected[name == state] { (name) } }
                }
            }
            div.actions {
                button.primary type="submit" { "Filter" }
                @if !prefix.is_empty() || !state.is_empty() { a.button href=(viewer.to("/resources")) { "Clear" } }
            }
        }
        @if listed.items.is_empty() {
            (nothing(viewer, prefix, state, listed.next.is_some()))
        } @else if viewer.may(Scope::Operate) {
            form data-bulk="" method="get" action=(viewer.to("/resources-confirm")) {
                (table(viewer, &listed.items, true))
                div.bulk {
                    label for="verb" { "With those that are chosen" }
                    select #verb name="verb" { option value="hold" { "Hold" } option value="release" { "Release" } }
                    button type="submit" { "Chosen" span data-count="" {} "…" }
                }
            }
        } @else {
            (table(viewer, &listed.items, false))
        }
        (more::more(viewer, "/resources", &kept, is_first, listed.next.as_deref()))
    }
}

fn nothing(viewer: &Viewer, prefix: &str, state: &str, goes_on: bool) -> Markup {
    if goes_on {
        let text = "There may be some further on.";
        return empty::empty(viewer, "None among those that were looked at", text, &[]);
    }
    if !prefix.is_empty() || !state.is_empty() {
        let text = "Only resources that are claimed, held or metered are listed.";
        return empty::empty(viewer, "No resource fits", text, &[]);
    }
    empty::empty(
        viewer,
        "No resource is in use",
        "A resource needs no declaration: it is there as soon as a task names it. Its name is type:id.",
        &[
            "interlock kinds set sync",
            "interlock submit sync repository:f16",
        ],
    )
}

fn table(viewer: &Viewer, rows: &[ResourceRow], choose: bool) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Resources" {
            table {
                thead {
                    tr {
                        @if choose {
                            th.choose scope="col" { input type="checkbox" data-all="" aria-label="Choose all on this page"; }
                        }
                        th.grow scope="col" { "Resource" }
                        th scope="col" { "State" }
                        th.number scope="col" { "Running" }
                        th.number scope="col" { "Waiting" }
                    }
                }
                tbody {
                    @for row in rows {
                        tr data-key={ "resource-" (row.resource) } {
                            @if choose {
                                td.choose { input type="checkbox" data-one="" name="resource" value=(row.resource) aria-label={ "Choose " (row.resource) }; }
                            }
                            th.grow scope="row" { (link::resource(viewer, &row.resource)) }
                            td { (badge::resource(row.state)) }
                            td.number { (grouped(row.running)) }
                            td.number { (grouped(row.waiting)) }
                        }
                    }
                }
            }
        }
    }
}

/// The page that says how many are meant before anything is done.
async fn confirm(ask: Ask) -> Result<Page, Problem> {
    let (viewer, query) = (&ask.viewer, &ask.query);
    let verb = match query.get("verb") {
        "release" => "release",
        _ => "hold",
    };
    let names: Vec<&str> = query.all("resource").collect();
    let many = counted(names.len() as u64, "resource", "resources");
    let label = if verb == "hold" { "Hold" } else { "Release" };
    let title = format!("{label} {many}?");
    let main = html! {
        h1 { (title) }
        @if names.is_empty() {
            (empty::empty(viewer, "No resource is meant", "None was chosen.", &[]))
            p { a.button href=(viewer.to("/resources")) { "Back to the list" } }
        } @else {
            p {
                @if verb == "hold" { "No task on them will start until they are released; what runs goes on." }
                @else { "Tasks on them may start again." }
            }
            form.stack method="post" action=(viewer.to("/resources/bulk")) {
                input type="hidden" name="back" value=(viewer.to("/resources"));
                input type="hidden" name="verb" value=(verb);
                @for name in &names { input type="hidden" name="resource" value=(name); }
                div.actions {
                    button.primary type="submit" { (label) " " (many) }
                    a.button href=(viewer.to("/resources")) { "Back" }
                }
            }
            ul.plain { @for name in names.iter().take(50) { li { (link::resource(viewer, name)) } } }
        }
    };
    Ok(Page::still(title, main))
}
