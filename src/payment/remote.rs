//! A provider that is a neighbour: `seathold paysim`, asked over HTTP. A real provider is one more file like this one.
//!
//! The invariant: only a call that surely never arrived is "not sent"; what may have arrived and was not answered is lost,
//! and is asked about by its key. A charge is sent again only when it surely was not received; questions, voids and
//! refunds always are, since a repeat of them changes nothing.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use backon::{ExponentialBuilder, Retryable};
use futures_util::future::BoxFuture;
use reqwest::{Client, Method, RequestBuilder, StatusCode, Url};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;
use uuid::Uuid;

use super::{
    Charge, Charged, LedgerRow, NoAnswer, Provider, Returned, Seen, Voided, breaker::Breaker,
};

/// How long it may take until a connection is there.
const CONNECT: Duration = Duration::from_secs(1);

/// How long one try of a question may take: three of them and their pauses fit into the five seconds that we ask for.
const QUESTION: Duration = Duration::from_millis(1300);

/// How long reading the whole ledger may take.
const LEDGER: Duration = Duration::from_secs(30);

/// The provider behind an address.
#[derive(Clone)]
pub struct Remote {
    client: Client,
    base: Url,
    secret: String,
    charge_bound: Duration,
    breaker: Arc<Breaker>,
}

impl Remote {
    /// The provider at this address, such as `http://127.0.0.1:8090`, which knows us by the secret. A charge may take
    /// `charge_bound`. Fails in one sentence when the address is none.
    pub fn new(address: &str, secret: &str, charge_bound: Duration) -> Result<Self, String> {
        let mut base = Url::parse(address).map_err(|e| format!("{address}: {e}"))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(format!(
                "{address}: write an address that begins with http:// or https://"
            ));
        }
        if !base.path().ends_with('/') {
            base.set_path(&format!("{}/", base.path()));
        }
        let client = Client::builder()
            .connect_timeout(CONNECT)
            // The provider is where it says; an answer that leads elsewhere is none.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|e| e.to_string())?;
        Ok(Self {
            client,
            base,
            secret: secret.to_owned(),
            // So that it is we who notice, and the breaker hears of it.
            charge_bound: charge_bound.mul_f64(0.95),
            breaker: Arc::default(),
        })
    }

    /// Every key that the provider's ledger knows.
    pub async fn ledger(&self) -> Result<Vec<LedgerRow>, NoAnswer> {
        let request = self.request(Method::GET, "v1/ledger")?.timeout(LEDGER);
        answer(request).await
    }

    fn request(&self, method: Method, path: &str) -> Result<RequestBuilder, NoAnswer> {
        let url = self
            .base
            .join(path)
            .map_err(|e| NoAnswer::NotSent(e.to_string()))?;
        Ok(self.client.request(method, url).bearer_auth(&self.secret))
    }

    /// Asks what may be asked again.
    async fn question<T: DeserializeOwned>(
        &self,
        method: Method,
        path: String,
        key: Option<Uuid>,
        body: impl Serialize,
    ) -> Result<T, NoAnswer> {
        self.guarded(async || {
            let once = async || {
                let mut request = self
                    .request(method.clone(), &path)?
                    .timeout(QUESTION)
                    .json(&body);
                if let Some(key) = key {
                    request = request.header("idempotency-key", key.to_string());
                }
                answer(request).await
            };
            once.retry(pauses()).await
        })
        .await
    }

    /// Calls unless the breaker is open, and tells it what came of the call.
    async fn guarded<T>(
        &self,
        call: impl AsyncFnOnce() -> Result<T, NoAnswer>,
    ) -> Result<T, NoAnswer> {
        if !self.breaker.allows(Instant::now()) {
            return Err(NoAnswer::NotSent(
                "it failed too often and is left alone for a moment".to_owned(),
            ));
        }
        let done = call().await;
        match &done {
            Ok(_) => {
                if self.breaker.succeeded() {
                    tracing::info!("the payment provider answers again");
                }
            }
            Err(error) => {
                if let Some(pause) = self.breaker.failed(Instant::now()) {
                    metrics::counter!("seathold_payment_breaker_opened_total").increment(1);
                    tracing::error!(%error, seconds = pause.as_secs(), "the payment provider is left alone for a while");
                }
            }
        }
        done
    }
}

impl Provider for Remote {
    fn is_available(&self) -> bool {
        self.breaker.would_allow(Instant::now())
    }

    fn charge(&self, charge: Charge) -> BoxFuture<'_, Result<Charged, NoAnswer>> {
        Box::pin(self.guarded(async move || {
            let once = async || {
                let request = self
                    .request(Method::POST, "v1/charges")?
                    .timeout(self.charge_bound)
                    .json(&charge);
                answer(request).await
            };
            let tries = once
                .retry(pauses())
                .when(|e| matches!(e, NoAnswer::NotSent(_)));
            tokio::time::timeout(self.charge_bound, tries)
                .await
                .unwrap_or_else(|e| Err(NoAnswer::Lost(e.to_string())))
        }))
    }

    fn look_up(&self, key: Uuid) -> BoxFuture<'_, Result<Seen, NoAnswer>> {
        Box::pin(self.question(Method::GET, format!("v1/charges/{key}"), None, ()))
    }

    fn void(&self, key: Uuid) -> BoxFuture<'_, Result<Voided, NoAnswer>> {
        Box::pin(self.question(Method::POST, format!("v1/charges/{key}/void"), None, ()))
    }

    fn refund(
        &self,
        key: Uuid,
        refund: Uuid,
        amount_minor: i64,
    ) -> BoxFuture<'_, Result<Returned, NoAnswer>> {
        let path = format!("v1/charges/{key}/refunds");
        let body = json!({"amount_minor": amount_minor});
        Box::pin(self.question(Method::POST, path, Some(refund), body))
    }
}

/// Two more tries, after about 100 and 200 milliseconds.
fn pauses() -> ExponentialBuilder {
    ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(100))
        .with_max_times(2)
        .with_jitter()
}

/// Sends a request and reads the answer. 402 and 422 are answers too, whose body says more; any other 4xx means that nothing
/// was done.
async fn answer<T: DeserializeOwned>(request: RequestBuilder) -> Result<T, NoAnswer> {
    let sent = request.send().await;
    let response = sent.map_err(|e| {
        let why = e.without_url();
        if why.is_connect() {
            NoAnswer::NotSent(why.to_string())
        } else {
            NoAnswer::Lost(why.to_string())
        }
    })?;
    let status = response.status();
    if status.is_success()
        || matches!(
            status,
            StatusCode::PAYMENT_REQUIRED | StatusCode::UNPROCESSABLE_ENTITY
        )
    {
        let read = response.json().await;
        return read.map_err(|e| NoAnswer::Lost(e.without_url().to_string()));
    }
    let why = format!("it says {status}");
    if status.is_client_error() && status != StatusCode::REQUEST_TIMEOUT {
        Err(NoAnswer::NotSent(why))
    } else {
        Err(NoAnswer::Lost(why))
    }
}
