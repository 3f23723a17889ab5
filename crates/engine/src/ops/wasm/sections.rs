//! What is read from the bytes of a module before the interpreter gets them: the order of its imports and exports, and its
//! start function, which becomes an export. The interpreter could not stop in the middle of a start function that it calls itself.

/// Sections by their numbers.
const IMPORTS: u8 = 2;
const EXPORTS: u8 = 7;
const START: u8 = 8;
/// Those that come behind the start section: elements, code, data, and the count of the data.
const BEHIND_START: [u8; 4] = [9, 10, 11, 12];

/// Magic and version.
const HEADER: usize = 8;

/// A module whose start function is an export.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Renamed {
    /// The module without a start section.
    pub(super) bytes: Vec<u8>,
    /// The export that takes its place: no export of the module itself has the name.
    pub(super) start: String,
}

/// Makes the start function of a module an export. Nothing for a module without one, and for what is no module: the
/// interpreter says why.
pub(super) fn rename_start(module: &[u8]) -> Option<Renamed> {
    let sections = sections(module)?;
    let mut starts = sections.iter().filter(|section| section.id == START);
    let start = starts.next()?;
    let before = sections.iter().take_while(|section| section.id != START);
    if starts.next().is_some() || before.into_iter().any(|section| BEHIND_START.contains(&section.id)) {
        return None;
    }
    let exports = sections.iter().find(|section| section.id == EXPORTS);
    let taken = exports.map_or(&[][..], |section| section.content);
    let name = (0_u32..).map(|number| format!("start {number}")).find(|name| !contains(taken, name.as_bytes()))?;
    let mut entries = taken;
    let count = if exports.is_some() { number(&mut entries)? } else { 0 };
    let mut content = Vec::new();
    write_number(&mut content, count.checked_add(1)?);
    content.extend_from_slice(entries);
    write_number(&mut content, u32::try_from(name.len()).ok()?);
    content.extend_from_slice(name.as_bytes());
    // The kind of a function, and which one.
    content.push(0);
    content.extend_from_slice(start.content);

    let place = if exports.is_some() { EXPORTS } else { START };
    let mut bytes = module.get(..HEADER)?.to_vec();
    for section in &sections {
        if section.id == place {
            bytes.push(EXPORTS);
            write_number(&mut bytes, u32::try_from(content.len()).ok()?);
            bytes.extend_from_slice(&content);
        } else if section.id != START {
            bytes.extend_from_slice(section.whole);
        }
    }
    Some(Renamed { bytes, start: name })
}

/// The names of what a module exports, in its order; empty for what is no module.
pub(super) fn export_names(module: &[u8]) -> Vec<String> {
    let read = || {
        let sections = sections(module)?;
        let mut entries = sections.iter().find(|section| section.id == EXPORTS)?.content;
        let count = number(&mut entries)?;
        let mut names = Vec::new();
        for _ in 0..count {
            let length = number(&mut entries)? as usize;
            let (name, rest) = entries.split_at_checked(length)?;
            names.push(String::from_utf8(name.to_vec()).ok()?);
            entries = rest.get(1..)?;
            number(&mut entries)?;
        }
        Some(names)
    };
    read().unwrap_or_default()
}

/// What can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Function,
    Table,
    Memory,
    Global,
}

/// The kinds of what a module imports, in its order; nothing for what is no module.
pub(super) fn import_kinds(module: &[u8]) -> Option<Vec<Kind>> {
    let sections = sections(module)?;
    let Some(section) = sections.iter().find(|section| section.id == IMPORTS) else { return Some(Vec::new()) };
    let mut rest = section.content;
    let count = number(&mut rest)?;
    let mut kinds = Vec::new();
    for _ in 0..count {
        // The names of the other module and of what it has.
        for _ in 0..2 {
            let length = number(&mut rest)? as usize;
            rest = rest.get(length..)?;
        }
        let (&kind, behind) = rest.split_first()?;
        rest = behind;
        kinds.push(match kind {
            0 => {
                number(&mut rest)?;
                Kind::Function
            }
            1 => {
                rest = rest.get(1..)?;
                skip_limits(&mut rest)?;
                Kind::Table
            }
            2 => {
                skip_limits(&mut rest)?;
                Kind::Memory
            }
            3 => {
                rest = rest.get(2..)?;
                Kind::Global
            }
            _ => return None,
        });
    }
    Some(kinds)
}

/// Skips how large something is at least, and at most where its first byte says so.
fn skip_limits(bytes: &mut &[u8]) -> Option<()> {
    let (&flags, rest) = bytes.split_first()?;
    *bytes = rest;
    for _ in 0..=(flags & 1) {
        number(bytes)?;
    }
    Some(())
}

struct Section<'a> {
    id: u8,
    content: &'a [u8],
    /// With its number and its length.
    whole: &'a [u8],
}

fn sections(module: &[u8]) -> Option<Vec<Section<'_>>> {
    let mut rest = module.get(HEADER..)?;
    let mut sections = Vec::new();
    while let Some((&id, behind)) = rest.split_first() {
        let mut content = behind;
        let length = number(&mut content)? as usize;
        let (content, behind) = content.split_at_checked(length)?;
        let whole = rest.get(..rest.len() - behind.len())?;
        sections.push(Section { id, content, whole });
        rest = behind;
    }
    Some(sections)
}

/// Takes a number of up to 32 bits, seven of them a byte.
fn number(bytes: &mut &[u8]) -> Option<u32> {
    let mut value = 0_u64;
    for place in 0..5 {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return u32::try_from(value).ok();
        }
    }
    None
}

fn write_number(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push((value & 0x7f) as u8);
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HEAD: &[u8] = b"\0asm\x01\0\0\0";

    fn module(sections: &[(u8, &[u8])]) -> Vec<u8> {
        let mut bytes = HEAD.to_vec();
        for (id, content) in sections {
            bytes.push(*id);
            write_number(&mut bytes, content.len() as u32);
            bytes.extend_from_slice(content);
        }
        bytes
    }

    #[test]
    fn a_start_function_becomes_an_export() {
        let code: (u8, &[u8]) = (10, b"\x00");
        let with = module(&[(7, b"\x01\x01f\x00\x02"), (8, b"\x05"), code]);
        let renamed = rename_start(&with).expect("it has a start function");
        assert_eq!(renamed.bytes, module(&[(7, b"\x02\x01f\x00\x02\x07start 0\x00\x05"), code]));
        assert_eq!(export_names(&renamed.bytes), ["f", "start 0"]);

        let without = module(&[(8, b"\x05"), code]);
        let renamed = rename_start(&without).expect("it has a start function");
        assert_eq!(renamed.bytes, module(&[(7, b"\x01\x07start 0\x00\x05"), code]));

        let taken = module(&[(7, b"\x01\x07start 0\x00\x02"), (8, b"\x05")]);
        assert_eq!(rename_start(&taken).expect("it has a start function").start, "start 1");
    }

    #[test]
    fn what_is_in_no_order_is_left_to_the_interpreter() {
        assert_eq!(rename_start(&module(&[(10, b"\x00"), (8, b"\x05")])), None);
        assert_eq!(rename_start(&module(&[(8, b"\x05"), (8, b"\x05")])), None);
        assert_eq!(rename_start(&module(&[(7, b"\x01\x01f\x00\x02")])), None);
        assert_eq!(rename_start(b"\0asm"), None);
    }

    #[test]
    fn imports_keep_their_order() {
        let imports =
            b"\x04\x01m\x01a\x02\x01\x01\x80\x02\x01m\x01b\x00\x05\x01m\x01c\x03\x7f\x01\x01m\x01d\x01\x70\x00\x02";
        let kinds = import_kinds(&module(&[(2, imports)]));
        assert_eq!(kinds, Some(vec![Kind::Memory, Kind::Function, Kind::Global, Kind::Table]));
        assert_eq!(import_kinds(&module(&[])), Some(Vec::new()));
        assert_eq!(import_kinds(&module(&[(2, b"\x01\x01m\x01a\x09")])), None);
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_much(content in proptest::collection::vec(any::<u8>(), 0..64)) {
            let mut bytes = HEAD.to_vec();
            bytes.extend_from_slice(&content);
            let names = export_names(&bytes);
            prop_assert!(import_kinds(&bytes).is_none_or(|kinds| kinds.len() <= bytes.len()));
            if let Some(renamed) = rename_start(&bytes) {
                prop_assert!(!names.contains(&renamed.start));
                prop_assert_eq!(rename_start(&renamed.bytes), None);
            }
        }

        #[test]
        fn numbers_are_read_as_they_are_written(value in any::<u32>()) {
            let mut bytes = Vec::new();
            write_number(&mut bytes, value);
            let mut rest = &bytes[..];
            prop_assert_eq!(number(&mut rest), Some(value));
            prop_assert!(rest.is_empty());
        }
    }
}
