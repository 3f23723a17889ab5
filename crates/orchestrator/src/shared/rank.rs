//! Which of many candidates a typed text means.

use tau_view::fuzzy::fuzzy_match_words;

/// The most that is suggested at once.
pub const MOST: usize = 20;

/// The candidates that match a query, the best first: the one of that name, those whose names begin with it, those whose names
/// hold its letters in this order, those that do with what is said about them. Of equals, and without a query, the order
/// stays.
pub fn best<'a, T>(
    query: &str,
    all: impl IntoIterator<Item = &'a T>,
    name: impl Fn(&T) -> String,
    about: impl Fn(&T) -> String,
) -> Vec<&'a T> {
    let mut found: Vec<(u8, f64, &T)> = Vec::new();
    for one in all {
        let name = name(one);
        let matched = match fuzzy_match_words(query, &name) {
            Some(_) if name == query => Some((0, 0.0)),
            Some(score) if begins(&name, query) => Some((1, score)),
            Some(score) => Some((2, score)),
            None => fuzzy_match_words(query, &format!("{name} {}", about(one))).map(|score| (3, score)),
        };
        found.extend(matched.map(|(kind, score)| (kind, score, one)));
    }
    found.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
    found.into_iter().take(MOST).map(|(.., one)| one).collect()
}

fn begins(name: &str, query: &str) -> bool {
    name.get(..query.len()).is_some_and(|start| start.eq_ignore_ascii_case(query))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_come_first_and_no_more_than_fit() {
        let all = [("list-all", "tasks"), ("list", ""), ("remove", "a task"), ("enlist", "x")];
        let names = |query: &str| {
            let found = best(query, &all, |one| one.0.to_owned(), |one| one.1.to_owned());
            found.into_iter().map(|one| one.0).collect::<Vec<_>>()
        };
        assert_eq!(names(""), ["list-all", "list", "remove", "enlist"]);
        assert_eq!(names("list"), ["list", "list-all", "enlist"]);
        assert_eq!(names("LIST"), ["list", "list-all", "enlist"]);
        assert_eq!(names("rm"), ["remove"]);
        assert_eq!(names("task"), ["remove", "list-all"]);
        assert_eq!(names("z"), [""; 0]);
        let many: Vec<String> = (0..50).map(|number| number.to_string()).collect();
        assert_eq!(best("", &many, Clone::clone, |_| String::new()).len(), MOST);
    }
}
