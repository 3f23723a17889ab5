//! What the model reads of a script.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tau_ai::{ContentBlock, ImageBlock, JsonMap, both_ends};
use tau_tools::truncate::format_size;

use crate::engine::{CallRecord, Ended, Failure, OutputItem, Report};

/// How many tokens of output a script has unless it says something else.
const TOKENS: u64 = 10_000;
/// How many characters make a token, about.
const PER_TOKEN: usize = 4;
/// How many calls are named after a failure.
const NAMED: usize = 100;

/// A script's output as the model gets it.
pub(super) struct Written {
    pub(super) content: Vec<ContentBlock>,
    /// The file with all of the text, when the model gets a part.
    pub(super) full_output: Option<PathBuf>,
    pub(super) is_error: bool,
}

enum Item {
    Text(String),
    Image { data: String, mime_type: &'static str },
}

/// Writes a report down. Files go to `directory`. `unseen` is how many pictures of models the script did not show.
pub(super) fn write(report: Report, max_tokens: Option<u64>, unseen: usize, directory: &Path) -> Written {
    let Report { ended, output, calls, wall } = report;
    let items = laid_out(output.into_items());
    let shows_none = !items.iter().any(|item| matches!(item, Item::Image { .. }));
    let failure = match ended {
        Ended::Completed(_) => None,
        Ended::Failed(failure) => Some(failure),
    };
    let mut end = Vec::new();
    if let Some(failure) = &failure {
        end.push(format!("Script error:\n{failure}\n\n{}", done_before(failure, &calls)));
    }
    if unseen > 0 && shows_none {
        end.push(format!(
            "Note: the models made {unseen} picture{} that the script did not show. Show each image block of their output with image(block).",
            if unseen == 1 { "" } else { "s" }
        ));
    }
    let limit = usize::try_from(max_tokens.unwrap_or(TOKENS)).unwrap_or(usize::MAX);
    let (items, full_output) = within(joined(items), &end.join("\n"), limit, directory);
    // Paths stand beside their pictures, and nothing of them is cut.
    let items = joined(saved(items, directory));
    let word = if failure.is_some() { "failed" } else { "completed" };
    let head = format!("Script {word}\nWall time {:.1} seconds\nOutput:\n", wall.as_secs_f64());
    let blocks = items.into_iter().map(|item| match item {
        Item::Text(text) => ContentBlock::text(text),
        Item::Image { data, mime_type } => {
            ContentBlock::Image(ImageBlock { data, mime_type: mime_type.to_owned(), extra: JsonMap::new() })
        }
    });
    let content = std::iter::once(ContentBlock::text(head)).chain(blocks).collect();
    Written { content, full_output, is_error: failure.is_some() }
}

/// Texts and pictures in order, each of several texts under a line of its own; then the console.
fn laid_out(output: Vec<OutputItem>) -> Vec<Item> {
    let count = output.iter().filter(|item| matches!(item, OutputItem::Text(_))).count();
    let (mut items, mut console, mut number) = (Vec::new(), Vec::new(), 0);
    for item in output {
        match item {
            OutputItem::Text(text) if count > 1 => {
                number += 1;
                items.push(Item::Text(format!("==> text {number}/{count} <==\n{text}")));
            }
            OutputItem::Text(text) => items.push(Item::Text(text)),
            OutputItem::Console(line) => console.push(line),
            OutputItem::Image { data, mime_type } => items.push(Item::Image { data, mime_type }),
        }
    }
    if !console.is_empty() {
        items.push(Item::Text(format!("<console_output>\n{}\n</console_output>", console.join("\n"))));
    }
    items
}

/// Texts that follow each other become one, each on lines of its own.
fn joined(items: Vec<Item>) -> Vec<Item> {
    let mut all: Vec<Item> = Vec::new();
    for item in items {
        match (all.last_mut(), item) {
            (Some(Item::Text(before)), Item::Text(text)) => {
                if !before.is_empty() && !before.ends_with('\n') {
                    before.push('\n');
                }
                before.push_str(&text);
            }
            (_, item) => all.push(item),
        }
    }
    all
}

/// What had happened before a script failed.
fn done_before(failure: &Failure, calls: &[CallRecord]) -> String {
    if failure.before_start() {
        return "The script did not start.".to_owned();
    }
    if calls.is_empty() {
        return "No tool calls were made.".to_owned();
    }
    let mut named: Vec<String> =
        calls.iter().take(NAMED).map(|call| format!("{} ({})", call.name, call.status.word())).collect();
    if let Some(more) = calls.len().checked_sub(NAMED).filter(|more| *more > 0) {
        named.push(format!("and {more} more"));
    }
    format!("Tool calls made before the failure (they are not undone): {}", named.join(", "))
}

/// The items with as much text as the model wants: both ends of it, and all of it in a file. What tau says at the end
/// counts, but stays whole: nothing of an error is cut because the script put out much.
fn within(mut items: Vec<Item>, end: &str, tokens: usize, directory: &Path) -> (Vec<Item>, Option<PathBuf>) {
    let texts = items.iter().filter_map(|item| match item {
        Item::Text(text) => Some(text.as_str()),
        Item::Image { .. } => None,
    });
    let output = texts.collect::<Vec<_>>().join("\n");
    // An error has the text that a script gave it, which may be long too.
    let shown_end = both_ends(end);
    let budget = tokens.saturating_mul(PER_TOKEN).saturating_sub(shown_end.chars().count());
    let count = if output.len() <= budget { 0 } else { output.chars().count() };
    let mut path = None;
    if count > budget || shown_end != end {
        let all = [output.as_str(), end].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
        let saved = match save(directory, ".txt", all.as_bytes()) {
            Ok(saved) => format!("[Full output: {} (read with offset/limit)]", path.insert(saved).display()),
            Err(error) => format!("[Could not save the full output: {error}]"),
        };
        let text = format!(
            "Warning: truncated output (original token count: {})\nTotal output lines: {}\n\n{}\n\n{saved}",
            all.chars().count().div_ceil(PER_TOKEN),
            all.split('\n').count(),
            ends(&output, count, budget),
        );
        items.retain(|item| matches!(item, Item::Image { .. }));
        items.insert(0, Item::Text(text));
    }
    if !end.is_empty() {
        items.push(Item::Text(shown_end.into_owned()));
    }
    (items, path)
}

/// Both ends of a text of `count` characters that has more than `budget`.
fn ends(text: &str, count: usize, budget: usize) -> String {
    if count <= budget {
        return text.to_owned();
    }
    let (head, tail) = (budget / 2, budget - budget / 2);
    let cut = |at: usize| text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte);
    let (head, tail) = (&text[..cut(head)], &text[cut(count - tail)..]);
    format!("{head}…{} tokens truncated…{tail}", (count - budget).div_ceil(PER_TOKEN))
}

/// Each picture in a file, with a line before it that says where: a model has no other way to its bytes.
fn saved(items: Vec<Item>, directory: &Path) -> Vec<Item> {
    let mut lines: HashMap<String, String> = HashMap::new();
    let mut all = Vec::with_capacity(items.len());
    for item in items {
        if let Item::Image { data, mime_type } = &item {
            let line = lines.entry(data.clone()).or_insert_with(|| {
                let bytes = STANDARD.decode(data).unwrap_or_default();
                let kind = format!("{mime_type}, {}", format_size(bytes.len() as u64));
                let ending = match *mime_type {
                    "image/jpeg" => ".jpg",
                    "image/gif" => ".gif",
                    "image/webp" => ".webp",
                    _ => ".png",
                };
                match save(directory, ending, &bytes) {
                    Ok(path) => format!("[Image saved to {} ({kind})]", path.display()),
                    Err(error) => format!("[Image ({kind}) could not be saved: {error}]"),
                }
            });
            all.push(Item::Text(line.clone()));
        }
        all.push(item);
    }
    all
}

/// Writes a file that the user alone can read, and that stays.
fn save(directory: &Path, ending: &str, bytes: &[u8]) -> std::io::Result<PathBuf> {
    let mut file = tempfile::Builder::new().prefix("tau-codemode-").suffix(ending).tempfile_in(directory)?;
    file.write_all(bytes)?;
    file.flush()?;
    let (_, path) = file.keep().map_err(|error| error.error)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::engine::{CallStatus, Output};

    fn text(items: Vec<Item>) -> String {
        let text = |item: Item| match item {
            Item::Text(text) => text,
            Item::Image { .. } => "IMAGE".to_owned(),
        };
        items.into_iter().map(text).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn several_texts_have_headings_and_the_console_is_last() {
        let console = || OutputItem::Console("said".to_owned());
        let one = || OutputItem::Text("one".to_owned());
        let image = || OutputItem::Image { data: String::new(), mime_type: "image/png" };
        assert_eq!(text(joined(laid_out(vec![one()]))), "one");
        let all = laid_out(vec![console(), one(), image(), one(), console()]);
        let expected =
            "==> text 1/2 <==\none|IMAGE|==> text 2/2 <==\none\n<console_output>\nsaid\nsaid\n</console_output>";
        assert_eq!(text(joined(all)), expected);
    }

    #[test]
    fn long_output_keeps_both_ends_and_goes_to_a_file() {
        let dir = tempfile::tempdir().expect("a folder");
        let long = format!("{}\n{}", "ä".repeat(100), "z".repeat(100));
        let (items, path) = within(vec![Item::Text(long.clone())], "", 5, dir.path());
        let path = path.expect("a file");
        let expected = format!(
            "Warning: truncated output (original token count: 51)\nTotal output lines: 2\n\n{}…46 tokens truncated…{}\n\n[Full output: {} (read with offset/limit)]",
            "ä".repeat(10),
            "z".repeat(10),
            path.display()
        );
        assert_eq!(text(items), expected);
        assert_eq!(std::fs::read_to_string(path).expect("the file"), long);
        let (items, _) = within(vec![Item::Text(long)], "", 5, Path::new("/nowhere"));
        assert!(text(items).contains("[Could not save the full output: "));
    }

    #[test]
    fn what_is_said_at_the_end_stays_whole() {
        let dir = tempfile::tempdir().expect("a folder");
        let of = |output: &str, end: &str, tokens| {
            let items =
                vec![Item::Text(output.to_owned()), Item::Image { data: String::new(), mime_type: "image/png" }];
            let (items, path) = within(items, end, tokens, dir.path());
            (text(items), path.map(|path| std::fs::read_to_string(path).expect("the file")))
        };
        let (long, end) = ("z".repeat(100), "Script error:\nError: x");
        let (shown, saved) = of(&long, end, 10);
        assert!(shown.contains(&format!("\n\n{0}…21 tokens truncated…{0}\n\n[Full", "z".repeat(9))), "{shown}");
        assert!(shown.ends_with(&format!("|IMAGE|{end}")), "{shown}");
        assert_eq!(saved, Some(format!("{long}\n{end}")));
        assert!(of(&long, end, 0).0.ends_with(end));
        assert_eq!(of("", end, 0), (format!("|IMAGE|{end}"), None));
        // One without measure has no room either.
        let (shown, saved) = of("short", &"e".repeat(20_000), 10_000);
        assert!(shown.contains("\n\nshort\n\n[Full") && shown.len() < 10_000, "{shown}");
        assert_eq!(saved.map(|saved| saved.len()), Some(20_006));
    }

    #[test]
    fn a_failure_names_the_calls_before_it() {
        let call = |name: &str, status| CallRecord { name: name.to_owned(), status };
        let report = |failure, calls| Report {
            ended: Ended::Failed(failure),
            output: Output::default(),
            calls,
            wall: Duration::from_millis(1234),
        };
        let calls = vec![call("read", CallStatus::Ok), call("bash", CallStatus::Open)];
        let written = write(report(Failure::Threw("Error: x".to_owned()), calls), None, 0, Path::new("/nowhere"));
        let texts: Vec<&str> = written.content.iter().filter_map(ContentBlock::as_text).collect();
        assert_eq!(texts[0], "Script failed\nWall time 1.2 seconds\nOutput:\n");
        assert_eq!(
            texts[1],
            "Script error:\nError: x\n\nTool calls made before the failure (they are not undone): read (ok), bash (cancelled)"
        );
        assert!(written.is_error);
        let many = vec![call("read", CallStatus::Ok); NAMED + 2];
        assert!(done_before(&Failure::Aborted, &many).ends_with(", and 2 more"));
        assert_eq!(done_before(&Failure::TimedOutWaiting(1), &[]), "The script did not start.");
    }
}
