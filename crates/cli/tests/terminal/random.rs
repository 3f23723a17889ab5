//! Whatever happens in a terminal, and in what order, it shows what a new one shows of the same session.

use proptest::prelude::*;
use rustix::process::{Pid, Signal, kill_process};

use super::Seat;
use super::screen::has_line;
use crate::place::Place;

/// Something that happens.
#[derive(Debug, Clone)]
enum Step {
    /// A prompt, and its answer.
    Prompt,
    /// A command of the shell with many lines of output.
    Flood(u16),
    /// Something is typed and taken back.
    Typed(String),
    /// The terminal gets another size.
    Resized(u16, u16),
    /// The same while the program is stopped.
    Stopped(u16, u16),
    /// A look at what is above.
    Paged,
    /// A paste of many lines that is taken back.
    Pasted(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let size = || (20u16..120, 8u16..40);
    let step = prop_oneof![
        4 => Just(Step::Prompt),
        2 => (1u16..200).prop_map(Step::Flood),
        2 => "[a-z é你👍]{1,30}".prop_map(Step::Typed),
        3 => size().prop_map(|(columns, rows)| Step::Resized(columns, rows)),
        1 => size().prop_map(|(columns, rows)| Step::Stopped(columns, rows)),
        1 => Just(Step::Paged),
        1 => (2usize..40).prop_map(Step::Pasted),
    ];
    prop::collection::vec(step, 1..9)
}

/// The answer to prompt `number`: of all kinds of blocks, and longer than small screens.
fn answer(number: usize) -> String {
    let items: String =
        (1..12).map(|item| format!("- item {item} of {number} with some `code` and **weight** in it\\n")).collect();
    let rows: String = (1..6).map(|row| format!("| {row} | cell {row} of {number} |\\n")).collect();
    format!(
        "# Answer {number}\\n\\n{items}\\n| n | text |\\n|---|---|\\n{rows}\\n```rust\\nfn main() {{ let n = {number}; }}\\n```\\n\\nThe end of {number}."
    )
}

/// The editor is free when it shows what is typed; it is taken back.
fn settled(seat: &mut Seat, sign: usize) {
    seat.until("rest", |screen| !screen.contains("(escape to"));
    let sign = format!("sign{sign}");
    seat.types(&sign);
    seat.shows(&sign);
    seat.types("\x15");
    seat.until("an empty editor", |screen| !screen.contains(&sign));
}

/// The rows with the conversation, but for what only stands there for a moment.
fn conversation(seat: &Seat) -> Vec<String> {
    let rows = seat.reflowed_rows();
    let rule = rows.iter().rposition(|row| row.starts_with("──")).expect("the editor");
    let first = rows[..rule].iter().rposition(|row| row.starts_with("──")).expect("the editor");
    rows[..first].iter().map(|row| row.trim_end().to_owned()).collect()
}

/// Everything happens, and then the size is the usual one and one more prompt is answered.
fn plays(steps: &[Step]) -> Result<(), TestCaseError> {
    let replies: Vec<String> = (0..=steps.len()).map(|number| format!("\"{}\"", answer(number))).collect();
    let script = format!("replies: [{}]", replies.join(", "));
    let mut seat = Seat::new(Place::new(), &script, &[]);
    seat.is_ready();
    let (mut prompts, mut resized) = (0, 0);
    for (sign, step) in steps.iter().chain([&Step::Resized(100, 30), &Step::Prompt]).enumerate() {
        match step {
            Step::Prompt => {
                let prompt = format!("prompt {prompts}");
                seat.submits(&prompt);
                seat.shows(&format!("The end of {prompts}."));
                prompts += 1;
            }
            Step::Flood(lines) => {
                let command = format!("!seq {lines}; echo end{sign}");
                seat.types(&command);
                seat.until("the command", |screen| screen.replace('\n', "").contains(&command));
                seat.types("\r");
                seat.until("its output", |screen| has_line(screen, &format!("end{sign}")));
            }
            Step::Typed(text) => {
                seat.types(text);
                seat.types("\x15");
            }
            Step::Resized(columns, rows) => {
                seat.resize(*columns, *rows);
                resized += 1;
            }
            Step::Stopped(columns, rows) => {
                let pid = Pid::from_raw(seat.pid()).expect("a process");
                kill_process(pid, Signal::STOP).expect("sent");
                seat.resize(*columns, *rows);
                kill_process(pid, Signal::CONT).expect("sent");
                resized += 1;
            }
            Step::Paged => seat.types("\x1b[5~\x1b[6~\x1b[6~"),
            Step::Pasted(lines) => {
                seat.types(&format!("\x1b[200~{}\x1b[201~", "pasted\n".repeat(*lines)));
                // A long one is a block with a number.
                seat.until("the paste", |screen| screen.contains("pasted") || screen.contains("[paste #"));
                seat.types("\x1f");
                seat.until("no paste", |screen| !screen.contains("paste"));
            }
        }
        settled(&mut seat, sign);
    }
    // Every answer is in the scrollback, in order; a new size may repeat a screen.
    let written = seat.all_reflowed_rows();
    let mut from = 0;
    for number in 0..prompts {
        let end = format!("The end of {number}.");
        let at = written[from..].iter().position(|row| row.contains(&end));
        prop_assert!(at.is_some(), "{end} is lost:\n{}", written.join("\n"));
        from += at.unwrap_or_default();
        let count = written.iter().filter(|row| row.contains(&end)).count();
        prop_assert!(count <= 1 + resized, "{end} stands there {count} times:\n{}", written.join("\n"));
    }
    let shown = conversation(&seat);
    seat.quits();
    let mut new = seat.again(&script, &["-c"]);
    new.shows(&format!("The end of {}.", prompts - 1));
    new.shows("scripted");
    settled(&mut new, 99);
    let fresh = conversation(&new);
    let rows = shown.len().min(fresh.len());
    prop_assert!(rows > 10, "one of them shows nothing:\n{}\n\n{}", shown.join("\n"), fresh.join("\n"));
    prop_assert_eq!(&shown[shown.len() - rows..], &fresh[fresh.len() - rows..]);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, max_shrink_iters: 30, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_screen_is_what_a_new_terminal_shows(steps in steps()) {
        plays(&steps)?;
    }
}

#[test]
fn a_smaller_screen_loses_nothing() {
    plays(&[Step::Prompt, Step::Prompt, Step::Resized(40, 14), Step::Prompt]).expect("nothing is lost");
}
