//! The rules that PostgreSQL can check by itself: each statement answers one line of text for each violation.

/// Invariant and statement.
pub const CHECKS: [(u8, &str); 28] = [
    (1, SEATS_SOLD_TWICE),
    (1, STATUS_WITHOUT_TICKET),
    (1, TICKET_WITHOUT_STATUS),
    (2, MONEY_KEPT),
    (2, BOOKING_TOTAL),
    (2, REFUND_OF_CANCELLED),
    (2, CANCELLED_WITHOUT_REFUND),
    (3, BOOKING_OF_UNPAID),
    (3, REFUNDS_ABOVE_CHARGE),
    (3, REFUNDS_OF_UNCHARGED),
    (4, CLAIM_OF_SETTLED),
    (5, CLAIMS_IN_PART),
    (5, CLAIM_OF_ANOTHER_SEAT),
    (5, BOOKED_WITHOUT_BOOKING),
    (5, BOOKING_IN_PART),
    (5, PAYMENT_FOR_NOTHING),
    (8, CONFIRMED_MESSAGES),
    (8, CANCELLED_MESSAGES),
    (8, CANCELLATION_KINDS),
    (8, REFUND_MESSAGES),
    (9, CANCELLED_AND_LIVE),
    (9, TIMES_OUT_OF_ORDER),
    (10, TICKET_PRICE),
    (10, PAYMENT_AMOUNT),
    (11, PARTY_TOO_LARGE),
    (12, COUNTS),
    (16, STUCK_PAYMENT),
    (16, STUCK_REFUND),
];

const SEATS_SOLD_TWICE: &str = "
    select format('seat %s of event %s is in %s live bookings: %s', seat_id, event_id, count(*),
                  string_agg(booking_id::text, ', ' order by booking_id))
      from booking_seat
     where cancelled_at is null
     group by event_id, seat_id
    having count(*) > 1";

const STATUS_WITHOUT_TICKET: &str = "
    select format('seat %s of event %s is booked, but in no live booking', seat.id, seat.event_id)
      from seat
     where status = 'booked'
       and not exists (select from booking_seat b
                        where b.event_id = seat.event_id and b.seat_id = seat.id and b.cancelled_at is null)";

const TICKET_WITHOUT_STATUS: &str = "
    select format('seat %s of event %s is in live booking %s, but its status is %s', seat.id, seat.event_id,
                  booking_seat.booking_id, seat.status)
      from booking_seat
      join seat on seat.event_id = booking_seat.event_id and seat.id = booking_seat.seat_id
     where booking_seat.cancelled_at is null and seat.status <> 'booked'";

/// Captured minus refunded is the price of the live seats: all of it for a sale, nothing for money that went back.
const MONEY_KEPT: &str = "
    select format('payment %s is %s: took %s, returned %s, but its live seats cost %s', payment.id, payment.state,
                  payment.amount_minor, refunded.minor, live.minor)
      from payment,
           lateral (select coalesce(sum(amount_minor), 0) as minor from refund where payment_id = payment.id) refunded,
           lateral (select coalesce(sum(booking_seat.price_minor), 0) as minor
                      from booking
                      join booking_seat on booking_seat.booking_id = booking.id
                     where booking.payment_id = payment.id and booking_seat.cancelled_at is null) live
     where payment.state in ('booked', 'refunding', 'refunded')
       and payment.amount_minor - refunded.minor <> live.minor";

const BOOKING_TOTAL: &str = "
    select format('booking %s: its total is %s %s, its seats cost %s, its payment was of %s %s', booking.id,
                  booking.total_minor, booking.currency, seats.minor, payment.amount_minor, payment.currency)
      from booking
      join payment on payment.id = booking.payment_id,
           lateral (select coalesce(sum(price_minor), 0) as minor from booking_seat where booking_id = booking.id) seats
     where booking.total_minor <> seats.minor
        or booking.total_minor <> payment.amount_minor
        or booking.currency <> payment.currency";

const REFUND_OF_CANCELLED: &str = "
    select format('refund %s of booked payment %s is of %s, the tickets that it is for cost %s', refund.id, payment.id,
                  refund.amount_minor, tickets.minor)
      from refund
      join payment on payment.id = refund.payment_id,
           lateral (select coalesce(sum(price_minor), 0) as minor from booking_seat where refund_id = refund.id) tickets
     where payment.state = 'booked' and refund.amount_minor <> tickets.minor";

const CANCELLED_WITHOUT_REFUND: &str = "
    select format('booking %s: the cancelled ticket of seat %s cost %s, but %s', booking.id, ticket.seat_id,
                  ticket.price_minor,
                  case when refund.id is null then 'has no refund'
                       else format('its refund %s belongs to payment %s', refund.id, refund.payment_id)
                  end)
      from booking
      join booking_seat ticket on ticket.booking_id = booking.id
      left join refund on refund.id = ticket.refund_id
     where ticket.cancelled_at is not null and ticket.price_minor > 0
       and refund.payment_id is distinct from booking.payment_id";

const BOOKING_OF_UNPAID: &str = "
    select format('booking %s belongs to payment %s, which is %s', booking.id, payment.id, payment.state)
      from booking
      join payment on payment.id = booking.payment_id
     where payment.state <> 'booked'";

const REFUNDS_ABOVE_CHARGE: &str = "
    select format('payment %s: refunds of %s for a charge of %s', payment.id, sum(refund.amount_minor),
                  payment.amount_minor)
      from payment
      join refund on refund.payment_id = payment.id
     group by payment.id
    having sum(refund.amount_minor) > payment.amount_minor";

const REFUNDS_OF_UNCHARGED: &str = "
    select format('refund %s belongs to payment %s, which is %s', refund.id, payment.id, payment.state)
      from refund
      join payment on payment.id = refund.payment_id
     where payment.state not in ('booked', 'refunding', 'refunded')";

const CLAIM_OF_SETTLED: &str = "
    select format('the claim of seat %s of event %s belongs to payment %s, which is %s', seat_claim.seat_id,
                  seat_claim.event_id, payment.id, payment.state)
      from seat_claim
      join payment on payment.id = seat_claim.payment_id
     where payment.state not in ('pending', 'unknown', 'captured')";

const CLAIMS_IN_PART: &str = "
    select format('payment %s is %s, but does not claim its seats %s', payment.id, payment.state,
                  string_agg(payment_seat.seat_id::text, ', ' order by payment_seat.seat_id))
      from payment
      join payment_seat on payment_seat.payment_id = payment.id
     where payment.state in ('pending', 'unknown', 'captured')
       and not exists (select from seat_claim
                        where seat_claim.payment_id = payment.id and seat_claim.seat_id = payment_seat.seat_id)
     group by payment.id";

const CLAIM_OF_ANOTHER_SEAT: &str = "
    select format('payment %s claims seat %s of event %s, which it is not for', payment_id, seat_id, event_id)
      from seat_claim
     where not exists (select from payment_seat p
                        where p.payment_id = seat_claim.payment_id and p.seat_id = seat_claim.seat_id)";

const BOOKED_WITHOUT_BOOKING: &str = "
    select format('payment %s is booked, but there is no booking', payment.id)
      from payment
     where state = 'booked' and not exists (select from booking where booking.payment_id = payment.id)";

const BOOKING_IN_PART: &str = "
    select format('booking %s has seats %s, its payment was for seats %s', booking.id, sold.seats, paid.seats)
      from booking,
           lateral (select array_agg(seat_id order by seat_id) as seats
                      from booking_seat where booking_id = booking.id) sold,
           lateral (select array_agg(seat_id order by seat_id) as seats
                      from payment_seat where payment_id = booking.payment_id) paid
     where sold.seats is distinct from paid.seats";

const PAYMENT_FOR_NOTHING: &str = "
    select format('payment %s is for no seat', payment.id)
      from payment
     where not exists (select from payment_seat where payment_id = payment.id)";

const CONFIRMED_MESSAGES: &str = "
    select format('booking %s has %s booking.confirmed messages', booking.id, count(outbox.id))
      from booking
      left join outbox on outbox.booking_id = booking.id and outbox.kind = 'booking.confirmed'
     group by booking.id
    having count(outbox.id) <> 1";

/// One message for each cancellation: it names just the tickets that were cancelled with it, and what goes back for them.
const CANCELLED_MESSAGES: &str = "
    with told as (
        select outbox.id, outbox.booking_id, outbox.created_at, outbox.payload,
               array(select jsonb_array_elements_text(
                                case when jsonb_typeof(outbox.payload -> 'seats') = 'array' then outbox.payload -> 'seats'
                                end
                            )::bigint
                      order by 1) as seats
          from outbox
         where outbox.kind in ('booking.cancelled', 'seats.cancelled')
    ), done as (
        select booking_id, cancelled_at, array_agg(seat_id order by seat_id) as seats, sum(price_minor) as minor
          from booking_seat
         where cancelled_at is not null
         group by booking_id, cancelled_at
    )
    select format('booking %s: seats %s were cancelled at %s for %s, but message %s tells of seats %s for %s',
                  coalesce(done.booking_id, told.booking_id), done.seats, done.cancelled_at, done.minor,
                  coalesce(told.id::text, 'none'), told.seats, told.payload -> 'returned_minor')
      from done
      full join told on told.booking_id = done.booking_id and told.created_at = done.cancelled_at
     where done.seats is distinct from told.seats
        or to_jsonb(done.minor) is distinct from told.payload -> 'returned_minor'";

/// The last cancellation of a booking, and no other, tells that nothing is left of it.
const CANCELLATION_KINDS: &str = "
    select format('booking %s has %s live seats and %s booking.cancelled messages', booking.id, live.seats, told.messages)
      from booking,
           lateral (select count(*) as seats from booking_seat
                     where booking_id = booking.id and cancelled_at is null) live,
           lateral (select count(*) as messages from outbox
                     where booking_id = booking.id and kind = 'booking.cancelled') told
     where told.messages <> case when live.seats = 0 then 1 else 0 end";

/// Each return of money is told once, when it is through.
const REFUND_MESSAGES: &str = "
    with told as (
        select payload ->> 'refund' as refund, count(*) as messages
          from outbox
         where kind = 'refund.completed'
         group by 1
    )
    select format('refund %s is %s and has %s refund.completed messages', coalesce(refund.id::text, told.refund),
                  coalesce(refund.state, 'unknown'), coalesce(told.messages, 0))
      from refund
      full join told on told.refund = refund.id::text
     where coalesce(told.messages, 0) <> case when refund.state = 'done' then 1 else 0 end";

/// What was cancelled once stays so.
const CANCELLED_AND_LIVE: &str = "
    select format('booking %s: the ticket of seat %s is live, but refund %s is for it', booking_id, seat_id, refund_id)
      from booking_seat
     where cancelled_at is null and refund_id is not null";

const TIMES_OUT_OF_ORDER: &str = "
    select format('booking %s: the ticket of seat %s was cancelled at %s, before it was sold or after now', booking.id,
                  ticket.seat_id, ticket.cancelled_at)
      from booking
      join booking_seat ticket on ticket.booking_id = booking.id
     where ticket.cancelled_at < booking.created_at or ticket.cancelled_at > now()
     union all
    select format('refund %s is %s, but went back at %s', id, state, coalesce(done_at::text, 'no time'))
      from refund
     where (state = 'done') <> (done_at is not null) or done_at < created_at";

const TICKET_PRICE: &str = "
    select format('booking %s: seat %s was sold for %s, the price at the claim was %s', booking.id, sold.seat_id,
                  sold.price_minor, paid.price_minor)
      from booking
      join booking_seat sold on sold.booking_id = booking.id
      join payment_seat paid on paid.payment_id = booking.payment_id and paid.seat_id = sold.seat_id
     where sold.price_minor <> paid.price_minor";

const PAYMENT_AMOUNT: &str = "
    select format('payment %s is of %s, the stored prices of its seats make %s', payment.id, payment.amount_minor,
                  sum(payment_seat.price_minor))
      from payment
      join payment_seat on payment_seat.payment_id = payment.id
     group by payment.id
    having sum(payment_seat.price_minor) <> payment.amount_minor";

const PARTY_TOO_LARGE: &str = "
    select format('payment %s is for %s seats, event %s allows %s', payment.id, count(*), event.id, event.max_seats)
      from payment
      join event on event.id = payment.event_id
      join payment_seat on payment_seat.payment_id = payment.id
     -- What was held before the limits were last changed may be larger, and be paid for as long as a hold can last.
     where payment.created_at > event.limits_since + event.hold_cap_seconds * interval '1 second'
     group by payment.id, event.id
    having count(*) > event.max_seats";

/// Counted apart: what the seats say, what the tickets say, and what the claims and their payments say.
const COUNTS: &str = "
    select format('event %s: %s seats are booked and %s tickets live; %s seats are claimed for %s unsettled',
                  event.id, seats.booked, tickets.live, claims.seats, unsettled.seats)
      from event,
           lateral (select count(*) as booked from seat where event_id = event.id and status = 'booked') seats,
           lateral (select count(*) as live from booking_seat
                     where event_id = event.id and cancelled_at is null) tickets,
           lateral (select count(*) as seats from seat_claim where event_id = event.id) claims,
           lateral (select count(*) as seats
                      from payment
                      join payment_seat on payment_seat.payment_id = payment.id
                     where payment.event_id = event.id and payment.state in ('pending', 'unknown', 'captured')) unsettled
     where seats.booked <> tickets.live or claims.seats <> unsettled.seats";

const STUCK_PAYMENT: &str = "
    select format('payment %s is still %s', id, state)
      from payment
     where state in ('pending', 'unknown', 'captured', 'refunding')
       and created_at < now() - $1 * interval '1 second'";

const STUCK_REFUND: &str = "
    select format('refund %s of payment %s is still pending', id, payment_id)
      from refund
     where state = 'pending' and created_at < now() - $1 * interval '1 second'";
