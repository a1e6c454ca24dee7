//! The site in a real browser: journeys by mouse, by keyboard and without JavaScript, and what an accessibility engine finds.

mod accessibility;
mod journeys;

use std::{
    net::TcpListener,
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::LazyLock,
    time::{Duration, Instant},
};

use thirtyfour::{error::WebDriverResult, prelude::*};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::box_office::BoxOffice;

/// The driver that all browser tests share; it ends with the test program, however that ends.
static DRIVER: LazyLock<Driver> = LazyLock::new(Driver::start);

/// Machines have two cores: no more browsers than that at once.
static BROWSERS: Semaphore = Semaphore::const_new(2);

/// How long a page may take to become what a test waits for.
const BOUND: Duration = Duration::from_secs(40);

struct Driver {
    url: String,
    _child: Child,
    _alive: ChildStdin,
}

impl Driver {
    fn start() -> Self {
        let driver = find(&["chromedriver"]);
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|free| free.local_addr())
            .expect("a port")
            .port();
        let mut child = Command::new("sh")
            .args([
                "-c",
                "\"$@\" & pid=$!; read -r _; pkill -9 -P $pid; kill -9 $pid",
                "sh",
                &driver,
            ])
            .arg(format!("--port={port}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let alive = child.stdin.take().expect("its input");
        let end = Instant::now() + BOUND;
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < end, "chromedriver does not listen");
            std::thread::sleep(Duration::from_millis(50));
        }
        Self {
            url: format!("http://127.0.0.1:{port}"),
            _child: child,
            _alive: alive,
        }
    }
}

/// The first of these programs that is installed. A missing one fails the test; it is never skipped.
fn find(names: &[&str]) -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    names
        .iter()
        .flat_map(|name| {
            path.split(':')
                .map(move |folder| format!("{folder}/{name}"))
        })
        .find(|file| Path::new(file).is_file())
        .unwrap_or_else(|| panic!("none of {names:?} is installed: bin/test installs it"))
}

/// How a browser is set up.
#[derive(Clone, Copy)]
pub struct Window {
    pub width: u32,
    pub height: u32,
    pub javascript: bool,
    pub dark: bool,
}

pub const PHONE: Window = Window {
    width: 390,
    height: 844,
    javascript: true,
    dark: false,
};
pub const DESK: Window = Window {
    width: 1280,
    height: 900,
    javascript: true,
    dark: false,
};

/// A browser of one person. It closes when it is dropped, also by a test that fails.
pub struct Browser {
    pub page: WebDriver,
    base: String,
    javascript: bool,
    _place: SemaphorePermit<'static>,
}

impl Browser {
    pub async fn open(office: &BoxOffice, window: Window) -> Self {
        let place = BROWSERS.acquire().await.expect("never closed");
        let url = tokio::task::spawn_blocking(|| DRIVER.url.clone())
            .await
            .expect("a driver");
        let mut wish = DesiredCapabilities::chrome();
        wish.set_binary(&find(&["chromium", "chromium-browser", "google-chrome"]))
            .expect("a browser");
        for argument in [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ] {
            wish.add_arg(argument).expect("an argument");
        }
        if window.dark {
            wish.add_arg("--blink-settings=preferredColorScheme=0")
                .expect("an argument");
        }
        if !window.javascript {
            let off =
                serde_json::json!({ "profile.managed_default_content_settings.javascript": 2 });
            wish.add_experimental_option("prefs", off)
                .expect("a preference");
        }
        // A headless window cannot be made as narrow as a phone: the screen is emulated instead.
        let screen = serde_json::json!({ "deviceMetrics": { "width": window.width, "height": window.height, "pixelRatio": 1.0 } });
        wish.add_experimental_option("mobileEmulation", screen)
            .expect("a screen");
        let page = WebDriver::new(&url, wish).await.expect("a browser");
        Self {
            page,
            base: office.bases[0].clone(),
            javascript: window.javascript,
            _place: place,
        }
    }

    pub async fn goes(&self, path: &str) {
        self.page
            .goto(format!("{}{path}", self.base))
            .await
            .expect("a page");
    }

    /// The address below the site.
    pub async fn path(&self) -> String {
        self.page
            .current_url()
            .await
            .expect("an address")
            .path()
            .to_owned()
    }

    /// Waits until the browser is at an address that starts so.
    pub async fn arrives(&self, start: &str) {
        let end = Instant::now() + BOUND;
        while !self.path().await.starts_with(start) {
            assert!(
                Instant::now() < end,
                "not at {start} but at {}",
                self.path().await
            );
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits for an element.
    pub async fn sees(&self, selector: &str) -> WebElement {
        self.page
            .query(By::Css(selector))
            .wait(BOUND, Duration::from_millis(50))
            .first()
            .await
            .unwrap_or_else(|e| panic!("no {selector}: {e}"))
    }

    pub async fn text(&self, selector: &str) -> String {
        self.keeps_trying(selector, async |element| element.text().await)
            .await
    }

    /// Waits until an element reads so.
    pub async fn reads(&self, selector: &str, words: &str) {
        let end = Instant::now() + BOUND;
        while !self.text(selector).await.contains(words) {
            assert!(Instant::now() < end, "{selector} does not read {words}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until no element is there.
    pub async fn misses(&self, selector: &str) {
        let end = Instant::now() + BOUND;
        while !self
            .page
            .find_all(By::Css(selector))
            .await
            .is_ok_and(|found| found.is_empty())
        {
            assert!(Instant::now() < end, "{selector} is still there");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    pub async fn clicks(&self, selector: &str) {
        let javascript = self.javascript;
        self.keeps_trying(selector, async |element| {
            if !javascript {
                // The driver's own click waits for a script of the page; a key does not.
                let input = element.tag_name().await? == "input";
                let key = if input {
                    TypingData::from(" ")
                } else {
                    Key::Enter.into()
                };
                return element.send_keys(key).await;
            }
            element.scroll_into_view().await?;
            element.click().await
        })
        .await;
    }

    /// Does something with an element; again when a new page takes the place of the old one just then.
    async fn keeps_trying<T>(
        &self,
        selector: &str,
        work: impl AsyncFn(WebElement) -> WebDriverResult<T>,
    ) -> T {
        let end = Instant::now() + BOUND;
        loop {
            match work(self.sees(selector).await).await {
                Ok(done) => return done,
                Err(error) => assert!(Instant::now() < end, "{selector}: {error}"),
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Clicks the seat that is spoken of so.
    pub async fn picks(&self, spoken: &str) {
        let seat = format!("input[aria-label^='{spoken}']");
        if self.javascript {
            self.clicks(&format!("label:has(> {seat})")).await;
        } else {
            self.clicks(&seat).await;
        }
    }

    pub async fn types(&self, field: &str, text: &str) {
        self.keeps_trying(field, async |element| {
            element.clear().await?;
            element.send_keys(text).await
        })
        .await;
    }

    /// Fills in the payment form and presses pay.
    pub async fn pays(&self, card: &str) {
        for (field, text) in [
            ("#name", "Ana Núñez"),
            ("#email", "ana@example.org"),
            ("#card", card),
            ("#expiry", "12/40"),
            ("#cvc", "123"),
        ] {
            self.types(field, text).await;
        }
        self.clicks("form.pay button[type=submit]").await;
    }

    /// What a script answers; the browser's own rules for pages do not bind it.
    pub async fn runs(&self, script: &str) -> serde_json::Value {
        self.page
            .execute(script, vec![])
            .await
            .expect("a script")
            .json()
            .clone()
    }

    pub async fn close(self) {
        self.page.clone().quit().await.expect("closed");
    }
}
