# What shoppers read, in English. Keys are used by templates and pages as text::t("key").

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
form-incomplete = Some details are missing or wrong. Nothing was charged.
form-stale = This form was used before. Nothing more was charged: please check it and press pay again.
selection-changed = Your selection has changed in another tab. This is what you hold now; nothing was charged.
seats-lost = Not all of your seats could be kept for you. Nothing was charged. Please choose again.
price-changed = The price has changed to { $total }. Nothing was charged: please look at it and press pay again.
complaint-name = Enter your name, in up to 120 letters.
complaint-email = Enter an e-mail address such as ana@example.org.
complaint-card = This is not a card number. Check it digit by digit.
complaint-expiry = Enter month and year as on the card, such as 07/31.
complaint-expired = This card has expired.
complaint-cvc = Enter the three or four digits of the security code.
declined = The card was declined. Nothing was charged, and your seats are still yours.
declined-no-funds = The card was declined for lack of funds. Nothing was charged, and your seats are still yours.
declined-not-a-test-card = This is a demo that takes only its test cards. Nothing was charged, and your seats are still yours.
payment-not-charged = The payment did not go through. Nothing was charged, and your seats are still yours.
hold-ended-title = Your hold has ended
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
returned-title = Your money was returned
returned-advice = The seats could not be kept, so { $total } goes back to your card. We are sorry.
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
error-away-title = We cannot do that just now
error-away-advice = Nothing was held or charged by this. Please try again in { $seconds } seconds.
error-fault-title = Something went wrong
error-fault-advice = It is our fault, not yours. If you were paying, do not pay again: look at your checkout first.
