//! Plays keys of vi to an editor, for comparisons with other programs: each line of the input is a JSON array of a text, the
//! line and the byte column of the cursor, and keys, in which U+001B is escape and U+0012 is ctrl+r. Each line of the output is
//! an array of the text and the place of the cursor afterwards.

use std::io::{BufRead as _, Write as _};

use tau_view::editor::vi::{Did, Key, Mode, Vi};
use tau_view::editor::{Editor, Position};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let (text, row, column, keys): (String, usize, usize, String) = serde_json::from_str(&line?)?;
        let mut editor = Editor::new();
        editor.set_text(&text);
        editor.set_width(10_000);
        editor.place(Position { line: row, column });
        let mut vi = Vi::new();
        vi.key(&mut editor, Key::Escape);
        editor.place(Position { line: row, column });
        vi.settle(&mut editor);
        for key in keys.chars().chain(['\u{1b}', '\u{1b}']) {
            let key = match key {
                '\u{1b}' => Key::Escape,
                '\u{12}' => Key::Redo,
                other => Key::Character(other),
            };
            if vi.key(&mut editor, key) == Did::Nothing
                && vi.mode() == Mode::Insert
                && let Key::Character(typed) = key
            {
                editor.type_text(&typed.to_string());
            }
        }
        let Position { line, column } = editor.cursor();
        writeln!(output, "{}", serde_json::json!([editor.text(), line, column]))?;
    }
    Ok(())
}
