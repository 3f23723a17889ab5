//! Arguments of built-in commands.

/// The path that an argument is: all of it, with its spaces, or what stands in quotes. `None` where there is nothing.
///
/// # Errors
/// When a quote is not closed, and when something follows it.
pub(super) fn path_argument(argument: &str) -> Result<Option<&str>, &'static str> {
    let argument = argument.trim();
    let path = match argument.chars().next() {
        Some(quote @ ('"' | '\'')) => match argument[1..].split_once(quote) {
            Some((path, "")) => path,
            Some(_) => return Err("there is more text behind the quotes"),
            None => return Err("a quote is not closed"),
        },
        _ => argument,
    };
    Ok(Some(path).filter(|path| !path.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::path_argument;

    #[test]
    fn a_path_is_the_rest_of_the_line_or_stands_in_quotes() {
        assert_eq!(path_argument(""), Ok(None));
        assert_eq!(path_argument("  a.html "), Ok(Some("a.html")));
        assert_eq!(path_argument("my page of it.html"), Ok(Some("my page of it.html")));
        assert_eq!(path_argument("\"a b.html\" "), Ok(Some("a b.html")));
        assert_eq!(path_argument("it's.html"), Ok(Some("it's.html")));
        assert_eq!(path_argument("'a \"b'"), Ok(Some("a \"b")));
        assert_eq!(path_argument("''"), Ok(None));
        assert_eq!(path_argument("\"a"), Err("a quote is not closed"));
        assert_eq!(path_argument("\"a\" b"), Err("there is more text behind the quotes"));
    }
}
