//! The table of languages.

/// A language.
pub(super) struct Language {
    /// Its name first, then others and the extensions of its files.
    pub(super) names: &'static [&'static str],
    pub(super) syntax: Syntax,
}

/// How its pieces are found.
pub(super) enum Syntax {
    /// By words and quotes.
    Words(Words),
    /// By elements.
    Markup,
}

/// A language of words.
#[derive(Clone, Copy)]
pub(super) struct Words {
    /// What begins a comment that ends with its line.
    pub(super) line: &'static [&'static str],
    /// The ends of a comment that may have lines.
    pub(super) block: Option<(&'static str, &'static str)>,
    /// The longer ones first.
    pub(super) quotes: &'static [Quote],
    pub(super) keywords: &'static [&'static str],
    pub(super) types: &'static [&'static str],
    /// Names that begin with a capital letter are types.
    pub(super) capital_types: bool,
    /// A name before a parenthesis is a function.
    pub(super) calls: bool,
    /// Upper and lower case are the same.
    pub(super) any_case: bool,
    /// What stands in front of variables.
    pub(super) sigil: Option<char>,
    /// What stands between a key and its value.
    pub(super) key: Option<char>,
    /// Names may have dashes.
    pub(super) dashes: bool,
    /// `@name` is a word of the language.
    pub(super) at_words: bool,
}

/// The ends of a text.
pub(super) struct Quote {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    /// A backslash takes the meaning from the character behind it.
    pub(super) escapes: bool,
    /// It may have lines.
    pub(super) lines: bool,
    /// It holds one character.
    pub(super) single: bool,
}

impl Language {
    pub(super) fn name(&self) -> &'static str {
        self.names[0]
    }
}

/// The language that has this name, in any case.
pub(super) fn find(name: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| language.names.iter().any(|known| known.eq_ignore_ascii_case(name)))
}

const fn quote(sign: &'static str) -> Quote {
    Quote { open: sign, close: sign, escapes: true, lines: false, single: false }
}

const fn long(sign: &'static str) -> Quote {
    Quote { lines: true, ..quote(sign) }
}

const fn raw(open: &'static str, close: &'static str) -> Quote {
    Quote { open, close, escapes: false, lines: true, single: false }
}

const CHARACTER: Quote = Quote { single: true, ..quote("'") };
const BOTH: &[Quote] = &[quote("\""), quote("'")];
const C_QUOTES: &[Quote] = &[quote("\""), CHARACTER];

/// A language with nothing in it.
const NONE: Words = Words {
    line: &[],
    block: None,
    quotes: BOTH,
    keywords: &[],
    types: &[],
    capital_types: false,
    calls: true,
    any_case: false,
    sigil: None,
    key: None,
    dashes: false,
    at_words: false,
};
/// Languages that look like C.
const BRACES: Words = Words { line: &["//"], block: Some(("/*", "*/")), quotes: C_QUOTES, capital_types: true, ..NONE };
/// Languages whose comments begin with a number sign.
const HASHES: Words = Words { line: &["#"], ..NONE };

const fn words(names: &'static [&'static str], words: Words) -> Language {
    Language { names, syntax: Syntax::Words(words) }
}

/// All of them.
#[rustfmt::skip]
pub(super) static LANGUAGES: &[Language] = &[
    words(&["rust", "rs"], Words {
        quotes: &[raw("r##\"", "\"##"), raw("r#\"", "\"#"), raw("r\"", "\""), long("\""), CHARACTER],
        keywords: &["as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern", "false", "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true", "type", "unsafe", "use", "where", "while"],
        types: &["bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128", "u16", "u32", "u64", "u8", "usize"],
        ..BRACES
    }),
    words(&["typescript", "ts", "tsx", "mts", "cts", "javascript", "js", "jsx", "mjs", "cjs", "node"], Words {
        quotes: &[long("`"), quote("\""), quote("'")],
        keywords: &["abstract", "as", "async", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "declare", "default", "delete", "do", "else", "enum", "export", "extends", "false", "finally", "for", "from", "function", "get", "if", "implements", "import", "in", "instanceof", "interface", "keyof", "let", "namespace", "new", "null", "of", "private", "protected", "public", "readonly", "return", "satisfies", "set", "static", "super", "switch", "this", "throw", "true", "try", "type", "typeof", "undefined", "var", "void", "while", "with", "yield"],
        types: &["any", "bigint", "boolean", "never", "number", "object", "string", "symbol", "unknown"],
        at_words: true,
        ..BRACES
    }),
    words(&["python", "py", "pyi", "python3"], Words {
        quotes: &[long("\"\"\""), long("'''"), quote("\""), quote("'")],
        keywords: &["False", "None", "True", "and", "as", "assert", "async", "await", "break", "case", "class", "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "match", "nonlocal", "not", "or", "pass", "raise", "return", "self", "try", "while", "with", "yield"],
        types: &["bool", "bytes", "dict", "float", "int", "list", "object", "set", "str", "tuple"],
        capital_types: true,
        at_words: true,
        ..HASHES
    }),
    words(&["bash", "sh", "shell", "zsh", "fish", "console", "shellscript"], Words {
        quotes: &[long("\""), raw("'", "'")],
        keywords: &["break", "case", "continue", "do", "done", "elif", "else", "end", "esac", "exit", "export", "fi", "for", "function", "if", "in", "local", "readonly", "return", "select", "set", "shift", "source", "then", "trap", "unset", "until", "while"],
        calls: false,
        sigil: Some('$'),
        dashes: true,
        ..HASHES
    }),
    words(&["go", "golang"], Words {
        quotes: &[raw("`", "`"), quote("\""), CHARACTER],
        keywords: &["break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "false", "for", "func", "go", "goto", "if", "import", "interface", "iota", "map", "nil", "package", "range", "return", "select", "struct", "switch", "true", "type", "var"],
        types: &["any", "bool", "byte", "error", "float32", "float64", "int", "int32", "int64", "rune", "string", "uint", "uint32", "uint64", "uint8"],
        ..BRACES
    }),
    words(&["java", "kotlin", "kt", "kts", "scala", "groovy", "gradle"], Words {
        quotes: &[long("\"\"\""), quote("\""), CHARACTER],
        keywords: &["abstract", "assert", "as", "break", "case", "catch", "class", "companion", "const", "continue", "data", "def", "default", "do", "else", "enum", "extends", "false", "final", "finally", "for", "fun", "if", "implements", "import", "in", "instanceof", "interface", "internal", "is", "lateinit", "new", "null", "object", "open", "override", "package", "private", "protected", "public", "record", "return", "sealed", "static", "super", "suspend", "switch", "synchronized", "this", "throw", "throws", "trait", "true", "try", "val", "var", "when", "while", "with", "yield"],
        types: &["boolean", "byte", "char", "double", "float", "int", "long", "short", "void"],
        at_words: true,
        ..BRACES
    }),
    words(&["c", "h", "cpp", "c++", "cc", "cxx", "hpp", "hh", "objc", "m", "zig", "glsl"], Words {
        keywords: &["alignas", "auto", "break", "case", "catch", "class", "const", "constexpr", "continue", "default", "define", "defer", "delete", "do", "else", "endif", "enum", "explicit", "extern", "false", "fn", "for", "friend", "goto", "if", "ifdef", "ifndef", "include", "inline", "mutable", "namespace", "new", "noexcept", "nullptr", "operator", "override", "private", "protected", "pub", "public", "return", "sizeof", "static", "struct", "switch", "template", "this", "throw", "true", "try", "typedef", "typename", "union", "using", "var", "virtual", "volatile", "while"],
        types: &["bool", "char", "double", "float", "int", "int32_t", "int64_t", "int8_t", "long", "short", "signed", "size_t", "uint32_t", "uint64_t", "uint8_t", "unsigned", "void"],
        ..BRACES
    }),
    words(&["csharp", "cs", "c#"], Words {
        keywords: &["abstract", "as", "async", "await", "base", "break", "case", "catch", "class", "const", "continue", "default", "delegate", "do", "else", "enum", "event", "false", "finally", "for", "foreach", "get", "if", "in", "init", "interface", "internal", "is", "lock", "namespace", "new", "null", "out", "override", "params", "private", "protected", "public", "readonly", "record", "ref", "return", "sealed", "set", "static", "struct", "switch", "this", "throw", "true", "try", "typeof", "using", "var", "virtual", "where", "while", "yield"],
        types: &["bool", "byte", "char", "decimal", "double", "dynamic", "float", "int", "long", "object", "short", "string", "uint", "ulong", "void"],
        ..BRACES
    }),
    words(&["swift", "dart"], Words {
        quotes: &[long("\"\"\""), quote("\""), quote("'")],
        keywords: &["actor", "as", "async", "await", "break", "case", "catch", "class", "const", "continue", "default", "defer", "do", "else", "enum", "extension", "false", "final", "for", "func", "guard", "if", "import", "in", "init", "is", "late", "let", "nil", "null", "override", "private", "protocol", "public", "required", "return", "self", "static", "struct", "super", "switch", "this", "throw", "throws", "true", "try", "typealias", "var", "where", "while"],
        types: &["bool", "double", "int", "num", "void"],
        at_words: true,
        ..BRACES
    }),
    words(&["php"], Words {
        line: &["//", "#"], block: Some(("/*", "*/")),
        keywords: &["abstract", "array", "as", "break", "case", "catch", "class", "const", "continue", "default", "do", "echo", "else", "elseif", "extends", "false", "final", "fn", "for", "foreach", "function", "if", "implements", "include", "interface", "match", "namespace", "new", "null", "private", "protected", "public", "readonly", "require", "return", "static", "switch", "this", "throw", "trait", "true", "try", "use", "while"],
        sigil: Some('$'), capital_types: true, any_case: true,
        ..NONE
    }),
    words(&["ruby", "rb", "elixir", "ex", "exs", "crystal"], Words {
        keywords: &["alias", "and", "begin", "break", "case", "class", "def", "defmodule", "defp", "do", "else", "elsif", "end", "ensure", "false", "fn", "for", "if", "in", "module", "next", "nil", "not", "or", "raise", "require", "rescue", "return", "self", "super", "then", "true", "unless", "until", "use", "when", "while", "yield"],
        capital_types: true, at_words: true,
        ..HASHES
    }),
    words(&["perl", "pl", "pm"], Words {
        keywords: &["else", "elsif", "for", "foreach", "if", "last", "local", "my", "next", "our", "package", "print", "require", "return", "sub", "unless", "until", "use", "while"],
        sigil: Some('$'),
        ..HASHES
    }),
    words(&["r"], Words {
        keywords: &["FALSE", "NA", "NULL", "TRUE", "break", "else", "for", "function", "if", "in", "next", "repeat", "return", "while"],
        ..HASHES
    }),
    words(&["lua"], Words {
        line: &["--"], block: Some(("--[[", "]]")),
        keywords: &["and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while"],
        ..NONE
    }),
    words(&["haskell", "hs", "elm"], Words {
        line: &["--"], block: Some(("{-", "-}")), quotes: C_QUOTES,
        keywords: &["case", "class", "data", "deriving", "do", "else", "if", "import", "in", "instance", "let", "module", "newtype", "of", "then", "type", "where"],
        capital_types: true, calls: false,
        ..NONE
    }),
    words(&["sql", "postgresql", "mysql", "sqlite"], Words {
        line: &["--"], block: Some(("/*", "*/")), quotes: &[raw("'", "'"), raw("\"", "\"")],
        keywords: &["add", "all", "alter", "and", "as", "asc", "begin", "between", "by", "case", "commit", "constraint", "create", "cross", "default", "delete", "desc", "distinct", "drop", "else", "end", "exists", "foreign", "from", "full", "group", "having", "if", "in", "index", "inner", "insert", "into", "is", "join", "key", "left", "like", "limit", "not", "null", "on", "or", "order", "outer", "primary", "references", "returning", "right", "rollback", "select", "set", "table", "then", "union", "unique", "update", "using", "values", "view", "when", "where", "with"],
        types: &["bigint", "boolean", "char", "date", "integer", "int", "json", "jsonb", "numeric", "real", "serial", "text", "timestamp", "uuid", "varchar"],
        any_case: true,
        ..NONE
    }),
    words(&["json", "jsonc", "json5", "jsonl", "ndjson"], Words {
        line: &["//"], block: Some(("/*", "*/")),
        keywords: &["false", "null", "true"], key: Some(':'), calls: false,
        ..NONE
    }),
    words(&["yaml", "yml"], Words {
        keywords: &["false", "no", "null", "true", "yes"], key: Some(':'), calls: false, dashes: true,
        ..HASHES
    }),
    words(&["toml", "ini", "cfg", "conf", "properties", "env"], Words {
        line: &["#", ";"], quotes: &[long("\"\"\""), raw("'''", "'''"), quote("\""), quote("'")],
        keywords: &["false", "true"], key: Some('='), calls: false, dashes: true,
        ..NONE
    }),
    words(&["css", "scss", "less", "sass"], Words {
        line: &["//"], block: Some(("/*", "*/")),
        keywords: &["important"], sigil: Some('$'), key: Some(':'), dashes: true, at_words: true,
        ..NONE
    }),
    words(&["dockerfile", "containerfile"], Words {
        keywords: &["ADD", "ARG", "AS", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL", "RUN", "SHELL", "USER", "VOLUME", "WORKDIR"],
        sigil: Some('$'), calls: false, dashes: true,
        ..HASHES
    }),
    words(&["makefile", "make", "mk", "just", "justfile", "cmake"], Words {
        keywords: &["else", "endif", "export", "ifdef", "ifeq", "ifndef", "ifneq", "include"],
        sigil: Some('$'), key: Some(':'), calls: false, dashes: true,
        ..HASHES
    }),
    words(&["powershell", "ps1", "pwsh"], Words {
        block: Some(("<#", "#>")),
        keywords: &["begin", "break", "catch", "class", "continue", "do", "else", "elseif", "end", "finally", "for", "foreach", "function", "if", "in", "param", "process", "return", "switch", "throw", "try", "until", "while"],
        sigil: Some('$'), any_case: true, dashes: true,
        ..HASHES
    }),
    words(&["hcl", "tf", "nix"], Words {
        block: Some(("/*", "*/")), quotes: &[raw("''", "''"), quote("\"")],
        keywords: &["data", "else", "false", "for", "if", "import", "in", "inherit", "let", "locals", "module", "null", "output", "provider", "rec", "resource", "then", "true", "variable", "with"],
        key: Some('='), dashes: true,
        ..HASHES
    }),
    words(&["protobuf", "proto", "graphql", "gql"], Words {
        line: &["//", "#"],
        keywords: &["enum", "extend", "fragment", "import", "input", "interface", "message", "mutation", "oneof", "option", "optional", "package", "query", "repeated", "required", "returns", "rpc", "scalar", "schema", "service", "subscription", "syntax", "type", "union"],
        types: &["bool", "bytes", "double", "float", "int32", "int64", "string", "uint32", "uint64"],
        at_words: true,
        ..BRACES
    }),
    Language { names: &["html", "htm", "xml", "svg", "xhtml", "vue", "svelte", "xsl", "plist", "rss"], syntax: Syntax::Markup },
];
