//! The guards of the protocol, each of which can be left out.
//!
//! The invariant: `PROTOCOL` is what the code does; where a second guard covers the first, both are left out together and it
//! says so.

/// What the protocol does against what can happen. Each is true in the code.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each guard is there or is not"
)]
pub struct Rules {
    /// PostgreSQL is asked whether the seats are available and unclaimed: by claim and confirm, by the primary key of
    /// `seat_claim` and by the index of live tickets. Without: Redis alone decides.
    pub postgres_decides: bool,
    /// Claim and confirm compare the number of rows with the party's size. Without: they take what they get.
    pub rows_are_counted: bool,
    /// Payment and claims are committed before the provider is asked. Without: they are written with its answer.
    pub intent_first: bool,
    /// A payment's state moves by compare-and-set. Without: whoever comes last writes what they believe.
    pub compare_and_set: bool,
    /// The provider takes money once for one key. Without: for every charge that is delivered.
    pub charges_have_keys: bool,
    /// The provider returns money once for one refund. Without: whenever asked.
    pub refunds_have_keys: bool,
    /// A release deletes the keys of a hold that stands, and of these only those that name it. Without: the keys of the
    /// seats that an old form shows, by plain `DEL`; both tests go, since a hold's keys end together and one covers the other.
    pub release_compares: bool,
    /// The provider is told to void a key before it is given up. Without: what it has not seen counts as never charged.
    pub void_first: bool,
    /// An ended payment is asked about once more. Without: its end is believed.
    pub look_again: bool,
    /// The claim looks at the seats after it has locked them. Without: before.
    pub lock_first: bool,
    /// Claims go with what settles their payment. Without: with the hold, by its clock.
    pub claims_stay: bool,
    /// Recovery takes up captured payments too. Without: only those whose outcome is unknown.
    pub captured_is_recovered: bool,
}

/// The protocol as it is.
pub const PROTOCOL: Rules = Rules {
    postgres_decides: true,
    rows_are_counted: true,
    intent_first: true,
    compare_and_set: true,
    charges_have_keys: true,
    refunds_have_keys: true,
    release_compares: true,
    void_first: true,
    look_again: true,
    lock_first: true,
    claims_stay: true,
    captured_is_recovered: true,
};
