//! The filters of a template: `{{tool.ls.text|first_lines:3|join:, }}`.

use super::error::nearest;

/// One step from text to text.
#[derive(Debug, Clone)]
pub struct Filter {
    row: &'static Row,
    arguments: Vec<String>,
}

struct Row {
    name: &'static str,
    /// How many arguments it takes.
    arguments: usize,
    /// The first argument is a number.
    counts: bool,
    apply: fn(&str, &[String]) -> String,
}

impl std::fmt::Debug for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

const fn row(name: &'static str, arguments: usize, apply: fn(&str, &[String]) -> String) -> Row {
    Row { name, arguments, counts: false, apply }
}

const fn counting(name: &'static str, apply: fn(&str, &[String]) -> String) -> Row {
    Row { name, arguments: 1, counts: true, apply }
}

/// Lines are counted without the end of the last one, so an empty text has none.
static ROWS: &[Row] = &[
    row("lines", 0, |text, _| text.lines().count().to_string()),
    counting("first_lines", |text, args| pick(text, |at, _| at < number(args))),
    counting("last_lines", |text, args| {
        let skip = text.lines().count().saturating_sub(number(args));
        pick(text, |at, _| at >= skip)
    }),
    counting("skip_lines", |text, args| pick(text, |at, _| at >= number(args))),
    row("non_empty", 0, |text, _| pick(text, |_, line| !line.trim().is_empty())),
    row("starting", 1, |text, args| pick(text, |_, line| line.starts_with(&args[0]))),
    row("ending", 1, |text, args| pick(text, |_, line| line.ends_with(&args[0]))),
    row("not_ending", 1, |text, args| pick(text, |_, line| !line.ends_with(&args[0]))),
    row("containing", 1, |text, args| pick(text, |_, line| line.contains(&args[0]))),
    row("until_blank_line", 0, |text, _| text.split("\n\n").next().unwrap_or_default().to_owned()),
    row("join", 1, |text, args| text.lines().collect::<Vec<_>>().join(&args[0])),
    row("prefix_lines", 1, |text, args| {
        text.lines().map(|line| format!("{}{line}", args[0])).collect::<Vec<_>>().join("\n")
    }),
    row("trim", 0, |text, _| text.trim().to_owned()),
    counting("limit", |text, args| text.chars().take(number(args)).collect()),
    row("or", 1, |text, args| if text.is_empty() { args[0].clone() } else { text.to_owned() }),
    row("plural", 2, |text, args| match text.lines().count() {
        1 => format!("1 {}", args[0]),
        count => format!("{count} {}", args[1]),
    }),
    row("count_as", 1, |text, args| match text.lines().count() {
        0 => String::new(),
        count => args[0].replace('#', &count.to_string()),
    }),
    row("if_has", 2, |text, args| if text.contains(&args[0]) { args[1].clone() } else { String::new() }),
    row("if_any", 1, |text, args| if text.is_empty() { String::new() } else { args[0].replace('#', text) }),
];

fn pick(text: &str, keep: impl Fn(usize, &str) -> bool) -> String {
    text.lines().enumerate().filter(|(at, line)| keep(*at, line)).map(|(_, line)| line).collect::<Vec<_>>().join("\n")
}

fn number(arguments: &[String]) -> usize {
    arguments.first().and_then(|text| text.trim().parse().ok()).unwrap_or_default()
}

impl Filter {
    /// Reads `name` or `name:argument:argument`. Arguments are taken with their blanks; the last one may
    /// contain colons.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, rest) = match text.split_once(':') {
            Some((name, rest)) => (name.trim(), Some(rest)),
            None => (text.trim(), None),
        };
        let Some(row) = ROWS.iter().find(|row| row.name == name) else {
            return Err(match nearest(name, ROWS.iter().map(|row| row.name)) {
                Some(hint) => format!("unknown template filter `{name}`; did you mean `{hint}`?"),
                None => format!(
                    "unknown template filter `{name}`; there are {}",
                    ROWS.iter().map(|row| row.name).collect::<Vec<_>>().join(", ")
                ),
            });
        };
        let arguments: Vec<String> = match rest {
            Some(rest) => rest.splitn(row.arguments.max(1), ':').map(str::to_owned).collect(),
            None => Vec::new(),
        };
        if arguments.len() != row.arguments {
            return Err(format!("the template filter `{name}` takes {} arguments: `{text}`", row.arguments));
        }
        if row.counts && arguments[0].trim().parse::<usize>().is_err() {
            return Err(format!("the template filter `{name}` takes a number: `{text}`"));
        }
        Ok(Self { row, arguments })
    }

    /// Applies the filter.
    pub fn apply(&self, text: String) -> String {
        (self.row.apply)(&text, &self.arguments)
    }
}

/// The names of all filters.
#[cfg(test)]
pub fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.name)
}
