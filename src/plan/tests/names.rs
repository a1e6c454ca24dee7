//! What seats are called, by people and by the importer.

use super::*;

#[test]
fn a_name_says_the_zone_only_where_another_zone_has_it_too() {
    let expected = [
        "Parkett A1",
        "Parkett A2",
        "B1",
        "B2",
        "B10",
        "Balkön A1",
        "Balkön A2",
    ];
    assert_eq!(names(CURRENT), expected);
}

#[test]
fn a_row_has_its_label_at_the_ends_that_the_plan_names() {
    let plan = plan(CURRENT);
    let marks: Vec<_> = plan
        .drawing
        .rows
        .iter()
        .map(|mark| mark.text.as_str())
        .collect();
    assert_eq!(marks, ["B", "A", "A"]);
    let (first, last) = (&plan.seats[0], &plan.seats[1]);
    assert!(
        near(plan.drawing.rows[1].x, first.x - 1.0) && near(plan.drawing.rows[2].x, last.x + 1.0)
    );
}

#[test]
fn an_accessible_seat_is_no_unknown_key() {
    assert!(plan(CURRENT).seats[0].accessible);
    assert_eq!(report(CURRENT).count(Oddity::UnknownKey), 0);
}

#[test]
fn a_key_is_never_given_twice_even_if_a_guid_looks_like_a_place() {
    let file = rows(
        r#"[{"row_number":"A","seats":[
            {"seat_number":"1","seat_guid":"Z/A/2"},{"seat_number":"2"},{"seat_number":"2","seat_guid":"u"},
            {"seat_number":"3","uuid":"u"},{"seat_number":"2"}]}]"#,
    );
    let keys: std::collections::HashSet<_> =
        plan(&file).seats.into_iter().map(|seat| seat.key).collect();
    assert_eq!(keys.len(), 5);
}

#[test]
fn one_label_in_two_rows_or_two_zones_is_no_duplicate() {
    assert_eq!(report(OLD).blocked, 0);
    assert_eq!(
        names(OLD),
        [
            "Floor 1-1",
            "Floor 1-2",
            "1-3",
            "2-1",
            "2-2",
            "2-3",
            "Gallery 1-1",
            "Gallery 1-2"
        ]
    );
}

#[test]
fn a_name_never_repeats_the_row_that_a_label_says() {
    assert_eq!(names(&row("C", &["14"])), ["C14"]);
    assert_eq!(names(&row("1", &["14", "1"])), ["1-1", "1-14"]);
    assert_eq!(names(&row("1", &["1-1", "1-14"])), ["1-1", "1-14"]);
    assert_eq!(names(&row("A", &["A1", "Box"])), ["A1", "A-Box"]);
    assert_eq!(names(&row("1", &["1A", "1B"])), ["1A", "1B"]);
    assert_eq!(names(&row("1", &["1", "1a", "2"])), ["1-1", "1-1a", "1-2"]);
    assert_eq!(names(&row("Loge", &["3"])), ["Loge 3"]);
    assert_eq!(names(&row("", &["7"])), ["7"]);
}

#[test]
fn two_rows_never_give_one_name() {
    let file = rows(
        r#"[{"row_number":"A","seats":[{"seat_number":"1-1"}]},{"row_number":"A1","seats":[{"seat_number":"1"}]}]"#,
    );
    assert_eq!(names(&file), ["A-1-1", "A1-1"]);
}
