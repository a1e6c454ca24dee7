//! Redis, which decides who may try: the pool.

use std::time::Duration;

use deadpool_redis::{Config, Pool, PoolConfig, Runtime, Timeouts};

use crate::Error;

/// How long a request waits for a connection before it says that Redis is away.
const WAIT: Duration = Duration::from_secs(1);

/// Opens a pool of at most `size` connections; connects only when first asked.
pub fn open(url: &str, size: usize) -> Result<Pool, Error> {
    let mut config = Config::from_url(url);
    config.pool = Some(PoolConfig {
        max_size: size,
        timeouts: Timeouts {
            wait: Some(WAIT),
            create: Some(WAIT),
            recycle: Some(WAIT),
        },
        ..PoolConfig::default()
    });
    config
        .create_pool(Some(Runtime::Tokio1))
        .map_err(|e| Error::Broken(e.to_string()))
}

/// What is set in this Redis that can lose holds, in words for the log; `None` when it is as it should be.
pub async fn warning(pool: &Pool) -> Result<Option<String>, Error> {
    let mut redis = pool.get().await?;
    let answer: Result<Vec<String>, _> = deadpool_redis::redis::cmd("CONFIG")
        .arg("GET")
        .arg("maxmemory-policy")
        .query_async(&mut redis)
        .await;
    Ok(match answer.as_deref() {
        Ok([_, policy]) if policy == "noeviction" => None,
        Ok([_, policy]) => Some(format!(
            "maxmemory-policy is {policy}: under memory pressure Redis will drop holds"
        )),
        // Managed servers often forbid CONFIG.
        _ => Some("maxmemory-policy cannot be read: make sure that it is noeviction".to_owned()),
    })
}
