//! The shoppers: each does what people do, with a new browser each time, and remembers what it was shown.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::time::{Instant, sleep};

use super::Dice;
use crate::{
    box_office::BoxOffice,
    person::{ANSWER_LOST, APPROVED, Answer, DECLINED, Form, Person},
};

/// Declined at first, and charged a few seconds later.
const LATE: &str = "4000000000000127";

/// What shoppers saw.
#[derive(Default)]
pub struct Seen {
    pub holds: usize,
    pub bookings: usize,
    pub declined: usize,
    pub cancelled: usize,
    /// Answers that said "not just now".
    pub away: usize,
    /// Presses that got no answer at all.
    pub cut: usize,
    /// The seats of each booking that was shown with tickets, by the page's token, as last seen.
    tickets: HashMap<String, usize>,
}

impl Seen {
    pub fn add(&mut self, other: Self) {
        self.holds += other.holds;
        self.bookings += other.bookings;
        self.declined += other.declined;
        self.cancelled += other.cancelled;
        self.away += other.away;
        self.cut += other.cut;
        self.tickets.extend(other.tickets);
    }

    pub fn told(&self) -> String {
        format!(
            "{} held, {} were shown tickets, {} declined, {} cancelled; {} were told not now, {} got no answer",
            self.holds, self.bookings, self.declined, self.cancelled, self.away, self.cut
        )
    }

    /// Whoever was shown tickets has them, or a refund for those that were cancelled.
    pub async fn still_true(&self, office: &BoxOffice) {
        let tokens: Vec<_> = self.tickets.keys().collect();
        let client = office.database.get().await.expect("a connection");
        let rows = client
            .query(
                "select token, payment.state, count(booking_seat.id)
                   from payment
                   left join booking on booking.payment_id = payment.id
                   left join booking_seat on booking_seat.booking_id = booking.id
                  where token = any($1)
                  group by payment.id",
                &[&tokens],
            )
            .await
            .expect("payments");
        assert_eq!(
            rows.len(),
            tokens.len(),
            "every booking that was shown is there"
        );
        for row in rows {
            let (token, state, seats): (&str, &str, i64) = (row.get(0), row.get(1), row.get(2));
            assert_eq!(state, "booked", "{token}");
            assert_eq!(usize::try_from(seats), Ok(self.tickets[token]), "{token}");
        }
    }
}

/// Shops until the box office closes.
pub async fn shop(
    offices: Vec<Arc<BoxOffice>>,
    turn: Arc<AtomicUsize>,
    closing: Arc<AtomicBool>,
    dice: Dice,
) -> Seen {
    let mut visit = Visit {
        seen: Seen::default(),
        dice,
    };
    while !closing.load(Ordering::Relaxed) {
        let at = turn.load(Ordering::Relaxed).min(offices.len() - 1);
        visit.go(&offices[at]).await;
    }
    visit.seen
}

struct Visit {
    seen: Seen,
    dice: Dice,
}

impl Visit {
    /// One visit, as far as it gets.
    async fn go(&mut self, office: &BoxOffice) {
        let ana = office.person_at(self.dice.below(2));
        let other = ana.at(&office.bases[self.dice.below(2)]);
        let Some(map) = self.is_page(ana.opens_map().await) else {
            return sleep(Duration::from_millis(200)).await;
        };
        let free = map.attributes(".seat__box:not([disabled])", "value");
        if free.is_empty() {
            return sleep(Duration::from_millis(100)).await;
        }
        let first = self.dice.below(free.len());
        let count = 1 + self.dice.below(4);
        let seats = |from: usize| -> Vec<i64> {
            let those = free.iter().skip(from).take(count);
            those.map(|id| id.parse().expect("an id")).collect()
        };
        let hold = map.form("/hold").get("hold").to_owned();
        if !self.led(&ana.presses_hold(&hold, &seats(first)).await) {
            return;
        }
        self.seen.holds += 1;
        if self.dice.percent(20) {
            let more = self.dice.below(free.len());
            let held = self.hold_of(&ana).await;
            self.led(&other.presses_hold(&held, &seats(more)).await);
        }
        if self.dice.percent(15) {
            let held = self.hold_of(&ana).await;
            self.led(&other.extends(&held, 1).await);
        }
        if self.dice.percent(10) {
            let held = self.hold_of(&ana).await;
            self.led(&ana.gives_back(&held, None).await);
            return;
        }
        self.pay(&ana, &other).await;
    }

    async fn pay(&mut self, ana: &Person, other: &Person) {
        for _ in 0..3 {
            let checkout = ana.opens_checkout().await;
            let page = if checkout.status == 303 {
                // A payment is running, or has become a booking.
                checkout.location
            } else {
                let Some(checkout) = self.is_page(checkout) else {
                    return;
                };
                match self.press(ana, other, &checkout.form("/payment")).await {
                    Some(page) => page,
                    None => continue,
                }
            };
            if !page.starts_with("/bookings/") {
                return;
            }
            return self.wait(other, &page).await;
        }
    }

    /// Presses "pay", now and then twice, at two servers. The booking's page, when there is one.
    async fn press(&mut self, ana: &Person, other: &Person, form: &Form) -> Option<String> {
        let card = match self.dice.below(100) {
            0..60 => APPROVED,
            60..75 => ANSWER_LOST,
            75..88 => LATE,
            _ => DECLINED,
        };
        let answer = if self.dice.percent(25) {
            let (one, two) =
                tokio::join!(ana.presses_pay(form, card), other.presses_pay(form, card));
            self.led(&two);
            one
        } else {
            ana.presses_pay(form, card).await
        };
        if answer.status == 402 {
            self.seen.declined += 1;
        }
        self.led(&answer).then_some(answer.location)
    }

    /// Looks at the booking's page until it has something to tell, and now and then cancels.
    async fn wait(&mut self, ana: &Person, page: &str) {
        let end = Instant::now() + Duration::from_secs(6);
        let booking = loop {
            let answer = ana.gets(page).await;
            match answer.status {
                200 => break answer,
                _ if Instant::now() > end => return,
                202 => {}
                _ => {
                    self.is_page(answer);
                }
            }
            sleep(Duration::from_millis(150)).await;
        };
        let tickets = booking.texts(".ticket__seat").len();
        if tickets == 0 {
            return;
        }
        self.seen.bookings += 1;
        let token = page.trim_start_matches("/bookings/").to_owned();
        self.seen.tickets.insert(token, tickets);
        if !self.dice.percent(70) {
            return;
        }
        let address = format!("{page}/cancel");
        let seats = booking.attributes("input[name=seat]", "value");
        let asked = match seats.first() {
            Some(seat) if self.dice.percent(40) => format!("{address}?seat={seat}"),
            _ => address.clone(),
        };
        let Some(confirm) = self.is_page(ana.gets(&asked).await) else {
            return;
        };
        let form = confirm.form("/cancel");
        if self.dice.percent(30) {
            let (one, two) =
                tokio::join!(ana.posts(&address, &form.0), ana.posts(&address, &form.0));
            self.led(&one);
            self.led(&two);
        } else {
            self.led(&ana.posts(&address, &form.0).await);
        }
        self.seen.cancelled += 1;
    }

    async fn hold_of(&mut self, ana: &Person) -> String {
        self.is_page(ana.opens_map().await)
            .map(|map| map.form("/hold").get("hold").to_owned())
            .unwrap_or_default()
    }

    /// The page that was asked for, if that was the answer.
    fn is_page(&mut self, answer: Answer) -> Option<Answer> {
        self.count(&answer);
        (answer.status == 200).then_some(answer)
    }

    /// Whether the form led on.
    fn led(&mut self, answer: &Answer) -> bool {
        self.count(answer);
        answer.status == 303
    }

    /// Whatever breaks, no answer is a defect's.
    fn count(&mut self, answer: &Answer) {
        match answer.status {
            0 => self.seen.cut += 1,
            503 => self.seen.away += 1,
            200 | 202 | 303 | 402 | 409 | 410 | 422 => {}
            status => panic!("{status}: {}", answer.html),
        }
    }
}
