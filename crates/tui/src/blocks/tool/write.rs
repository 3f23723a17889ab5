//! Files that are written.

use super::Renderer;
use super::call::Call;

/// How many lines of the content show.
const LINES: usize = 10;

pub(super) struct Write;

impl Renderer for Write {
    fn title(&self, call: &Call<'_>) -> String {
        format!("{} {}", call.name("write"), call.path())
    }

    fn body(&self, call: &Call<'_>) -> Vec<String> {
        let mut rows = content(call);
        rows.extend(call.error());
        rows
    }
}

/// The lines of the file. Only those that show are coloured, so that content that grows costs no more than they do.
fn content(call: &Call<'_>) -> Vec<String> {
    let Some(content) = call.text("content") else { return Vec::new() };
    let content = content.trim_end_matches(['\n', '\r']);
    if content.is_empty() {
        return Vec::new();
    }
    let limit = if call.view.expanded { usize::MAX } else { LINES };
    let mut code = call.code(call.text("path").unwrap_or_default());
    let mut rows = Vec::new();
    let mut lines = content.split('\n');
    while rows.len() < limit {
        let Some(line) = lines.next() else { break };
        rows.extend(call.code_line(&mut code, line));
    }
    let cut = rows.len().saturating_sub(limit);
    rows.truncate(limit);
    let more = cut + lines.count();
    rows.extend(call.more(more, "more"));
    rows
}
