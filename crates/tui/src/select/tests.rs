use tau_view::ansi::strip;
use tau_view::theme::ColorTheme;

use super::*;
use crate::style::{ColorDepth, Styles};

const UP: &str = "\x1b[A";
const DOWN: &str = "\x1b[B";

fn list(labels: &[&str], rows: usize) -> SelectList {
    SelectList::new(labels.iter().map(|label| Item::new(*label)).collect(), rows)
}

fn draw(list: &SelectList, width: usize) -> Vec<String> {
    let styles = Styles::new(&ColorTheme::builtin("dark").expect("a theme"), ColorDepth::None);
    let look = ListLook { styles: &styles, columns: Columns::default(), empty: "No match" };
    list.draw(width, &look).iter().map(|line| strip(line)).collect()
}

fn press(list: &mut SelectList, keys: &[&str]) -> Vec<Picked> {
    let keymap = Keymap::default();
    keys.iter().map(|key| list.key(key, &keymap)).collect()
}

#[test]
fn the_selected_row_is_marked_and_goes_round() {
    let mut list = list(&["one", "two", "three"], 5);
    assert_eq!(draw(&list, 20), ["→ one", "  two", "  three"]);
    assert_eq!(press(&mut list, &[UP, "\r"]), [Picked::Moved, Picked::Item(2)]);
    assert_eq!(press(&mut list, &[DOWN, "\r", "\x1b"]), [Picked::Moved, Picked::Item(0), Picked::Cancelled]);
}

#[test]
fn a_long_list_shows_the_part_around_the_selected_row() {
    let labels: Vec<String> = (1..=9).map(|number| number.to_string()).collect();
    let mut list = list(&labels.iter().map(String::as_str).collect::<Vec<_>>(), 3);
    assert_eq!(draw(&list, 20), ["→ 1", "  2", "  3", "  (1/9)"]);
    press(&mut list, &[DOWN; 4]);
    assert_eq!(draw(&list, 20), ["  4", "→ 5", "  6", "  (5/9)"]);
    // A page down, and another one that stops at the end.
    press(&mut list, &["\x1b[6~", "\x1b[6~"]);
    assert_eq!(draw(&list, 20), ["  7", "  8", "→ 9", "  (9/9)"]);
}

#[test]
fn a_query_finds_what_has_its_letters_and_the_label_counts_first() {
    let items = vec![
        Item::new("theme").about("what main.rs looks like"),
        Item::new("src/main.rs"),
        Item::new("src/markdown/render.rs"),
        Item::new("docs"),
    ];
    let mut list = SelectList::new(items, 5);
    list.search("mrs");
    assert_eq!(list.found(), [1, 2, 0]);
    list.search("zzz");
    assert_eq!((list.selected(), draw(&list, 20)), (None, vec!["  No match".to_owned()]));
    assert_eq!(press(&mut list, &["\r", DOWN]), [Picked::Moved; 2]);
    list.search("");
    assert_eq!(list.found(), [0, 1, 2, 3]);
}

#[test]
fn descriptions_stand_in_a_column_where_there_is_room() {
    let items = vec![
        Item::new("model").about("Choose a model\nfrom a list"),
        Item::new("a-very-long-name-of-a-command-indeed"),
    ];
    let list = SelectList::new(items, 5);
    let wide = draw(&list, 60);
    assert_eq!(wide[0], format!("→ {:<32}{}", "model", "Choose a model"));
    assert_eq!(draw(&list, 40)[0], "→ model");
    assert!(draw(&list, 20).iter().all(|line| tau_view::width::visible_width(line) <= 20));
}

#[test]
fn what_was_selected_stays_selected_when_the_items_change() {
    let mut list = list(&["a", "b", "c"], 5);
    press(&mut list, &[DOWN]);
    list.replace(["x", "a", "b"].map(Item::new).to_vec(), |one, other| one.label == other.label);
    assert_eq!(list.selected(), Some(2));
}

#[test]
fn a_wheel_stops_at_the_ends_and_a_click_selects_what_was_drawn_there() {
    let mut list = list(&["a", "b", "c", "d", "e"], 3);
    assert_eq!((list.wheel(3), list.selected()), (0, Some(3)));
    assert_eq!((list.wheel(3), list.selected()), (2, Some(4)));
    assert_eq!((list.wheel(-9), list.selected()), (-5, Some(0)));
    let styles = Styles::new(&ColorTheme::builtin("dark").expect("a theme"), ColorDepth::None);
    let look = ListLook { styles: &styles, columns: Columns::default(), empty: "" };
    assert_eq!(list.draw_from(7, 20, &look).len(), 4);
    assert!(list.click(9) && !list.click(6) && !list.click(11));
    assert_eq!(list.selected(), Some(2));
    list.search("zzz");
    assert_eq!((list.wheel(2), list.click(7)), (2, false));
}
