//! The simulator keeps what a provider must keep.

use uuid::Uuid;

use super::{Behaviour, Simulator, TEST_CARDS};
use crate::payment::{Card, Charge, Charged, Provider, Returned, Seen, Voided};

const APPROVED: &str = TEST_CARDS[0].number;
const ANSWER_LOST: &str = TEST_CARDS[4].number;
const CAPTURED_LATER: &str = TEST_CARDS[5].number;
const REFUNDS_FAIL: &str = TEST_CARDS[6].number;

fn charge(key: Uuid, number: &str) -> Charge {
    Charge {
        key,
        amount_minor: 4500,
        currency: "EUR".to_owned(),
        card: Card {
            number: number.to_owned(),
            expiry: "12/40".to_owned(),
            cvc: "123".to_owned(),
        },
    }
}

fn simulator() -> (tempfile::TempDir, Simulator) {
    let folder = tempfile::tempdir().expect("a folder");
    let simulator = Simulator::open(&folder.path().join("ledger.sqlite")).expect("a ledger");
    (folder, simulator)
}

#[tokio::test]
async fn one_key_is_charged_once_however_often_it_is_sent() {
    let (_folder, simulator) = simulator();
    let key = Uuid::new_v4();
    for _ in 0..3 {
        assert_eq!(
            simulator.charge(charge(key, APPROVED)).await,
            Ok(Charged::Captured)
        );
    }
    let ledger = simulator.ledger().await.expect("readable");
    assert_eq!(ledger.len(), 1);
    assert_eq!((ledger[0].taken_minor, ledger[0].returned_minor), (4500, 0));
}

#[tokio::test]
async fn a_lost_answer_is_found_by_its_key() {
    let (_folder, simulator) = simulator();
    let key = Uuid::new_v4();
    assert!(simulator.charge(charge(key, ANSWER_LOST)).await.is_err());
    assert_eq!(simulator.look_up(key).await, Ok(Seen::Captured));
    assert_eq!(simulator.void(key).await, Ok(Voided::AlreadyCaptured));
}

#[tokio::test]
async fn a_key_that_was_voided_unseen_is_never_charged() {
    let (_folder, simulator) = simulator();
    let key = Uuid::new_v4();
    assert_eq!(simulator.void(key).await, Ok(Voided::Voided));
    assert_eq!(
        simulator.charge(charge(key, APPROVED)).await,
        Ok(Charged::Declined("voided".to_owned()))
    );
    assert_eq!(simulator.look_up(key).await, Ok(Seen::Voided));
}

#[tokio::test]
async fn money_goes_back_once_and_never_more_than_was_taken() {
    let (_folder, simulator) = simulator();
    let (key, refund) = (Uuid::new_v4(), Uuid::new_v4());
    let _ = simulator.charge(charge(key, APPROVED)).await;
    for _ in 0..2 {
        assert_eq!(
            simulator.refund(key, refund, 4500).await,
            Ok(Returned::Done)
        );
    }
    assert!(matches!(
        simulator.refund(key, Uuid::new_v4(), 1).await,
        Ok(Returned::Refused(_))
    ));
    assert_eq!(
        simulator.ledger().await.expect("readable")[0].returned_minor,
        4500
    );
}

#[tokio::test]
async fn a_key_that_is_sent_with_another_amount_is_not_charged_again() {
    let (_folder, simulator) = simulator();
    let key = Uuid::new_v4();
    let _ = simulator.charge(charge(key, APPROVED)).await;
    let mut other = charge(key, APPROVED);
    other.amount_minor = 1;
    assert!(simulator.charge(other).await.is_err());
    let ledger = simulator.ledger().await.expect("readable");
    assert_eq!(ledger[0].taken_minor, 4500);
}

#[tokio::test]
async fn a_card_that_is_charged_after_all_is_charged_by_itself_unless_its_key_is_void() {
    let (_folder, simulator) = simulator();
    let (key, void) = (Uuid::new_v4(), Uuid::new_v4());
    for key in [key, void] {
        assert_eq!(
            simulator.charge(charge(key, CAPTURED_LATER)).await,
            Ok(Charged::Declined("declined".to_owned()))
        );
    }
    assert_eq!(simulator.void(void).await, Ok(Voided::Voided));
    simulator
        .with(|ledger, _| {
            ledger.execute(
                "update charge set capture_at_ms = capture_at_ms - 10000",
                [],
            )
        })
        .await
        .expect("time passes");
    assert_eq!(simulator.look_up(key).await, Ok(Seen::Captured));
    assert!(matches!(
        simulator.look_up(void).await,
        Ok(Seen::Declined(_))
    ));
}

#[tokio::test]
async fn refunds_fail_at_first_as_often_as_the_card_or_the_behaviour_wants() {
    let (_folder, simulator) = simulator();
    for (number, failing) in [(REFUNDS_FAIL, 0), (APPROVED, 2)] {
        simulator.behave(Behaviour {
            failing_refunds: failing,
            ..Behaviour::default()
        });
        let (key, refund) = (Uuid::new_v4(), Uuid::new_v4());
        let _ = simulator.charge(charge(key, number)).await;
        for _ in 0..2 {
            let answer = simulator.refund(key, refund, 4500).await;
            assert!(matches!(answer, Ok(Returned::Refused(_))), "{answer:?}");
        }
        for _ in 0..2 {
            assert_eq!(
                simulator.refund(key, refund, 4500).await,
                Ok(Returned::Done)
            );
        }
    }
}

#[tokio::test]
async fn notices_wait_until_they_are_delivered() {
    let (_folder, simulator) = simulator();
    let simulator = simulator.notifying();
    simulator.behave(Behaviour {
        duplicate_notices: 1,
        forged_notices: true,
        ..Behaviour::default()
    });
    let _ = simulator.charge(charge(Uuid::new_v4(), APPROVED)).await;
    let due = simulator.due_notices().await.expect("readable");
    let told = |kind: &str| {
        due.iter()
            .filter(|notice| notice.body.contains(kind))
            .count()
    };
    assert_eq!((told("charge.captured"), told("charge.declined")), (2, 1));
    assert!(
        due.iter()
            .all(|n| n.forged == n.body.contains("charge.declined"))
    );
    let kept = "update notice set due_at_ms = 0";
    let soon = async || simulator.with(|ledger, _| ledger.execute(kept, [])).await;
    soon().await.expect("time passes");
    for notice in simulator.due_notices().await.expect("readable") {
        simulator.delivered(notice.id).await.expect("written");
    }
    soon().await.expect("time passes");
    assert!(simulator.due_notices().await.expect("readable").is_empty());
}

#[tokio::test]
async fn a_ledger_of_an_earlier_version_is_still_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ledger.sqlite");
    let old = rusqlite::Connection::open(&file).expect("a file");
    old.execute_batch(
        "create table charge (key text primary key, amount_minor integer not null, currency text not null,
                              state text not null, reason text, at text not null default current_timestamp);
         insert into charge (key, amount_minor, currency, state)
         values ('00000000-0000-0000-0000-000000000001', 4500, 'EUR', 'captured');",
    )
    .expect("an old ledger");
    let simulator = Simulator::open(&file).expect("a ledger");
    assert_eq!(
        simulator.look_up(Uuid::from_u128(1)).await,
        Ok(Seen::Captured)
    );
    let done = simulator
        .refund(Uuid::from_u128(1), Uuid::new_v4(), 4500)
        .await;
    assert_eq!(done, Ok(Returned::Done));
}
