//! Modules that are compiled.

use wasmi::{Engine, ExternType, ImportType, Module};

use super::super::OpError;
use super::errors::{COMPILE, Failed};
use super::sections::{Kind, export_names, import_kinds, rename_start};

/// A module of the engine.
pub(super) struct Compiled {
    pub(super) module: Module,
    /// The export that is its start function.
    pub(super) start: Option<String>,
    /// The names of its other exports, in its order.
    pub(super) exports: Vec<String>,
    /// Where the interpreter has its imports, in its order: the interpreter has them kind by kind.
    pub(super) imports: Vec<usize>,
}

impl Compiled {
    /// The import in this place of the module's own order.
    pub(super) fn import(&self, place: usize) -> Option<ImportType<'_>> {
        self.module.imports().nth(*self.imports.get(place)?)
    }
}

/// Reads a module, and checks it.
pub(super) fn read(engine: &Engine, bytes: &[u8]) -> Result<Compiled, Failed> {
    let renamed = rename_start(bytes);
    let module = Module::new(engine, renamed.as_ref().map_or(bytes, |renamed| &renamed.bytes))?;
    let start = renamed.map(|renamed| renamed.start);
    if let Some(start) = &start
        && !module.get_export(start).is_some_and(|kind| is_start(&kind))
    {
        return Err(OpError::new(COMPILE, "invalid start function: non-zero parameter or return count").into());
    }
    let imports = places(&module, &import_kinds(bytes).unwrap_or_default())
        .ok_or_else(|| OpError::new(COMPILE, "the imports of this module cannot be read"))?;
    Ok(Compiled { module, start, exports: export_names(bytes), imports })
}

/// Where the interpreter has imports of these kinds.
fn places(module: &Module, kinds: &[Kind]) -> Option<Vec<usize>> {
    let known: Vec<Kind> = module.imports().map(|import| kind_of_import(import.ty())).collect();
    let mut taken = vec![false; known.len()];
    let mut place = |kind: Kind| {
        let place = (0..known.len()).find(|place| known[*place] == kind && !taken[*place])?;
        taken[place] = true;
        Some(place)
    };
    let places = kinds.iter().map(|kind| place(*kind)).collect::<Option<Vec<_>>>()?;
    (places.len() == known.len()).then_some(places)
}

fn kind_of_import(kind: &ExternType) -> Kind {
    match kind {
        ExternType::Func(_) => Kind::Function,
        ExternType::Table(_) => Kind::Table,
        ExternType::Memory(_) => Kind::Memory,
        ExternType::Global(_) => Kind::Global,
    }
}

fn is_start(kind: &ExternType) -> bool {
    kind.func().is_some_and(|kind| kind.params().is_empty() && kind.results().is_empty())
}
