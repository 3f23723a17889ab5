//! Parts of tau inside of components of extensions: blocks of the conversation, and what is under way.

use super::with;

#[test]
fn blocks_of_the_conversation_look_in_a_component_as_tau_draws_them() {
    let mut seat = with(
        "import { AssistantMessageComponent, CompactionSummaryMessageComponent, ToolExecutionComponent, UserMessageComponent }
            from '@earendil-works/pi-coding-agent';
        import { Container } from '@earendil-works/pi-tui';
        export default (pi) => pi.registerCommand('draw', { description: 'draws', handler: async (_, ctx) => {
            await ctx.ui.custom((tui, theme, keybindings, done) => {
                const all = new Container();
                all.addChild(new UserMessageComponent('What is here?'));
                all.addChild(new AssistantMessageComponent({ role: 'assistant', stopReason: 'stop', content: [
                    { type: 'text', text: '- a list' }] }));
                const call = new ToolExecutionComponent('bash', 'c1', { command: 'ls' }, {}, undefined, tui, ctx.cwd);
                call.markExecutionStarted();
                call.updateResult({ content: [{ type: 'text', text: 'a-file' }], isError: false });
                all.addChild(call);
                const summary = new CompactionSummaryMessageComponent({ summary: 'what was said', tokensBefore: 1200 });
                all.addChild(summary);
                all.handleInput = (data) => (data === 'x' ? (summary.setExpanded(true), tui.requestRender()) : done());
                return all;
            });
        }});",
        "replies: []",
    );
    seat.submits("/draw");
    let screen = seat.shows("Compacted from 1,200 tokens (ctrl+o to expand)");
    for text in ["What is here?", "- a list", "✓ $ ls", "a-file"] {
        assert!(screen.contains(text), "{text} is not in\n{screen}");
    }
    assert!(!screen.contains("what was said"), "{screen}");
    seat.types("x");
    seat.shows("what was said");
}

/// A call that takes long.
const SLOW: &str = "replies:\n  - [{tool_call: {name: bash, arguments: {command: 'sleep 1000'}}}]\n  - Done.";

#[test]
fn an_editor_shows_what_is_under_way_in_its_rule_if_it_wants_to() {
    for embeds in [true, false] {
        let extension = format!(
            "import {{ CustomEditor }} from '@earendil-works/pi-coding-agent';
            export default (pi) => pi.on('session_start', (_, ctx) => {{
                ctx.ui.setEditorComponent((tui, theme, keys) => {{
                    class Own extends CustomEditor {{
                        render(width) {{ return [...super.render(width), 'my own editor']; }}
                    }}
                    return new Own(tui, theme, keys, {{ embedWorkingStatus: {embeds} }});
                }});
            }});"
        );
        let mut seat = with(&extension, SLOW);
        seat.shows("my own editor");
        seat.submits("Go");
        let what = "one row with what is under way, in the rule or above it";
        seat.until(what, |screen| {
            let rows: Vec<&str> = screen.lines().filter(|row| row.contains("Working (escape to interrupt)")).collect();
            matches!(rows[..], [row] if row.starts_with("── ") == embeds && row.ends_with('─') == embeds)
        });
        seat.types("\x1b");
        seat.until("nothing under way", |screen| screen.contains("my own editor") && !screen.contains("Working"));
    }
}
