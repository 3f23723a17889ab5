//! From positions in compiled code back to the source.

use std::cell::RefCell;
use std::collections::HashMap;

use oxc_sourcemap::SourceMap;

/// Code begins on the second line of what is compiled.
const HEAD_LINES: u32 = 1;

/// The source maps of one engine's modules. Maps are read when the first error needs them.
#[derive(Default)]
pub(crate) struct Positions {
    maps: RefCell<HashMap<String, Entry>>,
}

struct Entry {
    source: String,
    map: Map,
}

enum Map {
    Text(String),
    Read(Box<SourceMap<'static>>),
    Broken,
}

impl Positions {
    /// Remembers the map of a compiled file.
    pub(crate) fn add(&self, file: &str, source: &str, map: &str) {
        let entry = Entry { source: source.to_owned(), map: Map::Text(map.to_owned()) };
        self.maps.borrow_mut().insert(file.to_owned(), entry);
    }

    /// The place in the source; lines and columns count from one.
    pub(crate) fn original(&self, file: &str, line: u32, column: u32) -> (String, u32, u32) {
        let mut maps = self.maps.borrow_mut();
        let Some(entry) = maps.get_mut(file) else { return (file.to_owned(), line, column) };
        if let Map::Text(text) = &entry.map {
            entry.map = match SourceMap::from_json_string(text) {
                Ok(map) => Map::Read(Box::new(map.into_owned())),
                Err(_) => Map::Broken,
            };
        }
        let Map::Read(map) = &entry.map else { return (entry.source.clone(), line, column) };
        let table = map.generate_lookup_table();
        let token = map.lookup_token(&table, line.saturating_sub(1 + HEAD_LINES), column.saturating_sub(1));
        match token {
            Some(token) => (entry.source.clone(), token.get_src_line() + 1, token.get_src_col() + 1),
            None => (entry.source.clone(), line, column),
        }
    }
}
