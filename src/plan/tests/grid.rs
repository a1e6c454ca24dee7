//! The CSV grid, as people keep it and as spreadsheets export it.

use super::*;

/// Zone, row, label and name of each seat.
fn seats(bytes: &[u8]) -> Vec<String> {
    plan(bytes)
        .seats
        .into_iter()
        .map(|seat| format!("{}|{}|{}|{}", seat.zone, seat.row, seat.label, seat.name))
        .collect()
}

#[test]
fn a_cell_is_a_seat_of_its_zone_and_a_plus_makes_it_accessible() {
    let expected = [
        "Balcon|A|1|A1",
        "Balcon|A|2|A2",
        "Balcon|A|3|A3",
        "Platea|B|2|B2",
        "Platea|B|10|B10",
        "Platea|C|1|C1",
        "Platea|C|2|C2",
        "Platea|C|3|C3",
    ];
    assert_eq!(seats(GRID), expected);
    let accessible: Vec<_> = plan(GRID)
        .seats
        .into_iter()
        .filter(|seat| seat.accessible)
        .map(|seat| seat.name)
        .collect();
    assert_eq!(accessible, ["A2", "C1"]);
    assert_eq!(report(GRID).to_string(), "8 seats");
}

#[test]
fn cells_are_one_pitch_apart_and_blank_cells_and_lines_are_aisles() {
    let plan = plan(GRID);
    let [a1, a2, a3, b2] = [
        &plan.seats[0],
        &plan.seats[1],
        &plan.seats[2],
        &plan.seats[3],
    ];
    assert!(near(a2.x - a1.x, 1.0) && near(a3.x - a2.x, 2.0));
    assert!(near(b2.x, a2.x) && near(b2.y - a1.y, 2.0));
}

#[test]
fn each_zone_is_a_category_and_a_grid_without_zones_is_standard() {
    let names = |bytes| {
        plan(bytes)
            .categories
            .into_iter()
            .map(|category| category.name)
            .collect::<Vec<_>>()
    };
    assert_eq!(names(GRID), ["Balcon", "Platea"]);
    assert_eq!(names(b"A1,A2\n"), ["Standard"]);
    assert_eq!(names(b"A1,Box:A2\n"), ["Standard", "Box"]);
}

#[test]
fn rows_are_what_the_labels_say_where_all_of_them_do() {
    assert_eq!(
        seats(b"s:A1,,s:B1+\n,s:A2,s:B2\n"),
        ["s|A|1|A1", "s|A|2|A2", "s|B|1|B1", "s|B|2|B2"]
    );
    assert_eq!(seats(b"3-14,3-15\n"), ["|3|14|3-14", "|3|15|3-15"]);
    assert_eq!(seats(b"A 1,A-2\n"), ["|A|1|A1", "|A|2|A2"]);
}

#[test]
fn a_line_is_a_row_where_labels_do_not_say_one() {
    assert_eq!(
        seats(b"1,2\n,\n1,2\n"),
        ["|1|1|1-1", "|1|2|1-2", "|2|1|2-1", "|2|2|2-2"]
    );
    assert_eq!(
        seats(b"C1,C2\n7,X1\n"),
        ["|2|7|2-7", "|2|X1|X1", "|C|1|C1", "|C|2|C2"]
    );
}

#[test]
fn a_spreadsheet_s_export_is_read_with_all_its_habits() {
    let report = report(SPREADSHEET);
    for oddity in [
        Oddity::ByteOrderMark,
        Oddity::Separator,
        Oddity::RaggedLine,
        Oddity::Words,
    ] {
        assert_eq!(report.count(oddity), 1, "{oddity:?} in {report}");
    }
    let expected = [
        "|1|1|1-1",
        "|1|2|1-2",
        "|1|3|1-3",
        "|2|1|2-1",
        "|2|2|2-2",
        "|2|3|2-3",
        "|2|4|2-4",
        "|3|?|Bühne",
    ];
    assert_eq!(seats(SPREADSHEET), expected);
    assert!(plan(SPREADSHEET).seats[4].accessible);
}

#[test]
fn words_in_a_grid_are_kept_but_never_for_sale() {
    let plan = plan(b"Stage\nA1,A2\n");
    let blocked: Vec<_> = plan
        .seats
        .iter()
        .filter(|seat| seat.blocked.is_some())
        .map(|seat| seat.name.as_str())
        .collect();
    assert_eq!(blocked, ["Stage"]);
}

#[test]
fn tabs_separate_cells_too() {
    assert_eq!(seats(b"A1\tA2\n"), ["|A|1|A1", "|A|2|A2"]);
}

#[test]
fn a_grid_in_windows_1252_is_read_and_reported() {
    assert_eq!(seats(WINDOWS_1252), ["Ränge|A|1|A1", "Ränge|A|2|A2"]);
    assert_eq!(report(WINDOWS_1252).count(Oddity::Windows1252), 1);
}

#[test]
fn utf_16_with_a_byte_order_mark_is_read() {
    let text = "Ränge:A1\tRänge:A2\r\n";
    let little: Vec<u8> = [0xFF, 0xFE]
        .into_iter()
        .chain(text.encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let big: Vec<u8> = [0xFE, 0xFF]
        .into_iter()
        .chain(text.encode_utf16().flat_map(u16::to_be_bytes))
        .collect();
    assert_eq!(seats(&little), ["Ränge|A|1|A1", "Ränge|A|2|A2"]);
    assert_eq!(seats(&big), seats(&little));
}

#[test]
fn one_label_twice_in_a_row_of_a_grid_is_not_for_sale() {
    let report = report(b"A1,A2,A2\n");
    assert_eq!((report.seats, report.blocked), (3, 2));
    assert!(
        report
            .to_string()
            .contains("A2 (key /A/2), A2 (key /A/2#2)"),
        "{report}"
    );
}
