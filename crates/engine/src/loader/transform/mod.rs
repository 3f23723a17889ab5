//! TypeScript and modules to functions.
//!
//! A module becomes a function body that asks for its imports and offers its exports through parameters. That is
//! how the TypeScript loaders in use behave: a type exported without `type`, a missing export, `require` and
//! `__dirname` in a module, cycles and CommonJS all work, which engine modules do not allow.

mod awaits;
mod depth;
mod evidence;
mod imports;
pub mod stack;

use std::path::Path;

use oxc::allocator::Allocator;
use oxc::ast::AstKind;
use oxc::ast::ast::{Argument, Expression, Program, Statement};
use oxc::ast::builder::AstBuilder;
use oxc::ast_visit::{Visit, VisitMut, walk};
use oxc::codegen::{Codegen, CodegenOptions, CommentOptions};
use oxc::diagnostics::OxcDiagnostic;
use oxc::parser::{ParseOptions, Parser};
use oxc::semantic::{ScopeFlags, SemanticBuilder};
use oxc::span::SourceType;
use oxc::transformer::{
    DecoratorOptions, HelperLoaderMode, HelperLoaderOptions, JsxOptions, TransformOptions, Transformer,
};
use oxc::transformer_plugins::ModuleRunnerTransform;

pub use evidence::Evidence;

/// How a module speaks to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModuleKind {
    /// It has `import` or `export`.
    Esm,
    /// It has neither.
    CommonJs,
}

/// A module as a function body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transformed {
    /// The body, beginning on a line of its own.
    pub code: String,
    /// What it imports statically, in the order of the source.
    pub imports: Vec<String>,
    /// How it speaks to others.
    pub kind: ModuleKind,
    /// Whether it has `await` outside functions.
    pub is_async: bool,
    /// What it exports; `None` when that takes looking at other modules.
    pub exports: Option<Vec<String>>,
    /// The mappings of a source map of version 3, when they were asked for.
    pub mappings: Option<String>,
    /// What the source says of the dialect it was written for.
    pub evidence: Evidence,
    /// Code behind an `await` runs in the asynchronous context of the code before it.
    pub tracks_await: bool,
}

/// A source that is no program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// What is wrong.
    pub message: String,
    /// From one.
    pub line: usize,
    /// From one, in characters.
    pub column: usize,
}

/// How to transform.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Keep positions of the source.
    pub source_map: bool,
    /// Make code behind an `await` run in the asynchronous context of the code before it.
    pub track_await: bool,
}

/// The stack that a token may take in the parser, the transforms or the code generator, in bytes. What takes most are
/// types in brackets and methods of nested objects; the tests go to the limit with each kind of nesting.
const STACK_PER_TOKEN: usize = if cfg!(debug_assertions) { 8 << 10 } else { 4 << 10 };

/// The stack that any source takes, in bytes.
const STACK: usize = 1 << 20;

/// The stack for threads that parse modules, in bytes: enough for most of them. The system provides what is used of it.
pub const THREAD_STACK: usize = 32 << 20;

/// Parses a module and turns it into a function body.
///
/// A source for which the running thread may not have enough stack left, as [`stack::begin`] knows it, gets a thread of its
/// own with enough for every source that is let through.
///
/// # Errors
/// When the source is no program or nests too deep, with the first place that is wrong; when the system gives no thread.
pub fn transform(path: &Path, source: &str, options: Options) -> Result<Transformed, SyntaxError> {
    let needed = |tokens: usize| tokens.saturating_mul(STACK_PER_TOKEN).saturating_add(STACK);
    let left = stack::left();
    // A token has a byte at least: most modules are so short that it does not matter how many they have.
    if source.len() <= depth::MAX && needed(source.len()) <= left {
        return transform_here(path, source, options);
    }
    let most = depth::most(source);
    // The engine would not compile that either. What this does not see costs stack, and nothing else.
    if most > depth::MAX
        && let Some(offset) = depth::too_deep(source)
    {
        let message = format!("this nests too deep: more than {} tokens that belong together", depth::MAX);
        return Err(at(message, offset, source));
    }
    if needed(most) <= left {
        return transform_here(path, source, options);
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("tau-js-parser".to_owned()).stack_size(needed(most));
        let no_thread = |error| {
            let message =
                format!("this is too large: it may nest {most} levels deep, and there is no stack for that: {error}");
            at(message, 0, source)
        };
        let parsing = thread.spawn_scoped(scope, || transform_here(path, source, options)).map_err(no_thread)?;
        parsing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// How many tokens lie around the deepest place of code, and its line and column, from one.
pub fn deepest(code: &str) -> (usize, usize, usize) {
    let (depth, offset) = depth::deepest(code);
    let place = at(String::new(), offset, code);
    (depth, place.line, place.column)
}

/// Takes stack for every level of the source.
fn transform_here(path: &Path, source: &str, options: Options) -> Result<Transformed, SyntaxError> {
    let allocator = Allocator::default();
    let source_type = SourceType::from_path(path).unwrap_or_else(|_| SourceType::mjs());
    // Modules first: only they may have top-level await. What is no module then is CommonJS, which is sloppy.
    let mut source_type = source_type.with_module(true);
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if matches!(extension, "cjs" | "cts") {
        source_type = source_type.with_commonjs(true);
    }
    let parse = |source_type: SourceType| {
        let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
        Parser::new(&allocator, source, source_type).with_options(options).parse()
    };
    let mut parsed = parse(source_type);
    let has_module_syntax = parsed.module_record.has_module_syntax;
    if !has_module_syntax && source_type.is_module() && (parsed.panicked || !parsed.diagnostics.is_empty()) {
        parsed = parse(source_type.with_commonjs(true));
    }
    if let Some(error) = parsed.diagnostics.first() {
        return Err(place(error, source));
    }
    let mut program = parsed.program;
    // It is one only at the very beginning, where the head of the function will be.
    program.hashbang = None;
    let evidence = evidence::of(&program, source);
    let scoping = SemanticBuilder::new().with_enum_eval(true).build(&program).semantic.into_scoping();
    let transformed =
        Transformer::new(&allocator, path, &transform_options()).build_with_scoping(scoping, &mut program);
    if let Some(error) = transformed.diagnostics.first() {
        return Err(place(error, source));
    }
    let imports = imports::of(&program);
    let builder = AstBuilder::new(&allocator);
    imports::part(&mut program, &allocator, &builder);
    let is_async = (has_module_syntax || source_type.is_module()) && awaits_at_top(&program);
    let kind = if has_module_syntax || is_async { ModuleKind::Esm } else { ModuleKind::CommonJs };
    // CommonJS has dynamic imports too.
    let scoping = SemanticBuilder::new().build(&program).semantic.into_scoping();
    ModuleRunnerTransform::new().transform(&allocator, &mut program, scoping);
    let exports = exports(&program);
    awaits::Awaits { allocator: &allocator, builder, track: options.track_await }.visit_program(&mut program);
    let map_path = options.source_map.then(|| path.to_path_buf());
    // Nobody reads the code, and in deep code most of it would be indentation.
    let codegen = CodegenOptions {
        source_map_path: map_path,
        comments: CommentOptions::disabled(),
        indent_width: 0,
        ..CodegenOptions::default()
    };
    let output = Codegen::new().with_options(codegen).with_source_text(source).build(&program);
    let mappings = output.map.map(|map| map.to_json().mappings);
    Ok(Transformed {
        code: output.code,
        imports,
        kind,
        is_async,
        exports,
        mappings,
        evidence,
        tracks_await: options.track_await,
    })
}

fn transform_options() -> TransformOptions {
    TransformOptions {
        decorator: DecoratorOptions { legacy: true, ..DecoratorOptions::default() },
        helper_loader: HelperLoaderOptions { mode: HelperLoaderMode::External, ..HelperLoaderOptions::default() },
        jsx: JsxOptions { runtime: oxc::transformer::JsxRuntime::Classic, ..JsxOptions::default() },
        ..TransformOptions::default()
    }
}

/// The names that a transformed module defines: it does so first of all, one statement each.
fn exports(program: &Program<'_>) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for statement in &program.body {
        let Statement::ExpressionStatement(statement) = statement else { continue };
        let call = match &statement.expression {
            Expression::CallExpression(call) => call,
            _ => continue,
        };
        if call.callee.is_specific_id("__vite_ssr_exportAll__") {
            return None;
        }
        if let [Argument::Identifier(target), Argument::StringLiteral(name), _] = call.arguments.as_slice()
            && target.name == "__vite_ssr_exports__"
        {
            names.push(name.value.to_string());
        }
    }
    Some(names)
}

/// Whether code outside functions waits for something.
fn awaits_at_top(program: &Program<'_>) -> bool {
    struct TopAwait(bool);
    impl<'a> Visit<'a> for TopAwait {
        fn enter_node(&mut self, kind: AstKind<'a>) {
            match kind {
                AstKind::AwaitExpression(_) => self.0 = true,
                AstKind::ForOfStatement(statement) if statement.r#await => self.0 = true,
                AstKind::VariableDeclaration(declaration) if declaration.kind.is_await() => self.0 = true,
                _ => {}
            }
        }
        fn visit_function(&mut self, _: &oxc::ast::ast::Function<'a>, _: ScopeFlags) {}
        fn visit_arrow_function_expression(&mut self, _: &oxc::ast::ast::ArrowFunctionExpression<'a>) {}
        fn visit_class(&mut self, class: &oxc::ast::ast::Class<'a>) {
            // Of a class only the parent belongs to the outside.
            if let Some(parent) = &class.heritage {
                walk::walk_expression(self, &parent.expression);
            }
        }
    }
    let mut visitor = TopAwait(false);
    visitor.visit_program(program);
    visitor.0
}

fn place(error: &OxcDiagnostic, source: &str) -> SyntaxError {
    at(error.message.to_string(), error.labels.first().map_or(0, |label| label.offset() as usize), source)
}

fn at(message: String, offset: usize, source: &str) -> SyntaxError {
    let before = source.get(..offset.min(source.len())).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    SyntaxError { message, line, column }
}
