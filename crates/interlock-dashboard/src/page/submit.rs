//! Submitting a task by hand.

use crate::Shared;
use crate::ask::{Acted, Ask, Page, action, page};
use crate::form::Form;
use crate::page::tasks::reported;
use crate::viewer::Viewer;
use axum::Router;
use interlock_api::claim::{Claim, Op};
use interlock_api::due::Due;
use interlock_api::json::Json;
use interlock_api::kind::Kind;
use interlock_api::page::{Page as Listed, PageQuery};
use interlock_api::submission::Submission;
use interlock_api::token::Scope;
use interlock_api::verdict::Report;
use interlock_api::{Code, Problem};
use maud::{Markup, html};

const OPS: [(&str, Op); 4] = [
    ("read", Op::Read),
    ("update", Op::Update),
    ("create", Op::Create),
    ("delete", Op::Delete),
];

/// Kinds that are offered.
const KINDS: u32 = 500;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/submit", page(show))
        .route("/submit/now", action(submit))
}

async fn show(ask: Ask) -> Result<Page, Problem> {
    if !ask.viewer.may(Scope::Submit) {
        let detail = "this token may not submit";
        return Err(Problem::new(Code::Forbidden, detail));
    }
    // Whoever may not look has to know the names of kinds.
    let kinds = match ask.viewer.may(Scope::Read) {
        false => Vec::new(),
        true => {
            let query = PageQuery {
                limit: Some(KINDS),
                ..PageQuery::default()
            };
            let listed: Listed<Kind> = ask.api.list("/v1/kinds", &query).await?;
            listed.items.into_iter().map(|kind| kind.name).collect()
        }
    };
    let main = draw(&ask.viewer, &ask.query, &kinds);
    Ok(Page::still("Submit a task", main))
}

fn draw(viewer: &Viewer, given: &Form, kinds: &[String]) -> Markup {
    html! {
        h1 { "Submit a task" }
        form.stack.card.narrow method="post" action=(viewer.to("/submit/now")) {
            input type="hidden" name="back" value=(viewer.here());
            label for="kind" { "Kind" }
            input #kind name="kind" value=(given.get("kind")) list="kinds" required spellcheck="false" autocomplete="off";
            datalist #kinds { @for kind in kinds { option value=(kind) {} } }
            label for="resources" { "Resources, one in a line" }
            textarea #resources name="resources" rows="2" placeholder="repository:f16" spellcheck="false" { (given.get("resource")) }
            label for="op" { "What it does to them" }
            select #op name="op" {
                option value="" { "what the kind says" }
                @for (name, _) in OPS { option value=(name) { (name) } }
            }
            label for="priority" { "Priority" }
            select #priority name="priority" {
                option value="" { "that of the kind" }
                @for level in (0..=9).rev() { option value=(level) { (level) } }
            }
            label for="due" { "Not before (a time, or from now such as 10m)" }
            input #due name="due" spellcheck="false" autocomplete="off";
            label for="payload" { "Payload, as JSON" }
            textarea #payload name="payload" rows="5" placeholder="{\"full\": true}" spellcheck="false" {}
            button.primary type="submit" { "Submit" }
        }
    }
}

async fn submit(ask: Ask, form: Form) -> Result<Acted, Problem> {
    let submission = read(&form)?;
    let report: Report = ask.api.post("/v1/tasks", &submission).await?;
    let acted = reported(&ask, &report);
    // Whoever may not look stays where they are.
    Ok(match ask.viewer.may(Scope::Read) {
        true => acted,
        false => Acted::done(acted.text),
    })
}

fn read(form: &Form) -> Result<Submission, Problem> {
    let op = OPS.iter().find(|(name, _)| *name == form.get("op"));
    let op = op.map(|(_, op)| *op);
    let resources = form.get("resources").split_whitespace();
    let resources = resources.map(|name| Claim {
        resource: name.to_owned(),
        op,
    });
    let wrong = |field: &'static str, why: String| Problem::new(Code::BadValue, why).at(field);
    let priority = form.some("priority").map(|text| text.parse()).transpose();
    let due = form.some("due").map(|text| text.parse::<Due>()).transpose();
    let payload = form.some("payload").map(Json::new).transpose();
    Ok(Submission {
        priority: priority.map_err(|_| wrong("priority", "it must be from 0 to 9".to_owned()))?,
        due: due.map_err(|why| wrong("due", why))?,
        payload: payload.map_err(|error| wrong("payload", format!("it is not JSON: {error}")))?,
        ..Submission::new(form.get("kind"), resources)
    })
}
