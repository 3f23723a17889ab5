//! The functions of a program.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context as _, Result, ensure};
use nix::unistd::Pid;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SymbolKind};

/// Its functions, and its code as the file has it.
pub struct Symbols {
    names: BTreeMap<u64, Vec<String>>,
    start: u64,
    text: Vec<u8>,
}

impl Symbols {
    /// Reads them.
    pub fn of(program: &str) -> Result<Self> {
        let bytes = fs::read(program).with_context(|| program.to_owned())?;
        let file = object::File::parse(&*bytes).with_context(|| program.to_owned())?;
        let section = file.section_by_name(".text").context("no code")?;
        let (start, text) = (section.address(), section.data()?.to_vec());
        let end = start + u64::try_from(text.len())?;
        let mut names: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text) {
            if (start..end).contains(&symbol.address()) {
                names.entry(symbol.address()).or_default().push(symbol.name()?.to_owned());
            }
        }
        ensure!(!names.is_empty(), "{program} has no names of functions");
        Ok(Self { names, start, text })
    }

    /// Where its code begins, in the file's own addresses.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Its code.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Where its functions begin.
    pub fn addresses(&self) -> impl Iterator<Item = u64> {
        self.names.keys().copied()
    }

    /// Whether a function begins there.
    pub fn has(&self, address: u64) -> bool {
        self.names.contains_key(&address)
    }

    /// The names of the function that begins there.
    pub fn names(&self, address: u64) -> &[String] {
        self.names.get(&address).map(Vec::as_slice).unwrap_or_default()
    }

    /// The place of an address within the code.
    pub fn offset(&self, address: u64) -> usize {
        usize::try_from(address - self.start).expect("within the code")
    }
}

/// Where a running program lies in memory.
pub fn base(process: Pid, program: &str) -> Result<u64> {
    let path = fs::canonicalize(program)?;
    let maps = fs::read_to_string(format!("/proc/{process}/maps"))?;
    let line = maps.lines().find(|line| line.ends_with(&*path.to_string_lossy())).context("it is not in memory")?;
    let first = line.split('-').next().context("an address")?;
    Ok(u64::from_str_radix(first, 16)?)
}
