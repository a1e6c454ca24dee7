//! Where seats and areas are, in both dialects.

use super::*;

#[test]
fn seats_are_read_by_zone_then_row_then_seat_in_natural_order() {
    let seats: Vec<_> = plan(CURRENT)
        .seats
        .into_iter()
        .map(|seat| format!("{}/{}/{}", seat.zone, seat.row, seat.label))
        .collect();
    let expected = [
        "Parkett/A/1",
        "Parkett/A/2",
        "Parkett/B/1",
        "Parkett/B/2",
        "Parkett/B/10",
        "Balkön/A/1",
        "Balkön/A/2",
    ];
    assert_eq!(seats, expected);
}

#[test]
fn positions_nest_and_are_counted_in_seat_pitches_from_the_top_left() {
    let plan = plan(CURRENT);
    let [a1, a2, b1] = [&plan.seats[0], &plan.seats[1], &plan.seats[2]];
    assert!(near(a2.x - a1.x, 1.0) && near(a1.y, a2.y));
    assert!(near(b1.x, a1.x) && near(b1.y - a1.y, 40.0 / 30.0));
    let balcony = &plan.seats[5];
    assert!(near(balcony.y - a1.y, 200.0 / 30.0));
    assert!(plan.seats.iter().all(|seat| seat.x >= 1.0 && seat.y >= 1.0));
    assert!(
        plan.seats
            .iter()
            .all(|seat| seat.x <= plan.drawing.width - 0.99 && seat.y <= plan.drawing.height - 0.99)
    );
}

#[test]
fn areas_of_every_shape_are_drawn_where_the_plan_has_them() {
    let plan = plan(CURRENT);
    let a1 = &plan.seats[0];
    let [stage, circle, ellipse, polygon, words] = plan.drawing.areas.as_slice() else {
        panic!("five areas")
    };
    assert_eq!(
        stage.shape,
        Shape::Rectangle {
            width: 10.0,
            height: 2.0
        }
    );
    assert!(near(stage.x, a1.x) && near(a1.y - stage.y, 5.0));
    assert_eq!(
        (stage.fill.as_deref(), stage.border.as_deref()),
        (Some("#333333"), Some("#000000"))
    );
    let text = stage.text.as_ref().expect("words on the stage");
    assert_eq!(
        (text.text.as_str(), stage.text_color.as_deref()),
        ("Bühne", Some("#ffffff"))
    );
    assert!(near(text.x, stage.x + 5.0) && near(text.y, stage.y + 1.0) && near(text.size, 1.0));
    assert_eq!(circle.shape, Shape::Ellipse { rx: 1.0, ry: 1.0 });
    assert_eq!((circle.border.as_ref(), circle.text.as_ref()), (None, None));
    assert_eq!(ellipse.shape, Shape::Ellipse { rx: 2.0, ry: 1.0 });
    assert!(near(ellipse.rotation, 90.0));
    assert_eq!(
        polygon.shape,
        Shape::Polygon {
            points: vec![(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]
        }
    );
    assert_eq!(
        (
            &words.shape,
            words.text.as_ref().map(|text| text.text.as_str())
        ),
        (&Shape::Text, Some("入口"))
    );
}

#[test]
fn zones_are_marked_by_the_rectangle_of_their_seats() {
    let zones = plan(CURRENT).drawing.zones;
    assert_eq!(
        zones
            .iter()
            .map(|zone| zone.name.as_str())
            .collect::<Vec<_>>(),
        ["Parkett", "Balkön"]
    );
    assert!(near(zones[0].width, 3.0) && near(zones[1].width, 2.0) && near(zones[1].height, 1.0));
}

#[test]
fn a_drawing_survives_being_stored() {
    let drawing = plan(CURRENT).drawing;
    let stored = serde_json::to_string(&drawing).expect("json");
    assert_eq!(
        serde_json::from_str::<Drawing>(&stored).expect("a drawing"),
        drawing
    );
}

#[test]
fn the_old_dialect_is_read_with_its_areas() {
    let plan = plan(OLD);
    assert_eq!(plan.seats.len(), 8);
    let stage = &plan.drawing.areas[0];
    assert_eq!(
        stage.shape,
        Shape::Rectangle {
            width: 4.0,
            height: 0.667
        }
    );
    assert_eq!(
        stage.text.as_ref().map(|text| text.text.as_str()),
        Some("STAGE")
    );
    assert_eq!(
        plan.drawing.rows.len(),
        6,
        "rows are labelled at both ends where a plan does not say"
    );
    assert_eq!(report(OLD).count(Oddity::MissingUuid), 8);
}

#[test]
fn seats_are_drawn_smaller_where_rows_stand_closer_than_seats() {
    assert!(near(plan(OLD).drawing.seat, 25.0 / 30.0));
    assert!(near(plan(CURRENT).drawing.seat, 1.0));
}

#[test]
fn several_zones_without_a_name_are_numbered() {
    let zone = r#"{"rows":[{"row_number":"A","seats":[{"seat_number":"1"}]}]}"#;
    let plan = plan(format!(r#"{{"zones":[{zone},{zone}]}}"#).as_bytes());
    assert_eq!(
        plan.seats
            .iter()
            .map(|seat| seat.zone.as_str())
            .collect::<Vec<_>>(),
        ["Zone 1", "Zone 2"]
    );
    assert!(plan.seats.iter().all(|seat| seat.blocked.is_none()));
}

#[test]
fn rows_without_any_position_are_drawn_below_one_another() {
    let file = rows(
        r#"[{"row_number":"A","seats":[{"seat_number":"1"},{"seat_number":"2"}]},
            {"row_number":"B","seats":[{"seat_number":"1"},{"seat_number":"2"}]}]"#,
    );
    let plan = plan(&file);
    assert!(
        near(plan.seats[1].x - plan.seats[0].x, 1.0)
            && near(plan.seats[2].y - plan.seats[0].y, 1.0)
    );
}

#[test]
fn the_demo_plans_have_nothing_odd_and_no_seat_in_another_s_place() {
    for (file, seats, accessible) in [(STUDIO, 120, 3), (CONCERT_HALL, 973, 8)] {
        let (plan, report) = read("demo", file).expect("a plan");
        assert_eq!(report.to_string(), format!("{seats} seats"));
        assert_eq!(
            plan.seats.iter().filter(|seat| seat.accessible).count(),
            accessible
        );
        for (at, seat) in plan.seats.iter().enumerate() {
            for other in &plan.seats[at + 1..] {
                let distance = (seat.x - other.x).hypot(seat.y - other.y);
                assert!(
                    distance > 0.95,
                    "{} and {} are {distance} apart",
                    seat.name,
                    other.name
                );
            }
        }
    }
}
