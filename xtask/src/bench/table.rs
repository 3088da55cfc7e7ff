//! Results as Markdown tables with aligned columns, for terminals and records.

use super::runs::{Results, Run};

struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    fn new<T: Into<String>>(head: impl IntoIterator<Item = T>) -> Table {
        Table { rows: vec![head.into_iter().map(Into::into).collect()] }
    }

    fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Aligns the first column left and numbers right.
    fn text(&self) -> String {
        let columns = self.rows[0].len();
        let cell = |row: &Vec<String>, n: usize| row.get(n).map_or(0, |cell| cell.chars().count());
        let width = |n| self.rows.iter().map(|row| cell(row, n)).max().unwrap_or(0).max(3);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let line = |row: &Vec<String>| {
            let pad = |(n, cell): (usize, &String)| match n {
                0 => format!("{cell:<width$}", width = widths[n]),
                _ => format!("{cell:>width$}", width = widths[n]),
            };
            let cells: Vec<String> = row.iter().enumerate().map(pad).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule = |(n, width): (usize, &usize)| match n {
            0 => "-".repeat(*width),
            _ => format!("{}:", "-".repeat(width - 1)),
        };
        let rules: Vec<String> = widths.iter().enumerate().map(rule).collect();
        let mut text = line(&self.rows[0]);
        text += &line(&rules);
        self.rows[1..].iter().for_each(|row| text += &line(row));
        text
    }
}

/// Results of Brasa only.
pub(super) fn alone(results: &Results, workloads: &[String]) -> String {
    let head = ["workload", "best ms", "median ms", "first step ms", "peak MB", "kernels", "check"];
    let mut table = Table::new(head);
    for run in workloads.iter().filter_map(|workload| results.get(workload, "brasa")) {
        table.row(vec![
            run.workload.clone(),
            number(run.ms_min),
            number(run.ms_median),
            number(run.first_step_ms),
            memory(run),
            run.kernels.map_or("-".to_string(), |n| n.to_string()),
            run.check_10.map_or("-".to_string(), |x| format!("{x:.6}")),
        ]);
    }
    table.text()
}

/// Brasa next to the fastest other library of each workload.
pub(super) fn ratios(results: &Results, workloads: &[String]) -> String {
    let mut table = Table::new([
        "workload",
        "Brasa ms",
        "best peer",
        "its ms",
        "ratio",
        "first step ms",
        "its first",
        "peak MB",
        "its peak",
        "check",
    ]);
    for workload in workloads {
        let (own, peer) = (results.get(workload, "brasa"), results.best_peer(workload));
        if own.is_none() && peer.is_none() {
            continue;
        }
        let show = |run: Option<&Run>, f: &dyn Fn(&Run) -> String| run.map_or("-".to_string(), f);
        let time = |run: &Run| number(run.ms_min);
        let first = |run: &Run| number(run.first_step_ms);
        let both = own.zip(peer);
        table.row(vec![
            workload.clone(),
            show(own, &time),
            show(peer, &|run| run.peer.clone()),
            show(peer, &time),
            both.map_or("-".to_string(), |(own, peer)| format!("{:.2}", own.ms_min / peer.ms_min)),
            show(own, &first),
            show(peer, &first),
            show(own, &memory),
            show(peer, &memory),
            both.map_or("-", |(own, _)| match results.disagreements_of(own).is_empty() {
                true => "agrees",
                false => "differs",
            })
            .to_string(),
        ]);
    }
    table.text()
}

/// The best times of all libraries, in ms.
pub(super) fn peers(results: &Results, workloads: &[String]) -> String {
    let peers: Vec<&str> = ["brasa"].into_iter().chain(results.peers()).collect();
    let mut table = Table::new(["ms"].into_iter().chain(peers.iter().copied()));
    for workload in workloads {
        let time = |peer: &&str| results.get(workload, peer).map(|run| run.ms_min);
        let times: Vec<Option<f64>> = peers.iter().map(time).collect();
        if times.iter().any(Option::is_some) {
            let times = times.into_iter().map(|time| time.map_or("-".to_string(), number));
            table.row([workload.clone()].into_iter().chain(times).collect());
        }
    }
    table.text()
}

fn memory(run: &Run) -> String {
    run.peak_rss_mb.map_or("-".to_string(), |mb| format!("{mb:.0}"))
}

/// Three digits or more.
fn number(x: f64) -> String {
    match x {
        _ if x < 0.1 => format!("{x:.4}"),
        _ if x < 10.0 => format!("{x:.2}"),
        _ if x < 100.0 => format!("{x:.1}"),
        _ => format!("{x:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = r#"
{"workload":"W1","peer":"brasa","ms_min":2.0,"ms_median":2.5,"first_step_ms":27.3,"peak_rss_mb":26.6,"kernels":17,"check_first":2.3,"check_10":1.5}
{"workload":"W1","peer":"torch","ms_min":4.0,"ms_median":4.5,"first_step_ms":120,"peak_rss_mb":300,"check_first":2.3,"check_10":1.5}
{"workload":"W1","peer":"candle","ms_min":8.0,"ms_median":8.5,"first_step_ms":12,"peak_rss_mb":40,"check_first":2.3,"check_10":1.5}
{"workload":"W2","peer":"brasa","ms_min":0.03,"ms_median":0.04,"first_step_ms":1,"peak_rss_mb":6,"check_first":2.3,"check_10":1.4}
{"workload":"W2","peer":"torch","ms_min":0.02,"ms_median":0.04,"first_step_ms":1,"peak_rss_mb":6,"check_first":2.3,"check_10":1.5}
{"workload":"W3","peer":"torch","ms_min":76.0,"ms_median":78,"first_step_ms":900,"peak_rss_mb":400}
"#;

    fn workloads() -> Vec<String> {
        ["W1", "W2", "W3", "W4"].map(String::from).to_vec()
    }

    #[test]
    fn the_ratio_is_of_the_best_peer_and_holes_are_shown() {
        let text = ratios(&Results::parse(LINES), &workloads());
        let lines: Vec<Vec<&str>> =
            text.lines().map(|l| l.split('|').map(str::trim).collect()).collect();
        let row = |n: usize| lines[n][1..11].join(" ");
        assert_eq!(row(2), "W1 2.00 torch 4.00 0.50 27.3 120 27 300 agrees");
        assert_eq!(row(3), "W2 0.0300 torch 0.0200 1.50 1.00 1.00 6 6 differs");
        assert_eq!(row(4), "W3 - torch 76.0 - - 900 - 400 -");
        assert_eq!(lines.len(), 5);
    }

    #[test]
    fn columns_are_aligned_and_nothing_ends_in_blanks() {
        let results = Results::parse(LINES);
        for text in [
            alone(&results, &workloads()),
            ratios(&results, &workloads()),
            peers(&results, &workloads()),
        ] {
            let widths: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
            assert!(widths.iter().all(|&width| width == widths[0]), "{text}");
            assert!(text.lines().all(|line| line.starts_with("| ") && line.ends_with(" |")));
        }
    }

    #[test]
    fn every_library_has_a_column() {
        let text = peers(&Results::parse(LINES), &workloads());
        let lines: Vec<String> = text.lines().map(|l| l.replace(' ', "")).collect();
        assert_eq!(lines[0], "|ms|brasa|torch|candle|");
        assert_eq!(lines[2], "|W1|2.00|4.00|8.00|");
        assert_eq!(lines[4], "|W3|-|76.0|-|");
    }
}
