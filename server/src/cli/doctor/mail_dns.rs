//! The DNS records by which other mail servers recognise this platform's mails: SPF, DKIM and DMARC.

use std::net::SocketAddr;
use std::time::Duration;

use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ResolverConfig};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::RData;
use hickory_resolver::{Resolver, TokioResolver};

use super::{DoctorOptions, Finding};
use crate::config::Config;

const SUBJECT: &str = "mail";
/// Time limit of one question, and number of attempts.
const QUESTION_TIMEOUT: Duration = Duration::from_secs(2);
const ATTEMPTS: usize = 2;

/// The text records of a name. `Err`: the DNS did not answer, and why.
pub type TextRecords = Result<Vec<String>, String>;

/// Reads and judges the records of the domain of `MAIL_FROM`.
pub async fn examine(config: &Config, options: &DoctorOptions) -> Vec<Finding> {
    if config.mail.smtp_url.is_none() {
        return vec![Finding::green(
            SUBJECT,
            "the demo sends no mail, so it needs no DNS records",
        )];
    }
    let Some(domain) = domain_of_mailbox(&config.mail.from) else {
        return vec![Finding::red(
            SUBJECT,
            "MAIL_FROM has no domain",
            "set it as in .env.example",
        )];
    };
    let resolver = match open_resolver(options.dns_server) {
        Ok(resolver) => resolver,
        Err(why) => return vec![Finding::unknown(SUBJECT, format!("no DNS server: {why}"))],
    };
    let mut findings = vec![
        judge_spf(domain, text_records(&resolver, domain).await),
        judge_dmarc(
            domain,
            text_records(&resolver, &format!("_dmarc.{domain}")).await,
        ),
    ];
    findings.push(match &options.dkim_selector {
        Some(selector) => {
            let name = format!("{selector}._domainkey.{domain}");
            judge_dkim(&name, text_records(&resolver, &name).await)
        }
        None => Finding::unknown(
            SUBJECT,
            "DKIM: not told, because the DNS does not list keys; name the mail server's with --dkim-selector",
        ),
    });
    findings
}

/// Returns the domain of a mailbox such as `Football Doubles <tickets@example.com>`.
fn domain_of_mailbox(mailbox: &str) -> Option<&str> {
    let (_, domain) = mailbox.trim_end_matches('>').rsplit_once('@')?;
    (!domain.is_empty()).then_some(domain)
}

fn open_resolver(server: Option<SocketAddr>) -> Result<TokioResolver, String> {
    let mut builder = match server {
        None => Resolver::builder_tokio().map_err(|why| why.to_string())?,
        Some(server) => {
            let mut connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()];
            for connection in &mut connections {
                connection.port = server.port();
            }
            let server = NameServerConfig::new(server.ip(), true, connections.into());
            let config = ResolverConfig::from_name_servers(vec![server]);
            Resolver::builder_with_config(config, TokioRuntimeProvider::default())
        }
    };
    let options = builder.options_mut();
    options.timeout = QUESTION_TIMEOUT;
    options.attempts = ATTEMPTS;
    builder.build().map_err(|why| why.to_string())
}

async fn text_records(resolver: &TokioResolver, name: &str) -> TextRecords {
    // The final dot makes the name absolute, so that no search domain is added.
    match resolver.txt_lookup(format!("{name}.")).await {
        Ok(found) => Ok(found
            .answers()
            .iter()
            .filter_map(|record| match &record.data {
                // The parts of a long record belong together without a space.
                RData::TXT(text) => {
                    Some(String::from_utf8_lossy(&text.txt_data.concat()).into_owned())
                }
                _ => None,
            })
            .collect()),
        Err(why) if why.is_no_records_found() => Ok(Vec::new()),
        Err(why) => Err(why.to_string()),
    }
}

fn records_of_version(records: Vec<String>, version: &str) -> Vec<String> {
    let is_of_version = |text: &String| {
        let text = text.trim_start().to_ascii_lowercase();
        let rest = text.strip_prefix(version);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ';']))
    };
    records.into_iter().filter(is_of_version).collect()
}

/// Judges the SPF record, which names the servers that may send the domain's mails.
pub fn judge_spf(domain: &str, records: TextRecords) -> Finding {
    let records = match records {
        Ok(records) => records_of_version(records, "v=spf1"),
        Err(why) => return Finding::unknown(SUBJECT, format!("SPF of {domain}: {why}")),
    };
    match records.as_slice() {
        [] => Finding::red(
            SUBJECT,
            format!("{domain} has no SPF record, so mails may be refused"),
            "publish the record that the mail provider names",
        ),
        [record]
            if record
                .split_whitespace()
                .any(|part| part == "+all" || part == "all") =>
        {
            Finding::red(
                SUBJECT,
                format!("the SPF record of {domain} lets every server send its mails"),
                "end it with -all or ~all",
            )
        }
        [_] => Finding::green(SUBJECT, format!("{domain} has an SPF record")),
        several => Finding::red(
            SUBJECT,
            format!(
                "{domain} has {} SPF records, and receivers then use none",
                several.len()
            ),
            "merge them into one",
        ),
    }
}

/// Judges the DMARC record, which says what receivers do with mails that fail the other checks.
pub fn judge_dmarc(domain: &str, records: TextRecords) -> Finding {
    let records = match records {
        Ok(records) => records_of_version(records, "v=dmarc1"),
        Err(why) => return Finding::unknown(SUBJECT, format!("DMARC of {domain}: {why}")),
    };
    let policy = |record: &String| {
        let parts = record.split(';').filter_map(|part| part.split_once('='));
        parts
            .map(|(name, value)| (name.trim(), value.trim()))
            .find(|(name, _)| *name == "p")
            .map(|(_, value)| value.to_ascii_lowercase())
    };
    match records.as_slice() {
        [record] => match policy(record).as_deref() {
            Some("quarantine" | "reject") => {
                Finding::green(SUBJECT, format!("{domain} has a DMARC record"))
            }
            Some("none") => Finding::yellow(
                SUBJECT,
                format!("the DMARC record of {domain} only reports (p=none)"),
                "set p=quarantine when the reports show only your own servers",
            ),
            _ => Finding::red(
                SUBJECT,
                format!("the DMARC record of {domain} has no policy"),
                "add p=quarantine",
            ),
        },
        [] => Finding::red(
            SUBJECT,
            format!("{domain} has no DMARC record, which large mail providers require"),
            format!("publish v=DMARC1; p=quarantine at _dmarc.{domain}"),
        ),
        several => Finding::red(
            SUBJECT,
            format!(
                "{domain} has {} DMARC records, and receivers then use none",
                several.len()
            ),
            "keep one",
        ),
    }
}

/// Judges the record with the key that verifies the signatures of mails.
pub fn judge_dkim(name: &str, records: TextRecords) -> Finding {
    let records = match records {
        Ok(records) => records,
        Err(why) => return Finding::unknown(SUBJECT, format!("DKIM at {name}: {why}")),
    };
    let key = records
        .iter()
        .flat_map(|record| record.split(';'))
        .find_map(|part| part.trim().strip_prefix("p="));
    match key {
        Some(key) if !key.trim().is_empty() => {
            Finding::green(SUBJECT, format!("a DKIM key is published at {name}"))
        }
        Some(_) => Finding::red(
            SUBJECT,
            format!("the DKIM key at {name} was revoked"),
            "publish the key that the mail provider names",
        ),
        None => Finding::red(
            SUBJECT,
            format!("no DKIM key is published at {name}"),
            "publish the key that the mail provider names",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::FindingState::{Green, Red, Unknown, Yellow};
    use super::*;

    fn texts(records: &[&str]) -> TextRecords {
        let records = records.iter().map(|record| (*record).to_owned());
        records.map(Ok).collect()
    }

    #[test]
    fn spf_must_be_one_record_that_limits_senders() {
        for (records, expected) in [
            (texts(&["v=spf1 include:mail.example -all", "other"]), Green),
            (texts(&["other", "v=spf10 x"]), Red),
            (texts(&[]), Red),
            (texts(&["v=spf1 +all"]), Red),
            (texts(&["v=spf1 -all", "v=spf1 ~all"]), Red),
            (Err("timeout".into()), Unknown),
        ] {
            let shown = format!("{records:?}");
            assert_eq!(judge_spf("a.example", records).state, expected, "{shown}");
        }
    }

    #[test]
    fn dmarc_must_be_one_record_with_a_policy() {
        for (records, expected) in [
            (
                texts(&["v=DMARC1; p=reject; rua=mailto:a@b.example"]),
                Green,
            ),
            (texts(&["v=DMARC1;p=quarantine"]), Green),
            (texts(&["v=DMARC1; p=none"]), Yellow),
            (texts(&["v=DMARC1; sp=reject"]), Red),
            (texts(&["v=DMARC1; p=none", "v=DMARC1; p=none"]), Red),
            (texts(&[]), Red),
            (Err("timeout".into()), Unknown),
        ] {
            let shown = format!("{records:?}");
            assert_eq!(judge_dmarc("a.example", records).state, expected, "{shown}");
        }
    }

    #[test]
    fn dkim_needs_a_key_that_is_not_revoked() {
        for (records, expected) in [
            (texts(&["v=DKIM1; k=rsa; p=MIGf"]), Green),
            (texts(&["p=MIGf"]), Green),
            (texts(&["v=DKIM1; p="]), Red),
            (texts(&[]), Red),
            (Err("timeout".into()), Unknown),
        ] {
            let shown = format!("{records:?}");
            assert_eq!(
                judge_dkim("s._domainkey.a.example", records).state,
                expected,
                "{shown}"
            );
        }
    }

    #[test]
    fn domain_is_read_from_the_sender() {
        let domain = domain_of_mailbox;
        assert_eq!(domain("Doubles <tickets@a.example>"), Some("a.example"));
        assert_eq!(domain("tickets@a.example"), Some("a.example"));
        assert_eq!(domain("tickets"), None);
    }
}
