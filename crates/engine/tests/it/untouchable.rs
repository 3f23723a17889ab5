//! Extensions share globals and may replace them. What of the runtime runs when a gate is asked uses none of that: it takes
//! built-in functions from `internal/primordials.ts`, which runs before any extension.

use std::collections::HashSet;
use std::path::Path;

use oxc::allocator::Allocator;
use oxc::ast::ast::{
    ArrayPattern, AwaitExpression, BinaryExpression, BinaryOperator, BindingIdentifier, CallExpression, Declaration,
    Expression, ForOfStatement, IdentifierReference, ObjectExpression, ObjectPropertyKind, Program, PropertyKey,
    SpreadElement, Statement, TSType, TSTypeParameterInstantiation, YieldExpression,
};
use oxc::ast_visit::{Visit, walk};
use oxc::parser::Parser;
use oxc::span::{GetSpan, SourceType, Span};

/// The modules that run when a gate is asked, all of one or only these of its functions.
const RUNS: &[(&str, &[&str])] = &[
    ("host/calls.ts", &[]),
    ("host/context.ts", &[]),
    ("host/dialect.ts", &[]),
    ("host/generations.ts", &[]),
    ("host/live.ts", &[]),
    ("host/ui.ts", &[]),
    ("internal/async_context.ts", &[]),
    ("internal/late.ts", &[]),
    ("internal/tick.ts", &[]),
    (
        "internal/loader.ts",
        &[
            "settle",
            "settled",
            "resume",
            "goOn",
            "part",
            "callHandler",
            "handlerContext",
            "partAccessor",
            "keepLive",
            "invoke",
            "keep",
        ],
    ),
    ("node/timers.ts", &["keep", "stop", "fire"]),
];

/// Names of methods that prototypes of the language have.
const METHODS: &[&str] = &[
    "add",
    "apply",
    "at",
    "bind",
    "call",
    "catch",
    "charAt",
    "clear",
    "concat",
    "delete",
    "endsWith",
    "entries",
    "every",
    "exec",
    "filter",
    "finally",
    "find",
    "findIndex",
    "flat",
    "flatMap",
    "forEach",
    "get",
    "has",
    "hasOwnProperty",
    "includes",
    "indexOf",
    "join",
    "keys",
    "lastIndexOf",
    "map",
    "match",
    "next",
    "padStart",
    "pop",
    "push",
    "reduce",
    "replace",
    "reverse",
    "set",
    "shift",
    "slice",
    "some",
    "sort",
    "splice",
    "split",
    "startsWith",
    "test",
    "then",
    "toISOString",
    "toJSON",
    "toString",
    "trim",
    "unshift",
    "valueOf",
    "values",
];

/// What a program cannot replace.
const FIXED: &[&str] = &["undefined"];

/// Functions that make a promise safe to wait for.
const SAFE: &[&str] = &["safe", "resolved"];

#[derive(Default)]
struct Reader<'a> {
    known: HashSet<&'a str>,
    wanted: &'static [&'static str],
    found: Vec<(Span, String)>,
}

impl<'a> Reader<'a> {
    fn refuse(&mut self, span: Span, what: impl Into<String>) {
        self.found.push((span, what.into()));
    }
}

impl<'a> Visit<'a> for Reader<'a> {
    fn visit_ts_type(&mut self, _: &TSType<'a>) {}

    fn visit_ts_type_parameter_instantiation(&mut self, _: &TSTypeParameterInstantiation<'a>) {}

    fn visit_identifier_reference(&mut self, name: &IdentifierReference<'a>) {
        let own = name.name.as_str();
        if !self.known.contains(own) && !FIXED.contains(&own) {
            self.refuse(name.span, format!("the global `{own}`"));
        }
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        match &call.callee {
            Expression::StaticMemberExpression(member)
                if METHODS.contains(&member.property.name.as_str())
                    && member.object.get_identifier_reference().is_none_or(|object| object.name != "ops") =>
            {
                self.refuse(call.span, format!("the method `{}`", member.property.name));
            }
            Expression::Identifier(name) if name.name == "defineProperty" => {
                let bare = |object: &ObjectExpression<'_>| !object.properties.iter().any(has_no_prototype);
                for argument in &call.arguments {
                    let argument = argument.as_expression().map(Expression::get_inner_expression);
                    if let Some(Expression::ObjectExpression(object)) = argument
                        && bare(object)
                    {
                        self.refuse(object.span, "a descriptor with a prototype");
                    }
                }
            }
            _ => {}
        }
        walk::walk_call_expression(self, call);
    }

    fn visit_await_expression(&mut self, waits: &AwaitExpression<'a>) {
        let safe = match waits.argument.get_inner_expression() {
            Expression::CallExpression(call) => call.callee.get_identifier_reference(),
            _ => None,
        };
        if !safe.is_some_and(|name| SAFE.contains(&name.name.as_str())) {
            self.refuse(waits.span, "`await` of a promise that is not `safe`");
        }
        walk::walk_await_expression(self, waits);
    }

    fn visit_binary_expression(&mut self, expression: &BinaryExpression<'a>) {
        if expression.operator == BinaryOperator::Instanceof {
            self.refuse(expression.span, "`instanceof`");
        }
        walk::walk_binary_expression(self, expression);
    }

    fn visit_for_of_statement(&mut self, statement: &ForOfStatement<'a>) {
        self.refuse(statement.span, "the iterator of a list");
        walk::walk_for_of_statement(self, statement);
    }

    fn visit_array_pattern(&mut self, pattern: &ArrayPattern<'a>) {
        self.refuse(pattern.span, "the iterator of a list");
        walk::walk_array_pattern(self, pattern);
    }

    fn visit_spread_element(&mut self, spread: &SpreadElement<'a>) {
        self.refuse(spread.span, "the iterator of a list");
        walk::walk_spread_element(self, spread);
    }

    fn visit_object_property_kind(&mut self, property: &ObjectPropertyKind<'a>) {
        // What is spread into an object has no iterator.
        match property {
            ObjectPropertyKind::SpreadProperty(spread) => self.visit_expression(&spread.argument),
            ObjectPropertyKind::ObjectProperty(_) => walk::walk_object_property_kind(self, property),
        }
    }

    fn visit_yield_expression(&mut self, expression: &YieldExpression<'a>) {
        self.refuse(expression.span, "a generator");
    }

    fn visit_program(&mut self, program: &Program<'a>) {
        let mut names = Names::default();
        names.visit_program(program);
        self.known = names.0;
        for statement in &program.body {
            if self.wanted.is_empty() || declares(statement, self.wanted) {
                self.visit_statement(statement);
            }
        }
    }
}

/// `__proto__: null`
fn has_no_prototype(property: &ObjectPropertyKind<'_>) -> bool {
    let ObjectPropertyKind::ObjectProperty(property) = property else { return false };
    matches!(&property.key, PropertyKey::StaticIdentifier(name) if name.name == "__proto__")
        && property.value.get_inner_expression().is_null()
}

/// Every name that a module gives to something.
#[derive(Default)]
struct Names<'a>(HashSet<&'a str>);

impl<'a> Visit<'a> for Names<'a> {
    fn visit_binding_identifier(&mut self, name: &BindingIdentifier<'a>) {
        self.0.insert(name.name.as_str());
    }
}

/// Whether a statement at the top of a module makes one of these.
fn declares(statement: &Statement<'_>, wanted: &[&str]) -> bool {
    let mut names = Names::default();
    let declared = match statement {
        Statement::ExportDeclaration(export) => Some(&export.declaration),
        statement => statement.as_declaration(),
    };
    match declared {
        Some(Declaration::FunctionDeclaration(function)) => {
            function.id.iter().for_each(|name| names.visit_binding_identifier(name));
        }
        Some(Declaration::VariableDeclaration(variables)) => {
            variables.declarations.iter().for_each(|variable| names.visit_binding_pattern(&variable.id));
        }
        _ => {}
    }
    names.0.iter().any(|name| wanted.contains(name))
}

/// What a module uses that an extension could have replaced, each with its line.
fn refused(source: &str, wanted: &'static [&'static str]) -> Vec<String> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, source, SourceType::ts()).parse();
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let mut reader = Reader { wanted, ..Reader::default() };
    reader.visit_program(&parsed.program);
    let line = |span: Span| source[..span.span().start as usize].lines().count().max(1);
    reader.found.iter().map(|(span, what)| format!("{}: {what}", line(*span))).collect()
}

#[test]
fn what_runs_when_a_gate_is_asked_uses_nothing_that_can_be_replaced() {
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime");
    for (path, wanted) in RUNS {
        let source = std::fs::read_to_string(runtime.join(path)).expect("a module of the runtime");
        assert_eq!(refused(&source, wanted), Vec::<String>::new(), "{path}");
    }
}

#[test]
fn what_can_be_replaced_is_found() {
    for source in [
        "Promise.resolve(1);",
        "const all: any = []; all.push(1);",
        "const f: any = 0; f.call(1);",
        "const a: any = 0; const [b] = a;",
        "const a: any = 0; for (const b of a);",
        "const f: any = 0; f(...f);",
        "const f: any = 0; const g = async () => { await f(); };",
        "const f: any = 0; f instanceof f;",
        "const defineProperty: any = 0; defineProperty(0, 1, { get: 2 } as any);",
    ] {
        assert_eq!(refused(source, &[]).len(), 1, "{source}");
    }
    assert_eq!(refused("const f: any = 0; const g = { ...f, a: undefined };", &[]), Vec::<String>::new());
}
