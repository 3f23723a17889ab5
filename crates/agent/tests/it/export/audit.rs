//! What a browser would make of a page: every element and attribute must be one that the program writes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use scraper::{Html, Node, Selector};
use sha2::{Digest as _, Sha256};

/// Elements with the attributes they may have.
const ALLOWED: &[(&str, &[&str])] = &[
    ("html", &["lang"]),
    ("head", &[]),
    ("meta", &["charset", "http-equiv", "content", "name"]),
    ("title", &[]),
    ("style", &[]),
    ("script", &[]),
    ("body", &[]),
    ("nav", &[]),
    ("main", &[]),
    ("header", &[]),
    ("section", &["id", "class"]),
    ("article", &["id", "class"]),
    ("div", &["id"]),
    ("details", &["class", "open"]),
    ("summary", &[]),
    ("button", &["type", "data-open", "hidden"]),
    ("h1", &[]),
    ("h3", &[]),
    ("h4", &[]),
    ("h5", &[]),
    ("h6", &[]),
    ("p", &["class"]),
    ("pre", &["class", "title"]),
    ("code", &["class"]),
    ("samp", &[]),
    ("span", &["class"]),
    ("time", &[]),
    ("a", &["href", "rel"]),
    ("img", &["alt", "src"]),
    ("ul", &[]),
    ("ol", &["start"]),
    ("li", &[]),
    ("dl", &["class"]),
    ("dt", &[]),
    ("dd", &[]),
    ("table", &[]),
    ("thead", &[]),
    ("tbody", &[]),
    ("tr", &[]),
    ("th", &["class"]),
    ("td", &["class"]),
    ("blockquote", &[]),
    ("em", &[]),
    ("strong", &[]),
    ("del", &[]),
    ("br", &[]),
    ("hr", &[]),
];

/// Parses the page and panics on anything that is not of the program.
pub fn audit(page: &str) -> Html {
    let document = Html::parse_document(page);
    for node in document.tree.values() {
        match node {
            Node::Element(element) => {
                let allowed = ALLOWED.iter().find(|(name, _)| *name == element.name());
                let Some((name, attributes)) = allowed else { panic!("an element <{}>", element.name()) };
                for (attribute, value) in element.attrs() {
                    assert!(attributes.contains(&attribute), "<{name}> has {attribute}={value:?}");
                    assert!(is_harmless(attribute, value), "<{name}> has {attribute}={value:?}");
                }
            }
            Node::Comment(comment) => panic!("a comment {comment:?}"),
            Node::ProcessingInstruction(what) => panic!("an instruction {what:?}"),
            Node::Document | Node::Doctype(_) | Node::Text(_) | Node::Fragment => {}
        }
    }
    // There is one style and one script, and the policy knows just these.
    let (style, script) = (only(&document, "style"), only(&document, "script"));
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text));
    let policy = format!(
        "default-src 'none'; img-src data:; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(&style),
        hash(&script)
    );
    let policies: Vec<_> = select(&document, "meta[http-equiv]").map(|meta| meta.attr("content")).collect();
    assert_eq!(policies, [Some(policy.as_str())]);
    assert_eq!(script, include_str!("../../../src/export/html/script.js"));
    document
}

/// The elements that match.
pub fn select<'a>(document: &'a Html, selector: &str) -> impl Iterator<Item = scraper::ElementRef<'a>> {
    let selector = Selector::parse(selector).expect("a selector");
    document.select(&selector).collect::<Vec<_>>().into_iter()
}

/// The texts of the elements that match.
pub fn texts(document: &Html, selector: &str) -> Vec<String> {
    select(document, selector).map(|element| element.text().collect()).collect()
}

fn only(document: &Html, selector: &str) -> String {
    let [text] = &texts(document, selector)[..] else { panic!("not one {selector}") };
    text.clone()
}

fn is_harmless(attribute: &str, value: &str) -> bool {
    let all = |text: &str, good: fn(char) -> bool| text.chars().all(good);
    match attribute {
        "href" => {
            let lower = value.to_lowercase();
            let own = value.strip_prefix("#e").is_some_and(|number| all(number, |c| c.is_ascii_digit()));
            own || ["http://", "https://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme))
        }
        "src" => ["png", "jpeg", "gif", "webp"].iter().any(|kind| {
            let data = value.strip_prefix(&format!("data:image/{kind};base64,"));
            data.is_some_and(|data| all(data, |c| c.is_ascii_alphanumeric() || "+/=".contains(c)))
        }),
        "id" => value == "branch" || value.strip_prefix('e').is_some_and(|number| all(number, |c| c.is_ascii_digit())),
        "class" => all(value, |c| c.is_ascii_lowercase() || c.is_ascii_digit() || "- ".contains(c)),
        _ => true,
    }
}
