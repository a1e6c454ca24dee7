//! People: a browser each, with its own cookies, that follows no redirect by itself.

use reqwest::{Client, Method, RequestBuilder, redirect::Policy};
use scraper::{Html, Selector};

use crate::box_office::BoxOffice;

pub const APPROVED: &str = "4242 4242 4242 4242";
pub const DECLINED: &str = "4000000000000002";
pub const NO_FUNDS: &str = "4000000000009995";
pub const SLOW: &str = "4000000000000101";
pub const ANSWER_LOST: &str = "4000000000000119";

/// Somebody with a browser.
#[derive(Clone)]
pub struct Person {
    client: Client,
    pub base: String,
    pub slug: String,
}

/// What came back.
pub struct Answer {
    pub status: u16,
    pub location: String,
    pub headers: reqwest::header::HeaderMap,
    pub html: String,
}

/// A form as a page showed it: its hidden fields.
#[derive(Clone, Debug)]
pub struct Form(pub Vec<(String, String)>);

impl Form {
    pub fn get(&self, name: &str) -> &str {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map_or("", |(_, value)| value)
    }

    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.0.retain(|(key, _)| key != name);
        self.0.push((name.to_owned(), value.to_owned()));
        self
    }
}

impl Answer {
    /// The texts of all elements that a selector finds, with single spaces.
    pub fn texts(&self, selector: &str) -> Vec<String> {
        let html = Html::parse_document(&self.html);
        let selector = Selector::parse(selector).expect("a selector");
        html.select(&selector)
            .map(|element| {
                element
                    .text()
                    .collect::<String>()
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect()
    }

    pub fn text(&self, selector: &str) -> String {
        self.texts(selector).join(" | ")
    }

    pub fn attributes(&self, selector: &str, attribute: &str) -> Vec<String> {
        let html = Html::parse_document(&self.html);
        let selector = Selector::parse(selector).expect("a selector");
        html.select(&selector)
            .filter_map(|element| element.attr(attribute).map(ToOwned::to_owned))
            .collect()
    }

    pub fn has(&self, selector: &str) -> bool {
        let html = Html::parse_document(&self.html);
        html.select(&Selector::parse(selector).expect("a selector"))
            .next()
            .is_some()
    }

    /// The hidden fields of the form with this action's end.
    pub fn form(&self, action: &str) -> Form {
        let html = Html::parse_document(&self.html);
        let form = Selector::parse(&format!("form[action$='{action}']")).expect("a selector");
        let hidden = Selector::parse("input[type=hidden]").expect("a selector");
        let form = html
            .select(&form)
            .next()
            .unwrap_or_else(|| panic!("no form {action} in {}", self.html));
        let fields = form.select(&hidden).map(|input| {
            let of = |name| input.attr(name).unwrap_or_default().to_owned();
            (of("name"), of("value"))
        });
        Form(fields.collect())
    }

    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(
            self.status,
            status,
            "{} {}",
            self.location,
            self.text("main")
        );
        self
    }
}

impl Person {
    pub fn new(base: &str, slug: &str) -> Self {
        let client = Client::builder()
            .cookie_store(true)
            .redirect(Policy::none())
            .build()
            .expect("a client");
        Self {
            client,
            base: base.to_owned(),
            slug: slug.to_owned(),
        }
    }

    /// The same browser, looking at another server process.
    pub fn at(&self, base: &str) -> Self {
        Self {
            base: base.to_owned(),
            ..self.clone()
        }
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = if path.starts_with("http") {
            path.to_owned()
        } else {
            format!("{}{path}", self.base)
        };
        self.client.request(method, url)
    }

    /// What comes back; status 0 when the server died meanwhile.
    pub async fn send(&self, request: RequestBuilder) -> Answer {
        let cut = |error: reqwest::Error| Answer {
            status: 0,
            location: String::new(),
            headers: reqwest::header::HeaderMap::new(),
            html: error.to_string(),
        };
        let response = match request.send().await {
            Ok(response) => response,
            Err(error) => return cut(error),
        };
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let location = headers
            .get("location")
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .to_owned();
        match response.text().await {
            Ok(html) => Answer {
                status,
                location,
                headers,
                html,
            },
            Err(error) => cut(error),
        }
    }

    pub async fn gets(&self, path: &str) -> Answer {
        self.send(self.request(Method::GET, path)).await
    }

    pub async fn posts(&self, path: &str, fields: &[(String, String)]) -> Answer {
        let request = self
            .request(Method::POST, path)
            .header("Sec-Fetch-Site", "same-origin")
            .form(fields);
        self.send(request).await
    }

    fn path(&self, page: &str) -> String {
        format!("/events/{}{page}", self.slug)
    }

    /// Opens the map.
    pub async fn opens_map(&self) -> Answer {
        self.gets(&self.path("")).await
    }

    /// Presses "hold" on a map that was drawn with `hold`, with these seats ticked.
    pub async fn presses_hold(&self, hold: &str, seats: &[i64]) -> Answer {
        let mut fields = vec![("hold".to_owned(), hold.to_owned())];
        fields.extend(
            seats
                .iter()
                .map(|seat| ("seat".to_owned(), seat.to_string())),
        );
        self.posts(&self.path("/hold"), &fields).await
    }

    /// Opens the map, ticks just these seats, and presses "hold".
    pub async fn holds<const N: usize>(&self, office: &BoxOffice, names: [&str; N]) -> Answer {
        let map = self.opens_map().await.expect(200);
        self.presses_hold(map.form("/hold").get("hold"), &office.ids(names))
            .await
    }

    /// Asks for the best seats.
    pub async fn finds_best(&self, count: usize, category: &str) -> Answer {
        let fields = [
            ("count", count.to_string()),
            ("category", category.to_owned()),
        ];
        let fields = fields.map(|(name, value)| (name.to_owned(), value));
        self.posts(&self.path("/best"), &fields).await
    }

    /// Opens the checkout.
    pub async fn opens_checkout(&self) -> Answer {
        self.gets(&self.path("/checkout")).await
    }

    /// The payment form as the checkout shows it now.
    pub async fn payment_form(&self) -> Form {
        self.opens_checkout().await.expect(200).form("/payment")
    }

    /// Fills in the rest of a payment form and presses "pay".
    pub async fn presses_pay(&self, form: &Form, card: &str) -> Answer {
        let mut fields = form.0.clone();
        let typed = [
            ("name", "Ana Núñez"),
            ("email", "ana@example.org"),
            ("card", card),
            ("expiry", "12/40"),
            ("cvc", "123"),
        ];
        for (name, value) in typed {
            if form.get(name).is_empty() {
                fields.retain(|(key, _)| key != name);
                fields.push((name.to_owned(), value.to_owned()));
            }
        }
        self.posts(&self.path("/payment"), &fields).await
    }

    /// Opens the checkout and pays.
    pub async fn pays(&self, card: &str) -> Answer {
        let form = self.payment_form().await;
        self.presses_pay(&form, card).await
    }

    /// Holds these seats and pays for them; the address of the booking.
    pub async fn books<const N: usize>(&self, office: &BoxOffice, names: [&str; N]) -> String {
        self.holds(office, names).await.expect(303);
        self.pays(APPROVED).await.expect(303).location
    }

    /// Opens the page that asks whether to cancel these seats of a booking; no seats: all of them.
    pub async fn asks_to_cancel(&self, booking: &str, seats: &[i64]) -> Answer {
        let seats: Vec<_> = seats.iter().map(|seat| format!("seat={seat}")).collect();
        self.gets(&format!("{booking}/cancel?{}", seats.join("&")))
            .await
    }

    /// Presses the button of that page.
    pub async fn presses_cancel(&self, booking: &str, form: &Form) -> Answer {
        self.posts(&format!("{booking}/cancel"), &form.0).await
    }

    /// Cancels these seats of a booking; no seats: all of them.
    pub async fn cancels(&self, booking: &str, seats: &[i64]) -> Answer {
        let asked = self.asks_to_cancel(booking, seats).await.expect(200);
        self.presses_cancel(booking, &asked.form("/cancel")).await
    }

    /// Gives back one seat, or all.
    pub async fn gives_back(&self, hold: &str, seat: Option<i64>) -> Answer {
        let mut fields = vec![("hold".to_owned(), hold.to_owned())];
        fields.extend(seat.map(|seat| ("seat".to_owned(), seat.to_string())));
        self.posts(&self.path("/release"), &fields).await
    }

    /// Asks for more time.
    pub async fn extends(&self, hold: &str, extension: u32) -> Answer {
        let fields = [
            ("hold".to_owned(), hold.to_owned()),
            ("extension".to_owned(), extension.to_string()),
        ];
        self.posts(&self.path("/extend"), &fields).await
    }

    /// The id of the hold that the map is drawn with now; empty when there is none.
    pub async fn hold_id(&self) -> String {
        self.opens_map()
            .await
            .expect(200)
            .form("/hold")
            .get("hold")
            .to_owned()
    }

    /// What is held, by name, in reading order, from the checkout.
    pub async fn held_seats(&self) -> Vec<String> {
        self.opens_checkout().await.texts(".basket__place strong")
    }

    /// Milliseconds left on the checkout's countdown.
    pub async fn time_left_ms(&self) -> i64 {
        let page = self.opens_checkout().await.expect(200);
        page.attributes(".time [data-time-left-ms]", "data-time-left-ms")[0]
            .parse()
            .expect("a number")
    }
}
