//! A progress bar for terminals, plain lines otherwise. Both go to standard error.
use super::{Ended, Event, Measures};
use indicatif::{ProgressStyle, style::TemplateError};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Displays the events of a run.
pub struct ProgressBar {
    bar: Option<indicatif::ProgressBar>,
    steps: u64,
    steps_per_epoch: u64,
    /// Examples since `since`, for the speed.
    examples: u64,
    since: Instant,
    last_line: Instant,
}

/// Minimum time between two lines about steps if there is no bar.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

impl Default for ProgressBar {
    fn default() -> ProgressBar {
        ProgressBar::new()
    }
}

impl ProgressBar {
    /// A bar if standard error is a terminal, otherwise lines.
    pub fn new() -> ProgressBar {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = indicatif::ProgressBar::new(0);
            bar.set_style(style().unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        let now = Instant::now();
        ProgressBar { bar, steps: 0, steps_per_epoch: 1, examples: 0, since: now, last_line: now }
    }

    /// Displays an event.
    pub fn show(&mut self, event: &Event) {
        match event {
            Event::Start { step, steps, steps_per_epoch, parameters, .. } => {
                (self.steps, self.steps_per_epoch) = (*steps, (*steps_per_epoch).max(1));
                self.since = Instant::now();
                if let Some(bar) = &self.bar {
                    bar.set_length(*steps);
                    bar.set_position(*step);
                    bar.reset_eta();
                }
                let resumed = if *step > 0 { format!(" from step {step}") } else { String::new() };
                self.line(format!("training {} parameters{resumed}", with_separators(*parameters)));
            }
            Event::Step { step, epoch, loss, examples, .. } => {
                self.step(*step, *epoch, *loss, *examples as u64);
            }
            Event::Measured { step, measures, .. } => {
                self.line(format!("step {step}{}", format_metrics(measures)));
            }
            Event::Epoch { epoch, loss, measures, seconds, .. } => {
                let epochs = self.steps.div_ceil(self.steps_per_epoch);
                let test = format_metrics(measures);
                self.line(format!("epoch {epoch}/{epochs}: loss {loss:.4}{test}, {seconds:.1} s"));
            }
            Event::Checkpoint { .. } | Event::Gradients { .. } => {}
            Event::Failed { .. } => {
                if let Some(bar) = &self.bar {
                    bar.finish_and_clear();
                }
            }
            Event::End { ended, step, seconds } => {
                if let Some(bar) = &self.bar {
                    bar.finish_and_clear();
                }
                let why = match ended {
                    Ended::Done => "done",
                    Ended::Early => "no improvement, stopped early",
                    Ended::Stopped => "stopped",
                    Ended::Interrupted => "interrupted",
                };
                self.line(format!("{why}: {step} steps in {seconds:.1} s"));
            }
        }
    }

    fn step(&mut self, step: u64, epoch: u64, loss: f64, examples: u64) {
        self.examples += examples;
        let seconds = self.since.elapsed().as_secs_f64().max(1e-9);
        let speed = self.examples as f64 / seconds;
        if let Some(bar) = &self.bar {
            bar.set_position(step);
            bar.set_message(format!("epoch {epoch}  loss {loss:.4}  {speed:.0} examples/s"));
        } else if self.last_line.elapsed() > LINE_INTERVAL {
            self.last_line = Instant::now();
            let all = self.steps;
            eprintln!("step {step}/{all}, epoch {epoch}: loss {loss:.4}, {speed:.0} examples/s");
        }
        if seconds > 10.0 {
            (self.examples, self.since) = (0, Instant::now());
        }
    }

    fn line(&self, text: String) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{text}")),
            None => eprintln!("{text}"),
        }
    }
}

fn style() -> Result<ProgressStyle, TemplateError> {
    let template = "{bar:30} {pos}/{len} steps  {msg}  {elapsed} elapsed, {eta} to go";
    Ok(ProgressStyle::with_template(template)?.progress_chars("━╸ "))
}

/// `, test accuracy 98.12 %, test loss 0.0633`
fn format_metrics(measures: &Measures) -> String {
    let word = |(name, value): (&String, &f64)| match name.contains("accuracy") {
        true => format!(", test {name} {:.2} %", 100.0 * value),
        false => format!(", test {name} {value:.4}"),
    };
    measures.iter().map(word).collect()
}

/// Formats 12345 as `12,345`.
fn with_separators(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
