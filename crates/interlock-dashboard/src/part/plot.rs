//! Plots over time, drawn on the server. Shapes stretch with the page; texts stand beside them and
//! don't.

use super::time;
use interlock_api::Time;
use maud::{Markup, html};

/// The drawing's size, in its own units.
const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 100.0;

/// What is drawn, and what it means.
pub(crate) struct Plot<'a> {
    /// What it is called.
    pub(crate) title: &'a str,
    /// What it says, for whoever can't see it, and below it for whoever can.
    pub(crate) summary: String,
    /// The time at its left end and at its right end.
    pub(crate) from: Time,
    pub(crate) now: Time,
    /// How long each step is.
    pub(crate) step_ms: u64,
    /// What is drawn, the lowest first.
    pub(crate) series: Vec<Series<'a>>,
    /// How a value is written at the axis.
    pub(crate) write: fn(u64) -> String,
    /// Whether the series stand on one another (bars), or each for itself (lines).
    pub(crate) stacked: bool,
}

/// One thing that is drawn.
pub(crate) struct Series<'a> {
    pub(crate) name: &'a str,
    /// Its colour; its name says it too.
    pub(crate) tone: &'a str,
    /// When a step begins, and its value.
    pub(crate) points: Vec<(Time, u64)>,
}

/// The plot.
pub(crate) fn plot(plot: &Plot<'_>) -> Markup {
    let top = nice(highest(plot));
    let span = plot.now.ms().saturating_sub(plot.from.ms()).max(1) as f64;
    let x = |time: Time| (time.ms().saturating_sub(plot.from.ms())) as f64 / span * WIDTH;
    html! {
        figure.plot {
            figcaption {
                strong { (plot.title) }
                span.legend {
                    @for one in &plot.series { span.key.(one.tone) { (one.name) } }
                }
            }
            div.plot-area {
                div.plot-y aria-hidden="true" { span { ((plot.write)(top)) } span { ((plot.write)(0)) } }
                svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img" aria-label={ (plot.title) ". " (plot.summary) } {
                    line.grid x1="0" x2=(WIDTH) y1="0.5" y2="0.5" {}
                    line.grid x1="0" x2=(WIDTH) y1=(HEIGHT / 2.0) y2=(HEIGHT / 2.0) {}
                    line.grid x1="0" x2=(WIDTH) y1=(HEIGHT - 0.5) y2=(HEIGHT - 0.5) {}
                    @if plot.stacked { (bars(plot, top, x)) } @else { (lines(plot, top, x)) }
                }
                div.plot-x aria-hidden="true" {
                    span { (time::coarse(plot.now.ms() - plot.from.ms().min(plot.now.ms()))) " ago" }
                    span { "now" }
                }
            }
            p.muted { (plot.summary) }
        }
    }
}

/// The highest that something reaches.
fn highest(plot: &Plot<'_>) -> u64 {
    let all = plot.series.iter().flat_map(|one| &one.points);
    match plot.stacked {
        false => all.map(|(_, value)| *value).max().unwrap_or(0),
        true => {
            let mut sums = std::collections::BTreeMap::<Time, u64>::new();
            for (time, value) in all {
                *sums.entry(*time).or_default() += value;
            }
            sums.into_values().max().unwrap_or(0)
        }
    }
}

/// The next number that reads well: 1, 2 or 5 and zeros.
fn nice(value: u64) -> u64 {
    let mut step = 1_u64;
    loop {
        for factor in [1, 2, 5] {
            let nice = step.saturating_mul(factor);
            if nice >= value {
                return nice;
            }
        }
        step = step.saturating_mul(10);
    }
}

fn bars(plot: &Plot<'_>, top: u64, x: impl Fn(Time) -> f64) -> Markup {
    let span = plot.now.ms().saturating_sub(plot.from.ms()).max(1) as f64;
    let width = (plot.step_ms as f64 / span * WIDTH * 0.8).max(1.0);
    let mut below = std::collections::BTreeMap::<Time, u64>::new();
    html! {
        @for one in &plot.series {
            @for (time, value) in one.points.iter().filter(|(_, value)| *value > 0) {
                @let base = { let base = below.entry(*time).or_default(); let old = *base; *base += value; old };
                @let y = (1.0 - (base + value) as f64 / top as f64) * HEIGHT;
                @let height = *value as f64 / top as f64 * HEIGHT;
                rect.(one.tone) x=(format!("{:.1}", x(*time))) y=(format!("{y:.1}")) width=(format!("{width:.1}")) height=(format!("{height:.1}")) {}
            }
        }
    }
}

fn lines(plot: &Plot<'_>, top: u64, x: impl Fn(Time) -> f64) -> Markup {
    html! {
        @for one in &plot.series {
            @for path in paths(&one.points, plot.step_ms) {
                @let points = path.iter().map(|(time, value)| {
                    let y = (1.0 - *value as f64 / top as f64) * HEIGHT;
                    format!("{:.1},{y:.1}", x(*time))
                });
                @let points: Vec<String> = points.collect();
                polyline.(one.tone) points=(points.join(" ")) {}
            }
        }
    }
}

/// Points that follow one another without a gap. A single one is drawn as long as its step.
fn paths(points: &[(Time, u64)], step_ms: u64) -> Vec<Vec<(Time, u64)>> {
    let mut paths: Vec<Vec<(Time, u64)>> = Vec::new();
    for (time, value) in points {
        let follows = |path: &Vec<(Time, u64)>| {
            let last = path.last();
            last.is_some_and(|(last, _)| time.ms().saturating_sub(last.ms()) <= step_ms * 3 / 2)
        };
        match paths.last_mut() {
            Some(path) if follows(path) => path.push((*time, *value)),
            _ => paths.push(vec![(*time, *value)]),
        }
    }
    for path in &mut paths {
        if let [(time, value)] = path[..] {
            path.push((Time::from_ms(time.ms() + step_ms), value));
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_ends_at_a_number_that_reads_well() {
        for (value, end) in [(0, 1), (1, 1), (3, 5), (6, 10), (11, 20), (4_711, 5_000)] {
            assert_eq!(nice(value), end);
        }
        assert_eq!(nice(u64::MAX), u64::MAX);
    }

    #[test]
    fn a_gap_is_not_bridged() {
        let at = |minute: u64| (Time::from_ms(minute * 60_000), minute);
        let paths = paths(&[at(1), at(2), at(5)], 60_000);
        assert_eq!(paths.len(), 2);
        assert_eq!(paths[0], [at(1), at(2)]);
        assert_eq!(paths[1].len(), 2, "a single point has a length");
    }
}
