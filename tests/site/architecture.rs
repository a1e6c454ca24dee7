//! Who may import whom: `main → pages → nouns → error`. The sources are read, so that the house stays as it was drawn.

use std::{collections::BTreeMap, fs, path::Path};

use walkdir::WalkDir;

/// Every source file below `src/` with its text.
fn sources() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    WalkDir::new(&root)
        .into_iter()
        .flatten()
        .filter(|entry| {
            entry
                .path()
                .extension()
                .is_some_and(|ending| ending == "rs")
        })
        .map(|entry| {
            let name = entry
                .path()
                .strip_prefix(&root)
                .expect("below src")
                .to_string_lossy()
                .into_owned();
            (name, fs::read_to_string(entry.path()).expect("readable"))
        })
        .collect()
}

/// The program: the one place besides the pages that knows of the web server.
fn is_program(file: &str) -> bool {
    file == "main.rs" || file.starts_with("commands/")
}

fn is_page(file: &str) -> bool {
    file.starts_with("pages/")
}

/// A page is a file or a folder of `pages/`; what all pages share is none.
fn page_of(file: &str) -> Option<&str> {
    const SHARED: [&str; 9] = [
        "mod",
        "countdown",
        "buyer",
        "error",
        "forms",
        "frame",
        "guard",
        "health",
        "statics",
    ];
    let name = file.strip_prefix("pages/")?.split(['/', '.']).next()?;
    (!SHARED.contains(&name)).then_some(name)
}

/// The code of a file, without its comments.
fn code(text: &str) -> String {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn only_pages_and_the_program_know_of_the_web() {
    for (file, text) in sources() {
        if !is_page(&file) && !is_program(&file) {
            assert!(!code(&text).contains("actix"), "{file} names actix");
            assert!(!code(&text).contains("askama"), "{file} names askama");
        }
    }
}

#[test]
fn nouns_never_import_pages_or_the_app() {
    for (file, text) in sources() {
        if !is_page(&file) && !is_program(&file) && file != "lib.rs" {
            for word in ["crate::pages", "pages::", "App>"] {
                assert!(!code(&text).contains(word), "{file} names {word}");
            }
        }
    }
}

#[test]
fn pages_know_nothing_of_sql_and_run_no_commands_of_redis() {
    for (file, text) in sources() {
        if is_page(&file) {
            for word in [
                "tokio_postgres",
                "deadpool_postgres",
                "prepare_cached",
                "redis::cmd",
                "redis::Script",
            ] {
                assert!(!code(&text).contains(word), "{file} names {word}");
            }
        }
    }
}

#[test]
fn pages_never_import_pages() {
    let sources = sources();
    let pages: Vec<&str> = sources.keys().filter_map(|file| page_of(file)).collect();
    for (file, text) in &sources {
        let Some(own) = page_of(file) else { continue };
        for other in pages.iter().filter(|other| **other != own) {
            // `crate::seat_map` is the noun; only the page's path counts.
            let path = format!("pages::{other}::");
            assert!(
                !code(text).contains(&path),
                "{file} imports the page {other}"
            );
        }
    }
}

#[test]
fn every_file_says_what_it_is() {
    for (file, text) in sources() {
        assert!(text.starts_with("//!"), "{file} opens without a sentence");
    }
}

#[test]
fn every_page_address_is_written_in_one_of_the_two_route_tables() {
    let tables = ["pages/mod.rs", "pages/staff/mod.rs", "pages/statics.rs"];
    for (file, text) in sources() {
        if !tables.contains(&file.as_str()) {
            assert!(
                !code(&text).contains("web::resource("),
                "{file} has a route of its own"
            );
        }
    }
}
