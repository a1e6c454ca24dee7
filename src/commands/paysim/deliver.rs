//! Delivers notices: each again and again, after growing pauses, until whoever is told answers that it acted.

use std::{future::Future, time::Duration};

use futures_util::future::join_all;
use jiff::Timestamp;
use reqwest::{Client, Url, redirect::Policy};
use seathold::payment::{Notice, Signer, Simulator};

use super::Failure;

/// How often we look for notices that are due.
const ROUND: Duration = Duration::from_millis(100);

/// How long whoever is told may take.
const BOUND: Duration = Duration::from_secs(10);

/// Delivers for ever, to this address.
pub fn for_ever(
    simulator: Simulator,
    address: &str,
    signer: Signer,
) -> Result<impl Future<Output = ()> + use<>, Failure> {
    let address = Url::parse(address).map_err(|e| format!("PAYSIM_NOTIFY: {address}: {e}"))?;
    let client = Client::builder()
        .timeout(BOUND)
        .redirect(Policy::none())
        .build()?;
    Ok(async move {
        loop {
            tokio::time::sleep(ROUND).await;
            match simulator.due_notices().await {
                Ok(due) => {
                    let told = due.into_iter().map(async |notice| {
                        tell(&simulator, &client, &address, &signer, notice).await;
                    });
                    join_all(told).await;
                }
                Err(error) => tracing::error!(%error, "cannot read the notices"),
            }
        }
    })
}

async fn tell(
    simulator: &Simulator,
    client: &Client,
    address: &Url,
    signer: &Signer,
    notice: Notice,
) {
    let headers = if notice.forged {
        Signer::new("whoever forges does not know the secret").sign(
            &notice.id,
            Timestamp::now(),
            &notice.body,
        )
    } else {
        signer.sign(&notice.id, Timestamp::now(), &notice.body)
    };
    let mut request = client
        .post(address.clone())
        .header("content-type", "application/json");
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let answer = request.body(notice.body).send().await;
    let heard = match answer {
        Ok(answer) => answer.status().is_success() || notice.forged,
        Err(_) => false,
    };
    if heard && let Err(error) = simulator.delivered(notice.id).await {
        tracing::error!(%error, "cannot write that a notice was delivered");
    }
}
