//! Submissions: the same answer, verdict and reasons from both.

use super::World;
use crate::reference::{Answer as Expected, Index, Model, Reasons, State, Why, Wish};
use crate::steps::{Afterwards, Ask};
use interlock_core::Refusal;
use interlock_core::command::{Command, Submit};
use interlock_core::limits::REASONS_MAX;
use interlock_core::reply::{Answer, Reason, Reply, Report, Verdict};
use interlock_core::words::{After, Claim, Due, IfBusy, Name, Payload, Submission};

/// What the model says of one submission, taken down when it was judged.
struct Judged {
    answer: Expected,
    /// Of the task it became or joined.
    is_ready: Option<bool>,
    reasons: Option<Reasons>,
    /// How long its lines are, if it stands in them or outside.
    lines: Option<Vec<(usize, u64)>>,
}

impl World {
    /// Items one after the other, each with its own answer.
    pub(super) fn submit(&mut self, asks: &[Ask]) -> Result<(), String> {
        let wishes: Vec<_> = asks.iter().map(|ask| self.wish(ask, &no_items)).collect();
        let answers = self.send(asks, &wishes, false, false)?.0;
        for (wish, answer) in wishes.iter().zip(&answers) {
            let expected = self.model.submit(wish);
            let judged = look(&mut self.model, wish, expected, Some(answer));
            self.check_answer(&judged, answer, false)?;
        }
        Ok(())
    }

    /// The answer without the deed.
    pub(super) fn dry_run(&mut self, ask: &Ask) -> Result<(), String> {
        let wish = self.wish(ask, &no_items);
        let asks = std::slice::from_ref(ask);
        let answers = self.send(asks, std::slice::from_ref(&wish), false, true)?.0;
        let mut trial = self.model.clone();
        let expected = trial.judge(&wish);
        let mut judged = look(&mut trial, &wish, expected, None);
        if wish.hold {
            // The core can't name a task that is not there.
            judged.reasons = None;
        }
        let checked = self.check_answer(&judged, &answers[0], true);
        match judged.answer {
            // It may be told how the task stands that it would join, or how it would stand then.
            Expected::Coalesced(task) if checked.is_err() => {
                judged.is_ready = Some(self.model.is_ready(task));
                judged.reasons = Some(self.model.reasons(task));
                self.check_answer(&judged, &answers[0], true)
            }
            _ => checked,
        }
    }

    /// All or none, in an order in which no item waits for a later one.
    pub(super) fn submit_group(&mut self, asks: &[Ask]) -> Result<(), String> {
        let base = self.model.tasks.len();
        let order = order_of(asks);
        let index = |item: usize| {
            order
                .iter()
                .position(|&other| other == item)
                .map(|at| base + at)
        };
        let wishes: Vec<_> = asks.iter().map(|ask| self.wish(ask, &index)).collect();
        let (answers, formed) = self.send(asks, &wishes, true, false)?;
        let is_circular = order.len() < asks.len();
        let bad_form = (0..asks.len()).filter(|&item| is_bad_form(&asks[item], &wishes[item]));
        let bad_form: Vec<_> = bad_form.collect();
        let mut trial = self.model.clone();
        let first_fault = order.iter().copied().find(|&item| {
            matches!(
                trial.judge(&wishes[item]),
                Expected::Rejected(_) | Expected::Refused
            )
        });
        if is_circular || !bad_form.is_empty() || first_fault.is_some() {
            return none_admitted(&answers, &bad_form, is_circular, first_fault);
        }
        let clashes = |answer: &Answer| match answer {
            Answer::Rejected { reasons } => reasons
                .iter()
                .all(|reason| matches!(reason, Reason::EarlierItem { .. })),
            _ => false,
        };
        let is_clash = |item: usize| wishes[item].reject_if_busy && clashes(&answers[item]);
        if let Some(item) = order.iter().copied().find(|&item| is_clash(item)) {
            // The design leaves open whether an item that must not wait may be let in because of
            // its priority, if another of its group stands in its way without it.
            return none_admitted(&answers, &[], false, Some(item));
        }
        let group = Some(self.groups.len());
        self.groups.push(formed.ok_or("no group was formed")?);
        for item in order {
            let wish = Wish {
                group,
                ..wishes[item].clone()
            };
            let expected = self.model.take_in(&wish);
            let judged = look(&mut self.model, &wish, expected, Some(&answers[item]));
            self.check_answer(&judged, &answers[item], false)?;
        }
        Ok(())
    }

    fn send(
        &mut self,
        asks: &[Ask],
        wishes: &[Wish],
        group: bool,
        dry_run: bool,
    ) -> Result<(Vec<Answer>, Option<interlock_core::words::GroupId>), String> {
        let items = asks
            .iter()
            .zip(wishes)
            .map(|(ask, wish)| self.submission(ask, wish))
            .collect();
        let decided = self.decide(Command::Submit(Submit {
            items,
            group,
            dry_run,
        }))?;
        self.pending = decided.hand_outs;
        match decided.reply {
            Reply::Submitted { answers, group } if answers.len() == asks.len() => {
                Ok((answers, group))
            }
            Reply::Refused(Refusal::Cycle) if group => {
                Ok((vec![Answer::Refused(Refusal::Cycle); asks.len()], None))
            }
            reply => Err(format!("the reply to a submit is {reply:?}")),
        }
    }

    fn wish(&mut self, ask: &Ask, index: &dyn Fn(usize) -> Option<Index>) -> Wish {
        self.payloads += 1;
        let now = self.model.now;
        Wish {
            kind: ask.kind,
            claims: ask.claims.clone(),
            key: ask.key,
            priority: ask.priority,
            payload: format!("[{}]", self.payloads),
            due: ask.due_in.map(|delay| now.wall.0 + delay),
            reject_if_busy: ask.reject_if_busy,
            start_within: ask.start_within,
            hold: ask.hold,
            after: ask
                .after
                .iter()
                .filter_map(|after| self.after(*after, index))
                .collect(),
            group: None,
        }
    }

    /// The task meant by an `after`; none if there is none yet.
    fn after(&self, after: Afterwards, index: &dyn Fn(usize) -> Option<Index>) -> Option<Index> {
        let tasks = self.model.tasks.len();
        match after {
            Afterwards::Item(item) => index(item),
            Afterwards::Task(task) => (tasks > 0).then(|| task % tasks),
        }
    }

    fn submission(&self, ask: &Ask, wish: &Wish) -> Submission {
        let claims = ask
            .claims
            .iter()
            .map(|&(r, op)| Claim::new(super::resource_name(r), op));
        let after = ask.after.iter().filter_map(|&after| match after {
            Afterwards::Item(item) => Some(After::Item(item)),
            Afterwards::Task(_) => self
                .after(after, &no_items)
                .map(|task| After::Task(self.id(task))),
        });
        Submission {
            payload: Payload::from(wish.payload.as_str()),
            priority: ask.priority,
            due: ask.due_in.map(Due::In),
            key: ask
                .key
                .map(|key| Name::new(&format!("key{key}")).expect("a good name")),
            if_busy: if ask.reject_if_busy {
                IfBusy::Reject
            } else {
                IfBusy::Wait
            },
            start_within_ms: ask.start_within,
            after: after.collect(),
            hold: ask.hold,
            ..Submission::new(super::kind_name(ask.kind), claims.collect())
        }
    }

    fn check_answer(&mut self, judged: &Judged, answer: &Answer, dry: bool) -> Result<(), String> {
        match (&judged.answer, answer) {
            (Expected::Admitted(task), Answer::Admitted(report)) => {
                if report.task.is_some() == dry {
                    return Err(format!("dry is {dry}, and the task is {:?}", report.task));
                }
                self.check_report(judged, *task, report, dry)
            }
            (Expected::Coalesced(task), Answer::Coalesced(report)) => {
                if report.task != Some(self.id(*task)) {
                    return Err(format!("it should have joined {}", self.id(*task)));
                }
                self.check_report(judged, *task, report, dry)
            }
            (Expected::Refused, Answer::Refused(Refusal::BadValue { .. })) => Ok(()),
            (Expected::Rejected(whys), Answer::Rejected { reasons }) => {
                let said: Vec<_> = reasons.iter().map(|reason| self.why(reason)).collect();
                Reasons {
                    all: whys.clone(),
                    needed: Vec::new(),
                }
                .agree(&said, REASONS_MAX)
            }
            (expected, answer) => Err(format!("the answer is {answer:?} instead of {expected:?}")),
        }
    }

    fn check_report(
        &self,
        judged: &Judged,
        task: Index,
        report: &Report,
        dry: bool,
    ) -> Result<(), String> {
        let is_ready = report.verdict == Verdict::Accepted;
        if judged.is_ready.is_some_and(|expected| expected != is_ready) {
            return Err(format!("the verdict is {:?} instead", report.verdict));
        }
        let said: Vec<_> = report
            .reasons
            .iter()
            .map(|reason| self.why(reason))
            .collect();
        if let Some(reasons) = judged
            .reasons
            .as_ref()
            .filter(|_| !(is_ready && said.is_empty()))
        {
            reasons.agree(&said, REASONS_MAX)?;
        }
        // It stands for one more if it is only tried, or for one if there is none.
        let known = self
            .model
            .tasks
            .get(task)
            .map_or(0, |task| task.stands_for());
        let stands_for = known + u64::from(dry);
        if report.stands_for != stands_for {
            let got = report.stands_for;
            return Err(format!("it stands for {got} instead of {stands_for}"));
        }
        let lines = report
            .lines
            .iter()
            .map(|line| (self.resource(&line.resource), line.waiting));
        let mut lines: Vec<_> = lines.collect();
        lines.sort_unstable();
        match &judged.lines {
            Some(expected) if !dry && *expected != lines => Err(format!(
                "the lines are {lines:?} long instead of {expected:?}"
            )),
            _ => Ok(()),
        }
    }
}

/// Tells the model what the core calls a task, and takes down what it says of it.
fn look(model: &mut Model, wish: &Wish, expected: Expected, answer: Option<&Answer>) -> Judged {
    let mut judged = Judged {
        answer: expected.clone(),
        is_ready: None,
        reasons: None,
        lines: None,
    };
    let (Expected::Admitted(task) | Expected::Coalesced(task)) = expected else {
        return judged;
    };
    if let (Expected::Admitted(_), Some(Answer::Admitted(Report { task: Some(id), .. }))) =
        (&expected, answer)
    {
        model.tasks[task].id = *id;
    }
    // What items of a group wait for may not be there yet.
    let is_whole = wish.after.iter().all(|&on| on < model.tasks.len());
    // Whoever cancels others may set more in motion by that than its answer knows of.
    if model.tasks[task].is_live() && !model.has_cancelled {
        judged.is_ready = Some(model.is_ready(task));
        judged.reasons = is_whole.then(|| model.reasons(task));
        judged.lines = lines(model, task);
    }
    judged
}

fn lines(model: &Model, task: Index) -> Option<Vec<(usize, u64)>> {
    let stands = |state: &State| matches!(state, State::InLine | State::Outside);
    stands(&model.tasks[task].state).then(|| {
        let claims = model.tasks[task].claims.iter();
        let waiting = |resource| model.line(resource).len() + model.outside(resource).len();
        claims
            .map(|&(resource, _)| (resource, waiting(resource) as u64))
            .collect()
    })
}

/// Outside of a group there are no items to wait for.
fn no_items(_: usize) -> Option<Index> {
    None
}

fn is_bad_form(ask: &Ask, wish: &Wish) -> bool {
    let is_item = |after: &Afterwards| matches!(after, Afterwards::Item(_));
    let is_later = ask.due_in.is_some_and(|delay| delay > 0);
    let is_after = !wish.after.is_empty() || ask.after.iter().any(is_item);
    ask.reject_if_busy && (is_later || is_after)
}

/// The first that waits for no item that is left goes next; those in a circle never do.
fn order_of(asks: &[Ask]) -> Vec<usize> {
    let mut order = Vec::new();
    let is_met = |on: &Afterwards, order: &[usize]| match on {
        Afterwards::Item(item) => order.contains(item),
        Afterwards::Task(_) => true,
    };
    while let Some(next) = (0..asks.len())
        .find(|item| !order.contains(item) && asks[*item].after.iter().all(|on| is_met(on, &order)))
    {
        order.push(next);
    }
    order
}

/// Every item is answered, none with a task, and whoever is at fault is told so.
fn none_admitted(
    answers: &[Answer],
    bad_form: &[usize],
    is_circular: bool,
    first_fault: Option<usize>,
) -> Result<(), String> {
    let is_right = |(item, answer): (usize, &Answer)| match answer {
        Answer::Refused(Refusal::BadValue { .. }) => bad_form.contains(&item),
        Answer::Refused(Refusal::Cycle) => bad_form.is_empty() && is_circular,
        Answer::Refused(Refusal::GroupNotAdmitted { .. }) => match bad_form {
            [] => !is_circular && first_fault != Some(item),
            _ => !bad_form.contains(&item),
        },
        Answer::Rejected { .. } => bad_form.is_empty() && !is_circular,
        Answer::Refused(_) | Answer::Admitted(_) | Answer::Coalesced(_) => false,
    };
    match answers.iter().enumerate().all(is_right) {
        true => Ok(()),
        false => Err(format!(
            "the group should not have been admitted like this: {answers:?}"
        )),
    }
}

/// For those who have nothing better to say.
pub(super) fn other(text: &str) -> Why {
    Why::Other(text.to_owned())
}
