-- What is sold: an event is one performance in one room, sold once, with its categories, prices and seats.

create table event (
    id bigint generated always as identity primary key,
    slug text not null
        constraint event_slug_key unique
        constraint event_slug_form check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 80),
    name text not null check (length(name) between 1 and 200),
    venue text not null check (length(venue) between 1 and 200),
    starts_at timestamptz not null,
    -- The IANA zone in which every time of this event is shown.
    time_zone text not null,
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    sales_from timestamptz not null default now(),
    -- Null: sales run until the event starts.
    sales_until timestamptz,
    closed_at timestamptz,
    hold_seconds integer not null check (hold_seconds between 1 and 86400),
    -- However often a hold is extended, it ends this long after it began.
    hold_cap_seconds integer not null,
    max_seats integer not null check (max_seats between 1 and 100),
    -- When the limits above were last changed: what was held before may be larger and longer, lawfully.
    limits_since timestamptz not null default '-infinity',
    -- The room without its seats: size, areas, row and zone marks, in seat pitches.
    drawing jsonb not null,
    -- Changes whenever the drawing does, so that browsers may keep the old one for ever.
    drawing_version bigint not null default 1,
    created_at timestamptz not null default now(),
    constraint event_hold_cap check (hold_cap_seconds between hold_seconds and 604800),
    constraint event_sales_order check (sales_until is null or sales_until > sales_from)
);

create table category (
    id bigint generated always as identity primary key,
    event_id bigint not null references event,
    name text not null,
    color text not null check (color ~ '^#[0-9a-f]{6}$'),
    price_minor bigint not null check (price_minor >= 0),
    position integer not null,
    unique (event_id, id),
    unique (event_id, name)
);

create table seat (
    id bigint generated always as identity primary key,
    event_id bigint not null references event,
    category_id bigint not null,
    -- The seat's name in the plan's file: the same after every import of the same file.
    key text not null,
    zone text not null,
    row_label text not null,
    label text not null,
    -- What people call it: C14.
    name text not null,
    -- The centre, in seat pitches from the room's top left corner.
    x double precision not null,
    y double precision not null,
    accessible boolean not null default false,
    -- Reading order: zone, row, seat.
    position integer not null,
    -- `held` never enters this table: holds live in Redis.
    status text not null default 'available' check (status in ('available', 'booked')),
    blocked_reason text,
    foreign key (event_id, category_id) references category (event_id, id),
    unique (event_id, id),
    unique (event_id, key),
    unique (event_id, position)
);
