//! The report: verdicts counted by op, as JSON or as text.
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// The verdict on one case. Errors are fractions of the tolerance.
#[derive(Clone, Debug)]
pub(super) enum Verdict {
    Passed { worst: f64 },
    Failed { worst: f64, why: String },
    Unsupported { why: String },
}

/// The verdicts on all cases.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    pub cases: usize,
    pub passed: usize,
    pub failed: usize,
    pub unsupported: usize,
    pub ops: BTreeMap<String, OpReport>,
    pub failures: Vec<Failure>,
    /// Failed cases that pass on the device of `--as-good-as`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub worse: Vec<String>,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct OpReport {
    pub passed: usize,
    pub failed: usize,
    pub unsupported: usize,
    /// The largest error, as a fraction of the tolerance.
    pub worst: f64,
}

#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    pub id: String,
    pub op: String,
    pub why: String,
}

/// Prefix of the reason if a case could not be run.
const UNSUPPORTED: &str = "unsupported: ";

impl Report {
    pub(super) fn add(&mut self, id: &str, op: &str, verdict: Verdict) {
        let entry = self.ops.entry(op.to_string()).or_default();
        self.cases += 1;
        let (worst, why) = match verdict {
            Verdict::Passed { worst } => {
                self.passed += 1;
                entry.passed += 1;
                (worst, None)
            }
            Verdict::Failed { worst, why } => {
                self.failed += 1;
                entry.failed += 1;
                (worst, Some(why))
            }
            Verdict::Unsupported { why } => {
                self.unsupported += 1;
                entry.unsupported += 1;
                (0.0, Some(format!("{UNSUPPORTED}{why}")))
            }
        };
        entry.worst = entry.worst.max(worst);
        if let Some(why) = why {
            self.failures.push(Failure { id: id.to_string(), op: op.to_string(), why });
        }
    }

    /// Failures, without unsupported cases.
    pub(super) fn failed(&self) -> impl Iterator<Item = &Failure> {
        self.failures.iter().filter(|failure| !failure.why.starts_with(UNSUPPORTED))
    }

    /// Percentage of passed cases.
    pub fn percent(&self) -> f64 {
        if self.cases == 0 { 100.0 } else { 100.0 * self.passed as f64 / self.cases as f64 }
    }

    /// Failures grouped by op and reason, with the ids of their cases.
    fn grouped(&self) -> Vec<(&Failure, Vec<&str>)> {
        let mut groups: Vec<(&Failure, Vec<&str>)> = Vec::new();
        for failure in &self.failures {
            let same = |(other, _): &&mut (&Failure, Vec<&str>)| {
                other.op == failure.op && other.why == failure.why
            };
            match groups.iter_mut().find(same) {
                Some((_, ids)) => ids.push(&failure.id),
                None => groups.push((failure, vec![&failure.id])),
            }
        }
        groups
    }
}

impl OpReport {
    fn total(&self) -> usize {
        self.passed + self.failed + self.unsupported
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.ops.keys().map(String::len).max().unwrap_or(0);
        let (good, bad): (Vec<_>, Vec<_>) =
            self.ops.iter().partition(|(_, op)| op.passed == op.total());
        for (name, op) in bad.iter().chain(&good) {
            let mark = if op.passed == op.total() { ' ' } else { '!' };
            let score = format!("{}/{}", op.passed, op.total());
            let was_measured = op.passed + op.failed > 0;
            let worst = if was_measured { format!("{:.3}", op.worst) } else { "-".to_string() };
            writeln!(f, "{mark} {name:width$}  {score:>7}  {worst:>9}")?;
        }
        for (Failure { op, why, .. }, ids) in self.grouped() {
            writeln!(f, "\n{op}: {}", ids.join(", "))?;
            for line in why.lines() {
                writeln!(f, "  {line}")?;
            }
        }
        if !self.worse.is_empty() {
            writeln!(f, "\npassing on the other device: {}", self.worse.join(", "))?;
        }
        let Report { cases, passed, failed, unsupported, .. } = self;
        writeln!(f, "\n{} ops, {cases} cases ({:.2} % passed)", self.ops.len(), self.percent())?;
        write!(f, "{passed} passed, {failed} failed, {unsupported} unsupported")
    }
}
