//! The database: its version, encryption, settings, logins and archive.

use persistence::Postgres;
use persistence::records::Records;
use persistence::records::inspection::DatabaseFacts;

use super::Finding;
use crate::config::{Config, Stage};

const SUBJECT: &str = "database";
/// Oldest version that is tested: 15.
const VERSION_NUMBER_MIN: i32 = 150_000;
/// Age of the newest archived file from which a busy archive is not to be trusted.
const ARCHIVE_AGE_SECONDS_MAX: i64 = 86_400;

/// Reads how the database is set up.
pub async fn examine(postgres: &Postgres, config: &Config) -> Vec<Finding> {
    let is_demo = config.stage == Stage::Demo;
    let mut findings = match Records::new(postgres.clone()).database_facts().await {
        Ok(facts) => judge(&facts, is_demo),
        Err(why) => vec![Finding::unknown(SUBJECT, format!("its settings: {why}"))],
    };
    findings.push(bank_details(postgres).await);
    findings
}

async fn bank_details(postgres: &Postgres) -> Finding {
    if let Err(why) = postgres.check_bank_login().await {
        return Finding::red(
            SUBJECT,
            format!("the login of BANK_DATABASE_URL is not let in: {why}"),
            "check its name and password",
        );
    }
    match postgres.are_bank_details_hidden_from_pages().await {
        Ok(true) => Finding::green(SUBJECT, "pages cannot read bank details"),
        Ok(false) => Finding::red(
            SUBJECT,
            "the login of DATABASE_URL can read bank details",
            "use a login that is no superuser and no member of BANK_DATABASE_URL's, and run `server migrate` with both",
        ),
        Err(why) => Finding::unknown(SUBJECT, format!("the rights on bank details: {why}")),
    }
}

/// Judges the settings. A demo's private Postgres needs no archive and no TLS.
pub fn judge(facts: &DatabaseFacts, is_demo: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    let version = format!(
        "{}.{}",
        facts.version_number / 10_000,
        facts.version_number % 10_000
    );
    if facts.version_number < VERSION_NUMBER_MIN {
        findings.push(Finding::red(
            SUBJECT,
            format!("version {version} is too old"),
            format!(
                "upgrade to version {} or later",
                VERSION_NUMBER_MIN / 10_000
            ),
        ));
    } else {
        findings.push(Finding::green(SUBJECT, format!("version {version}")));
    }
    for (name, value) in [
        ("fsync", &facts.fsync),
        ("full_page_writes", &facts.full_page_writes),
    ] {
        if value != "on" {
            findings.push(Finding::red(
                SUBJECT,
                format!("{name} is {value}: a crash of the machine can lose sold tickets"),
                format!("set {name} to on"),
            ));
        }
    }
    if matches!(facts.synchronous_commit.as_str(), "off") {
        findings.push(Finding::red(
            SUBJECT,
            "synchronous_commit is off: a crash can lose sold tickets",
            "set synchronous_commit to on (server/deploy/README.md)",
        ));
    }
    if is_demo {
        return findings;
    }
    if facts.is_remote && !facts.uses_tls {
        findings.push(Finding::red(
            SUBJECT,
            "the connection to another machine is not encrypted",
            "add sslmode=verify-full to DATABASE_URL and BANK_DATABASE_URL",
        ));
    }
    if facts.is_superuser {
        findings.push(Finding::red(
            SUBJECT,
            "the login of DATABASE_URL is a superuser",
            "serve with a login that has only the rights that `server migrate` gives",
        ));
    }
    findings.push(judge_archive(facts));
    findings
}

fn judge_archive(facts: &DatabaseFacts) -> Finding {
    if facts.archive_mode == "off" {
        return Finding::yellow(
            SUBJECT,
            "nothing is archived, so the age of the backups is not known here",
            "archive the write-ahead log, or check by other means that backups are recent and can be restored",
        );
    }
    if facts.archiving_fails {
        return Finding::red(
            SUBJECT,
            "the last attempt to archive the write-ahead log failed",
            "read the database's log, and repair archive_command",
        );
    }
    match facts.archived_seconds_ago {
        None => Finding::yellow(
            SUBJECT,
            "the write-ahead log was never archived since the statistics were reset",
            "check archive_command and archive_timeout",
        ),
        Some(seconds) if seconds > ARCHIVE_AGE_SECONDS_MAX => Finding::yellow(
            SUBJECT,
            format!("the newest archived file is {} h old", seconds / 3600),
            "set archive_timeout, so that a quiet day is archived too",
        ),
        Some(seconds) => Finding::green(SUBJECT, format!("archived {seconds} s ago")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::FindingState::{self, Green, Red, Yellow};
    use super::*;

    fn worst(change: impl FnOnce(&mut DatabaseFacts), is_demo: bool) -> FindingState {
        let mut facts = DatabaseFacts {
            version_number: 170_002,
            uses_tls: true,
            is_remote: true,
            synchronous_commit: "on".into(),
            fsync: "on".into(),
            full_page_writes: "on".into(),
            archive_mode: "on".into(),
            archived_seconds_ago: Some(30),
            archiving_fails: false,
            is_superuser: false,
        };
        change(&mut facts);
        let states = judge(&facts, is_demo)
            .into_iter()
            .map(|finding| finding.state);
        states.max().expect("the version is judged")
    }

    #[test]
    fn each_unsafe_setting_is_reported() {
        assert_eq!(worst(|_| {}, false), Green);
        assert_eq!(worst(|facts| facts.version_number = 140_009, false), Red);
        assert_eq!(worst(|facts| facts.fsync = "off".into(), false), Red);
        assert_eq!(
            worst(|facts| facts.full_page_writes = "off".into(), false),
            Red
        );
        assert_eq!(
            worst(|facts| facts.synchronous_commit = "off".into(), false),
            Red
        );
        assert_eq!(
            worst(
                |facts| facts.synchronous_commit = "remote_apply".into(),
                false
            ),
            Green
        );
        assert_eq!(worst(|facts| facts.uses_tls = false, false), Red);
        assert_eq!(worst(|facts| facts.is_superuser = true, false), Red);
        assert_eq!(worst(|facts| facts.archiving_fails = true, false), Red);
        assert_eq!(
            worst(|facts| facts.archive_mode = "off".into(), false),
            Yellow
        );
        assert_eq!(
            worst(|facts| facts.archived_seconds_ago = None, false),
            Yellow
        );
        let old = |facts: &mut DatabaseFacts| facts.archived_seconds_ago = Some(90_000);
        assert_eq!(worst(old, false), Yellow);
        let local = |facts: &mut DatabaseFacts| (facts.uses_tls, facts.is_remote) = (false, false);
        assert_eq!(worst(local, false), Green);
        assert_eq!(worst(|facts| facts.is_superuser = true, true), Green);
    }
}
