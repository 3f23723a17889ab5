//! The tree of a session: where to go on, what is folded, what has a label.

mod rows;

use std::collections::HashSet;

use tau_tui::Drawn;
use tau_tui::keymap::Keymap;
use tau_tui::select::{Columns, Item, ListLook, Picked, SelectList};

pub(crate) use self::rows::{Filter, TreeRow, rows_of};
use super::{Deed, Draft, Effect, LineInput, Panel, Space, Took};

/// The keys of the filters.
const FILTERS: &[(&str, Filter)] = &[
    ("app.tree.filter.default", Filter::Usual),
    ("app.tree.filter.noTools", Filter::NoTools),
    ("app.tree.filter.userOnly", Filter::UserOnly),
    ("app.tree.filter.labeledOnly", Filter::LabeledOnly),
    ("app.tree.filter.all", Filter::All),
];

/// What the user is asked.
enum Stage {
    Choosing,
    Labelling(usize, LineInput),
    /// How to go to a place.
    Summary(usize, SelectList),
    /// What a summary should look at.
    Focus(usize, LineInput),
}

/// The tree.
pub(crate) struct TreePanel {
    rows: Vec<TreeRow>,
    filter: Filter,
    /// Rows whose branches are not shown.
    folded: HashSet<usize>,
    /// Rows that are shown, by their place among all.
    shown: Vec<usize>,
    list: SelectList,
    search: LineInput,
    shows_times: bool,
    /// A summary of what is left is not offered.
    skips_summary: bool,
    stage: Stage,
    note: &'static str,
}

impl TreePanel {
    pub(crate) fn new(rows: Vec<TreeRow>, filter: &str, skips_summary: bool) -> Self {
        let mut panel = Self {
            rows,
            filter: Filter::of(filter),
            folded: HashSet::new(),
            shown: Vec::new(),
            list: SelectList::default(),
            search: LineInput::default(),
            shows_times: false,
            skips_summary,
            stage: Stage::Choosing,
            note: "",
        };
        let here = panel.rows.iter().rposition(|row| row.on_path);
        panel.fill(here);
        panel
    }

    /// Shows what there is to be seen now, with a row selected, or the last one before it that is shown.
    fn fill(&mut self, selected: Option<usize>) {
        let words: Vec<String> = self.search.value().split_whitespace().map(str::to_lowercase).collect();
        let mut shown = Vec::new();
        let mut hidden_until = 0;
        for (at, row) in self.rows.iter().enumerate() {
            if at < hidden_until {
                continue;
            }
            if self.folded.contains(&at) {
                hidden_until = row.end;
            }
            let text = row.text.to_lowercase();
            let label = row.label.as_deref().unwrap_or_default().to_lowercase();
            let is_found = words.iter().all(|word| text.contains(word) || label.contains(word));
            if is_found && self.filter.shows(row) {
                shown.push(at);
            }
        }
        let items = shown.iter().map(|at| Item::new(self.line(*at))).collect();
        self.list = SelectList::new(items, 10);
        let place = selected.and_then(|row| shown.iter().rposition(|at| *at <= row));
        self.list.select(place.unwrap_or(0));
        self.shown = shown;
    }

    fn line(&self, at: usize) -> String {
        let row = &self.rows[at];
        let fold = match (row.branches, self.folded.contains(&at)) {
            (_, true) => "⊞ ",
            (true, false) => "⊟ ",
            (false, false) => "",
        };
        let mark = if row.on_path { "• " } else { "  " };
        let time = row.label_time.as_deref().filter(|_| self.shows_times).map(|time| format!(" {time}"));
        let label = row.label.as_deref().map(|label| format!("[{label}{}] ", time.unwrap_or_default()));
        format!("{}{mark}{fold}{}{}", "  ".repeat(row.depth), label.unwrap_or_default(), row.text)
    }

    fn selected(&self) -> Option<usize> {
        self.shown.get(self.list.selected()?).copied()
    }

    fn filtered(&mut self, filter: Filter) -> Took {
        let selected = self.selected();
        self.filter = filter;
        self.fill(selected);
        Took::Stays
    }

    /// Folds the selected branch, or goes to where its branch begins.
    fn fold_or_up(&mut self) -> Took {
        let Some(at) = self.selected() else { return Took::Stays };
        if self.rows[at].branches && self.folded.insert(at) {
            self.fill(Some(at));
            return Took::Stays;
        }
        let up = self.shown.iter().rev().copied().find(|row| *row < at && self.rows[*row].branches);
        self.fill(up.or(Some(0)));
        Took::Stays
    }

    /// Unfolds the selected branch, or goes to where the next one begins.
    fn unfold_or_down(&mut self) -> Took {
        let Some(at) = self.selected() else { return Took::Stays };
        if self.folded.remove(&at) {
            self.fill(Some(at));
            return Took::Stays;
        }
        let down = self.shown.iter().copied().find(|row| *row > at && self.rows[*row].branches);
        self.fill(down.or(Some(at)));
        Took::Stays
    }

    fn choose(&mut self) -> Took {
        let Some(at) = self.selected() else { return Took::Stays };
        if self.rows[at].is_leaf {
            self.note = "Already at this point";
            return Took::Stays;
        }
        if self.skips_summary {
            return self.go(at, "");
        }
        let items = ["No summary", "Summarize", "Summarize with a focus of your own"].map(Item::new).to_vec();
        self.stage = Stage::Summary(at, SelectList::new(items, 3));
        Took::Stays
    }

    fn go(&self, at: usize, how: &str) -> Took {
        Took::Closes(Effect::Send(format!("/tree {} {how}", self.rows[at].id).trim_end().to_owned()))
    }

    fn key_of_stage(&mut self, data: &str, keys: &Keymap) -> Took {
        let cancels = keys.is(data, "tui.select.cancel");
        let confirms = keys.is(data, "tui.select.confirm");
        match &mut self.stage {
            Stage::Choosing => Took::Nothing,
            Stage::Summary(at, list) => {
                let at = *at;
                match list.key(data, keys) {
                    Picked::Item(0) => self.go(at, ""),
                    Picked::Item(1) => self.go(at, "summarize"),
                    Picked::Item(_) => {
                        self.stage = Stage::Focus(at, LineInput::default());
                        Took::Stays
                    }
                    Picked::Cancelled => {
                        self.stage = Stage::Choosing;
                        Took::Stays
                    }
                    Picked::Moved => Took::Stays,
                    Picked::Nothing => Took::Nothing,
                }
            }
            Stage::Focus(..) | Stage::Labelling(..) if cancels => {
                self.stage = Stage::Choosing;
                Took::Stays
            }
            Stage::Focus(at, line) if confirms => {
                let (at, how) = (*at, format!("summarize {}", line.value().trim()));
                self.go(at, how.trim_end())
            }
            Stage::Labelling(at, line) if confirms => {
                let (at, label) = (*at, line.value().trim().to_owned());
                self.stage = Stage::Choosing;
                let id = self.rows[at].id.clone();
                let row = &mut self.rows[at];
                row.label = Some(label.clone()).filter(|label| !label.is_empty());
                row.label_time = row.label.is_some().then(|| "just now".to_owned());
                self.fill(Some(at));
                Took::Acts(Effect::Do(Deed::Label { id, label }))
            }
            Stage::Focus(_, line) | Stage::Labelling(_, line) => {
                if line.key(data, keys) {
                    Took::Stays
                } else {
                    Took::Nothing
                }
            }
        }
    }
}

impl Panel for TreePanel {
    fn draw(&mut self, space: &Space<'_>) -> Drawn {
        let look = ListLook { styles: &space.look.styles, columns: Columns::default(), empty: "Nothing matches" };
        let width = space.width.saturating_sub(4).max(1);
        match &self.stage {
            Stage::Choosing => {}
            Stage::Summary(_, list) => {
                let mut draft = Draft::new(space, "Summarize the branch that is left?");
                draft.list(list, &look);
                return draft.finish(&[("tui.select.confirm", "choose"), ("tui.select.cancel", "back")]);
            }
            Stage::Focus(_, line) | Stage::Labelling(_, line) => {
                let title = match self.stage {
                    Stage::Focus(..) => "What should the summary focus on?",
                    _ => "Label (empty: none)",
                };
                let mut draft = Draft::new(space, title);
                let (text, column) = line.draw(width);
                draft.input(" > ", &text, column);
                return draft.finish(&[("tui.select.confirm", "done"), ("tui.select.cancel", "back")]);
            }
        }
        let mut draft = Draft::new(space, &format!("Session tree    {}", self.filter.word()));
        let (text, column) = self.search.draw(width);
        draft.input(" > ", &text, column);
        self.list.set_rows((space.rows / 2).max(5).min(space.rows.saturating_sub(7).max(1)));
        draft.list(&self.list, &look);
        if !self.note.is_empty() {
            draft.dim(self.note);
        }
        draft.dim(&key_line(
            space.keys,
            &[
                ("app.tree.filter.default", "usual"),
                ("app.tree.filter.noTools", "no tools"),
                ("app.tree.filter.userOnly", "user"),
                ("app.tree.filter.labeledOnly", "labeled"),
                ("app.tree.filter.all", "all"),
            ],
        ));
        draft.finish(&[
            ("tui.select.confirm", "go"),
            ("app.tree.foldOrUp", "fold"),
            ("app.tree.unfoldOrDown", "unfold"),
            ("app.tree.editLabel", "label"),
            ("app.message.copy", "copy"),
            ("tui.select.cancel", "leave"),
        ])
    }

    fn list(&mut self) -> Option<&mut SelectList> {
        match &mut self.stage {
            Stage::Choosing => Some(&mut self.list),
            Stage::Summary(_, list) => Some(list),
            Stage::Focus(..) | Stage::Labelling(..) => None,
        }
    }

    fn key(&mut self, data: &str, keys: &Keymap) -> Took {
        if !matches!(self.stage, Stage::Choosing) {
            return self.key_of_stage(data, keys);
        }
        self.note = "";
        if let Some((_, filter)) = FILTERS.iter().find(|(action, _)| keys.is(data, action)) {
            return self.filtered(*filter);
        }
        for (action, by) in [("app.tree.filter.cycleForward", 1), ("app.tree.filter.cycleBackward", FILTERS.len() - 1)]
        {
            if keys.is(data, action) {
                let at = FILTERS.iter().position(|(_, filter)| *filter == self.filter).unwrap_or_default();
                return self.filtered(FILTERS[(at + by) % FILTERS.len()].1);
            }
        }
        if keys.is(data, "app.tree.foldOrUp") {
            return self.fold_or_up();
        }
        if keys.is(data, "app.tree.unfoldOrDown") {
            return self.unfold_or_down();
        }
        if keys.is(data, "app.tree.editLabel") {
            if let Some(at) = self.selected() {
                let mut line = LineInput::default();
                line.paste(self.rows[at].label.as_deref().unwrap_or_default());
                self.stage = Stage::Labelling(at, line);
            }
            return Took::Stays;
        }
        if keys.is(data, "app.tree.toggleLabelTimestamp") {
            self.shows_times = !self.shows_times;
            let selected = self.selected();
            self.fill(selected);
            return Took::Stays;
        }
        if keys.is(data, "app.message.copy") {
            let Some(at) = self.selected() else { return Took::Stays };
            let text = self.rows[at].whole.clone();
            return Took::Acts(Effect::Do(Deed::Copy(text)));
        }
        match self.list.key(data, keys) {
            Picked::Item(_) => return self.choose(),
            Picked::Cancelled => return Took::Closes(Effect::Nothing),
            Picked::Moved => return Took::Stays,
            Picked::Nothing => {}
        }
        if !self.search.key(data, keys) {
            return Took::Nothing;
        }
        let selected = self.selected();
        self.fill(selected);
        Took::Stays
    }

    fn paste(&mut self, text: &str) {
        match &mut self.stage {
            Stage::Labelling(_, line) | Stage::Focus(_, line) => line.paste(text),
            Stage::Summary(..) => {}
            Stage::Choosing => {
                self.search.paste(text);
                self.fill(None);
            }
        }
    }
}

fn key_line(keys: &Keymap, hints: &[(&str, &str)]) -> String {
    let hints = hints.iter().filter_map(|(action, does)| Some(format!("{} {does}", keys.key_of(action)?)));
    hints.collect::<Vec<_>>().join(" · ")
}
