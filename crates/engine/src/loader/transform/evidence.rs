//! What a source says of the dialect it was written for: read before types are taken out, because what tells most is
//! often a type.

use std::collections::{HashMap, HashSet};

use oxc::ast::Comment;
use oxc::ast::ast::{
    Argument, BindingPattern, CallExpression, ExportDefaultDeclaration, ExportDefaultDeclarationKind, Expression,
    FormalParameter, FormalParameters, Function, ImportDeclaration, ImportDeclarationSpecifier, Program,
    StaticMemberExpression, StringLiteral, TSImportType, TSImportTypeQualifier, TSType, TSTypeName, VariableDeclarator,
};
use oxc::ast_visit::{Visit, walk};
use oxc::semantic::ScopeFlags;
use oxc::span::GetSpan;

/// What a source says of its dialect. The same for the same source, so it is kept with what was compiled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// The name in a comment `@hook-dialect name`.
    pub pragma: Option<String>,
    /// Names that it imports from packages of pi, types included, each behind its specifier. An import as a whole has an
    /// empty name.
    pub imports: Vec<(String, String)>,
    /// What it does with the API and with contexts: `pi.send`, `ctx.exec`, `on session`.
    pub uses: Vec<String>,
    /// Words that say which generation of an event it knows.
    pub words: Vec<String>,
}

/// The comment that says the dialect.
const PRAGMA: &str = "@hook-dialect";

/// The scopes of pi's packages.
const SCOPES: &[&str] = &["@oh-my-pi/", "@mariozechner/", "@earendil-works/"];

/// What tells dialects apart among the members of the API and of contexts.
const API: &[&str] = &["send", "sendMessage", "exec", "registerCommand"];
const CONTEXT: &[&str] = &["exec", "sessionFile"];

/// Reasons of `session` events that hooks of some weeks were told, and no others.
const REASONS: &[&str] = &[
    "before_switch",
    "before_clear",
    "clear",
    "new",
    "before_new",
    "before_branch",
    "branch",
    "before_compact",
    "compact",
    "shutdown",
];

/// What a source has in it that says anything; most have nothing, and need not be walked through.
const MARKS: &[&str] = &[
    PRAGMA,
    "@oh-my-pi/",
    "@mariozechner/",
    "@earendil-works/",
    "\"session\"",
    "'session'",
    "\"branch\"",
    "'branch'",
    ".send(",
    "ctx.exec",
    "sessionFile",
];

/// What a program says of its dialect.
pub(super) fn of(program: &Program<'_>, source: &str) -> Evidence {
    let mut evidence = Evidence::default();
    if !MARKS.iter().any(|mark| source.contains(mark)) {
        return evidence;
    }
    let text = |comment: &Comment| {
        let span = comment.content_span();
        source.get(span.start as usize..span.end as usize).unwrap_or_default()
    };
    evidence.pragma = program.comments.iter().find_map(|comment| pragma(text(comment)));
    let mut reader = Reader::default();
    reader.visit_program(program);
    // Plain JavaScript says types in comments.
    for comment in program.comments.iter().filter(|comment| comment.is_block()) {
        reader.imports.extend(imports_in(text(comment)));
    }
    reader.finish(&mut evidence);
    evidence
}

fn pragma(comment: &str) -> Option<String> {
    let rest = comment.trim_start_matches(|c: char| c.is_whitespace() || c == '*').strip_prefix(PRAGMA)?;
    rest.starts_with(char::is_whitespace).then(|| rest.split_whitespace().next().map(str::to_owned)).flatten()
}

/// `import("package").Name` in a comment.
fn imports_in(comment: &str) -> Vec<(String, String)> {
    let found = comment.split("import(").skip(1).filter_map(|rest| {
        let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let (specifier, rest) = rest[1..].split_once(quote)?;
        let name = rest.strip_prefix(").").unwrap_or_default();
        let end = name.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(name.len());
        is_pi(specifier).then(|| (specifier.to_owned(), name[..end].to_owned()))
    });
    found.collect()
}

fn is_pi(specifier: &str) -> bool {
    SCOPES.iter().any(|scope| specifier.starts_with(scope))
}

/// Walks through a program once; which names stand for the API and for contexts is only known at the end.
#[derive(Default)]
struct Reader {
    imports: Vec<(String, String)>,
    /// Members of names: `pi.send` is `("pi", "send")`.
    members: Vec<(String, String)>,
    /// `on` of a name with an event.
    events: Vec<(String, String)>,
    /// Members that were taken out of a context in the head of a handler.
    taken: Vec<String>,
    words: HashSet<String>,
    apis: HashSet<String>,
    contexts: HashSet<String>,
    /// The first parameter of functions that have a name.
    functions: HashMap<String, String>,
    /// The name that is exported as default.
    default: Option<String>,
}

impl Reader {
    fn finish(mut self, evidence: &mut Evidence) {
        self.apis.insert("pi".to_owned());
        self.contexts.insert("ctx".to_owned());
        let default = self.default.as_ref().and_then(|name| self.functions.get(name)).cloned();
        self.apis.extend(default);
        let mut uses: Vec<String> = Vec::new();
        let mut add = |what: String| {
            if !uses.contains(&what) {
                uses.push(what);
            }
        };
        for (_, event) in self.events.iter().filter(|(of, _)| self.apis.contains(of)) {
            add(format!("on {event}"));
        }
        for (of, member) in &self.members {
            if self.apis.contains(of) && API.contains(&member.as_str()) {
                add(format!("pi.{member}"));
            }
            if self.contexts.contains(of) && CONTEXT.contains(&member.as_str()) {
                add(format!("ctx.{member}"));
            }
        }
        self.taken.iter().filter(|name| CONTEXT.contains(&name.as_str())).for_each(|name| add(format!("ctx.{name}")));
        evidence.uses = uses;
        evidence.words = REASONS.iter().filter(|word| self.words.contains(**word)).map(ToString::to_string).collect();
        evidence.imports = self.imports;
    }

    fn import(&mut self, specifier: &str, name: &str) {
        let pair = (specifier.to_owned(), name.to_owned());
        if is_pi(specifier) && !self.imports.contains(&pair) {
            self.imports.push(pair);
        }
    }

    /// A handler's second parameter is a context.
    fn handler(&mut self, parameters: &FormalParameters<'_>) {
        match parameters.items.get(1).map(|parameter| &parameter.pattern) {
            Some(BindingPattern::BindingIdentifier(name)) => drop(self.contexts.insert(name.name.to_string())),
            Some(BindingPattern::ObjectPattern(object)) => {
                let names = object.properties.iter().filter_map(|property| property.key.static_name());
                self.taken.extend(names.map(|name| name.into_owned()));
            }
            _ => {}
        }
    }
}

/// The parameters of a function, if an expression is one.
fn parameters<'b, 'a>(expression: &'b Expression<'a>) -> Option<&'b FormalParameters<'a>> {
    match expression.get_inner_expression() {
        Expression::ArrowFunctionExpression(function) => Some(&function.params),
        Expression::FunctionExpression(function) => Some(&function.params),
        _ => None,
    }
}

fn first(parameters: &FormalParameters<'_>) -> Option<String> {
    let first = parameters.items.first()?;
    first.pattern.get_binding_identifier().map(|name| name.name.to_string())
}

impl<'a> Visit<'a> for Reader {
    fn visit_import_declaration(&mut self, import: &ImportDeclaration<'a>) {
        let specifier = import.source.value.as_str();
        match &import.specifiers {
            None => self.import(specifier, ""),
            Some(names) => {
                for name in names {
                    match name {
                        ImportDeclarationSpecifier::ImportSpecifier(name) => {
                            self.import(specifier, &name.imported.name());
                        }
                        _ => self.import(specifier, ""),
                    }
                }
            }
        }
    }

    fn visit_ts_import_type(&mut self, import: &TSImportType<'a>) {
        let name = match &import.qualifier {
            Some(TSImportTypeQualifier::Identifier(name)) => name.name.to_string(),
            _ => String::new(),
        };
        self.import(import.source.value.as_str(), &name);
        walk::walk_ts_import_type(self, import);
    }

    fn visit_formal_parameter(&mut self, parameter: &FormalParameter<'a>) {
        let typed = parameter.type_annotation.as_ref().map(|annotation| &annotation.type_annotation);
        let name = match typed {
            Some(TSType::TSTypeReference(reference)) => match &reference.type_name {
                TSTypeName::IdentifierReference(name) => Some(name.name.to_string()),
                _ => None,
            },
            Some(TSType::TSImportType(import)) => match &import.qualifier {
                Some(TSImportTypeQualifier::Identifier(name)) => Some(name.name.to_string()),
                _ => None,
            },
            _ => None,
        };
        let own = parameter.pattern.get_binding_identifier().map(|own| own.name.to_string());
        match (name.as_deref(), own) {
            (Some("HookAPI"), Some(own)) => drop(self.apis.insert(own)),
            (Some(name), Some(own)) if name.starts_with("Hook") && name.ends_with("Context") => {
                self.contexts.insert(own);
            }
            _ => {}
        }
        walk::walk_formal_parameter(self, parameter);
    }

    fn visit_export_default_declaration(&mut self, export: &ExportDefaultDeclaration<'a>) {
        match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => self.apis.extend(first(&function.params)),
            declaration => {
                if let Some(expression) = declaration.as_expression() {
                    self.apis.extend(parameters(expression).and_then(first));
                    if let Expression::Identifier(name) = expression.get_inner_expression() {
                        self.default = Some(name.name.to_string());
                    }
                }
            }
        }
        walk::walk_export_default_declaration(self, export);
    }

    fn visit_function(&mut self, function: &Function<'a>, flags: ScopeFlags) {
        if let (Some(name), Some(first)) = (&function.id, first(&function.params)) {
            self.functions.insert(name.name.to_string(), first);
        }
        walk::walk_function(self, function, flags);
    }

    fn visit_variable_declarator(&mut self, variable: &VariableDeclarator<'a>) {
        let name = variable.id.get_binding_identifier();
        if let (Some(name), Some(first)) = (name, variable.init.as_ref().and_then(parameters).and_then(first)) {
            self.functions.insert(name.name.to_string(), first);
        }
        walk::walk_variable_declarator(self, variable);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if let Expression::StaticMemberExpression(member) = &call.callee
            && let Expression::Identifier(object) = &member.object
            && let Some(Argument::StringLiteral(event)) = call.arguments.first()
            && member.property.name == "on"
        {
            self.events.push((object.name.to_string(), event.value.to_string()));
            let handler = call.arguments.get(1).and_then(Argument::as_expression);
            if let Some(handler) = handler.and_then(parameters) {
                self.handler(handler);
            }
            // The name of an event is no reason of one.
            self.visit_expression(&call.callee);
            call.arguments.iter().skip(1).for_each(|argument| self.visit_argument(argument));
            return;
        }
        if let Some(specifier) = call.common_js_require() {
            self.import(specifier.value.as_str(), "");
        }
        walk::walk_call_expression(self, call);
    }

    fn visit_static_member_expression(&mut self, member: &StaticMemberExpression<'a>) {
        if let Expression::Identifier(object) = &member.object {
            let name = member.property.name.as_str();
            if API.contains(&name) || CONTEXT.contains(&name) {
                self.members.push((object.name.to_string(), name.to_owned()));
            }
        }
        walk::walk_static_member_expression(self, member);
    }

    fn visit_string_literal(&mut self, literal: &StringLiteral<'a>) {
        // What is no reason of an event is left out at the end.
        if literal.span().size() < 24 {
            self.words.insert(literal.value.to_string());
        }
    }
}
