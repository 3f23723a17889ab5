//! Where a component can stand, as data.

use super::faults::{CALLS, FAULTS, LONG_FAULTS};

/// A place on the screen.
pub(super) struct Place {
    pub(super) name: &'static str,
    /// What messages call it.
    pub(super) called: &'static str,
    /// How a factory is put there, and taken away, in TypeScript.
    pub(super) put: &'static str,
    /// It has the keys.
    pub(super) has_keys: bool,
    /// Somebody waits for it.
    pub(super) is_awaited: bool,
}

/// All of them.
pub(super) const PLACES: &[Place] = &[
    Place {
        name: "widget",
        called: "widget",
        put: "ctx.ui.setWidget('w', factory)",
        has_keys: false,
        is_awaited: false,
    },
    Place { name: "footer", called: "footer", put: "ctx.ui.setFooter(factory)", has_keys: false, is_awaited: false },
    Place { name: "header", called: "header", put: "ctx.ui.setHeader(factory)", has_keys: false, is_awaited: false },
    Place {
        name: "editor",
        called: "editor",
        put: "ctx.ui.setEditorComponent(factory)",
        has_keys: true,
        is_awaited: false,
    },
    Place { name: "custom", called: "dialog", put: "ctx.ui.custom(factory)", has_keys: true, is_awaited: true },
    Place {
        name: "overlay",
        called: "overlay",
        put: "ctx.ui.custom(factory, { overlay: true, overlayOptions: { width: 40 } })",
        has_keys: true,
        is_awaited: true,
    },
];

/// The extension with all places and faults in it.
pub(super) fn extension() -> String {
    let faults = FAULTS.iter().chain(LONG_FAULTS);
    let faults: String = faults
        .map(|fault| format!("  {}: (tui, done, hit, whole) => {{ {} }},\n", fault.name, fault.factory))
        .collect();
    let places: String =
        PLACES.iter().map(|place| format!("  {}: (ctx, factory) => {},\n", place.name, place.put)).collect();
    let calls: String = CALLS.iter().map(|(name, body)| format!("  {name}: (otherwise) => {{ {body} }},\n")).collect();
    let tables =
        format!("const FAULTS = {{\n{faults}}};\nconst PLACES = {{\n{places}}};\nconst CALLS = {{\n{calls}}};\n");
    format!("{tables}{}", include_str!("matrix.ts"))
}

/// The cells that are left out, with the reason.
pub(super) fn left_out(place: &Place, fault: &str) -> Option<&'static str> {
    match fault {
        "inputThrows" if !place.has_keys => Some("it gets no keys"),
        "doneBefore" if !place.is_awaited => Some("its factory gets no `done`"),
        _ => None,
    }
}
