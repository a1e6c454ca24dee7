//! Best available: so many free seats side by side, as near to the middle of the front as can be.
//!
//! Neighbours are told by their places in the room, never by printed numbers. Where no row has so many together, the
//! party is split over as few places as can be.

use crate::seat_map::{MapSeat, SeatMap, SeatState};

/// Two seats of a row that are no farther apart than this, in seat pitches, are neighbours: an aisle is wider.
const NEIGHBOURS: f64 = 1.4;

/// What someone asks for.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// How many seats; at least one.
    pub count: usize,
    /// Of this category only.
    pub category: Option<&'a str>,
}

/// The ids of the best free seats for the party; `None` when there are not so many.
///
/// A block's score is the distance of its middle from the middle of the room's front, in seat pitches; the front is where
/// the plan's first row begins, since plans are drawn with the stage above. The least score is the best.
#[must_use]
pub fn best(map: &SeatMap, ask: Ask<'_>) -> Option<Vec<i64>> {
    let mut free: Vec<Vec<&MapSeat>> = blocks(map, ask.category);
    let front = map
        .seats
        .iter()
        .map(|seat| seat.y)
        .fold(f64::INFINITY, f64::min);
    let focus = (map.drawing.width / 2.0, front);
    let mut chosen = Vec::with_capacity(ask.count);
    while chosen.len() < ask.count {
        let wanted = ask.count - chosen.len();
        // As many together as any block still has.
        let together = free
            .iter()
            .map(Vec::len)
            .max()
            .filter(|most| *most > 0)?
            .min(wanted);
        let (at, start) = free
            .iter()
            .enumerate()
            .flat_map(|(at, block)| {
                (0..(block.len() + 1).saturating_sub(together)).map(move |start| (at, start))
            })
            .min_by(|a, b| {
                let score = |(at, start): &(usize, usize)| {
                    distance(&free[*at][*start..start + together], focus)
                };
                score(a).total_cmp(&score(b))
            })?;
        let mut block = std::mem::take(&mut free[at]);
        let rest = block.split_off(start + together);
        chosen.extend(block.drain(start..).map(|seat| seat.id));
        free.push(block);
        free.push(rest);
    }
    Some(chosen)
}

/// Runs of free neighbours, row by row.
fn blocks<'a>(map: &'a SeatMap, category: Option<&str>) -> Vec<Vec<&'a MapSeat>> {
    let fits = |seat: &MapSeat| {
        let name = map
            .categories
            .get(seat.category)
            .map(|category| category.name.as_str());
        matches!(seat.state, SeatState::Open | SeatState::Yours)
            && (category.is_none() || category == name)
    };
    let mut blocks = Vec::new();
    for row in map
        .seats
        .chunk_by(|a, b| (&a.zone, &a.row) == (&b.zone, &b.row))
    {
        let mut row: Vec<&MapSeat> = row.iter().collect();
        row.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        let mut block: Vec<&MapSeat> = Vec::new();
        for seat in row {
            let beside = block
                .last()
                .is_some_and(|last| (last.x - seat.x).hypot(last.y - seat.y) <= NEIGHBOURS);
            if !beside || !fits(seat) {
                blocks.push(std::mem::take(&mut block));
            }
            if fits(seat) {
                block.push(seat);
            }
        }
        blocks.push(block);
    }
    blocks
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a block has far fewer seats than a float is exact for"
)]
fn distance(block: &[&MapSeat], focus: (f64, f64)) -> f64 {
    let n = block.len() as f64;
    let x = block.iter().map(|seat| seat.x).sum::<f64>() / n;
    let y = block.iter().map(|seat| seat.y).sum::<f64>() / n;
    (x - focus.0).hypot(y - focus.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        event::{Event, Sales},
        money::Currency,
        seat_map::Category,
    };

    /// A room drawn with letters: `.` free, `x` taken, a blank is an aisle; each line is a row.
    fn room(lines: &[&str]) -> SeatMap {
        let event = Event {
            id: 1,
            slug: "x".to_owned(),
            name: "x".to_owned(),
            venue: "x".to_owned(),
            starts_at: jiff::Timestamp::UNIX_EPOCH,
            time_zone: jiff::tz::TimeZone::UTC,
            currency: Currency::parse("EUR").expect("a currency"),
            sales_from: jiff::Timestamp::UNIX_EPOCH,
            sales_until: jiff::Timestamp::UNIX_EPOCH,
            sales: Sales::Open,
            hold_seconds: 600,
            hold_cap_seconds: 600,
            max_seats: 8,
            cancel_until: None,
            can_cancel: false,
            drawing_version: String::new(),
        };
        let mut seats = Vec::new();
        let mut width = 0.0_f64;
        for (y, line) in (0_u32..).zip(lines) {
            for (x, c) in (0_u32..).zip(line.chars()) {
                width = width.max(f64::from(x) + 1.0);
                if c != ' ' {
                    seats.push(MapSeat {
                        id: i64::from(y * 100 + x),
                        zone: String::new(),
                        row: y.to_string(),
                        label: x.to_string(),
                        name: format!("{y}-{x}"),
                        category: usize::from(y > 1),
                        x: f64::from(x) + 0.5,
                        y: f64::from(y) + 0.5,
                        accessible: false,
                        state: if c == '.' {
                            SeatState::Open
                        } else {
                            SeatState::Booked
                        },
                    });
                }
            }
        }
        let category = |name: &str| Category {
            id: 1,
            name: name.to_owned(),
            color: String::new(),
            price_minor: 1,
        };
        let drawing = crate::plan::Drawing {
            width,
            height: 1.0,
            ..crate::plan::Drawing::default()
        };
        SeatMap {
            event,
            drawing,
            categories: vec![category("front"), category("back")],
            seats,
        }
    }

    fn found(lines: &[&str], count: usize, category: Option<&str>) -> Option<Vec<i64>> {
        best(&room(lines), Ask { count, category })
    }

    #[test]
    fn a_party_sits_together_in_the_middle_of_the_front() {
        assert_eq!(found(&[".......", "......."], 3, None), Some(vec![2, 3, 4]));
        assert_eq!(
            found(&["..xxx..", "......."], 3, None),
            Some(vec![102, 103, 104])
        );
    }

    #[test]
    fn an_aisle_is_no_neighbour() {
        assert_eq!(
            found(&[".. ..", "....."], 3, None),
            Some(vec![101, 102, 103])
        );
    }

    #[test]
    fn a_party_that_fits_nowhere_is_split_over_as_few_places_as_can_be() {
        let split = found(&["..x..", "x.xxx"], 4, None).expect("four are free");
        assert_eq!(split.len(), 4);
        assert!(
            split.iter().all(|id| *id < 100),
            "two pairs, not singles: {split:?}"
        );
    }

    #[test]
    fn only_the_wished_category_is_taken_and_never_more_than_there_is() {
        assert_eq!(
            found(&["....", "....", "...."], 2, Some("back")),
            Some(vec![201, 202])
        );
        assert_eq!(found(&["..x."], 4, None), None);
        assert_eq!(found(&["xxx"], 1, None), None);
    }
}
