//! Failpoints: every step of a sale at which a test can make the program fail, hang or die.
//!
//! The invariant: they exist only in a build with the feature `failpoints`, which refuses to be a release; elsewhere
//! [`reach`] is nothing. A point is armed by the variable `FAILPOINTS` (as the `fail` crate reads it), such as
//! `pay.claim.committed=1*return(abort)`; what it does is `error`, `abort`, or `delay` with milliseconds.

#[cfg(all(feature = "failpoints", not(debug_assertions)))]
compile_error!(
    "failpoints let anybody with the environment break a sale: they are no part of a release"
);

use crate::Error;

macro_rules! points {
    ($($point:ident $name:literal $what:literal,)*) => {
        /// A step of holding, paying, confirming, cancelling or recovering.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Point { $(#[doc = $what] $point,)* }

        impl Point {
            /// All of them, in the order in which a sale meets them.
            pub const ALL: &'static [Self] = &[$(Self::$point,)*];

            /// Its name in `FAILPOINTS`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$point => $name,)* }
            }
        }
    };
}

points! {
    HoldAsked "hold.asked" "Before the seats are asked for in Redis.",
    HoldTaken "hold.taken" "Redis has the hold; nobody was told.",
    ReleaseAsked "release.asked" "Before a hold is released in Redis.",
    ReleaseDone "release.done" "Redis has released it; nobody was told.",
    MarkAsked "pay.mark.asked" "Before the hold is marked as paying.",
    MarkDone "pay.mark.done" "The hold is marked; PostgreSQL knows nothing yet.",
    ClaimWritten "pay.claim.written" "Payment and claims are written, not committed.",
    ClaimCommitted "pay.claim.committed" "They are committed; the provider was not asked.",
    Charged "pay.charged" "The provider has answered; nothing is recorded.",
    CaptureRecorded "pay.captured" "The capture is recorded; nothing is booked.",
    NotChargedAsked "pay.not-charged.asked" "Before a decline or a void is recorded.",
    NotChargedRecorded "pay.not-charged.recorded" "It is recorded, the claims are gone; the hold is still marked.",
    UnknownAsked "pay.unknown.asked" "Before it is recorded that the answer is not known.",
    UnknownRecorded "pay.unknown.recorded" "That is recorded.",
    ConfirmWritten "confirm.written" "The booking is written, not committed.",
    ConfirmCommitted "confirm.committed" "It is committed; Redis still has the hold.",
    HoldFinished "confirm.finished" "The hold is ended; nobody was told.",
    SeatsLost "return.asked" "The seats are lost; before the money's return is recorded.",
    ReturnRecorded "return.recorded" "It is recorded that the money goes back.",
    RecoveryLeased "recovery.leased" "Payments are leased; nobody was asked about them.",
    LookedUp "recovery.looked-up" "The provider has told what it knows of a payment.",
    VoidAsked "recovery.void.asked" "Before an unseen payment is made void.",
    VoidDone "recovery.void.done" "It is void at the provider; the books do not say so.",
    LateAsked "late.asked" "A late capture is seen; nothing is recorded.",
    LateWritten "late.written" "The seats are claimed anew for it, not committed.",
    LateCommitted "late.committed" "They are committed; nothing is booked.",
    RefundLeased "refund.leased" "A refund is leased; the provider was not asked.",
    RefundSent "refund.sent" "The provider has returned the money; the books do not say so.",
    RefundRecorded "refund.recorded" "They say so.",
    CancelWritten "cancel.written" "The cancelling is written, not committed.",
    CancelCommitted "cancel.committed" "It is committed; nobody was told.",
}

/// Does what the point was armed to do, if it was.
#[cfg(not(feature = "failpoints"))]
#[inline]
pub async fn reach(_: Point) -> Result<(), Error> {
    Ok(())
}

/// Reads `FAILPOINTS`; the points stay armed until the process ends.
#[cfg(not(feature = "failpoints"))]
pub fn arm() {}

/// Does what the point was armed to do, if it was.
#[cfg(feature = "failpoints")]
pub async fn reach(point: Point) -> Result<(), Error> {
    let Some(action) = armed(point) else {
        return Ok(());
    };
    // Whoever watches the process must know that it was really met.
    println!("failpoint {}", point.name());
    match action.split_once(' ') {
        Some(("delay", ms)) => {
            let ms = ms.parse().unwrap_or(0);
            tokio::time::sleep(std::time::Duration::from_millis(ms)).await;
            Ok(())
        }
        _ if action == "abort" => std::process::abort(),
        _ => Err(Error::Lost),
    }
}

/// Reads `FAILPOINTS`; the points stay armed until the process ends.
#[cfg(feature = "failpoints")]
pub fn arm() {
    std::mem::forget(fail::FailScenario::setup());
}

#[cfg(feature = "failpoints")]
fn armed(point: Point) -> Option<String> {
    fail::fail_point!(point.name(), |action| action);
    None
}
