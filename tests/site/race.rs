//! Races: many people at one instant, on two server processes that share the stores.

use std::{collections::HashMap, sync::Arc};

use futures_util::future::join_all;
use tokio::sync::Barrier;

use crate::{
    box_office::{BoxOffice, Rules, Stage},
    person::APPROVED,
};

/// Everybody opens the map first; then all press at once. Answers by status.
async fn press_at_once(
    office: &BoxOffice,
    wishes: Vec<Vec<i64>>,
) -> (HashMap<u16, usize>, Vec<crate::person::Person>) {
    let barrier = Arc::new(Barrier::new(wishes.len()));
    let tasks = wishes.into_iter().enumerate().map(|(number, seats)| {
        let (person, barrier) = (office.person_at(number), Arc::clone(&barrier));
        tokio::spawn(async move {
            person.opens_map().await.expect(200);
            barrier.wait().await;
            (person.presses_hold("", &seats).await.status, person)
        })
    });
    let mut statuses = HashMap::new();
    let mut winners = Vec::new();
    for done in join_all(tasks).await {
        let (status, person) = done.expect("an answer");
        *statuses.entry(status).or_insert(0) += 1;
        if status == 303 {
            winners.push(person);
        }
    }
    (statuses, winners)
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_hundred_people_on_one_seat_one_gets_it_and_the_books_are_right() {
    let stage = tokio::task::spawn_blocking(|| Stage::start(&["LIMITS=off"], 2))
        .await
        .expect("a stage");
    for _ in 0..20 {
        let office = BoxOffice::at(&stage, stage.bases(), Rules::default()).await;
        let seat = office.seat("A1");
        let (statuses, winners) = press_at_once(&office, vec![vec![seat]; 100]).await;
        assert_eq!(statuses, HashMap::from([(303, 1), (409, 99)]));
        winners[0].pays(APPROVED).await.expect(303);
        assert_eq!(office.booked().await, 1);
    }
    let (code, printed) = stage.command(&["audit"]);
    assert_eq!(code, 0, "{printed}");
    assert!(printed.contains("0 violations"), "{printed}");
    // The audit is no rubber stamp: a seat that is sold without a booking is found.
    let office = BoxOffice::at(&stage, stage.bases(), Rules::default()).await;
    office
        .run("update seat set status = 'booked' where event_id = $1 and name = 'A1'")
        .await;
    let (code, printed) = stage.command(&["audit"]);
    assert_ne!(code, 0, "{printed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_people_on_a_hundred_seats_all_get_theirs() {
    let office = BoxOffice::with(Rules {
        room: HUNDRED,
        ..Default::default()
    })
    .await;
    let rows = office.database.get().await.expect("a connection");
    let rows = rows
        .query("select id from seat where event_id = $1", &[&office.event])
        .await
        .expect("seats");
    let wishes: Vec<Vec<i64>> = rows.iter().map(|row| vec![row.get(0)]).collect();
    assert_eq!(wishes.len(), 100);
    let (statuses, _) = press_at_once(&office, wishes).await;
    assert_eq!(statuses, HashMap::from([(303, 100)]));
}

/// One row of a hundred seats.
const HUNDRED: &str = "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69,70,71,72,73,74,75,76,77,78,79,80,81,82,83,84,85,86,87,88,89,90,91,92,93,94,95,96,97,98,99,100\n";

#[tokio::test(flavor = "multi_thread")]
async fn overlapping_parties_never_share_a_seat_and_none_is_split() {
    for _ in 0..10 {
        let office = BoxOffice::open().await;
        let (left, right) = (office.ids(["A1", "A2"]), office.ids(["A2", "A3"]));
        let wishes = (0..20)
            .map(|n| {
                if n % 2 == 0 {
                    left.clone()
                } else {
                    right.clone()
                }
            })
            .collect();
        let (statuses, winners) = press_at_once(&office, wishes).await;
        assert_eq!(statuses, HashMap::from([(303, 1), (409, 19)]));
        assert_eq!(winners[0].held_seats().await.len(), 2, "the whole party");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn amends_under_contention_keep_every_party_whole() {
    let office = BoxOffice::open().await;
    let people: Vec<_> = (0..8).map(|n| office.person_at(n)).collect();
    let names: Vec<[&str; 2]> = vec![
        ["A1", "A2"],
        ["A2", "A3"],
        ["A3", "A4"],
        ["A4", "A5"],
        ["A5", "A6"],
        ["A6", "A7"],
        ["A7", "A8"],
        ["A8", "A1"],
    ];
    let office = Arc::new(office);
    let tasks = people.iter().enumerate().map(|(number, person)| {
        let (person, office, names) = (person.clone(), Arc::clone(&office), names.clone());
        tokio::spawn(async move {
            for round in 0..12 {
                let wish = names[(number + round * 3) % names.len()];
                let answer = person.holds(&office, wish).await;
                assert!([303, 409].contains(&answer.status), "{}", answer.status);
            }
        })
    });
    for task in join_all(tasks).await {
        task.expect("no refusal but 409");
    }
    let mut all = Vec::new();
    for person in &people {
        let held = person.held_seats().await;
        assert!(held.is_empty() || held.len() == 2, "{held:?}");
        all.extend(held);
    }
    let distinct: std::collections::HashSet<_> = all.iter().collect();
    assert_eq!(distinct.len(), all.len(), "{all:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_acquires_a_seat_that_another_is_just_confirming() {
    for _ in 0..10 {
        let office = Arc::new(BoxOffice::open().await);
        let ana = office.person_at(0);
        ana.holds(&office, ["A1"]).await.expect(303);
        let form = ana.payment_form().await;
        let others = (0..10).map(|number| {
            let (office, person) = (Arc::clone(&office), office.person_at(number));
            tokio::spawn(async move {
                person.opens_map().await.expect(200);
                let seat = office.seat("A1");
                let mut statuses = Vec::new();
                for _ in 0..5 {
                    statuses.push(person.presses_hold("", &[seat]).await.status);
                }
                statuses
            })
        });
        let others: Vec<_> = others.collect();
        ana.presses_pay(&form, APPROVED).await.expect(303);
        for other in join_all(others).await {
            assert_eq!(other.expect("answers"), [409; 5]);
        }
        assert_eq!(office.booked().await, 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_browser_that_presses_on_two_servers_at_once_gets_one_hold() {
    for _ in 0..10 {
        let office = BoxOffice::open().await;
        let ana = office.person_at(0);
        ana.opens_map().await.expect(200);
        let twin = ana.at(&office.bases[1]);
        let (left, right) = (office.ids(["A1", "A2"]), office.ids(["B1", "B2"]));
        let (one, two) = tokio::join!(ana.presses_hold("", &left), twin.presses_hold("", &right));
        assert_eq!((one.status, two.status), (303, 303));
        assert_eq!(
            ana.held_seats().await,
            ["A1", "A2", "B1", "B2"],
            "the second is added to the first"
        );
        ana.pays(APPROVED).await.expect(303);
        assert_eq!(office.booked().await, 4);
    }
}
