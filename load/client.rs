//! A browser reduced to what a load test needs: one kept connection, HTTP/1.1, no redirects. It shares the machine with
//! the server, so it does as little as it can.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

/// Any failure ends the measurement.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// One kept connection.
pub struct Client {
    host: String,
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// What came back.
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The head, as it was sent.
    pub head: String,
    /// The body, still compressed if it was asked for so.
    pub body: Vec<u8>,
}

impl Answer {
    /// The value of a header.
    pub fn header<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        self.headers(name).next()
    }

    /// All values of a header.
    pub fn headers<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines
            .filter(move |(field, _)| field.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
    }
}

impl Client {
    /// Connects to `host`, which is an address with a port.
    pub async fn connect(host: &str) -> Result<Self, Failure> {
        let stream = TcpStream::connect(host).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            host: host.to_owned(),
            stream,
            buffer: Vec::with_capacity(64 * 1024),
        })
    }

    /// Gets a page.
    pub async fn get(&mut self, path: &str, cookies: &str, gzip: bool) -> Result<Answer, Failure> {
        let encoding = if gzip {
            "accept-encoding: gzip\r\n"
        } else {
            ""
        };
        self.ask(format!(
            "GET {path} HTTP/1.1\r\nhost: {}\r\ncookie: {cookies}\r\n{encoding}\r\n",
            self.host
        ))
        .await
    }

    /// Sends a form.
    pub async fn post(&mut self, path: &str, cookies: &str, form: &str) -> Result<Answer, Failure> {
        let host = &self.host;
        self.ask(format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\ncookie: {cookies}\r\nsec-fetch-site: same-origin\r\n\
             content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{form}",
            form.len()
        ))
        .await
    }

    async fn ask(&mut self, request: String) -> Result<Answer, Failure> {
        timeout(PATIENCE, async {
            self.stream.write_all(request.as_bytes()).await?;
            self.answer().await
        })
        .await?
    }

    async fn answer(&mut self) -> Result<Answer, Failure> {
        let end = self.until(b"\r\n\r\n").await?;
        let head = String::from_utf8(self.buffer.drain(..end).collect())?;
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|code| code.parse().ok())
            .ok_or("no status line")?;
        let mut answer = Answer {
            status,
            head,
            body: Vec::new(),
        };
        if answer.header("transfer-encoding") == Some("chunked") {
            loop {
                let end = self.until(b"\r\n").await?;
                let line = String::from_utf8(self.buffer.drain(..end).collect())?;
                let size = usize::from_str_radix(line.trim(), 16)?;
                let chunk = self.exactly(size + 2).await?;
                answer.body.extend(&chunk[..size]);
                if size == 0 {
                    return Ok(answer);
                }
            }
        }
        let length = answer.header("content-length").map_or(Ok(0), str::parse)?;
        answer.body = self.exactly(length).await?;
        Ok(answer)
    }

    async fn until(&mut self, mark: &[u8]) -> Result<usize, Failure> {
        let mut looked = 0;
        loop {
            if let Some(at) = self.buffer[looked..]
                .windows(mark.len())
                .position(|window| window == mark)
            {
                return Ok(looked + at + mark.len());
            }
            looked = self.buffer.len().saturating_sub(mark.len());
            self.more().await?;
        }
    }

    async fn exactly(&mut self, length: usize) -> Result<Vec<u8>, Failure> {
        while self.buffer.len() < length {
            self.more().await?;
        }
        Ok(self.buffer.drain(..length).collect())
    }

    async fn more(&mut self) -> Result<(), Failure> {
        match self.stream.read_buf(&mut self.buffer).await? {
            0 => Err("the server closed the connection".into()),
            _ => Ok(()),
        }
    }
}
