//! The holds' store: each script with its keys and arguments, and the outcome that its answer names.

use std::{sync::LazyLock, time::Duration};

use deadpool_redis::{
    Connection, Pool,
    redis::{Script, cmd},
};
use uuid::Uuid;

use super::{
    Acquired, BuyerId, Changed, HeldSeat, Hold, Keys, LINGER, PAYMENT_GRACE, Running, Wish,
    reply::{changed, number, numbers, run, unexpected, words},
};
use crate::{
    Error,
    failpoint::{Point, reach},
};

static ACQUIRE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("acquire.lua")));
static RELEASE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("release.lua")));
static EXTEND: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("extend.lua")));
static BEGIN_PAYMENT: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("begin_payment.lua")));
static END_PAYMENT: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("end_payment.lua")));
static FINISH: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("finish.lua")));
static LOOK: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("look.lua")));
static LIST: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("list.lua")));
/// The holds of all events.
#[derive(Clone)]
pub struct Holds {
    redis: Pool,
}

impl Holds {
    /// Holds that live behind this pool.
    #[must_use]
    pub fn new(redis: Pool) -> Self {
        Self { redis }
    }

    /// A connection for all that one request asks of holds; taking it costs a round trip of its own.
    pub async fn connect(&self) -> Result<Connection, Error> {
        Ok(self.redis.get().await?)
    }

    /// Whether Redis answers.
    pub async fn ping(&self) -> Result<(), Error> {
        let mut redis = self.connect().await?;
        Ok(cmd("PING").query_async(&mut redis).await?)
    }

    /// Holds the wished seats for `ttl`, or changes the buyer's present hold to them; all or nothing.
    pub async fn acquire(
        &self,
        redis: &mut Connection,
        event: i64,
        buyer: &BuyerId,
        wish: &Wish<'_>,
        ttl: Duration,
        max_seats: i32,
    ) -> Result<Acquired, Error> {
        let keys = Keys::of(event);
        let id = crate::random::token();
        let mut call = ACQUIRE.prepare_invoke();
        call.key(keys.buyer(buyer))
            .key(keys.held())
            .key(keys.hold(&id))
            .key(keys.network(wish.network.map_or("none", |(network, _)| network)));
        for seat in wish.seats {
            call.key(keys.lock(*seat));
        }
        call.arg(keys.tag())
            .arg(&id)
            .arg(buyer.as_str())
            .arg(wish.hold.unwrap_or_default());
        call.arg(if wish.exact { "exact" } else { "map" })
            .arg(ms(ttl))
            .arg(max_seats);
        let (most, window) = wish
            .network
            .map_or((0, Duration::ZERO), |(_, rate)| (rate.most, rate.window));
        call.arg(most).arg(ms(window));
        for seat in wish.seats {
            call.arg(*seat);
        }
        reach(Point::HoldAsked).await?;
        let reply = run(&call, redis).await?;
        reach(Point::HoldTaken).await?;
        Ok(match words(&reply)? {
            ("held", [id]) => Acquired::Held(id.clone()),
            ("slow_down", [left]) => Acquired::SlowDown(Duration::from_millis(number(left)?)),
            ("taken", seats) => Acquired::Taken(numbers(seats)?),
            ("too_many", _) => Acquired::TooMany,
            ("paying", [payment, hold]) => Acquired::Paying(Running {
                payment: payment.clone(),
                hold: hold.clone(),
            }),
            ("former", _) => Acquired::Former,
            ("gone", _) => Acquired::Gone,
            _ => return Err(unexpected("acquire", &reply)),
        })
    }

    /// Gives back the whole hold; `None` as buyer is staff, who may release anybody's.
    pub async fn release(
        &self,
        redis: &mut Connection,
        event: i64,
        hold: &str,
        buyer: Option<&BuyerId>,
    ) -> Result<Changed, Error> {
        let keys = Keys::of(event);
        let mut call = RELEASE.prepare_invoke();
        call.key(keys.held()).key(keys.hold(hold));
        call.arg(keys.tag())
            .arg(hold)
            .arg(buyer.map_or("", BuyerId::as_str));
        reach(Point::ReleaseAsked).await?;
        let reply = run(&call, redis).await?;
        reach(Point::ReleaseDone).await?;
        changed("release", &reply)
    }

    /// Gives the hold `ttl` from now, as its `number`th extension, but never more than `cap` from its first acquire.
    #[expect(
        clippy::too_many_arguments,
        reason = "each is a plain fact of one extension, named at its one call"
    )]
    pub async fn extend(
        &self,
        redis: &mut Connection,
        event: i64,
        hold: &str,
        buyer: &BuyerId,
        number: u32,
        ttl: Duration,
        cap: Duration,
    ) -> Result<Changed, Error> {
        let keys = Keys::of(event);
        let mut call = EXTEND.prepare_invoke();
        call.key(keys.held())
            .key(keys.hold(hold))
            .key(keys.buyer(buyer));
        call.arg(keys.tag())
            .arg(hold)
            .arg(buyer.as_str())
            .arg(number)
            .arg(ms(ttl))
            .arg(ms(cap));
        changed("extend", &run(&call, redis).await?)
    }

    /// Marks the hold as paying, and at its first Pay gives it [`PAYMENT_GRACE`] at least.
    pub async fn begin_payment(
        &self,
        redis: &mut Connection,
        event: i64,
        hold: &str,
        buyer: &BuyerId,
        payment: Uuid,
    ) -> Result<Changed, Error> {
        let keys = Keys::of(event);
        let mut call = BEGIN_PAYMENT.prepare_invoke();
        call.key(keys.held())
            .key(keys.hold(hold))
            .key(keys.buyer(buyer));
        call.arg(keys.tag())
            .arg(hold)
            .arg(buyer.as_str())
            .arg(payment.to_string())
            .arg(ms(PAYMENT_GRACE));
        reach(Point::MarkAsked).await?;
        let reply = run(&call, redis).await?;
        reach(Point::MarkDone).await?;
        changed("begin_payment", &reply)
    }

    /// Returns the hold to `held` if it still names this payment.
    pub async fn end_payment(
        &self,
        redis: &mut Connection,
        event: i64,
        running: &Running,
    ) -> Result<(), Error> {
        let mut call = END_PAYMENT.prepare_invoke();
        call.key(Keys::of(event).hold(&running.hold))
            .arg(&running.payment);
        run(&call, redis).await.map(|_| ())
    }

    /// Ends the hold of a confirmed booking; its seats' locks linger for [`LINGER`].
    pub async fn finish(
        &self,
        event: i64,
        hold: &str,
        buyer: &BuyerId,
        seats: &[i64],
    ) -> Result<(), Error> {
        self.end(event, hold, buyer, seats, LINGER).await
    }

    /// Takes away what lingers of seats that were sold by this hold and have been cancelled: they are for sale at once.
    pub async fn let_go(
        &self,
        event: i64,
        hold: &str,
        buyer: &BuyerId,
        seats: &[i64],
    ) -> Result<(), Error> {
        self.end(event, hold, buyer, seats, Duration::ZERO).await
    }

    async fn end(
        &self,
        event: i64,
        hold: &str,
        buyer: &BuyerId,
        seats: &[i64],
        linger: Duration,
    ) -> Result<(), Error> {
        let keys = Keys::of(event);
        let mut call = FINISH.prepare_invoke();
        call.key(keys.held())
            .key(keys.hold(hold))
            .key(keys.buyer(buyer));
        call.arg(keys.tag()).arg(hold);
        call.arg(ms(linger)).arg(ms(LINGER));
        for seat in seats {
            call.key(keys.lock(*seat)).arg(*seat);
        }
        run(&call, &mut self.connect().await?).await.map(|_| ())
    }

    /// Whether nobody locks any of these seats, but for this hold and the present hold of this buyer.
    pub async fn are_free_for(
        &self,
        event: i64,
        seats: &[i64],
        hold: &str,
        buyer: Option<&BuyerId>,
    ) -> Result<bool, Error> {
        let keys = Keys::of(event);
        let mut call = cmd("MGET");
        call.arg(keys.buyer(buyer.unwrap_or(&BuyerId("nobody".to_owned()))));
        for seat in seats {
            call.arg(keys.lock(*seat));
        }
        let found: Vec<Option<String>> = call.query_async(&mut self.connect().await?).await?;
        let (present, locks) = found
            .split_first()
            .map_or((None, &[][..]), |(first, rest)| (first.as_deref(), rest));
        Ok(locks
            .iter()
            .flatten()
            .all(|owner| owner == hold || Some(owner.as_str()) == present))
    }

    /// What the buyer holds at the event.
    pub async fn of_buyer(
        &self,
        redis: &mut Connection,
        event: i64,
        buyer: &BuyerId,
    ) -> Result<Option<Hold>, Error> {
        Ok(self.look(redis, event, Some(buyer), "").await?.0)
    }

    /// What the buyer holds at the event, and every seat there that anybody holds.
    pub async fn of_event(
        &self,
        redis: &mut Connection,
        event: i64,
        buyer: Option<&BuyerId>,
    ) -> Result<(Option<Hold>, Vec<i64>), Error> {
        self.look(redis, event, buyer, "all").await
    }

    async fn look(
        &self,
        redis: &mut Connection,
        event: i64,
        buyer: Option<&BuyerId>,
        whose: &str,
    ) -> Result<(Option<Hold>, Vec<i64>), Error> {
        let keys = Keys::of(event);
        // Nobody has this buyer id: a cookie never names it.
        let nobody = BuyerId("nobody".to_owned());
        let mut call = LOOK.prepare_invoke();
        call.key(keys.buyer(buyer.unwrap_or(&nobody)))
            .key(keys.held())
            .arg(keys.tag())
            .arg(whose);
        let (mine, held): (Vec<String>, Vec<i64>) = call.invoke_async(redis).await?;
        let [id, seats, left, extensions, age, state, payment] = mine.as_slice() else {
            return Ok((None, held));
        };
        let hold = Hold {
            id: id.clone(),
            seats: seats.split(',').map(number).collect::<Result<_, _>>()?,
            time_left_ms: number(left)?,
            extensions: number(extensions)?,
            age_ms: number(age)?,
            payment: (state == "paying").then(|| payment.parse().ok()).flatten(),
        };
        Ok((Some(hold), held))
    }

    /// Every held seat of the event, for staff.
    pub async fn list(&self, event: i64) -> Result<Vec<HeldSeat>, Error> {
        let keys = Keys::of(event);
        let mut call = LIST.prepare_invoke();
        call.key(keys.held()).arg(keys.tag());
        let rows: Vec<(i64, String, i64, String)> =
            call.invoke_async(&mut self.connect().await?).await?;
        Ok(rows
            .into_iter()
            .map(|(seat, hold, left, state)| HeldSeat {
                seat,
                hold,
                time_left_ms: u64::try_from(left).unwrap_or(0),
                paying: state == "paying",
            })
            .collect())
    }
}

fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
