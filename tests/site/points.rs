//! Every step of holding, paying, confirming, recovering and cancelling fails, hangs and kills the program once; afterwards
//! recovery brings everything to its end, the audit finds nothing, and every page that a shopper ends on is true.
//!
//! `bin/chaos --points` walks the whole table; every run of the tests walks a sample of it, chosen by `POINTS_SEED`.

use std::{env, time::Duration};

use rusqlite::Connection;
use seathold::{
    audit::{self, Ledger, Witnesses},
    failpoint::Point,
};
use tokio::time::{Instant, sleep};

use crate::{
    box_office::{BoxOffice, Process, Rules, Stage},
    person::{ANSWER_LOST, APPROVED, Answer, DECLINED, Form, Person, SLOW},
};

/// How many rows the sample has.
const SAMPLE: usize = 12;

/// How long a charge may take in these walks; an unsettled payment is asked about a second later.
const PAYMENT_TIMEOUT_MS: u64 = 700;

/// Longer than that, and than it takes until recovery asks.
const DELAY: Duration = Duration::from_millis(PAYMENT_TIMEOUT_MS + 2300);

/// How the step fails.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    /// The answer of a store or of the provider is lost.
    Error,
    /// It hangs for longer than anything waits for it; recovery overtakes it.
    Delay,
    /// The process dies at that instant.
    Abort,
}

const FAULTS: [Fault; 3] = [Fault::Error, Fault::Delay, Fault::Abort];

/// What a shopper does until the step is met.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Scene {
    Hold,
    Release,
    Pay,
    Decline,
    /// The provider charges, and its answer is lost.
    AnswerLost,
    /// The provider never sees the charge.
    Unseen,
    /// Paid, and a seat turns out to be lost.
    SeatsLost,
    /// Declined, and charged nevertheless.
    Late,
    Cancel,
}

/// The table: a new point does not compile without its row.
fn scene(point: Point) -> Scene {
    match point {
        Point::HoldAsked | Point::HoldTaken => Scene::Hold,
        Point::ReleaseAsked | Point::ReleaseDone => Scene::Release,
        Point::MarkAsked
        | Point::MarkDone
        | Point::ClaimWritten
        | Point::ClaimCommitted
        | Point::Charged
        | Point::CaptureRecorded
        | Point::ConfirmWritten
        | Point::ConfirmCommitted
        | Point::HoldFinished => Scene::Pay,
        Point::NotChargedAsked | Point::NotChargedRecorded => Scene::Decline,
        Point::UnknownAsked | Point::UnknownRecorded | Point::RecoveryLeased | Point::LookedUp => {
            Scene::AnswerLost
        }
        Point::VoidAsked | Point::VoidDone => Scene::Unseen,
        Point::SeatsLost
        | Point::ReturnRecorded
        | Point::RefundLeased
        | Point::RefundSent
        | Point::RefundRecorded => Scene::SeatsLost,
        Point::LateAsked | Point::LateWritten | Point::LateCommitted => Scene::Late,
        Point::CancelWritten | Point::CancelCommitted => Scene::Cancel,
    }
}

fn rows() -> Vec<(Point, Fault)> {
    let all = Point::ALL.iter();
    all.flat_map(|point| FAULTS.map(|fault| (*point, fault)))
        .collect()
}

/// The same rows for the same seed, every row for some seed.
fn sample(seed: usize) -> Vec<(Point, Fault)> {
    let rows = rows();
    let step = rows.len() / SAMPLE + 1;
    let at = |i: usize| (seed + i * step) % rows.len();
    (0..SAMPLE).map(|i| rows[at(i)]).collect()
}

#[test]
fn some_seed_walks_every_row() {
    for row in rows() {
        assert!((0..rows().len()).any(|seed| sample(seed).contains(&row)));
    }
}

mod slow {
    use super::{env, rows, sample, walk};

    #[tokio::test(flavor = "multi_thread")]
    async fn whatever_step_fails_hangs_or_kills_the_books_are_right_and_the_pages_true() {
        let seed = env::var("POINTS_SEED").ok();
        match seed.as_deref() {
            Some("all") => walk(&rows()).await,
            seed => walk(&sample(seed.map_or(0, |s| s.parse().expect("a number")))).await,
        }
    }
}

async fn walk(rows: &[(Point, Fault)]) {
    let mut stage = tokio::task::spawn_blocking(|| Stage::start(&[], 0))
        .await
        .expect("a stage");
    for (point, fault) in rows {
        println!("{} {fault:?}", point.name());
        stage = Walk::new(stage, *point, *fault).await.run().await;
    }
}

/// One row.
struct Walk {
    stage: Stage,
    point: Point,
    fault: Fault,
    office: BoxOffice,
    server: Process,
    ana: Person,
}

impl Walk {
    async fn new(stage: Stage, point: Point, fault: Fault) -> Self {
        let action = match fault {
            Fault::Error => "error".to_owned(),
            Fault::Delay => format!("delay {}", DELAY.as_millis()),
            Fault::Abort => "abort".to_owned(),
        };
        let armed = format!("FAILPOINTS={}=1*return({action})", point.name());
        let (stage, server) = serve(stage, vec![armed]).await;
        let office = BoxOffice::at(&stage, vec![server.base.clone()], Rules::default()).await;
        let ana = office.person();
        Self {
            stage,
            point,
            fault,
            office,
            server,
            ana,
        }
    }

    async fn run(mut self) -> Stage {
        self.play().await;
        self.met().await;
        if self.fault == Fault::Abort {
            let (stage, server) = serve(self.stage, Vec::new()).await;
            self.stage = stage;
            self.server = server;
            self.ana = self.ana.at(&self.server.base);
        }
        self.settles().await;
        if self.fault == Fault::Delay {
            // What hung goes on, too late.
            sleep(DELAY).await;
            self.settles().await;
        }
        self.is_true().await;
        self.goes_on().await;
        self.settles().await;
        let found = audit::run(&Witnesses {
            database: self.office.database.clone(),
            redis: self.office.redis.clone(),
            ledger: Some(Ledger::File(self.stage.ledger())),
            stuck_after: Duration::ZERO,
        })
        .await
        .expect("audited");
        assert!(
            found.is_empty(),
            "{:?} {:?}: {found:?}",
            self.point,
            self.fault
        );
        self.stage
    }

    /// The shopper's way up to the step.
    async fn play(&self) {
        let scene = scene(self.point);
        let answer = self.ana.opens_map().await.expect(200);
        let form = answer.form("/hold");
        let seats = self.office.ids(["A1", "A2"]);
        self.answers(self.ana.presses_hold(form.get("hold"), &seats).await);
        let card = match scene {
            Scene::Hold => return,
            Scene::Release => {
                let hold = self.ana.hold_id().await;
                self.answers(self.ana.gives_back(&hold, None).await);
                return;
            }
            Scene::Pay | Scene::Cancel => APPROVED,
            Scene::Decline | Scene::Late => DECLINED,
            Scene::AnswerLost | Scene::SeatsLost => ANSWER_LOST,
            Scene::Unseen => SLOW,
        };
        let form = self.ana.payment_form().await;
        let paid = self.answers(self.ana.presses_pay(&form, card).await);
        match scene {
            Scene::SeatsLost => {
                self.office
                    .run("update seat set blocked_reason = 'collapsed' where event_id = $1 and name = 'A2'")
                    .await;
            }
            Scene::Late => self.charge_after_all(&form),
            Scene::Cancel => {
                let confirm = self.ana.gets(&format!("{}/cancel", paid.location)).await;
                let form = confirm.expect(200).form("/cancel");
                let path = format!("{}/cancel", paid.location);
                self.answers(self.ana.posts(&path, &form.0).await);
            }
            _ => {}
        }
    }

    /// No answer is a defect's, and only a process that died gives none.
    #[track_caller]
    fn answers(&self, answer: Answer) -> Answer {
        let may_be_cut = self.fault == Fault::Abort;
        assert!(
            [303, 402, 503].contains(&answer.status) || (may_be_cut && answer.status == 0),
            "{:?} {:?}: {} {}",
            self.point,
            self.fault,
            answer.status,
            answer.html
        );
        answer
    }

    fn charge_after_all(&self, form: &Form) {
        let ledger = self.stage.ledger();
        let key = form.get("payment").to_owned();
        Connection::open(ledger)
            .expect("the ledger")
            .execute("update charge set state = 'captured' where key = ?1", [key])
            .expect("charged after all");
    }

    /// Waits until the step was really met.
    async fn met(&self) {
        let line = format!("failpoint {}", self.point.name());
        let end = Instant::now() + Duration::from_secs(20);
        while !self.server.has_said(&line) {
            assert!(Instant::now() < end, "{} was never met", self.point.name());
            self.hurry().await;
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Makes all that waits for its time due.
    async fn hurry(&self) {
        for sql in [
            "update payment set next_try_at = now() where event_id = $1 and state in ('unknown', 'captured')",
            "update payment set look_again_at = now() where event_id = $1 and look_again_at is not null",
            "update refund set next_try_at = now() from payment where payment.id = payment_id and event_id = $1",
        ] {
            self.office.run(sql).await;
        }
    }

    /// Waits until the workers have brought everything to its end.
    async fn settles(&self) {
        let end = Instant::now() + Duration::from_secs(30);
        while self
            .office
            .count(
                "select (select count(*) from payment where event_id = $1 and (state in ('pending', 'unknown', 'captured', 'refunding')
                                                                                or look_again_at is not null))
                      + (select count(*) from refund join payment on payment.id = payment_id
                          where event_id = $1 and refund.state = 'pending')",
            )
            .await
            > 0
        {
            assert!(Instant::now() < end, "{:?} {:?} stays stuck", self.point, self.fault);
            self.hurry().await;
            if self.fault == Fault::Delay {
                // Another worker overtakes the one that hangs.
                self.office.cashier.recover_due().await.expect("recovered");
            }
            sleep(Duration::from_millis(100)).await;
        }
    }

    /// What the shopper reads is what the books say.
    async fn is_true(&self) {
        let client = self.office.database.get().await.expect("a connection");
        let rows = client
            .query(
                "select token, payment.state,
                        (select count(*) from booking join booking_seat on booking_id = booking.id
                          where booking.payment_id = payment.id and cancelled_at is null)
                   from payment where event_id = $1",
                &[&self.office.event],
            )
            .await
            .expect("payments");
        for row in rows {
            let (token, state, tickets): (&str, &str, i64) = (row.get(0), row.get(1), row.get(2));
            let page = self
                .ana
                .gets(&format!("/bookings/{token}"))
                .await
                .expect(200);
            let shown = page.texts(".ticket__seat").len();
            assert_eq!(i64::try_from(shown), Ok(tickets), "{state}");
            let said = page.text("main");
            match state {
                "declined" => assert!(said.contains("declined"), "{said}"),
                "voided" => assert!(said.contains("not charged"), "{said}"),
                "refunded" => assert!(said.contains("could not be kept"), "{said}"),
                state => assert_eq!(state, "booked", "{said}"),
            }
        }
    }

    /// Whoever has no tickets yet can still buy: nothing stays stuck.
    async fn goes_on(&self) {
        if scene(self.point) == Scene::SeatsLost || self.office.booked().await > 0 {
            return;
        }
        let end = Instant::now() + Duration::from_secs(20);
        // What died between cancelling and letting go leaves the locks of the sale, which end by themselves.
        while scene(self.point) == Scene::Cancel
            && self.ana.holds(&self.office, ["A1", "A2"]).await.status == 409
        {
            assert!(Instant::now() < end, "the cancelled seats stay locked");
            sleep(Duration::from_millis(500)).await;
        }
        self.ana.holds(&self.office, ["A1", "A2"]).await.expect(303);
        let end = Instant::now() + Duration::from_secs(20);
        let page = self.ana.pays(APPROVED).await.expect(303).location;
        // On a slow machine it may take a moment longer than the page waits.
        while self.ana.gets(&page).await.status == 202 {
            assert!(Instant::now() < end, "still unsettled");
            sleep(Duration::from_millis(100)).await;
        }
        let page = self.ana.gets(&page).await.expect(200);
        assert_eq!(page.texts(".ticket__seat"), ["A1", "A2"]);
    }
}

/// A server process whose payments are settled soon.
async fn serve(stage: Stage, more: Vec<String>) -> (Stage, Process) {
    tokio::task::spawn_blocking(move || {
        let timeout = format!("PAYMENT_TIMEOUT_MS={PAYMENT_TIMEOUT_MS}");
        let mut settings = vec!["LIMITS=off", timeout.as_str()];
        settings.extend(more.iter().map(String::as_str));
        let server = stage.serve(&settings);
        (stage, server)
    })
    .await
    .expect("a server")
}
