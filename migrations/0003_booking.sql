-- The sale itself, kept for ever; a seat is in at most one live booking, and a cancelled one does not count.

create table booking (
    id bigint generated always as identity primary key,
    event_id bigint not null references event,
    payment_id uuid not null constraint booking_payment_key unique,
    -- Short, to be read out; opens nothing.
    reference text not null constraint booking_reference_key unique,
    name text not null,
    email text not null,
    total_minor bigint not null check (total_minor >= 0),
    currency text not null,
    created_at timestamptz not null default now(),
    unique (event_id, id),
    foreign key (event_id, payment_id) references payment (event_id, id)
);

create index booking_event on booking (event_id);
create index booking_email on booking (lower(email));

create table booking_seat (
    id bigint generated always as identity primary key,
    booking_id bigint not null,
    event_id bigint not null,
    seat_id bigint not null,
    price_minor bigint not null check (price_minor >= 0),
    -- 128 random bits: what the ticket's QR code holds. It admits one person and opens nothing else.
    ticket_code text not null constraint booking_seat_ticket_code_key unique,
    cancelled_at timestamptz,
    foreign key (event_id, booking_id) references booking (event_id, id),
    foreign key (event_id, seat_id) references seat (event_id, id)
);

create unique index booking_seat_one_live on booking_seat (event_id, seat_id) where cancelled_at is null;
create index booking_seat_booking on booking_seat (booking_id);
