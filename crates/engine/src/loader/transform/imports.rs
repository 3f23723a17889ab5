//! What a module imports.

use oxc::allocator::{Allocator, CloneIn, Vec as ArenaVec};
use oxc::ast::ast::{ImportDeclaration, ImportDeclarationSpecifier, Program, Statement};
use oxc::ast::builder::AstBuilder;

/// The static imports, in the order of the source.
pub(super) fn of(program: &Program<'_>) -> Vec<String> {
    let mut imports: Vec<String> = Vec::new();
    for statement in &program.body {
        let source = match statement {
            Statement::ImportDeclaration(import) => Some(&import.source),
            Statement::ExportFromDeclaration(export) => Some(&export.source),
            Statement::ExportAllDeclaration(export) => Some(&export.source),
            _ => None,
        };
        if let Some(source) = source
            && !imports.iter().any(|known| known == source.value.as_str())
        {
            imports.push(source.value.to_string());
        }
    }
    imports
}

/// Makes two declarations of `import value, * as all from "x"`: the module runner's transform knows a namespace only
/// when it stands alone.
pub(super) fn part<'a>(program: &mut Program<'a>, allocator: &'a Allocator, builder: &AstBuilder<'a>) {
    let mut body = ArenaVec::with_capacity_in(program.body.len(), builder);
    for mut statement in program.body.drain(..) {
        let second = match &mut statement {
            Statement::ImportDeclaration(import) => second(import, allocator, builder),
            _ => None,
        };
        body.push(statement);
        body.extend(second);
    }
    program.body = body;
}

fn second<'a>(
    import: &mut ImportDeclaration<'a>,
    allocator: &'a Allocator,
    builder: &AstBuilder<'a>,
) -> Option<Statement<'a>> {
    let specifiers = import.specifiers.as_mut().filter(|specifiers| specifiers.len() > 1)?;
    let is_all = |last: &&mut ImportDeclarationSpecifier<'a>| {
        matches!(last, ImportDeclarationSpecifier::ImportNamespaceSpecifier(_))
    };
    specifiers.last_mut().filter(is_all)?;
    let all = specifiers.pop()?;
    let specifiers = ArenaVec::from_array_in([all], builder);
    let source = import.source.clone_in(allocator);
    let (span, phase, kind) = (import.span, import.phase, import.import_kind);
    Some(Statement::ImportDeclaration(ImportDeclaration::boxed(
        span,
        Some(specifiers),
        source,
        phase,
        None,
        kind,
        builder,
    )))
}
