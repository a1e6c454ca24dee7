//! What is no plan is an error that says where, and nothing at all makes the importer fall over.

use std::cmp::Ordering;

use proptest::{prelude::*, sample::Index};

use super::*;

/// Where the refusal of this file says that it is wrong.
fn wrong_at(bytes: &[u8]) -> String {
    refusal(bytes)
        .place()
        .unwrap_or("the whole file")
        .to_owned()
}

#[test]
fn a_truncated_plan_says_where_it_ends() {
    let error = refusal(&CURRENT[..CURRENT.len() / 2]);
    assert!(error.to_string().contains("truncated"), "{error}");
    assert!(
        error
            .place()
            .is_some_and(|place| place.starts_with("line ")),
        "{error}"
    );
}

#[test]
fn an_empty_file_and_one_without_seats_are_no_plans() {
    for nothing in [
        "",
        "\u{feff}",
        " \n\n",
        ",,\n,,\n",
        r#"{"zones":[]}"#,
        r#"{"zones":[{"rows":[{"seats":[]}]}]}"#,
    ] {
        assert_eq!(
            wrong_at(nothing.as_bytes()),
            "the whole file",
            "{nothing:?}"
        );
    }
}

#[test]
fn what_is_no_plan_is_refused_where_it_stops_being_one() {
    assert_eq!(wrong_at(b"[1, 2]"), "top level");
    assert_eq!(wrong_at(br#"{"name": "x"}"#), "top level");
    assert_eq!(wrong_at(b"{\"zones\": [\n nonsense"), "line 2, column 3");
    assert_eq!(wrong_at(br#"{"zones": []} and more"#), "line 1, column 15");
    assert_eq!(wrong_at(b"<html><body>A1</body></html>"), "line 1");
    assert_eq!(wrong_at(b"A1,A2\nA1,\x01\n"), "line 2, column 4");
    assert_eq!(wrong_at(b"PK\x03\x04 a workbook"), "the whole file");
    assert_eq!(
        wrong_at(b"Dear box office, please find attached\n"),
        "the whole file"
    );
}

#[test]
fn a_value_of_the_wrong_kind_is_refused_with_its_path() {
    assert_eq!(wrong_at(&rows(r#""A""#)), "zones[0].rows");
    assert_eq!(
        wrong_at(&rows(r#"[{"seats":{}}]"#)),
        "zones[0].rows[0].seats"
    );
    assert_eq!(
        wrong_at(&rows(r#"[{"seats":[7]}]"#)),
        "zones[0].rows[0].seats[0]"
    );
    assert_eq!(
        wrong_at(&rows(r#"[{"row_number":[],"seats":[]}]"#)),
        "zones[0].rows[0].row_number"
    );
    assert_eq!(
        wrong_at(&rows(r#"[{"seats":[{"position":"left"}]}]"#)),
        "zones[0].rows[0].seats[0].position"
    );
    assert_eq!(
        wrong_at(&rows(r#"[{"seats":[{"accessible":"yes"}]}]"#)),
        "zones[0].rows[0].seats[0].accessible"
    );
}

#[test]
fn a_key_that_is_there_twice_is_refused_with_its_path() {
    assert_eq!(
        wrong_at(&rows(
            r#"[{"seats":[{"seat_number":"1","seat_number":"2"}]}]"#
        )),
        "zones[0].rows[0].seats[0].seat_number"
    );
}

#[test]
fn coordinates_that_no_room_has_are_refused_with_their_path() {
    for number in ["\"NaN\"", "\"inf\"", "\"12,5\"", "1e9", "true"] {
        let file = rows(&format!(
            r#"[{{"seats":[{{"seat_number":"1","position":{{"x":{number},"y":0}}}}]}}]"#
        ));
        assert_eq!(
            wrong_at(&file),
            "zones[0].rows[0].seats[0].position.x",
            "{number}"
        );
    }
    let file = rows(r#"[{"seats":[{"seat_number":"1","position":{"x":1e999,"y":0}}]}]"#);
    assert!(wrong_at(&file).starts_with("line 1, column "));
}

#[test]
fn a_room_of_absurd_size_is_refused() {
    let file = rows(
        r#"[{"row_number":"A","seats":[
            {"seat_number":"1","position":{"x":0,"y":0}},{"seat_number":"2","position":{"x":0.01,"y":0}},
            {"seat_number":"3","position":{"x":0.02,"y":0}},{"seat_number":"4","position":{"x":9999,"y":0}}]}]"#,
    );
    assert!(refusal(&file).to_string().contains("seats wide"));
}

#[test]
fn a_file_that_is_too_large_is_refused() {
    assert!(
        refusal(&vec![b' '; 32 * 1024 * 1024 + 1])
            .to_string()
            .contains("32 MB")
    );
    let line = format!("{}1\n", "1,".repeat(999));
    assert!(
        refusal(line.repeat(101).as_bytes())
            .to_string()
            .contains("100000 seats")
    );
}

#[test]
fn a_plan_with_more_categories_than_anyone_prices_is_refused() {
    let declared = format!(
        r#"{{"zones":[],"categories":[{}{{}}]}}"#,
        "{},".repeat(1000)
    );
    assert_eq!(wrong_at(declared.as_bytes()), "categories");
    let seats: Vec<String> = (0..1001)
        .map(|n| format!(r#"{{"seat_number":"{n}","category":"{n}"}}"#))
        .collect();
    let made_up = rows(&format!(r#"[{{"seats":[{}]}}]"#, seats.join(",")));
    assert!(refusal(&made_up).to_string().contains("1001 categories"));
}

#[test]
fn text_that_is_not_utf_8_is_refused_in_json_with_its_place() {
    assert_eq!(wrong_at(b"{\"zones\":\n \"\xFF\"}"), "line 2, column 3");
    assert_eq!(wrong_at(b"A1,\x81\n"), "line 1, column 4");
    assert_eq!(wrong_at(b"\xFF\xFEA"), "the whole file");
}

#[test]
fn a_quote_that_is_never_closed_is_refused_where_it_begins() {
    assert_eq!(wrong_at(b"A1,A2\n\"A3,A4\nA5\n"), "line 2");
}

#[test]
fn numbers_in_labels_are_compared_as_numbers_and_row_z_comes_before_row_aa() {
    let sorted = |mut labels: Vec<&'static str>, by: fn(&str, &str) -> Ordering| {
        labels.sort_by(|a, b| by(a, b));
        labels.join(" ")
    };
    assert_eq!(
        sorted(vec!["10", "9", "A10", "a2", "1", "A9", "B1"], natural_cmp),
        "1 9 10 a2 A9 A10 B1"
    );
    assert_eq!(
        sorted(
            vec!["AA", "B", "Z", "A", "Loge", "2", "10", "A1"],
            order::row_cmp
        ),
        "2 10 A A1 B Z AA Loge"
    );
}

proptest! {
    #[test]
    fn orders_are_total_so_that_sorting_is_safe(a in "[0-9a-zA中 -]{0,5}", b in "[0-9a-zA中 -]{0,5}", c in "[0-9a-zA中 -]{0,5}") {
        for by in [natural_cmp, order::row_cmp] {
            prop_assert_eq!(by(&a, &b), by(&b, &a).reverse());
            prop_assert_eq!(by(&a, &b) == Ordering::Equal, a == b);
            if by(&a, &b).is_le() && by(&b, &c).is_le() {
                prop_assert!(by(&a, &c).is_le());
            }
        }
    }

    #[test]
    fn a_damaged_plan_is_read_or_refused_but_never_a_panic(
        file in prop::sample::select(vec![CURRENT, OLD, ODD, GRID, SPREADSHEET, WINDOWS_1252]),
        damage in prop::collection::vec((any::<Index>(), 0_usize..4, any::<Vec<u8>>()), 0..6),
    ) {
        let mut bytes = file.to_vec();
        for (place, cut, put) in damage {
            let from = place.index(bytes.len() + 1);
            bytes.splice(from..(from + cut).min(bytes.len()), put);
        }
        holds(&bytes)?;
    }

    #[test]
    fn a_plan_with_any_value_anywhere_is_read_or_refused_but_never_a_panic(
        file in prop::sample::select(vec![CURRENT, OLD, ODD]),
        places in prop::collection::vec(any::<Index>(), 1..5),
        value in prop::sample::select(vec!["null", "-0.0", "1e6", "1e-300", "\"\"", "\"\\u0000\"", "[]", "{}", "true", "-999999"]),
    ) {
        let mut text = String::from_utf8_lossy(file).into_owned();
        for place in places {
            let starts: Vec<usize> = text.match_indices(": ").map(|(at, _)| at + 2).collect();
            let from = starts[place.index(starts.len())];
            let length = text[from..].find(['\n', ',', '}', ']']).unwrap_or(0);
            text.replace_range(from..from + length, value);
        }
        holds(text.as_bytes())?;
    }

    #[test]
    fn any_text_is_read_or_refused_but_never_a_panic(text in "[A-C1-3:+,;\"\n\t \\-]{0,40}") {
        holds(text.as_bytes())?;
    }
}

/// What is true of every plan that is read.
fn holds(bytes: &[u8]) -> Result<(), TestCaseError> {
    let Ok((plan, report)) = read("damaged", bytes) else {
        return Ok(());
    };
    prop_assert_eq!(report.seats, plan.seats.len());
    let keys: std::collections::HashSet<_> = plan.seats.iter().map(|seat| &seat.key).collect();
    prop_assert_eq!(keys.len(), plan.seats.len());
    for seat in &plan.seats {
        prop_assert!(
            (0.0..=plan.drawing.width).contains(&seat.x)
                && (0.0..=plan.drawing.height).contains(&seat.y)
        );
        prop_assert!(seat.category < plan.categories.len());
        prop_assert!(!seat.label.is_empty() && !seat.name.is_empty());
    }
    for category in &plan.categories {
        prop_assert!(category.color.len() == 7 && category.color.starts_with('#'));
    }
    Ok(())
}
