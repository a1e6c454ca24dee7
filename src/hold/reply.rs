//! What the scripts answer: a word that names the outcome, then its details.

use deadpool_redis::{Connection, redis::ScriptInvocation};

use super::{Changed, Running};
use crate::Error;

pub(super) async fn run(
    call: &ScriptInvocation<'_>,
    redis: &mut Connection,
) -> Result<Vec<String>, Error> {
    Ok(call.invoke_async(redis).await?)
}

pub(super) fn changed(script: &str, reply: &[String]) -> Result<Changed, Error> {
    Ok(match words(reply)? {
        ("released" | "extended" | "marked", seats) => Changed::Done(numbers(seats)?),
        ("capped", _) => Changed::Capped,
        ("paying", [payment, hold]) => Changed::Paying(Running {
            payment: payment.clone(),
            hold: hold.clone(),
        }),
        ("former", _) => Changed::Former,
        ("gone", _) => Changed::Gone,
        _ => return Err(unexpected(script, reply)),
    })
}

pub(super) fn words(reply: &[String]) -> Result<(&str, &[String]), Error> {
    match reply {
        [outcome, rest @ ..] => Ok((outcome, rest)),
        [] => Err(unexpected("script", reply)),
    }
}

pub(super) fn numbers(words: &[String]) -> Result<Vec<i64>, Error> {
    words.iter().map(|word| number(word)).collect()
}

pub(super) fn number<T: std::str::FromStr>(word: &str) -> Result<T, Error> {
    word.parse()
        .map_err(|_| Error::Broken(format!("a script answered {word:?} where a number belongs")))
}

pub(super) fn unexpected(script: &str, reply: &[String]) -> Error {
    Error::Broken(format!("{script} answered {reply:?}"))
}
