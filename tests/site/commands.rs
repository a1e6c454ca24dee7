//! What a person types: events made, listed, changed and closed; clear sentences when something is wrong.

use std::{path::PathBuf, process::Command};

use tokio::task::spawn_blocking;

use crate::box_office::{BoxOffice, SHARED};

/// Runs a command at the shared stage.
async fn types(arguments: &[&str]) -> (i32, String) {
    let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    spawn_blocking(move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        SHARED.command(&arguments)
    })
    .await
    .expect("it ran")
}

/// A plan's file with this text.
fn plan(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file: PathBuf = folder.path().join("room.csv");
    std::fs::write(&file, text).expect("written");
    (folder, file.to_string_lossy().into_owned())
}

fn create<'a>(slug: &'a str, plan: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec![
        "event",
        "create",
        "--name",
        "Così fan tutte",
        "--venue",
        "Studio",
        "--starts-at",
        "2037-07-31T19:30",
        "--time-zone",
        "Europe/Berlin",
        "--plan",
        plan,
        "--slug",
        slug,
    ];
    arguments.extend(more);
    arguments
}

#[tokio::test]
async fn an_event_is_made_from_a_plan_and_sold() {
    let slug = format!("cosi-{}", seathold::random::token());
    let (_folder, file) = plan("stalls:A1,stalls:A2+\nbalcony:A1\n");
    let (code, printed) = types(&create(
        &slug,
        &file,
        &["--price", "stalls=45.00", "--default-price", "12.5"],
    ))
    .await;
    assert_eq!(code, 0, "{printed}");
    let ana = crate::person::Person::new(&SHARED.bases()[0], &slug);
    let map = ana.opens_map().await.expect(200);
    assert_eq!(
        map.attributes(".seat__box", "aria-label"),
        [
            "Row A, seat 1, stalls, €45.00, available",
            "Row A, seat 2, stalls, accessible, €45.00, available",
            "Row A, seat 1, balcony, €12.50, available",
        ]
    );
    assert!(
        map.text(".event-head").contains("CEST"),
        "summer time is named as such"
    );
    let (_, listed) = types(&["event", "list"]).await;
    assert!(
        listed.contains(&slug) && listed.contains("3 of 3 seats free"),
        "{listed}"
    );
}

#[tokio::test]
async fn a_dry_run_reports_checks_everything_and_writes_nothing() {
    let slug = format!("dry-{}", seathold::random::token());
    let (_folder, file) = plan("\u{feff}A1,A1\n");
    let (code, printed) = types(&create(&slug, &file, &["--dry-run"])).await;
    assert_eq!(code, 0, "{printed}");
    assert!(
        printed.contains("2 seats") && printed.contains("byte-order mark"),
        "{printed}"
    );
    let (_, listed) = types(&["event", "list"]).await;
    assert!(!listed.contains(&slug), "{listed}");
    let (code, printed) = types(&create(&slug, &file, &["--dry-run", "--max-seats", "0"])).await;
    assert!(code != 0 && printed.contains("--max-seats"), "{printed}");
}

#[tokio::test]
async fn what_is_wrong_is_one_clear_sentence_and_changes_nothing() {
    let slug = format!("wrong-{}", seathold::random::token());
    let (_folder, file) = plan("A1,A2\n");
    let (_broken, broken) = plan("{\"zones\": [");
    for (more, words) in [
        (vec!["--price", "balcony=45.00"], "balcony"),
        (vec!["--default-price", "1,50"], "1,50"),
        (vec!["--currency", "euro"], "euro"),
        (vec!["--hold-cap-seconds", "5"], "--hold-cap-seconds"),
        (vec!["--max-seats", "0"], "--max-seats"),
        (
            vec![
                "--sales-from",
                "2030-01-02T00:00",
                "--sales-until",
                "2030-01-01T00:00",
            ],
            "--sales-until",
        ),
        (vec!["--cancel-until", "tomorrow"], "24h"),
        (vec!["--cancel-until", "366d"], "--cancel-until"),
        (vec!["--plan", broken.as_str()], "truncated"),
        (vec!["--plan", "/nowhere/plan.json"], "/nowhere/plan.json"),
        (vec!["--starts-at", "2037-03-29T02:30"], "clocks change"),
        (vec!["--time-zone", "Europe/Atlantis"], "Atlantis"),
    ] {
        let mut arguments = create(&slug, &file, &[]);
        // The later of two wins in the terminal's history, not here: take the former away.
        if let Some(at) = arguments.iter().position(|argument| *argument == more[0]) {
            arguments.drain(at..at + 2);
        }
        arguments.extend(&more);
        let (code, printed) = types(&arguments).await;
        assert_ne!(code, 0, "{more:?}: {printed}");
        assert!(printed.contains(words), "{more:?}: {printed}");
        assert!(!printed.contains("panicked"), "{printed}");
    }
    let (_, listed) = types(&["event", "list"]).await;
    assert!(!listed.contains(&slug), "{listed}");
}

#[tokio::test]
async fn an_event_is_changed_and_closed_by_its_slug() {
    let office = BoxOffice::open().await;
    let slug = office.slug.as_str();
    let changes = [
        "--price",
        "front=50.00",
        "--max-seats",
        "2",
        "--venue",
        "Great Hall",
    ];
    let (code, printed) = types(&[&["event", "set", slug], &changes[..]].concat()).await;
    assert_eq!(code, 0, "{printed}");
    let ana = office.person();
    let map = ana.opens_map().await.expect(200);
    assert!(map.text(".event-head").contains("Great Hall"));
    assert!(map.attributes(".seat__box", "aria-label")[0].contains("€50.00"));
    ana.holds(&office, ["A1", "A2", "A3"]).await.expect(422);
    let (code, _) = types(&["event", "set", slug, "--price", "nowhere=1.00"]).await;
    assert_ne!(code, 0);
    let (code, printed) = types(&["event", "close", slug]).await;
    assert_eq!(code, 0, "{printed}");
    ana.holds(&office, ["A1"]).await.expect(409);
    let (code, printed) = types(&["event", "close", "no-such-event"]).await;
    assert!(code != 0 && printed.contains("no-such-event"), "{printed}");
}

#[tokio::test]
async fn an_event_says_how_long_before_its_start_seats_can_be_cancelled() {
    let slug = format!("until-{}", seathold::random::token());
    let (_folder, file) = plan("A1,A2\n");
    let listed = async || {
        let (_, listed) = types(&["event", "list"]).await;
        let line = listed.lines().find(|line| line.starts_with(&slug));
        line.expect("a line").to_owned()
    };
    let (code, printed) = types(&create(&slug, &file, &[])).await;
    assert_eq!(code, 0, "{printed}");
    let usual = "cancelling until Thu 30 July 2037, 19:30 CEST";
    assert!(listed().await.contains(usual), "{}", listed().await);
    for (until, words) in [
        ("90m", "cancelling until Fri 31 July 2037, 18:00 CEST"),
        ("off", "no cancelling"),
        ("7d", "cancelling until Fri 24 July 2037, 19:30 CEST"),
    ] {
        let (code, printed) = types(&["event", "set", &slug, "--cancel-until", until]).await;
        assert_eq!(code, 0, "{printed}");
        assert!(listed().await.contains(words), "{}", listed().await);
    }
    let (code, printed) = types(&["event", "set", &slug, "--max-seats", "2"]).await;
    assert_eq!(code, 0, "{printed}");
    assert!(
        listed().await.contains("24 July"),
        "what is not given stays"
    );
}

#[tokio::test]
async fn two_seats_with_one_label_are_not_for_sale_until_one_is_renamed() {
    let slug = format!("twins-{}", seathold::random::token());
    let (_folder, file) = plan("A1,A1,A2\n");
    let (code, printed) = types(&create(&slug, &file, &[])).await;
    assert!(code == 0 && printed.contains("not for sale"), "{printed}");
    let ana = crate::person::Person::new(&SHARED.bases()[0], &slug);
    let spoken = ana
        .opens_map()
        .await
        .expect(200)
        .attributes(".seat__box", "aria-label");
    assert_eq!(
        spoken
            .iter()
            .filter(|spoken| spoken.contains("not for sale"))
            .count(),
        2,
        "{spoken:?}"
    );

    let key = client_keys(&slug).await;
    let (code, printed) = types(&["seat", "rename", &slug, &key[0], "2"]).await;
    assert!(
        code != 0 && printed.contains('2'),
        "another seat has that label: {printed}"
    );
    let (code, printed) = types(&["seat", "rename", &slug, &key[0], "1a"]).await;
    assert_eq!(code, 0, "{printed}");
    let spoken = ana
        .opens_map()
        .await
        .expect(200)
        .attributes(".seat__box", "aria-label");
    assert!(
        spoken.iter().all(|spoken| spoken.contains("available")),
        "{spoken:?}"
    );
}

/// The keys of an event's blocked seats.
async fn client_keys(slug: &str) -> Vec<String> {
    let database = seathold::database::open(SHARED.servers.database_url(), 1).expect("a pool");
    let client = database.get().await.expect("a connection");
    let sql = "select seat.key from seat join event on event.id = event_id
                where event.slug = $1 and blocked_reason is not null order by position";
    client
        .query(sql, &[&slug])
        .await
        .expect("seats")
        .iter()
        .map(|row| row.get(0))
        .collect()
}

#[test]
fn a_setting_that_is_missing_is_named() {
    for (given, missing) in [
        (vec![], "SECRET_KEY"),
        (vec![("SECRET_KEY", "short")], "too short"),
        (
            vec![("SECRET_KEY", "0123456789abcdef0123456789abcdef")],
            "DATABASE_URL",
        ),
    ] {
        let done = Command::new(env!("CARGO_BIN_EXE_seathold"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .env_clear()
            .envs(given)
            .output()
            .expect("it runs");
        assert!(!done.status.success());
        let printed = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(printed.contains(missing), "{printed}");
        assert_eq!(printed.lines().count(), 1, "one sentence: {printed}");
    }
}

#[test]
fn a_port_that_is_taken_is_said_in_one_sentence() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let done = Command::new(env!("CARGO_BIN_EXE_seathold"))
        .args(["serve", "--listen", &address])
        .env("SECRET_KEY", "0123456789abcdef0123456789abcdef")
        .output()
        .expect("it runs");
    let printed = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(
        !done.status.success() && printed.contains("taken"),
        "{printed}"
    );
}

/// `serve --local` on a data folder, until it is told to stop.
struct Local {
    child: std::process::Child,
    base: String,
}

impl Local {
    fn start(folder: &std::path::Path) -> Self {
        use std::io::{BufRead, BufReader};
        let mut child = Command::new(env!("CARGO_BIN_EXE_seathold"))
            .args(["serve", "--local", "--port", "0", "--data"])
            .arg(folder)
            .env("RUST_LOG", "warn")
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let said = lines.by_ref().map_while(Result::ok);
        let mut listening = said.filter_map(|line| {
            line.strip_prefix("Seathold listens on ")
                .map(ToOwned::to_owned)
        });
        let base = listening.next().expect("it says where it listens");
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, base }
    }

    /// Sends a signal and waits for the end.
    fn end(mut self, signal: &str) -> std::process::ExitStatus {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill")
            .args([signal, &pid])
            .status()
            .expect("a signal");
        assert!(sent.success());
        self.child.wait().expect("it ends")
    }
}

/// An instance that a failing test leaves is killed; its servers end by themselves.
impl Drop for Local {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether anything still listens where a URL of `DIR/env` points.
fn answers(folder: &std::path::Path, key: &str) -> bool {
    let env = std::fs::read_to_string(folder.join("env")).expect("DIR/env");
    let url = env
        .lines()
        .find_map(|line| line.strip_prefix(&format!("{key}=")))
        .expect("a line");
    let address = url
        .rsplit('@')
        .next()
        .and_then(|rest| rest.split('/').find(|part| part.contains(':')));
    std::net::TcpStream::connect(address.expect("an address")).is_ok()
}

#[tokio::test]
async fn two_local_instances_run_side_by_side_and_keep_their_data() {
    let (one, two) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    let (first, second) = {
        let (one, two) = (one.path().to_owned(), two.path().to_owned());
        spawn_blocking(move || (Local::start(&one), Local::start(&two)))
            .await
            .expect("both start")
    };
    let ana = crate::person::Person::new(&first.base, "the-tempest");
    let events = ana.gets("/").await.expect(200).texts(".event-card__name");
    assert_eq!(events.len(), 2, "the demo events: {events:?}");
    crate::person::Person::new(&second.base, "the-tempest")
        .opens_map()
        .await
        .expect(200);
    let map = ana.opens_map().await.expect(200);
    let seat = map.attributes(".seat__box:not([disabled])", "value")[0]
        .parse()
        .expect("an id");
    ana.presses_hold("", &[seat]).await.expect(303);
    let booked = ana.pays(crate::person::APPROVED).await.expect(303).location;

    // One is told to stop, the other is killed: neither leaves a server behind, and the next start finds the data.
    let folders = (one.path().to_owned(), two.path().to_owned());
    let (base, _again) = spawn_blocking(move || {
        assert_eq!(first.end("-TERM").code(), Some(0));
        assert!(!answers(&folders.0, "DATABASE_URL") && !answers(&folders.0, "REDIS_URL"));
        second.end("-KILL");
        let end = std::time::Instant::now() + std::time::Duration::from_secs(15);
        while answers(&folders.1, "DATABASE_URL") || answers(&folders.1, "REDIS_URL") {
            assert!(std::time::Instant::now() < end, "an orphan");
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        let again = Local::start(&folders.0);
        (again.base.clone(), again)
    })
    .await
    .expect("ended and started");
    let ana = ana.at(&base);
    ana.gets(&booked).await.expect(200);
    assert_eq!(
        ana.gets("/")
            .await
            .expect(200)
            .texts(".event-card__name")
            .len(),
        2,
        "no second demo"
    );
}
