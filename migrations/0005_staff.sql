-- Who may work in the box office, their sessions, and what they did.

create table staff (
    id bigint generated always as identity primary key,
    email text not null,
    name text not null default '',
    -- Null until the one-time link was used.
    password_hash text,
    role text not null default 'box_office' check (role in ('admin', 'box_office')),
    -- SHA-256 of the one-time link's secret.
    invite_hash bytea,
    invite_expires_at timestamptz,
    created_at timestamptz not null default now(),
    disabled_at timestamptz
);

create unique index staff_email_key on staff (lower(email));

create table staff_session (
    -- SHA-256 of the cookie's secret: a copy of this table logs nobody in.
    secret_hash bytea primary key,
    staff_id bigint not null references staff,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null
);

create index staff_session_staff on staff_session (staff_id);

-- Append-only: every action of staff, with its reason.
create table audit (
    id bigint generated always as identity primary key,
    at timestamptz not null default now(),
    staff_id bigint references staff,
    action text not null,
    event_id bigint references event,
    reason text not null,
    detail jsonb not null
);

create index audit_event on audit (event_id, id);
