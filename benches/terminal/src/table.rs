//! The rows that are printed in the end.

/// A row: what the programs took, in their order.
struct Row {
    what: String,
    unit: &'static str,
    /// The values of each program.
    values: Vec<Vec<f64>>,
    goal: Option<f64>,
}

pub struct Table {
    programs: Vec<&'static str>,
    rows: Vec<Row>,
}

impl Table {
    pub fn new(programs: Vec<&'static str>) -> Self {
        Self { programs, rows: Vec::new() }
    }

    /// Adds a value of a program; a row is as good as the middle of its values. `goal` is the most that tau may take.
    pub fn add(&mut self, what: &str, program: &str, value: f64, unit: &'static str, goal: Option<f64>) {
        let count = self.programs.len();
        let row = match self.rows.iter().position(|row| row.what == what) {
            Some(row) => row,
            None => {
                self.rows.push(Row { what: what.to_owned(), unit, values: vec![Vec::new(); count], goal });
                self.rows.len() - 1
            }
        };
        let program = self.programs.iter().position(|name| *name == program).expect("a program that is measured");
        self.rows[row].values[program].push(value);
        eprintln!("  {:<12} {what}: {}", self.programs[program], shown(value, unit));
    }

    /// What a program took.
    pub fn value(&self, what: &str, program: &str) -> Option<f64> {
        let program = self.programs.iter().position(|name| *name == program)?;
        middle(&self.rows.iter().find(|row| row.what == what)?.values[program])
    }

    pub fn print(&self) {
        let mut lines = vec![vec![String::new()]];
        lines[0].extend(self.programs.iter().map(|name| (*name).to_owned()));
        lines[0].extend(self.programs.iter().skip(1).map(|name| format!("{name} ÷ tau")));
        lines[0].extend(["goal", "held"].map(str::to_owned));
        for row in &self.rows {
            let middles: Vec<Option<f64>> = row.values.iter().map(|values| middle(values)).collect();
            let mut line = vec![row.what.clone()];
            line.extend(middles.iter().map(|value| value.map_or_else(String::new, |value| shown(value, row.unit))));
            line.extend(middles.iter().skip(1).map(|other| match (middles[0], other) {
                (Some(tau), Some(other)) if tau > 0.0 => {
                    let ratio = other / tau;
                    format!("{ratio:.*}×", usize::from(ratio < 10.0))
                }
                _ => String::new(),
            }));
            line.push(row.goal.map_or_else(String::new, |goal| format!("≤ {}", shown(goal, row.unit))));
            // What holds for tau holds for both of its screens.
            let of_tau = self.programs.iter().zip(&middles).filter(|(name, _)| name.starts_with("tau"));
            let most = of_tau.filter_map(|(_, value)| *value).reduce(f64::max);
            let held = row.goal.zip(most).map(|(goal, value)| value <= goal);
            line.push(held.map_or("", |held| if held { "yes" } else { "NO" }).to_owned());
            lines.push(line);
        }
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or_default();
        let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
        println!();
        for line in &lines {
            let cells: Vec<String> = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
            println!("{}", cells.join("  ").trim_end());
        }
    }
}

fn middle(values: &[f64]) -> Option<f64> {
    part(values, 0.5)
}

/// The value that this part of all is not above.
pub fn part(values: &[f64], part: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(((sorted.len() as f64 * part) as usize).min(sorted.len().saturating_sub(1))).copied()
}

fn shown(value: f64, unit: &str) -> String {
    match unit {
        "bytes" if value >= 1e6 => format!("{:.2} MB", value / 1e6),
        "bytes" if value >= 1e4 => format!("{:.1} kB", value / 1e3),
        "bytes" => format!("{value:.0} B"),
        "" => format!("{value:.*}", usize::from(value.fract() != 0.0) * 2),
        _ if value < 10.0 => format!("{value:.2} {unit}"),
        _ => format!("{value:.0} {unit}"),
    }
}
