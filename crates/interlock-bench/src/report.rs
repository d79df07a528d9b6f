//! Figures, and how they are shown: a table for people, JSON for machines.

use serde::Serialize;
use std::fmt;

/// One measured figure.
#[derive(Debug, Serialize)]
pub(crate) struct Figure {
    /// What was measured.
    pub(crate) name: String,
    /// How much.
    pub(crate) value: f64,
    /// Of what.
    pub(crate) unit: Unit,
    /// What it should be; `None` if it is for information.
    pub(crate) target: Option<Target>,
    /// Whether it is what it should be.
    pub(crate) verdict: Verdict,
}

impl Figure {
    /// A figure for information.
    pub(crate) fn info(name: impl Into<String>, value: f64, unit: Unit) -> Self {
        Self::new(name, value, unit, None)
    }

    /// A figure that should be at least so much.
    pub(crate) fn at_least(name: impl Into<String>, value: f64, unit: Unit, least: f64) -> Self {
        Self::new(name, value, unit, Some(Target::AtLeast(least)))
    }

    /// A figure that should be at most so much.
    pub(crate) fn at_most(name: impl Into<String>, value: f64, unit: Unit, most: f64) -> Self {
        Self::new(name, value, unit, Some(Target::AtMost(most)))
    }

    fn new(name: impl Into<String>, value: f64, unit: Unit, target: Option<Target>) -> Self {
        let verdict = match target {
            None => Verdict::Info,
            Some(target) if target.is_met(value) => Verdict::Ok,
            Some(_) => Verdict::Missed,
        };
        Self {
            name: name.into(),
            value,
            unit,
            target,
            verdict,
        }
    }
}

/// What a figure counts.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unit {
    /// Events per second.
    PerSecond,
    /// One rate divided by another.
    Ratio,
    /// Bytes per task.
    Bytes,
    /// Microseconds.
    Micros,
    /// How many.
    Count,
    /// Mebibytes.
    Mebibytes,
    /// Seconds.
    Seconds,
    /// A part of a whole.
    Share,
}

impl Unit {
    fn show(self, value: f64) -> String {
        match self {
            Unit::PerSecond => format!("{} /s", grouped(value)),
            Unit::Ratio => format!("{value:.2} ×"),
            Unit::Bytes => format!("{} B", grouped(value)),
            Unit::Micros => format!("{value:.1} µs"),
            Unit::Count => grouped(value),
            Unit::Mebibytes => format!("{} MiB", grouped(value)),
            Unit::Seconds => format!("{value:.2} s"),
            Unit::Share => format!("{:.1} %", value * 100.0),
        }
    }
}

/// What a figure should be.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Target {
    /// No less than this.
    AtLeast(f64),
    /// No more than this.
    AtMost(f64),
}

impl Target {
    fn is_met(self, value: f64) -> bool {
        match self {
            Target::AtLeast(least) => value >= least,
            Target::AtMost(most) => value <= most,
        }
    }

    fn show(self, unit: Unit) -> String {
        match self {
            Target::AtLeast(least) => format!("≥ {}", unit.show(least)),
            Target::AtMost(most) => format!("≤ {}", unit.show(most)),
        }
    }
}

/// Whether a figure is what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// It is.
    Ok,
    /// It is not.
    Missed,
    /// There is no target.
    Info,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Ok => "ok",
            Verdict::Missed => "missed",
            Verdict::Info => "",
        })
    }
}

/// All figures of a run.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    /// Whether the sizes were cut down; then the figures say little.
    pub(crate) quick: bool,
    /// In the order in which they were measured.
    pub(crate) figures: Vec<Figure>,
}

impl Report {
    /// How many figures missed their target.
    pub(crate) fn missed(&self) -> usize {
        let missed = |figure: &&Figure| figure.verdict == Verdict::Missed;
        self.figures.iter().filter(missed).count()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows: Vec<[String; 4]> = self.figures.iter().map(row).collect();
        let head = ["figure", "value", "target", ""].map(String::from);
        let widths: Vec<usize> = (0..3).map(|column| widest(&head, &rows, column)).collect();
        for [name, value, target, verdict] in std::iter::once(&head).chain(&rows) {
            let line = format!(
                "{name:<0$}  {value:>1$}  {target:>2$}  {verdict}",
                widths[0], widths[1], widths[2]
            );
            writeln!(f, "{}", line.trim_end())?;
        }
        write!(f, "figures: {}, missed: {}", rows.len(), self.missed())?;
        if self.quick {
            write!(f, " (quick: cut-down sizes)")?;
        }
        Ok(())
    }
}

fn row(figure: &Figure) -> [String; 4] {
    [
        figure.name.clone(),
        figure.unit.show(figure.value),
        figure
            .target
            .map_or_else(String::new, |target| target.show(figure.unit)),
        figure.verdict.to_string(),
    ]
}

fn widest(head: &[String; 4], rows: &[[String; 4]], column: usize) -> usize {
    let cells = std::iter::once(head).chain(rows);
    cells
        .map(|cells| cells[column].chars().count())
        .max()
        .unwrap_or(0)
}

/// A whole number with its thousands apart: `1,234,567`.
fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut shown = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(grouped(0.4), "0");
        assert_eq!(grouped(999.0), "999");
        assert_eq!(grouped(1_234_567.0), "1,234,567");
    }

    #[test]
    fn a_figure_on_its_target_is_ok_and_one_below_it_is_missed() {
        let on = Figure::at_least("on", 0.7, Unit::Ratio, 0.7);
        let below = Figure::at_least("below", 0.69, Unit::Ratio, 0.7);
        let above = Figure::at_most("above", 401.0, Unit::Bytes, 400.0);
        let verdicts = [&on, &below, &above].map(|figure| figure.verdict);
        assert_eq!(verdicts, [Verdict::Ok, Verdict::Missed, Verdict::Missed]);
    }

    #[test]
    fn the_table_has_one_line_per_figure_and_a_closing_count() {
        let report = Report {
            quick: false,
            figures: vec![
                Figure::info("cycles", 312_345.0, Unit::PerSecond),
                Figure::at_most("memory", 512.0, Unit::Bytes, 400.0),
            ],
        };
        let expected = "\
figure       value   target
cycles  312,345 /s
memory       512 B  ≤ 400 B  missed
figures: 2, missed: 1";
        assert_eq!(report.to_string(), expected);
    }
}
