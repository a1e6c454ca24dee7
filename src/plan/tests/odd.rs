//! What is odd in a plan is taken and reported: one test for each kind.

use super::*;

#[test]
fn a_plan_in_the_current_dialect_has_nothing_odd() {
    let (plan, report) = read("current.json", CURRENT).expect("a plan");
    assert_eq!(report.to_string(), "7 seats");
    assert_eq!(plan.name.as_deref(), Some("Théâtre de l'Étang"));
    let categories: Vec<_> = plan
        .categories
        .iter()
        .map(|c| (c.name.as_str(), c.color.as_str()))
        .collect();
    assert_eq!(
        categories,
        [("Erster Rang", "#1f5f8b"), ("Łoża", "#8a3b12")]
    );
}

#[test]
fn a_repeated_guid_keys_no_seat_and_loses_none() {
    assert_eq!(
        odd(Oddity::RepeatedGuid),
        (1, "zones[0].rows[0].seats[3]".into(), "a3".into())
    );
    let keys: Vec<_> = plan(OLD).seats.into_iter().map(|seat| seat.key).collect();
    let expected = [
        "Floor/1/1-1",
        "Floor/1/1-2",
        "1-3",
        "2-1",
        "2-2",
        "2-3",
        "Gallery/1/1-1",
        "Gallery/1/1-2",
    ];
    assert_eq!(keys, expected);
}

#[test]
fn a_seat_is_keyed_by_its_uuid_else_its_guid_else_where_it_is() {
    assert_eq!(
        plan(CURRENT).seats[0].key,
        "00000000-0000-4000-8000-000000000101"
    );
    let keys: Vec<_> = plan(ODD).seats.into_iter().map(|seat| seat.key).collect();
    assert!(keys.contains(&"a1".to_owned()), "its uuid is another's too");
    assert!(
        keys.contains(&"Platea/A/3".to_owned()),
        "its guid is another's too"
    );
}

#[test]
fn the_same_file_always_gives_the_same_keys() {
    for file in [CURRENT, OLD, ODD, GRID, SPREADSHEET] {
        assert_eq!(plan(file), plan(file));
    }
}

#[test]
fn a_byte_order_mark_is_skipped_and_reported() {
    assert_eq!(odd(Oddity::ByteOrderMark).0, 1);
}

#[test]
fn a_repeated_uuid_is_reported() {
    assert_eq!(odd(Oddity::RepeatedUuid).1, "zones[0].rows[0].seats[1]");
}

#[test]
fn missing_uuids_are_one_line_of_the_report() {
    assert_eq!(
        odd(Oddity::MissingUuid),
        (11, "zones[0].rows[0].seats[2]".into(), String::new())
    );
}

#[test]
fn fractions_are_taken_and_reported() {
    assert_eq!(
        odd(Oddity::Fraction).1,
        "zones[0].rows[0].seats[1].position.x"
    );
}

#[test]
fn numbers_written_as_text_are_taken_and_reported() {
    assert_eq!(
        odd(Oddity::TextForNumber).1,
        "zones[0].rows[0].seats[2].position.x"
    );
}

#[test]
fn a_label_written_as_a_number_is_taken_and_reported() {
    assert_eq!(
        odd(Oddity::NumberForText).1,
        "zones[0].rows[0].seats[3].seat_number"
    );
    assert!(names(ODD).contains(&"Platea A4".to_owned()) || names(ODD).contains(&"A4".to_owned()));
}

#[test]
fn negative_coordinates_are_taken_and_reported() {
    assert_eq!(
        odd(Oddity::Negative),
        (7, "zones[0].areas[0]".into(), String::new())
    );
}

#[test]
fn unknown_keys_are_named_in_one_line() {
    assert_eq!(
        odd(Oddity::UnknownKey),
        (3, "top level".into(), "editor, price".into())
    );
}

#[test]
fn a_category_that_no_seat_has_is_left_out_and_reported() {
    assert_eq!(odd(Oddity::UnusedCategory).2, "Podio");
    assert!(
        plan(ODD)
            .categories
            .iter()
            .all(|category| category.name != "Podio")
    );
}

#[test]
fn a_category_that_is_not_declared_is_made_up_and_reported() {
    assert_eq!(
        odd(Oddity::UndeclaredCategory),
        (1, "zones[0].rows[0].seats[6]".into(), "Sconosciuta".into())
    );
    let plan = plan(ODD);
    let seven = plan
        .seats
        .iter()
        .find(|seat| seat.key == "a7")
        .expect("seat 7");
    assert_eq!(plan.categories[seven.category].name, "Sconosciuta");
    assert_eq!(plan.categories[seven.category].color, color::NEUTRAL);
}

#[test]
fn a_seat_without_a_category_is_standard_and_reported() {
    assert_eq!(odd(Oddity::NoCategory).1, "zones[0].rows[0].seats[7]");
    assert!(
        plan(ODD)
            .categories
            .iter()
            .any(|category| category.name == "Standard")
    );
}

#[test]
fn a_category_declared_twice_is_merged_and_reported() {
    assert_eq!(odd(Oddity::RepeatedCategory).1, "categories[2]");
    assert_eq!(plan(ODD).categories[0].color, "#1f5f8b");
}

#[test]
fn a_colour_that_is_none_becomes_grey_and_is_reported() {
    assert_eq!(
        odd(Oddity::InvalidColor),
        (1, "categories[1].color".into(), String::new())
    );
    assert_eq!(plan(ODD).categories[1].color, color::NEUTRAL);
}

#[test]
fn a_zone_without_a_name_is_reported_and_stays_without_one() {
    assert_eq!(odd(Oddity::NamelessZone).1, "zones[1]");
    assert_eq!(
        plan(ODD).seats.last().map(|seat| seat.zone.as_str()),
        Some("")
    );
}

#[test]
fn a_row_without_a_number_and_one_without_seats_are_reported() {
    assert_eq!(odd(Oddity::NumberlessRow).1, "zones[0].rows[2]");
    assert_eq!(odd(Oddity::EmptyRow).1, "zones[0].rows[3]");
}

#[test]
fn a_wording_that_is_not_used_is_reported_unless_the_row_has_nothing_else() {
    assert_eq!(odd(Oddity::UnusedWording).1, "zones[0].rows[1]");
    let file = rows(r#"[{"row_label":"Table 3","seats":[{"seat_number":"1"}]}]"#);
    assert_eq!(names(&file), ["Table 3 1"]);
}

#[test]
fn a_seat_without_a_number_is_kept_but_not_for_sale() {
    assert_eq!(odd(Oddity::NumberlessSeat).1, "zones[0].rows[0].seats[4]");
    let seat = plan(ODD)
        .seats
        .into_iter()
        .find(|seat| seat.key == "a5")
        .expect("the seat");
    assert_eq!(
        (seat.label.as_str(), seat.blocked.as_deref()),
        ("?", Some(NO_LABEL))
    );
}

#[test]
fn two_seats_with_one_label_in_a_row_are_kept_but_neither_is_for_sale() {
    let (count, place, names) = odd(Oddity::DuplicateLabel);
    assert_eq!(
        (count, place.as_str(), names.as_str()),
        (2, "zones[0].rows[1].seats[0]", "B1 (key b1), B1 (key b2)")
    );
    let blocked = plan(ODD)
        .seats
        .into_iter()
        .filter(|seat| seat.blocked.as_deref() == Some(DUPLICATE_LABEL));
    assert_eq!(
        blocked.map(|seat| seat.key).collect::<Vec<_>>(),
        ["b1", "b2"]
    );
}

#[test]
fn a_seat_without_a_position_is_drawn_beside_the_one_before() {
    assert_eq!(
        odd(Oddity::MissingPosition),
        (2, "zones[0].rows[0].seats[5]".into(), String::new())
    );
    let plan = plan(ODD);
    let seat = |key| {
        plan.seats
            .iter()
            .find(|seat| seat.key == key)
            .expect("the seat")
    };
    assert!(near(seat("a6").x, seat("a5").x + 1.0) && near(seat("a6").y, seat("a5").y));
}

#[test]
fn two_seats_at_one_spot_are_kept_and_reported() {
    assert_eq!(
        odd(Oddity::SameSpot),
        (1, "zones[0].rows[1].seats[2]".into(), String::new())
    );
}

#[test]
fn control_characters_in_a_label_are_tidied_and_reported() {
    assert_eq!(
        odd(Oddity::UntidyText).1,
        "zones[0].rows[1].seats[2].seat_number"
    );
    let seat = plan(ODD)
        .seats
        .into_iter()
        .find(|seat| seat.key == "b3")
        .expect("the seat");
    assert_eq!(seat.label, "3");
}

#[test]
fn an_area_of_an_unknown_shape_costs_no_seat() {
    assert_eq!(
        odd(Oddity::InvalidArea),
        (1, "zones[0].areas[0]".into(), "spiral".into())
    );
    assert_eq!(plan(ODD).seats.len(), 13);
}

#[test]
fn a_report_has_one_line_for_each_kind_with_its_count_and_place() {
    let text = report(ODD).to_string();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], "13 seats, 3 of them not for sale until renamed");
    assert_eq!(lines.len(), report(ODD).notes.len() + 1);
    assert!(
        text.contains("\n  3 × unknown key, ignored (first: top level): editor, price\n"),
        "{text}"
    );
}
