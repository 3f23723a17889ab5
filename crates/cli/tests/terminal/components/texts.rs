//! What extensions that change Markdown get beside the text.

use super::super::Seat;
use crate::place::Place;

#[test]
fn a_transformer_knows_the_room_and_of_what_is_in_the_session_the_entry() {
    for (padding, room) in [(1, 98), (0, 100)] {
        let place = Place::new();
        place.write("agent/settings.json", format!(r#"{{"outputPad": {padding}}}"#));
        place.write(
            "agent/extensions/draws.ts",
            "export default (pi) => {
                let known;
                pi.on('session_start', (_, ctx) => {
                    known = new Map(ctx.sessionManager.getEntries().map((entry) => [entry.id, entry.timestamp]));
                });
                pi.registerMarkdownTransformer((text, { messageType, availableWidth, messageId, timestamp }) => {
                    const of = messageId === undefined ? 'new' : known.get(messageId) === timestamp ? 'stored' : 'wrong';
                    return text + ' ' + [messageType, availableWidth, of].join('/');
                }, { messageTypes: ['user', 'assistant'] });
            };",
        );
        let mut seat = Seat::new(place, "replies: [Yes.]", &[]);
        seat.is_ready();
        seat.submits("Go");
        seat.shows(&format!("Go user/{room}/new"));
        seat.shows(&format!("Yes. assistant/{room}/new"));
        seat.types("\x04");
        seat.ends();
        let mut again = seat.again("replies: []", &["-c"]);
        again.shows(&format!("Go user/{room}/stored"));
        again.shows(&format!("Yes. assistant/{room}/stored"));
    }
}
