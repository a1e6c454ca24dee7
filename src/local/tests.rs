//! The private servers on real folders. Each test has a folder of its own and asks the servers themselves.

use std::{
    env, fs,
    io::{Read, Write},
    net::TcpStream,
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use super::{
    LocalError, Purpose, Servers,
    child::{Kept, Log},
    programs, secret_key, write_env,
};

#[test]
fn what_was_written_is_there_at_the_next_start() {
    let dir = TempDir::new().unwrap();
    let servers = Servers::start(dir.path(), Purpose::Keep).unwrap();
    sql(
        servers.database_url(),
        "create table seen (what text); insert into seen values ('Ä')",
    )
    .unwrap();
    ask_redis(servers.redis_url(), "SET seen yes");
    let urls = urls(&servers);
    servers.stop();
    assert!(TcpStream::connect(authority(&urls.0)).is_err());
    assert!(TcpStream::connect(authority(&urls.1)).is_err());

    let servers = Servers::start(dir.path(), Purpose::Keep).unwrap();
    let seen = sql(servers.database_url(), "select lower(what) from seen").unwrap();
    assert_eq!(seen, ["ä"]);
    assert!(ask_redis(servers.redis_url(), "GET seen").contains("yes"));
    assert_eq!(urls, self::urls(&servers), "ports and passwords are kept");
}

#[test]
fn where_data_is_kept_nobody_gets_in_without_the_password() {
    let dir = TempDir::new().unwrap();
    let servers = Servers::start(dir.path(), Purpose::Keep).unwrap();
    let database = authority(servers.database_url());
    for role in ["seathold", "seathold:wrong", "postgres"] {
        let url = format!("postgres://{role}@{database}/seathold");
        assert!(sql(&url, "select 1").is_err(), "{role} got in");
    }
    let anybody = format!("redis://{}", authority(servers.redis_url()));
    assert!(ask_redis(&anybody, "GET seen").contains("NOAUTH"));

    write_env(dir.path(), &servers, &[]).unwrap();
    let env = fs::read_to_string(dir.path().join("env")).unwrap();
    let (database, redis) = urls(&servers);
    assert_eq!(env, format!("DATABASE_URL={database}\nREDIS_URL={redis}\n"));
    for secret in [
        "env",
        "postgres/password",
        "redis/password",
        "redis/redis.conf",
    ] {
        let mode = fs::metadata(dir.path().join(secret)).unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o600, "{secret}");
    }
}

#[test]
fn two_folders_run_side_by_side_and_one_folder_runs_once() {
    let (one, two) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let first = Servers::start(one.path(), Purpose::ThrowAway).unwrap();
    let second = Servers::start(two.path(), Purpose::ThrowAway).unwrap();
    sql(first.database_url(), "create table only_here ()").unwrap();
    assert!(sql(second.database_url(), "table only_here").is_err());

    let again = Servers::start(one.path(), Purpose::ThrowAway)
        .err()
        .unwrap();
    assert!(matches!(again, LocalError::InUse(_)), "{again}");
    assert!(sql(first.database_url(), "table only_here").is_ok());
}

#[test]
fn a_server_that_was_stopped_starts_again_on_its_port() {
    let dir = TempDir::new().unwrap();
    let mut servers = Servers::start(dir.path(), Purpose::ThrowAway).unwrap();
    let urls = urls(&servers);
    servers.stop_redis();
    assert!(TcpStream::connect(authority(&urls.1)).is_err());
    assert!(sql(&urls.0, "select 1").is_ok(), "the other one stays");
    servers.start_redis().unwrap();
    servers.stop_postgres();
    assert!(sql(&urls.0, "select 1").is_err());
    assert!(ask_redis(&urls.1, "PING").contains("PONG"));
    servers.start_postgres().unwrap();
    assert!(sql(&urls.0, "select 1").is_ok());
    assert_eq!(urls, self::urls(&servers));
}

/// Runs itself once more as the program that is killed.
#[test]
fn killing_the_program_leaves_no_server_behind() {
    const FOLDER: &str = "SEATHOLD_TEST_IS_KILLED_IN";
    if let Some(dir) = env::var_os(FOLDER) {
        let dir = PathBuf::from(dir);
        let servers = Servers::start(&dir, Purpose::Keep).unwrap();
        write_env(&dir, &servers, &[]).unwrap();
        sleep(Duration::from_mins(2));
        panic!("nobody killed us");
    }
    let dir = TempDir::new().unwrap();
    let mut program = Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "local::tests::killing_the_program_leaves_no_server_behind",
        ])
        .env(FOLDER, dir.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let env = dir.path().join("env");
    until("it has started", || env.exists());
    let env = fs::read_to_string(env).unwrap();
    let urls: Vec<&str> = env
        .lines()
        .map(|line| line.split_once('=').unwrap().1)
        .collect();
    sql(urls[0], "create table before ()").unwrap();
    // A client that stays connected must not keep PostgreSQL alive.
    let runtime = runtime();
    let client = tokio_postgres::connect(urls[0], tokio_postgres::NoTls);
    let _client = runtime.block_on(client).unwrap();
    program.kill().unwrap();
    program.wait().unwrap();

    // At once, while the former servers are still on their way out.
    let servers = Servers::start(dir.path(), Purpose::Keep).unwrap();
    assert!(sql(servers.database_url(), "table before").is_ok());
    servers.stop();
    for url in urls {
        assert!(
            TcpStream::connect(authority(url)).is_err(),
            "{url} is alive"
        );
    }
}

#[test]
fn a_server_on_its_way_out_is_waited_for() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("log");
    let log = Log::open("sleep", &path).unwrap();
    let began = Instant::now();
    let _slow = Kept::start(
        &["sleep".into(), "0.5".into()],
        &[],
        "TERM",
        dir.path(),
        log,
    )
    .unwrap();
    Log::open("sleep", &path).unwrap();
    assert!(began.elapsed() >= Duration::from_millis(500));
}

#[test]
fn a_start_that_was_cut_short_leaves_nothing_in_the_way() {
    let dir = TempDir::new().unwrap();
    let unfinished = dir.path().join("postgres/data.new");
    fs::create_dir_all(&unfinished).unwrap();
    fs::write(unfinished.join("PG_VERSION"), "15\n").unwrap();
    let servers = Servers::start(dir.path(), Purpose::ThrowAway).unwrap();
    assert!(sql(servers.database_url(), "select 1").is_ok());
}

#[test]
fn data_of_another_major_version_is_left_alone() {
    let dir = TempDir::new().unwrap();
    let data = dir.path().join("postgres/data");
    fs::create_dir_all(&data).unwrap();
    fs::write(data.join("PG_VERSION"), "9.6\n").unwrap();
    let error = Servers::start(dir.path(), Purpose::Keep)
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.contains("was made by PostgreSQL 9.6, but PostgreSQL "),
        "{error}"
    );
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let error = Servers::start(&file.join("data"), Purpose::Keep)
        .err()
        .unwrap()
        .to_string();
    assert!(error.contains("/file/data: "), "{error}");
    assert!(secret_key(&file).is_err());
}

#[test]
fn a_program_that_is_missing_is_named() {
    let nowhere = [PathBuf::from("/nowhere")];
    let postgres = programs::postgres(&nowhere, None).unwrap_err().to_string();
    assert!(postgres.contains("postgres was not found") && postgres.contains("bin/start"));
    let redis = programs::redis(&nowhere).unwrap_err().to_string();
    assert!(redis.contains("redis-server was not found") && redis.contains("bin/start"));
}

#[test]
fn the_secret_key_is_made_once_and_kept_private() {
    let dir = TempDir::new().unwrap();
    let secret = secret_key(dir.path()).unwrap();
    assert_eq!(secret.len(), 64);
    assert_eq!(secret, secret_key(dir.path()).unwrap());
    let path = dir.path().join("secret_key");
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    fs::write(&path, "short").unwrap();
    let error = secret_key(dir.path()).unwrap_err();
    assert!(matches!(error, LocalError::Damaged { .. }), "{error}");
    let other = TempDir::new().unwrap();
    assert_ne!(secret, secret_key(other.path()).unwrap());
}

fn urls(servers: &Servers) -> (String, String) {
    (
        servers.database_url().to_owned(),
        servers.redis_url().to_owned(),
    )
}

/// From `scheme://user:password@HOST:PORT/name`: `HOST:PORT`.
fn authority(url: &str) -> &str {
    let rest = url.split_once("://").unwrap().1;
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    rest.split('/').next().unwrap()
}

/// The first column of whatever the statements return.
fn sql(url: &str, statements: &str) -> Result<Vec<String>, tokio_postgres::Error> {
    runtime().block_on(async {
        let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await?;
        let connection = tokio::spawn(connection);
        let messages = client.simple_query(statements).await?;
        drop(client);
        connection.await.unwrap()?;
        Ok(messages
            .iter()
            .filter_map(|message| match message {
                tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
                _ => None,
            })
            .collect())
    })
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

fn ask_redis(url: &str, command: &str) -> String {
    let mut stream = TcpStream::connect(authority(url)).unwrap();
    if let Some((_, rest)) = url.split_once("//:") {
        let password = rest.split('@').next().unwrap();
        write!(stream, "AUTH {password}\r\n").unwrap();
    }
    write!(stream, "{command}\r\nQUIT\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let patience = Instant::now() + Duration::from_mins(1);
    while !is_so() {
        assert!(Instant::now() < patience, "waited in vain until {what}");
        sleep(Duration::from_millis(20));
    }
}
