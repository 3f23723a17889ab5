//! What the scanner makes of code.

use proptest::prelude::*;

use super::languages::LANGUAGES;
use super::*;

/// The pieces that are something, as `Kind:text`.
fn marked(language: &str, code: &str) -> Vec<String> {
    let pieces = highlight(code, language).expect("a known language");
    assert_eq!(pieces.iter().map(|(_, text)| *text).collect::<String>(), code);
    let marked = pieces.into_iter().filter(|(token, _)| *token != Token::Plain);
    marked.map(|(token, text)| format!("{token:?}:{text}")).collect()
}

#[test]
fn words_texts_numbers_and_comments_are_told_apart() {
    assert_eq!(
        marked("rust", "/// Adds.\nfn add(x: &'a str) -> u8 { x.len('\\'', 0x1f, 1.5e-3) /* a */ + Some(\"b\\\"c\") }"),
        [
            "Comment:/// Adds.",
            "Keyword:fn",
            "Function:add",
            "Type:str",
            "Type:u8",
            "Function:len",
            "String:'\\''",
            "Number:0x1f",
            "Number:1.5e-3",
            "Comment:/* a */",
            "Function:Some",
            "String:\"b\\\"c\""
        ]
    );
    assert_eq!(
        marked("ts", "const a = `x\n${y}`; // z\nclass Bed extends Base { from(): string {} }\nx.default = 'don\\'t'"),
        [
            "Keyword:const",
            "String:`x\n${y}`",
            "Comment:// z",
            "Keyword:class",
            "Type:Bed",
            "Keyword:extends",
            "Type:Base",
            "Keyword:from",
            "Type:string",
            "String:'don\\'t'"
        ]
    );
    assert_eq!(
        marked("python", "def f(x):\n    \"\"\"Says\n    it.\"\"\"\n    return None  # 'no"),
        [
            "Keyword:def",
            "Function:f",
            "String:\"\"\"Says\n    it.\"\"\"",
            "Keyword:return",
            "Keyword:None",
            "Comment:# 'no"
        ]
    );
    assert_eq!(
        marked("sh", "if [ $# -gt 0 ]; then echo \"a $b\" ${HOME}/x $c; fi # d"),
        [
            "Keyword:if",
            "Number:0",
            "Keyword:then",
            "String:\"a $b\"",
            "Variable:${HOME}",
            "Variable:$c",
            "Keyword:fi",
            "Comment:# d"
        ]
    );
    assert_eq!(
        marked("json", "{\"a\": \"b\", \"c\" : [1, true, null]}"),
        ["Variable:\"a\"", "String:\"b\"", "Variable:\"c\"", "Number:1", "Keyword:true", "Keyword:null"]
    );
    assert_eq!(
        marked("yaml", "a-b: c # d\nurl: http://e\n- f: 'g'"),
        ["Variable:a-b", "Comment:# d", "Variable:url", "Variable:f", "String:'g'"]
    );
    assert_eq!(
        marked("html", "<!-- a --><p class=\"b\">é 1 < 2</p>"),
        ["Comment:<!-- a -->", "Keyword:p", "Variable:class", "String:\"b\"", "Keyword:p"]
    );
    assert_eq!(marked("SQL", "select a FROM b -- c"), ["Keyword:select", "Keyword:FROM", "Comment:-- c"]);
}

#[test]
fn what_does_not_end_ends_with_its_line_or_the_text() {
    assert_eq!(marked("js", "a = 'b\nc = \"d"), ["String:'b", "String:\"d"]);
    assert_eq!(marked("js", "/* a\nb"), ["Comment:/* a\nb"]);
    assert_eq!(marked("js", "`a\nb\\"), ["String:`a\nb\\"]);
    assert_eq!(marked("html", "<a b='c"), ["Keyword:a", "Variable:b", "String:'c"]);
}

#[test]
fn languages_are_found_by_names_and_by_files() {
    assert_eq!(language_of("/a/b.rs"), Some("rust"));
    assert_eq!(language_of("a.b/Makefile"), Some("makefile"));
    assert_eq!(language_of("x.TSX"), Some("typescript"));
    for unknown in ["notes", "rs", "a.xyz", ""] {
        assert_eq!(language_of(unknown), None, "{unknown}");
    }
    assert!(highlight("a", "rust,ignore").is_some());
    assert!(highlight("a", "").is_none());
    let mut names: Vec<&str> = LANGUAGES.iter().flat_map(|language| language.names).copied().collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "a name stands for one language");
}

/// Code with much in it that begins and ends something.
fn any_code() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[a-z0-9 \"'`#/*<>!=:$@{}().é\\\\\\n-]{0,80}"]
}

/// The pieces of each line: what a text has between the ends of its lines.
fn by_line<'a>(pieces: &[(Token, &'a str)]) -> Vec<Vec<(Token, &'a str)>> {
    let mut lines = vec![Vec::new()];
    for (token, text) in pieces {
        for (at, part) in text.split('\n').enumerate() {
            if at > 0 {
                lines.push(Vec::new());
            }
            if let Some(line) = lines.last_mut().filter(|_| !part.is_empty()) {
                line.push((*token, part));
            }
        }
    }
    lines
}

#[test]
fn what_spans_lines_is_followed_from_line_to_line() {
    let told = |language: &str, code: &str| {
        let mut scanner = Scanner::new(language).expect("a known language");
        let something = |line: &str| {
            let pieces = scanner.line(line).into_iter().filter(|(token, _)| *token != Token::Plain);
            pieces.map(|(token, text)| format!("{token:?}:{text}")).collect::<Vec<_>>().join(" ")
        };
        code.split('\n').map(something).collect::<Vec<_>>()
    };
    assert_eq!(told("c", "/* a\nif\n*/ if"), ["Comment:/* a", "Comment:if", "Comment:*/ Keyword:if"]);
    let python = told("python", "'''\n\"\"\"\n''' 1");
    assert_eq!(python, ["String:'''", "String:\"\"\"", "String:''' Number:1"]);
    // A backslash takes the end of its line, once.
    let js = told("js", "'a\\\nb'\n'c\\\n\nif");
    assert_eq!(js, ["String:'a\\", "String:b'", "String:'c\\", "", "Keyword:if"]);
    let html = told("html", "<a\nb='\nc' d\n><!--\n--> e");
    let expected = ["Keyword:a", "Variable:b String:'", "String:c' Variable:d", "Comment:<!--", "Comment:-->"];
    assert_eq!(html, expected);
}

#[test]
fn a_line_costs_its_own_length_whatever_is_above() {
    let hostile = [
        "${", "a  ", "a!", "<//", "'\\", "\"", "r#\"", "/*", "*/", "<!--", "<a b=\"", "1.e+", "#", "--", "\\", "{", "é",
    ];
    for language in LANGUAGES {
        let name = language.names[0];
        let steps = |parts: usize, part: &str, lines_above: usize, above: &str| {
            let mut scanner = Scanner::new(name).expect("a known language");
            (0..lines_above).for_each(|_| drop(scanner.line(above)));
            let line = part.repeat(parts);
            cost::of(|| drop(scanner.line(&line)))
        };
        for part in hostile {
            for above in hostile {
                assert_eq!(steps(9, part, 31, above), steps(9, part, 1, above), "{name}: {part:?} behind {above:?}");
            }
            let (short, long) = (steps(300, part, 0, ""), steps(1_200, part, 0, ""));
            assert!(long <= 6 * short, "{name}: {part:?}: {short} steps grow to {long}");
        }
    }
}

proptest! {
    #[test]
    fn lines_have_the_pieces_of_the_whole_text(code in any_code(), at in any::<prop::sample::Index>()) {
        for language in LANGUAGES {
            let whole = by_line(&highlight(&code, language.names[0]).expect("a known language"));
            let mut scanner = Scanner::new(language.names[0]).expect("a known language");
            let lines: Vec<&str> = code.split('\n').collect();
            let at = at.index(lines.len());
            let mut found: Vec<_> = lines[..at].iter().map(|line| scanner.line(line)).collect();
            let mut fork = scanner;
            // Whatever the first one reads then, the other one does not know of it.
            scanner.line("/* ''' \"\"\" ` <!-- <a b=' {- --[[ <#");
            found.extend(lines[at..].iter().map(|line| fork.line(line)));
            prop_assert_eq!(&found, &whole, "{}", language.names[0]);
        }
    }

    #[test]
    fn nothing_is_lost_and_nothing_is_added(code in any_code()) {
        for language in LANGUAGES {
            let pieces = highlight(&code, language.names[0]).expect("a known language");
            prop_assert_eq!(pieces.iter().map(|(_, text)| *text).collect::<String>(), code.as_str());
            prop_assert!(pieces.windows(2).all(|pair| pair[0].0 != pair[1].0));
        }
    }
}
