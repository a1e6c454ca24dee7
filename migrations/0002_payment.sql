-- Paying: one payment is one attempt to charge for one hold; its claims make the seats its own while the provider is asked.

create table payment (
    -- The idempotency key, minted with the checkout form.
    id uuid primary key,
    event_id bigint not null references event,
    hold_id text not null,
    buyer_id text not null,
    state text not null default 'pending' check (state in (
        'pending', 'unknown', 'captured', 'declined', 'voided', 'booked', 'refunding', 'refunded'
    )),
    amount_minor bigint not null check (amount_minor >= 0),
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    name text not null,
    email text not null,
    card_last4 text not null check (card_last4 ~ '^[0-9]{4}$'),
    card_expiry text not null,
    -- The only key to the booking's page: 128 random bits, minted with the claim.
    token text not null constraint payment_token_key unique,
    decline_reason text,
    -- When whoever settles unsettled payments may look at this one: a lease, moved before the provider is asked.
    next_try_at timestamptz not null default now(),
    created_at timestamptz not null default now(),
    settled_at timestamptz,
    unique (event_id, id)
);

create unique index payment_one_live_per_hold on payment (hold_id)
    where state in ('pending', 'unknown', 'captured', 'booked');

create index payment_unsettled on payment (next_try_at)
    where state in ('pending', 'unknown', 'captured', 'refunding');

-- What the payment is for, at the price that the server read when it claimed. Stays for ever.
create table payment_seat (
    payment_id uuid not null,
    event_id bigint not null,
    seat_id bigint not null,
    price_minor bigint not null check (price_minor >= 0),
    primary key (payment_id, seat_id),
    foreign key (event_id, payment_id) references payment (event_id, id),
    foreign key (event_id, seat_id) references seat (event_id, id)
);

-- Written with the payment, before the provider is called; goes only with what settles the payment, never by a clock.
create table seat_claim (
    event_id bigint not null,
    seat_id bigint not null,
    payment_id uuid not null,
    created_at timestamptz not null default now(),
    constraint seat_claim_pkey primary key (event_id, seat_id),
    foreign key (event_id, seat_id) references seat (event_id, id),
    foreign key (event_id, payment_id) references payment (event_id, id)
);

create index seat_claim_payment on seat_claim (payment_id);

-- Money on its way back: a row of its own, so that a payment's own history stays.
create table refund (
    id uuid primary key,
    payment_id uuid not null references payment,
    amount_minor bigint not null check (amount_minor > 0),
    reason text not null,
    state text not null default 'pending' check (state in ('pending', 'done')),
    created_at timestamptz not null default now(),
    done_at timestamptz
);

create index refund_payment on refund (payment_id);
