-- Recovery and cancelling: money on its way back is tried until it is through, what ended without a sale is looked at once
-- more, and an event says until when its seats can be given back after the sale.

alter table payment
    -- How often whoever settles has tried; spaces the next tries.
    add column attempts integer not null default 0,
    -- When the provider is asked once more about a payment that was declined or made void, should it have charged after all.
    add column look_again_at timestamptz;

create index payment_look_again on payment (look_again_at) where look_again_at is not null;

alter table refund
    add column attempts integer not null default 0,
    -- A lease, moved before the provider is asked.
    add column next_try_at timestamptz not null default now(),
    -- Why the last try came to nothing.
    add column problem text;

create index refund_due on refund (next_try_at) where state = 'pending';

-- Which refund returned this seat's money; null for a live seat and for one that was free of charge.
alter table booking_seat add column refund_id uuid references refund;

-- Seats are cancelled by their buyer until so long before the start; null: not at all.
alter table event add column cancel_before_seconds bigint default 86400
    constraint event_cancel_before check (cancel_before_seconds between 0 and 31536000);
