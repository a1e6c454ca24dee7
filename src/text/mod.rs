//! Words: everything that a shopper reads stands in one Fluent catalogue, `en.ftl`.

use std::{borrow::Cow, fmt, sync::LazyLock};

use fluent_bundle::{FluentArgs, FluentResource, FluentValue, concurrent::FluentBundle};
use unic_langid::LanguageIdentifier;

const CATALOGUE: &str = include_str!("en.ftl");

static BUNDLE: LazyLock<FluentBundle<FluentResource>> = LazyLock::new(|| {
    let mut bundle = FluentBundle::new_concurrent(vec![
        "en-GB".parse::<LanguageIdentifier>().unwrap_or_default(),
    ]);
    // No invisible direction marks around names: seats and prices are compared and copied by people.
    bundle.set_use_isolating(false);
    let resource =
        FluentResource::try_new(CATALOGUE.to_owned()).unwrap_or_else(|(resource, errors)| {
            tracing::error!(?errors, "the catalogue of texts has errors");
            resource
        });
    bundle.add_resource_overriding(resource);
    bundle
});

/// A message of the catalogue with its arguments; its `Display` is what people read.
pub struct Text {
    key: Cow<'static, str>,
    arguments: FluentArgs<'static>,
}

/// The message with this key. A key that the catalogue lacks shows itself; a test sees to it that none does.
#[must_use]
pub fn t(key: impl Into<Cow<'static, str>>) -> Text {
    Text {
        key: key.into(),
        arguments: FluentArgs::new(),
    }
}

/// Whether the catalogue has a message with this key.
#[must_use]
pub fn has(key: &str) -> bool {
    BUNDLE.has_message(key)
}

impl Text {
    /// The message with a text, or anything that shows itself as text, as argument `name`.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.arguments
            .set(name, FluentValue::from(value.to_string()));
        self
    }

    /// The message with a number as argument `name`, by which it may choose its plural.
    #[must_use]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "templates hand over numbers of any kind, by value or reference"
    )]
    pub fn count(mut self, name: &'static str, value: impl ToString) -> Self {
        let number: f64 = value.to_string().parse().unwrap_or_default();
        self.arguments.set(name, FluentValue::from(number));
        self
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(pattern) = BUNDLE
            .get_message(&self.key)
            .and_then(|message| message.value())
        else {
            return f.write_str(&self.key);
        };
        let mut errors = Vec::new();
        f.write_str(&BUNDLE.format_pattern(pattern, Some(&self.arguments), &mut errors))?;
        if !errors.is_empty() {
            tracing::error!(key = %self.key, ?errors, "a text lacks an argument");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Every string literal in the source tree that stands in `text::t("…")`.
    fn used_keys() -> BTreeSet<String> {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/");
        let mut keys = BTreeSet::new();
        for folder in ["src", "templates"] {
            for entry in walkdir::WalkDir::new(format!("{root}{folder}"))
                .into_iter()
                .flatten()
            {
                let Ok(source) = std::fs::read_to_string(entry.path()) else {
                    continue;
                };
                for (at, _) in source.match_indices("text::t(\"") {
                    let key: String = source[at + 9..].chars().take_while(|c| *c != '"').collect();
                    keys.insert(key);
                }
            }
        }
        keys
    }

    #[test]
    fn every_text_that_a_page_names_is_in_the_catalogue() {
        let missing: Vec<_> = used_keys()
            .into_iter()
            .filter(|key| key != "…" && !has(key))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn the_catalogue_is_well_formed() {
        assert!(FluentResource::try_new(CATALOGUE.to_owned()).is_ok());
    }

    #[test]
    fn a_text_takes_its_arguments_and_its_plural() {
        assert_eq!(t("seats-count").count("n", 1).to_string(), "1 seat");
        assert_eq!(t("seats-count").count("n", 2).to_string(), "2 seats");
    }
}
