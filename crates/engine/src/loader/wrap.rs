//! The function that a module's body becomes. The build makes the runtime's modules with this very file.

use super::transform::{ModuleKind, Transformed};

/// What every module is a function of, by kind.
const ESM_HEAD: &str = "(function(__vite_ssr_exports__,__vite_ssr_import__,__vite_ssr_dynamic_import__,\
     __vite_ssr_exportAll__,__vite_ssr_import_meta__,require,module,exports,__filename,__dirname,__tau_resume__,\
     __tau_settle__){\"use strict\";{\n";
const ASYNC_HEAD: &str = "(async function(__vite_ssr_exports__,__vite_ssr_import__,__vite_ssr_dynamic_import__,\
     __vite_ssr_exportAll__,__vite_ssr_import_meta__,require,module,exports,__filename,__dirname,__tau_resume__,\
     __tau_settle__){\"use strict\";{\n";
const CJS_HEAD: &str = "(function(exports,require,module,__filename,__dirname,__vite_ssr_dynamic_import__,\
     __vite_ssr_import_meta__,__tau_resume__,__tau_settle__){\n";

/// The script whose value is the module as a function.
pub fn wrapped(module: &Transformed, code: &str) -> String {
    // The code begins on line two whatever the head is: positions rely on it.
    match (module.kind, module.is_async) {
        (ModuleKind::Esm, false) => format!("{ESM_HEAD}{code}\n}}}})"),
        (ModuleKind::Esm, true) => format!("{ASYNC_HEAD}{code}\n}}}})"),
        (ModuleKind::CommonJs, _) => format!("{CJS_HEAD}{code}\n}})"),
    }
}

/// Modules of the runtime that give names to whoever imports them, as these run.
const NAMERS: &[&str] = &["/lazy_exports.ts", "/exports.ts"];

/// The names that a module of the runtime exports, when they are known before it runs.
pub fn known_exports(module: &Transformed) -> Option<&[String]> {
    let named_later = module.imports.iter().any(|import| NAMERS.iter().any(|namer| import.ends_with(namer)));
    module.exports.as_deref().filter(|_| !named_later)
}
