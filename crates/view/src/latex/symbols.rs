//! What commands stand for.

/// Letters and signs that stand as they are.
#[rustfmt::skip]
const SYMBOLS: &[(&str, &str)] = &[
    ("alpha", "α"), ("beta", "β"), ("gamma", "γ"), ("delta", "δ"), ("epsilon", "ϵ"), ("varepsilon", "ε"),
    ("zeta", "ζ"), ("eta", "η"), ("theta", "θ"), ("vartheta", "ϑ"), ("iota", "ι"), ("kappa", "κ"),
    ("varkappa", "ϰ"), ("lambda", "λ"), ("mu", "μ"), ("nu", "ν"), ("xi", "ξ"), ("pi", "π"), ("varpi", "ϖ"),
    ("rho", "ρ"), ("varrho", "ϱ"), ("sigma", "σ"), ("varsigma", "ς"), ("tau", "τ"), ("upsilon", "υ"), ("phi", "ϕ"),
    ("varphi", "φ"), ("chi", "χ"), ("psi", "ψ"), ("omega", "ω"), ("Gamma", "Γ"), ("Delta", "Δ"), ("Theta", "Θ"),
    ("Lambda", "Λ"), ("Xi", "Ξ"), ("Pi", "Π"), ("Sigma", "Σ"), ("Upsilon", "Υ"), ("Phi", "Φ"), ("Psi", "Ψ"),
    ("Omega", "Ω"),
    ("pm", "±"), ("mp", "∓"), ("div", "÷"), ("ast", "∗"), ("star", "⋆"), ("circ", "∘"), ("bullet", "•"),
    ("oplus", "⊕"), ("ominus", "⊖"), ("otimes", "⊗"), ("oslash", "⊘"), ("odot", "⊙"), ("bigcirc", "○"),
    ("dagger", "†"), ("ddagger", "‡"), ("amalg", "⨿"), ("uplus", "⊎"), ("sqcap", "⊓"), ("sqcup", "⊔"), ("wr", "≀"),
    ("cap", "∩"), ("cup", "∪"), ("setminus", "∖"), ("land", "∧"), ("wedge", "∧"), ("lor", "∨"), ("vee", "∨"),
    ("forall", "∀"), ("exists", "∃"), ("nexists", "∄"), ("neg", "¬"), ("lnot", "¬"),
    ("partial", "∂"), ("nabla", "∇"), ("infty", "∞"), ("emptyset", "∅"), ("varnothing", "∅"), ("angle", "∠"),
    ("therefore", "∴"), ("because", "∵"), ("aleph", "ℵ"), ("beth", "ℶ"), ("gimel", "ℷ"), ("daleth", "ℸ"),
    ("top", "⊤"), ("bot", "⊥"), ("triangle", "△"), ("square", "□"), ("lozenge", "◊"), ("checkmark", "✓"),
    ("complement", "∁"), ("wp", "℘"), ("prime", "′"), ("ldots", "…"), ("dots", "…"), ("cdots", "⋯"), ("vdots", "⋮"),
    ("ddots", "⋱"), ("ell", "ℓ"), ("hbar", "ℏ"), ("Im", "ℑ"), ("Re", "ℜ"), ("langle", "⟨"), ("rangle", "⟩"),
    ("vert", "|"), ("lvert", "|"), ("rvert", "|"), ("Vert", "‖"), ("lVert", "‖"), ("rVert", "‖"), ("|", "‖"),
    ("lbrace", "{"), ("rbrace", "}"), ("backslash", "\\"), ("lfloor", "⌊"), ("rfloor", "⌋"), ("lceil", "⌈"),
    ("rceil", "⌉"), ("colon", ":"), ("{", "{"), ("}", "}"), ("%", "%"), ("$", "$"), ("&", "&"), ("#", "#"), ("_", "_"),
];

/// Signs between two sides: always with a space on both.
#[rustfmt::skip]
const RELATIONS: &[(&str, &str)] = &[
    ("cdot", "·"), ("times", "×"),
    ("in", "∈"), ("notin", "∉"), ("ni", "∋"), ("subset", "⊂"), ("supset", "⊃"), ("subseteq", "⊆"), ("supseteq", "⊇"),
    ("sqsubset", "⊏"), ("sqsupset", "⊐"), ("sqsubseteq", "⊑"), ("sqsupseteq", "⊒"), ("prec", "≺"), ("preceq", "≼"),
    ("succ", "≻"), ("succeq", "≽"), ("ll", "≪"), ("gg", "≫"), ("le", "≤"), ("leq", "≤"), ("leqslant", "≤"),
    ("ge", "≥"), ("geq", "≥"), ("geqslant", "≥"), ("ne", "≠"), ("neq", "≠"), ("equiv", "≡"), ("approx", "≈"),
    ("sim", "∼"), ("simeq", "≃"), ("cong", "≅"), ("asymp", "≍"), ("doteq", "≐"), ("propto", "∝"), ("parallel", "∥"),
    ("perp", "⊥"), ("mid", "∣"), ("vdash", "⊢"), ("dashv", "⊣"), ("models", "⊨"), ("Vdash", "⊩"), ("Vvdash", "⊪"),
    ("nvdash", "⊬"), ("nvDash", "⊭"), ("bowtie", "⋈"), ("Join", "⋈"), ("ltimes", "⋉"), ("rtimes", "⋊"),
    ("leftouterjoin", "⟕"), ("rightouterjoin", "⟖"), ("fullouterjoin", "⟗"), ("triangleleft", "◁"),
    ("triangleright", "▷"), ("to", "→"), ("rightarrow", "→"), ("longrightarrow", "→"), ("leftarrow", "←"),
    ("longleftarrow", "←"), ("gets", "←"), ("leftrightarrow", "↔"), ("longleftrightarrow", "↔"),
    ("hookleftarrow", "↩"), ("hookrightarrow", "↪"), ("twoheadleftarrow", "↞"), ("twoheadrightarrow", "↠"),
    ("leftharpoonup", "↼"), ("leftharpoondown", "↽"), ("rightharpoonup", "⇀"), ("rightharpoondown", "⇁"),
    ("rightleftharpoons", "⇌"), ("leftrightharpoons", "⇋"), ("nearrow", "↗"), ("searrow", "↘"), ("swarrow", "↙"),
    ("nwarrow", "↖"), ("rightsquigarrow", "⇝"), ("leadsto", "⇝"), ("Rightarrow", "⇒"), ("Longrightarrow", "⇒"),
    ("Leftarrow", "⇐"), ("Longleftarrow", "⇐"), ("Leftrightarrow", "⇔"), ("Longleftrightarrow", "⇔"),
    ("implies", "⇒"), ("iff", "⇔"), ("mapsto", "↦"), ("longmapsto", "↦"), ("uparrow", "↑"), ("downarrow", "↓"),
];

/// Operators whose limits stand below and above them.
#[rustfmt::skip]
const BIG_OPERATORS: &[(&str, &str)] = &[
    ("sum", "∑"), ("prod", "∏"), ("coprod", "∐"), ("int", "∫"), ("iint", "∬"), ("iiint", "∭"), ("oint", "∮"),
    ("bigcap", "⋂"), ("bigcup", "⋃"), ("bigwedge", "⋀"), ("bigvee", "⋁"), ("bigsqcup", "⨆"), ("biguplus", "⨄"),
    ("bigoplus", "⨁"), ("bigotimes", "⨂"), ("bigodot", "⨀"),
];

/// Functions written with their names.
#[rustfmt::skip]
const FUNCTIONS: &[&str] = &[
    "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim", "exp", "gcd",
    "hom", "ker", "lg", "ln", "log", "Pr", "sec", "sin", "sinh", "tan", "tanh",
];

/// Functions whose argument is named below them.
#[rustfmt::skip]
const LIMIT_FUNCTIONS: &[&str] = &[
    "argmax", "argmin", "inf", "injlim", "lim", "liminf", "limsup", "max", "min", "projlim", "sup",
];

/// Commands around an argument that only changes its look.
#[rustfmt::skip]
pub(super) const WRAPPERS: &[&str] = &[
    "emph", "mathcal", "mathbf", "mathfrak", "mathit", "mathrm", "mathnormal", "mathscr", "mathsf", "mathtt",
    "mathup", "boldsymbol", "bm", "mbox", "overbrace", "underbrace", "pmb", "smash", "substack",
];

/// Commands around ordinary text.
#[rustfmt::skip]
pub(super) const TEXT_WRAPPERS: &[&str] = &[
    "text", "textbf", "textit", "textmd", "textnormal", "textrm", "textsf", "textsl", "texttt", "textup", "mbox",
];

/// Commands that change the look of what follows, or only sizes and places.
#[rustfmt::skip]
pub(super) const IGNORED: &[&str] = &[
    "bf", "cal", "it", "rm", "sf", "sl", "tt", "displaystyle", "textstyle", "scriptstyle", "scriptscriptstyle",
    "limits", "nolimits", "big", "Big", "bigg", "Bigg", "bigl", "Bigl", "biggl", "Biggl", "bigr", "Bigr", "biggr",
    "Biggr", "bigm", "Bigm", "!", "negthinspace", "negmedspace", "negthickspace",
];

/// Commands that are a space.
#[rustfmt::skip]
pub(super) const SPACES: &[&str] = &[
    ",", ":", ";", " ", ">", "\n", "enspace", "enskip", "medspace", "quad", "qquad", "thickspace", "thinspace", "space",
];

/// Accents: their name and the character that combines with a letter.
#[rustfmt::skip]
const ACCENTS: &[(&str, char)] = &[
    ("hat", '\u{302}'), ("widehat", '\u{302}'), ("tilde", '\u{303}'), ("widetilde", '\u{303}'), ("bar", '\u{305}'),
    ("overline", '\u{305}'), ("underline", '\u{332}'), ("vec", '\u{20d7}'), ("overrightarrow", '\u{20d7}'),
    ("dot", '\u{307}'), ("ddot", '\u{308}'), ("check", '\u{30c}'), ("acute", '\u{301}'), ("grave", '\u{300}'),
    ("breve", '\u{306}'), ("mathring", '\u{30a}'),
];

/// Signs that have a crossed out form of their own.
#[rustfmt::skip]
const NEGATED: &[(char, &str)] = &[
    ('<', "≮"), ('>', "≯"), ('=', "≠"), ('∈', "∉"), ('∋', "∌"), ('∣', "∤"), ('∥', "∦"), ('∼', "≁"), ('≃', "≄"),
    ('≅', "≇"), ('≈', "≉"), ('≡', "≢"), ('≤', "≰"), ('≥', "≱"), ('≺', "⊀"), ('≻', "⊁"), ('⊂', "⊄"), ('⊃', "⊅"),
    ('⊆', "⊈"), ('⊇', "⊉"), ('⊢', "⊬"), ('⊨', "⊭"), ('↔', "↮"), ('←', "↚"), ('→', "↛"), ('⇒', "⇏"), ('⇐', "⇍"),
    ('⇔', "⇎"), ('≼', "⋠"), ('≽', "⋡"), ('∃', "∄"),
];

fn lookup(table: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == name).map(|(_, symbol)| *symbol)
}

/// What a command stands for.
pub(super) enum Meaning {
    Symbol(&'static str),
    Relation(&'static str),
    BigOperator(&'static str),
    Function(&'static str),
    LimitFunction(&'static str),
    Accent(char),
}

/// The meaning of a command without arguments, or of an accent.
pub(super) fn meaning(name: &str) -> Option<Meaning> {
    let named = |table: &[&'static str]| table.iter().find(|known| **known == name).copied();
    lookup(SYMBOLS, name)
        .map(Meaning::Symbol)
        .or_else(|| lookup(RELATIONS, name).map(Meaning::Relation))
        .or_else(|| lookup(BIG_OPERATORS, name).map(Meaning::BigOperator))
        .or_else(|| named(FUNCTIONS).map(Meaning::Function))
        .or_else(|| named(LIMIT_FUNCTIONS).map(Meaning::LimitFunction))
        .or_else(|| ACCENTS.iter().find(|(known, _)| *known == name).map(|(_, mark)| Meaning::Accent(*mark)))
}

/// `sign` crossed out.
pub(super) fn negated(sign: &str) -> String {
    let known = sign.chars().next().and_then(|ch| NEGATED.iter().find(|(sign, _)| *sign == ch));
    known.map_or_else(|| format!("{sign}\u{338}"), |(_, negated)| (*negated).to_owned())
}

/// Letters with a double stroke, as far as every font has them.
pub(super) fn blackboard(ch: char) -> char {
    match ch {
        'C' => 'ℂ',
        'H' => 'ℍ',
        'N' => 'ℕ',
        'P' => 'ℙ',
        'Q' => 'ℚ',
        'R' => 'ℝ',
        'Z' => 'ℤ',
        _ => ch,
    }
}
