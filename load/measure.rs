//! Running many at once, and what is said of it.

use std::{
    future::Future,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use crate::client::{Client, Failure};

/// How many shoppers press at one instant.
pub const AT_ONCE: usize = 16;

/// How long each of a number of things took.
pub struct Samples {
    each: Vec<Duration>,
    elapsed: Duration,
}

impl Samples {
    /// Of things done one after the other.
    pub fn of(mut each: Vec<Duration>) -> Self {
        each.sort();
        Self {
            elapsed: each.iter().sum(),
            each,
        }
    }

    /// How many a second.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a count of a load test is small"
    )]
    pub fn rate(&self) -> f64 {
        self.each.len() as f64 / self.elapsed.as_secs_f64()
    }

    /// The time in milliseconds that so many of a hundred did not exceed.
    pub fn percentile(&self, hundredths: usize) -> f64 {
        let at = (self.each.len() * hundredths / 100).min(self.each.len() - 1);
        self.each[at].as_secs_f64() * 1000.0
    }

    /// Rate and percentiles as cells of a table.
    pub fn cells(&self) -> String {
        let [p50, p95, p99] = [50, 95, 99].map(|hundredths| self.percentile(hundredths));
        format!("{:.0} /s | {p50:.2} / {p95:.2} / {p99:.2}", self.rate())
    }
}

/// Does one thing with each of `work`, [`AT_ONCE`] at once, each on a kept connection; a thing says itself how long it took.
pub async fn all<W, F, R>(host: &str, work: Vec<W>, thing: F) -> Result<Samples, Failure>
where
    W: Send + 'static,
    F: Fn(Client, W) -> R + Clone + Send + 'static,
    R: Future<Output = Result<(Client, Duration), Failure>> + Send,
{
    let work = Arc::new(Mutex::new(work.into_iter()));
    let mut clients = Vec::new();
    for _ in 0..AT_ONCE {
        clients.push(Client::connect(host).await?);
    }
    let start = Instant::now();
    let tasks: Vec<_> = clients
        .into_iter()
        .map(|mut client| {
            let (work, thing) = (Arc::clone(&work), thing.clone());
            tokio::spawn(async move {
                let mut took = Vec::new();
                loop {
                    let next = work.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some(next) = next else {
                        return Ok::<_, Failure>(took);
                    };
                    let (kept, time) = thing(client, next).await?;
                    client = kept;
                    took.push(time);
                }
            })
        })
        .collect();
    let mut each = Vec::new();
    for task in tasks {
        each.extend(task.await??);
    }
    let elapsed = start.elapsed();
    Ok(Samples {
        elapsed,
        ..Samples::of(each)
    })
}
