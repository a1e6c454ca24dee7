# What shoppers and staff read, in English. Templates and pages name a text by its key.

## On every page
skip-to-main = Skip to the main part
holding-label = Seats that you hold
holding = You hold { $seats } for { $event }.
time-left = left
holding-over = Your hold for { $event } has ended. You were not charged.
go-to-checkout = Go to checkout
back-to-events = See all events
choose-again = Choose seats again
terms = Terms
privacy = Privacy
imprint = Imprint
request-id = If you ask us about this, tell us this number: { $id }

## Seats
seats = Seats
seats-count = { $n ->
    [one] 1 seat
   *[other] { $n } seats
}
row = Row { $row }
seat = seat { $seat }
accessible = accessible
state-open = available
state-yours = yours
state-chosen = chosen
state-held = held by someone
state-booked = sold
state-blocked = not for sale

## Events
events-title = What’s on
events-empty = Nothing is on sale just now. Please look in again later.
price-range = { $least } to { $most }
seats-left = { $n ->
    [one] 1 seat left
   *[other] { $n } seats left
}
sold-out = Sold out
sold-out-some-held = No seat is free just now, but { $n ->
    [one] 1 is
   *[other] { $n } are
} only held by someone and may come back.
sales-open-at = Sales open on { $time }.
sales-closed = Sales are closed
sales-closed-notice = Sales for this event are closed.

## The seat map
legend = Prices and signs
map-label = Map of the seats
skip-map = Skip the map
zoom = Zoom
zoom-fit = Whole room
zoom-near = Closer
zoom-seat = Seats
hold-seats = Hold these seats
hold-change = Hold this selection
total-none = Choose up to { $most } seats.
total-one = 1 seat
total-many = { "{n}" } seats
total-too-many = At most { $most } seats at once
buying-paused = Live holds cannot be shown just now, so buying is paused. What is marked as sold is sold. Please try again in a moment.
refused-taken = Someone was faster. Nothing was held.
refused-rest = Your other seats are still ticked. Choose again and press hold.
refused-none = Choose at least one seat.
refused-unknown = Some of these seats do not belong to this event. Nothing was held.
refused-too-many = You can hold up to { $most } seats at once. Nothing was changed.
cookies-off = Your browser did not send our cookie back, so we could not hold anything for you. Allow cookies for this site and try again.
payment-running = A payment for your seats is running. They cannot be changed until it is done.
see-payment = See how the payment is going
slow-down = That was too often. Nothing was lost: please try again in { $seconds ->
    [one] 1 second
   *[other] { $seconds } seconds
}.

best-title = Find the best seats
best-count = Say how many seats you want.
best-seats = Seats
best-category = Where
best-anywhere = anywhere
best-find = Find and hold
best-none = There are no { $n } free seats of that kind any more. Try fewer, or look at the map.

## The checkout
checkout-title = Checkout: { $event }
checkout-heading = Checkout
your-seats = Your seats
time-label = Time left
time-kept = We keep your seats for
time-warn-two-minutes = Two minutes left to pay. If you need longer, press “more time”.
time-warn-thirty-seconds = Thirty seconds left to pay.
more-time = More time
extend-capped = These seats cannot be kept any longer than they are now.
give-back = Give back
give-back-seat = Give back seat { $seat }
give-back-all = Give back all seats
change-seats = Change seats
total = Total
pay-title = Pay
field-name = Name
field-email = E-mail
field-card = Card number
field-expiry = Expiry (MM/YY)
field-cvc = Security code
pay = Pay { $total }
paying = One moment…
demo-title = This is a demo: no money moves
demo-advice = Use one of these card numbers, with any future date and any code:
test-card-approved = is approved
test-card-declined = is declined
test-card-no-funds = has insufficient funds
test-card-slow = takes five seconds, then is approved
test-card-answer-lost = is charged, but the answer gets lost: see how it is found
test-card-captured-later = is declined, and charged after all five seconds later: it buys the seats or goes back
test-card-refunds-fail = is approved; refunds to it fail twice before they get through
test-card-notices-late = is approved; the provider tells of it three times, and late
form-incomplete = Some details are missing or wrong. Nothing was charged.
form-stale = This form was used before. Nothing more was charged: please check it and press pay again.
selection-changed = Your selection has changed in another tab. This is what you hold now; nothing was charged.
seats-lost = { $seats } could not be kept for you. Nothing was charged. Please choose again.
price-changed = The price has changed to { $total }. Nothing was charged: please look at it and press pay again.
complaint-name = Enter your name, in up to 120 letters.
complaint-email = Enter an e-mail address such as ana@example.org.
complaint-card = Enter the card number as it stands on the card.
complaint-expiry = Enter month and year as on the card, such as 07/31.
complaint-expired = This card has expired.
complaint-cvc = Enter the three or four digits of the security code.
declined = The card was declined. Nothing was charged, and your seats are still yours.
declined-no-funds = The card was declined for lack of funds. Nothing was charged, and your seats are still yours.
declined-not-a-test-card = This is a demo that takes only its test cards. Nothing was charged, and your seats are still yours.
payments-unavailable = Payments are not available just now. Nothing was charged, and your seats stay yours until { $time }. Please try again in a moment.
payment-not-charged = The payment did not go through. Nothing was charged, and your seats are still yours.
hold-ended-title = Your hold has ended
hold-none-title = You hold no seats
hold-none-advice = You were not charged. Choose seats on the map, and hold them to check out.
hold-ended-advice = You were not charged. The seats are free for others again, and perhaps still for you.

## The booking
payment-title = Your payment
checking-title = We are checking your payment
checking-advice = Please do not pay again. This page moves on by itself as soon as we know; you can also come back to it later.
declined-title = The payment was declined
declined-time-left = Nothing was charged. Your seats are still yours for { $left }.
declined-hold-ended = Nothing was charged. The hold on your seats has ended.
not-charged-title = You were not charged
not-charged-advice = The payment did not go through, and no money was taken.
returning-title = Your money is on its way back
returning-advice = The seats could not be kept, so { $total } goes back to your card (ends in { $last4 }). We are sorry.
returning-slow = The seats could not be kept, so { $total } goes back to your card (ends in { $last4 }). It is taking longer than usual; we keep trying. We are sorry.
returned-title = Your money was returned
returned-advice = The seats could not be kept, so { $total } went back on { $time } to your card (ends in { $last4 }). We are sorry.
not-kept-title = The seats could not be kept
not-kept-advice = Nothing was charged. We are sorry.
try-again = Try again
booking-title = Your tickets: { $event }
booking-heading = You’re booked
booking-keep = Keep the address of this page: it is the key to your tickets. Show each code at the door.
reference = Reference
booked-for = Booked for
paid = Paid
add-to-calendar = Add to calendar
print-tickets = Print
tickets = { $n ->
    [one] Your ticket
   *[other] Your { $n } tickets
}
ticket-code = Code of the ticket for seat { $seat }
booking-cancelled-title = Cancelled: { $event }
booking-cancelled-heading = Your booking is cancelled
back-to-booking = Back to your booking
cancelled-seats = { $n ->
    [one] Cancelled seat
   *[other] Cancelled seats
}
cancelled-at = cancelled on { $time }
refund-on-its-way = { $amount } is on its way back to your card (ends in { $last4 }).
refund-slow = { $amount } is on its way back to your card (ends in { $last4 }). It is taking longer than usual; we keep trying.
refund-done = { $amount } was returned on { $time } to your card (ends in { $last4 }).
cancel-title = Cancel
cancel-until = You can cancel until { $time }.
cancel-over = Seats could be cancelled until { $time }.
cancel-off = Seats for this event cannot be cancelled.
cancel-money = What the seats cost goes back to your card.
cancel-legend = Seats to cancel
cancel-seats = Cancel seats…
cancel-everything = Cancel the whole booking…
cancel-confirm = { $n ->
    [one] Cancel this seat?
   *[other] Cancel these { $n } seats?
}
cancel-confirm-all = Cancel the whole booking?
cancel-returns = Goes back to your card (ends in { $last4 })
cancel-kept = You keep { $seats }, with the same tickets as now.
cancel-for-good = { $n ->
    [one] The seat goes on sale again at once. This cannot be undone.
   *[other] The seats go on sale again at once. This cannot be undone.
}
cancel-press = { $n ->
    [one] Cancel 1 seat and return { $amount }
   *[other] Cancel { $n } seats and return { $amount }
}
cancel-press-free = { $n ->
    [one] Cancel 1 seat
   *[other] Cancel { $n } seats
}
cancel-keep = { $n ->
    [one] Keep the seat
   *[other] Keep the seats
}
cancel-changed = Something has changed since this was shown, perhaps in another tab. Nothing was cancelled: please look at it and press again.
cancel-refused-title = Nothing was cancelled
cancel-unknown = The form names seats that are not in this booking. Open your booking and choose there.
calendar-description = { $seats }. Reference { $reference }.

## Failures
error-not-found-title = There is no such page
error-not-found-advice = Check the address, or start again from the list of events.
error-foreign-origin-title = This form did not come from here
error-foreign-origin-advice = For your safety it was not carried out. Open the page again and repeat it there.
error-method-title = That does not work here
error-method-advice = This address is part of a form. Start again from the list of events.
error-bad-form-title = We could not read that
error-bad-form-advice = Nothing was changed. Go back, reload the page and try again.
error-too-large-title = That was too much
error-too-large-advice = The form was larger than any of ours. Nothing was changed.
error-too-slow-title = That took too long
error-too-slow-advice = The form did not arrive whole. Nothing was changed. Please try again.
error-away-title = We cannot do that just now
error-away-advice = Nothing was held or charged by this. Please try again in { $seconds } seconds.
error-lost-title = We could not find out whether that worked
error-lost-advice = An answer was lost on our side. The map and your checkout show what you hold and what was paid. Repeating it is safe: nothing is held or charged twice. Please look again in { $seconds } seconds.
error-fault-title = Something went wrong
error-fault-advice = It is our fault, not yours. If you were paying, do not pay again: look at your checkout first.

## Staff
staff-box-office = Box office
staff-events = Events
staff-bookings = Bookings
staff-log-in = Log in
staff-log-in-title = Log in to the box office
staff-log-in-wrong = E-mail address and password do not belong together. Check both and try again.
staff-log-out = Log out
staff-password = Password
staff-new-password = New password, at least { $least } characters
staff-password-again = The same password again
staff-password-short = Choose a password of at least { $least } characters.
staff-password-differs = The two passwords differ. Type the same one twice.
staff-set-password = Set password
staff-invite-title = Choose your password
staff-invite-ended-title = This link does not work any more
staff-invite-ended-advice = It works once, and for 48 hours. Ask whoever runs this site for a new one.
staff-done-password = Your password is set. Log in with it.
staff-done-log-out = You are logged out.
staff-done-released = The hold was released.
staff-done-gone = The hold had ended already. Nothing was changed.
staff-done-blocked = The seats are not for sale now.
staff-done-unblocked = The seats are for sale again.
staff-done-cancelled = The seats are cancelled and for sale again.
staff-done-already = These seats had been cancelled before. Nothing was changed.
staff-no-events = There is no event yet.
staff-event = Event
staff-starts = Starts
staff-sales = Sales
staff-on-sale = On sale
staff-free = Not sold
staff-free-of = { $free } of { $seats }
staff-audit = What was done lately
staff-audit-empty = Nothing yet.
staff-when = When
staff-who = Who
staff-what = What
staff-by-command = command on the server
staff-action-staff-invite = Link for an account
staff-action-staff-password = Chose a password
staff-action-staff-disable = Disabled an account
staff-action-hold-release = Release of a hold
staff-action-hold-release-refused = That release did not happen
staff-action-seat-block = Took off sale
staff-action-seat-unblock = Put back on sale
staff-action-booking-cancel = Cancelled after the sale
staff-reason = Reason
staff-desk-title = Box office: { $event }
staff-see-as-buyer = See it as a buyer
staff-refreshes = This page looks again every { $seconds } seconds and forgets what you ticked.
staff-stop = Stop that
staff-still = This page does not look again by itself.
staff-go-on = Look again now, and go on
staff-stale = This could not be brought up to date just now. What you see may be old.
staff-holds-away = Live holds cannot be shown just now. What is sold, being paid for or not for sale is as you see it.
staff-all-seats = All seats
staff-takings = Takings
staff-state-open = Open
staff-state-held = Held
staff-state-claimed = Being paid for
staff-state-booked = Sold
staff-state-blocked = Not for sale
staff-room = Room
staff-room-advice = Tick seats to take them off sale or to put them back. Seats that are sold or being paid for cannot be ticked.
staff-block = Take off sale
staff-unblock = Put back on sale
staff-holds = Holds
staff-no-holds = Nobody holds anything.
staff-left = { $left } left
staff-paying = paying
staff-hold-left = Hold { $hold }, { $left } left
staff-hold-paying = Hold { $hold }, { $left } left, paying
staff-hold-claims = Payment for hold { $hold } is running
staff-release = Release
staff-release-hold = Release this hold
staff-list = Seats by row
staff-seat = Seat
staff-state = State
staff-detail = More
staff-nothing-changed = Nothing was changed.
staff-reason-missing = Say why, in up to { $most } characters. It is kept with your name.
staff-no-seat = Nothing was changed: tick at least one seat.
staff-payment-running = A payment for this hold is running. Nothing was released; wait until it is done.
staff-block-refused = Nothing was changed: some of these seats are in others’ hands.
staff-unblock-refused = Nothing was changed: some of these seats cannot be put on sale as they are.
staff-unblock-none = Nothing was changed: none of these seats had been taken off sale.
staff-needs-label = has no label of its own; it must be renamed first
staff-search = Search
staff-search-label = Name, e-mail address or reference
staff-no-bookings = Nothing is booked yet.
staff-found-none = No booking has “{ $words }” in its name, address or reference.
staff-found = { $n ->
    [one] 1 booking
   *[other] { $n } bookings
}
staff-newest = The newest bookings
staff-buyer = Buyer
staff-booked-at = Booked
staff-booking = Booking { $reference }
staff-payment = Payment
staff-payment-booked = Paid
staff-payment-captured = Paid, being booked
staff-payment-pending = Being checked
staff-payment-unknown = Being checked
staff-payment-declined = Declined
staff-payment-voided = Not charged
staff-payment-refunding = Money on its way back
staff-payment-refunded = Money returned
staff-payments = Payments
staff-without-ticket = Paid without a ticket
staff-without-ticket-advice = Money that was taken a minute ago or longer, for which there is neither a ticket nor a refund. This list must always be empty.
staff-without-ticket-none = It is empty, as it must be.
staff-without-ticket-some = { $n ->
    [one] 1 payment has
   *[other] { $n } payments have
} no ticket. Look at the log of the servers: recovery keeps trying, and something keeps it from getting through.
staff-overdue = Being checked for long
staff-overdue-advice = Payments whose outcome has not been known for a minute or longer. They settle by themselves as soon as the payment provider answers; their seats stay theirs until then.
staff-overdue-none = No payment takes long.
staff-returning = Money on its way back
staff-returning-advice = Refunds that the payment provider has not confirmed yet. They are tried again by themselves until they are through.
staff-returning-none = No money is on its way back.
staff-since = Since
staff-amount = Amount
staff-tries = Tries
staff-problem = Why not yet
staff-refunds = Refunds
staff-amount = Amount
staff-refund-pending = On its way back
staff-refund-tried = { $n ->
    [one] On its way back, tried once
   *[other] On its way back, tried { $n } times
}
staff-refund-done = Returned on { $time }
staff-refund-problem = Last answer: { $problem }
staff-cancel-title = Cancel seats of booking { $reference }
staff-cancel-returns = { $amount } goes back to the card (ends in { $last4 }).
staff-cancel-press = { $n ->
    [one] Cancel 1 seat
   *[other] Cancel { $n } seats
}
staff-cancel-back = Back to the booking
staff-place = Place
staff-price = Price
staff-cancelled-at = Cancelled on { $time }
