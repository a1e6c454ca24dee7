-- What others must hear of, written in the transaction that it tells of and published afterwards.

create table outbox (
    id bigint generated always as identity primary key,
    message_id uuid not null default gen_random_uuid() unique,
    kind text not null,
    booking_id bigint references booking,
    payload jsonb not null,
    created_at timestamptz not null default now(),
    published_at timestamptz
);

create index outbox_unpublished on outbox (booking_id, id) where published_at is null;
