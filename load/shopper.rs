//! What a shopper does, step by step.

use crate::client::{Answer, Client, Failure};

/// A browser that has seen a map, and so has its cookie.
pub struct Shopper {
    cookies: String,
}

/// A hold's checkout form, as it was read.
pub struct Checkout {
    hold: String,
    payment: String,
    total: String,
    token: String,
}

impl Shopper {
    /// Looks at a map for the first time.
    pub async fn arrive(client: &mut Client, event: &str) -> Result<Self, Failure> {
        let map = expect(
            client.get(&format!("/events/{event}"), "", false).await?,
            200,
        )?;
        let cookies: Vec<_> = map
            .headers("set-cookie")
            .filter_map(|cookie| cookie.split(';').next())
            .collect();
        Ok(Self {
            cookies: cookies.join("; "),
        })
    }

    /// What a browser sends as its cookies.
    pub fn cookies(&self) -> &str {
        &self.cookies
    }

    /// Presses "hold".
    pub async fn hold(
        &self,
        client: &mut Client,
        event: &str,
        seats: &[i64],
    ) -> Result<(), Failure> {
        let form: Vec<_> = seats.iter().map(|seat| format!("seat={seat}")).collect();
        let path = format!("/events/{event}/hold");
        expect(
            client.post(&path, &self.cookies, &form.join("&")).await?,
            303,
        )
        .map(drop)
    }

    /// Looks at the checkout.
    pub async fn check_out(&self, client: &mut Client, event: &str) -> Result<Checkout, Failure> {
        let page = expect(
            client
                .get(&format!("/events/{event}/checkout"), &self.cookies, false)
                .await?,
            200,
        )?;
        let page = String::from_utf8(page.body)?;
        let field = |name: &str| {
            let start = page
                .split_once(&format!("name=\"{name}\" value=\""))
                .map(|(_, rest)| rest);
            start
                .and_then(|rest| rest.split_once('"'))
                .map(|(value, _)| value.to_owned())
                .ok_or(format!("no field {name}"))
        };
        Ok(Checkout {
            hold: field("hold")?,
            payment: field("payment")?,
            total: field("total")?,
            token: field("token")?,
        })
    }

    /// Presses "pay", with a card that is approved, and is led to the booking.
    pub async fn pay(
        &self,
        client: &mut Client,
        event: &str,
        form: &Checkout,
    ) -> Result<(), Failure> {
        let form = format!(
            "hold={}&payment={}&total={}&token={}&name=Ana+Load&email=ana@example.org&card=4242424242424242\
             &expiry=12/40&cvc=123",
            form.hold, form.payment, form.total, form.token
        );
        let answer = client
            .post(&format!("/events/{event}/payment"), &self.cookies, &form)
            .await?;
        let answer = expect(answer, 303)?;
        let booked = answer
            .header("location")
            .is_some_and(|place| place.starts_with("/bookings/"));
        if booked {
            Ok(())
        } else {
            Err(format!("not led to a booking: {}", answer.head).into())
        }
    }

    /// Gives everything back.
    pub async fn release(
        &self,
        client: &mut Client,
        event: &str,
        form: &Checkout,
    ) -> Result<(), Failure> {
        let path = format!("/events/{event}/release");
        expect(
            client
                .post(&path, &self.cookies, &format!("hold={}", form.hold))
                .await?,
            303,
        )
        .map(drop)
    }
}

/// The answer, if it has this status.
pub fn expect(answer: Answer, status: u16) -> Result<Answer, Failure> {
    if answer.status == status {
        return Ok(answer);
    }
    Err(format!(
        "{status} expected:\n{}{}",
        answer.head,
        String::from_utf8_lossy(&answer.body)
    )
    .into())
}
