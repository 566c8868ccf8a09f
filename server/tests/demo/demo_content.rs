//! Checks the demo's content through the public API and in the database.

use std::collections::BTreeSet;
use std::path::Path;

use persistence::auditor::Auditor;
use persistence::records::Records;
use persistence::records::sessions::SessionHolder;
use persistence::{Postgres, Sealer};
use serde_json::Value;
use server::ops::database::RunningInstance;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::DemoProcess;

fn count_distinct(rows: &[Value], name: &str) -> usize {
    rows.iter()
        .map(|row| row[name].to_string())
        .collect::<BTreeSet<_>>()
        .len()
}

async fn get_list(demo: &DemoProcess, path: &str) -> Vec<Value> {
    demo.get(path).await.as_array().expect("a list").clone()
}

/// Checks the number of clubs, draws, offers, members and other objects, and the states that they
/// cover.
pub async fn check_content(demo: &DemoProcess, folder: &Path) {
    let clubs = get_list(demo, "/api/clubs/public-list").await;
    assert_eq!(clubs.len(), 3);
    let active = get_list(demo, "/api/draws/active").await;
    assert!(active.len() >= 9, "{} on sale", active.len());
    assert_eq!(
        count_distinct(&active, "clubPrimaryColor"),
        3,
        "each club has its own colour"
    );
    for (name, least) in [
        ("ticketPrice", 5),
        ("prizePercentage", 5),
        ("ticketsSold", 9),
        ("gameDate", 9),
    ] {
        assert!(
            count_distinct(&active, name) >= least,
            "too few kinds of {name}"
        );
    }
    check_kick_offs(&active);
    assert_eq!(get_list(demo, "/api/draws/awaiting-results").await.len(), 2);
    let completed = get_list(demo, "/api/draws/completed").await;
    assert!(completed.len() >= 6, "{} completed", completed.len());
    assert_eq!(
        count_distinct(&completed, "winningTicketSold"),
        2,
        "some were won, some were not"
    );
    assert_eq!(get_list(demo, "/api/footer-menus").await.len(), 2);

    let records = open_database(folder).await;
    assert!(records.waitlist().await.expect("read").len() >= 2);
    let mut states = BTreeSet::new();
    let mut offers = BTreeSet::new();
    for club in records.clubs().await.expect("read") {
        let of_club = records.bundles(club.id).await.expect("read");
        assert!(!of_club.is_empty(), "{} has no offer", club.slug);
        states.extend(of_club.iter().map(|offer| offer.status.clone()));
        offers.extend(of_club.into_iter().map(|offer| offer.kind));
    }
    assert_eq!(
        states.iter().map(String::as_str).collect::<Vec<_>>(),
        ["active", "archived", "draft", "locked"]
    );
    for role in ["seller", "viewer"] {
        let email = format!("{role}.bayside-barracudas@demo.test");
        let credentials = records.credentials(&email).await.expect("read");
        assert!(
            matches!(credentials, Some((SessionHolder::Member(member), _)) if member.role.name() == role),
            "{email}"
        );
    }
    assert_eq!(offers.len(), 2, "specials and bundles");
    let open = records.anomalies(Some(false), None).await.expect("read");
    let kinds: BTreeSet<String> = open.iter().map(|anomaly| anomaly.kind.clone()).collect();
    let demo_content = [
        "dispute",
        "duplicate_payment",
        "failed_allocation",
        "mismatched_amount",
        "missing_ticket",
        "orphaned_ticket",
    ];
    assert_eq!(
        kinds.iter().map(String::as_str).collect::<Vec<_>>(),
        demo_content
    );
    check_anomalies(folder, &records).await;
}

/// Checks what an operator needs to resolve the anomalies: payments without an order, accounts,
/// amounts, and one orphaned ticket.
async fn check_anomalies(folder: &Path, records: &Records) {
    let sign = RunningInstance::read(&folder.join("data")).expect("a sign");
    let auditor = Auditor::open(&sign.database)
        .await
        .expect("the database answers");
    assert_eq!(
        auditor.payments_without_order().await.expect("read").len(),
        4,
        "a stranger's, a second one, and two that are only shown"
    );
    let of = async |kind: &str| {
        records
            .anomalies(Some(false), Some(kind))
            .await
            .expect("read")
            .remove(0)
    };
    for kind in [
        "missing_ticket",
        "duplicate_payment",
        "dispute",
        "orphaned_ticket",
    ] {
        let anomaly = of(kind).await;
        assert!(
            anomaly.account_id.is_some() && anomaly.provider_received_cents > Some(0),
            "{anomaly:?}"
        );
    }
    assert_eq!(
        records
            .tickets_without_buyer_email()
            .await
            .expect("read")
            .len(),
        1,
        "one ticket waits for its buyer"
    );
}

/// Checks the kick-offs: one within the hour, one in 1 to 10 hours, one in 10 to 48 hours, and one
/// in 5 to 8 days.
fn check_kick_offs(active: &[Value]) {
    let now = OffsetDateTime::now_utc();
    let minutes = active.iter().map(|draw| {
        let kick_off = draw["gameDate"]
            .as_str()
            .and_then(|date| OffsetDateTime::parse(date, &Rfc3339).ok());
        (kick_off.expect("a date") - now).whole_minutes()
    });
    let mut minutes: Vec<i64> = minutes.collect();
    minutes.sort_unstable();
    assert!(minutes[0] > 0 && minutes[0] <= 60, "{minutes:?}");
    for within in [60..600, 600..2 * 24 * 60, 5 * 24 * 60..8 * 24 * 60] {
        assert!(
            minutes.iter().any(|ahead| within.contains(ahead)),
            "none in {within:?}: {minutes:?}"
        );
    }
}

/// Opens the database of the running demo directly, not through the demo's server.
async fn open_database(folder: &Path) -> Records {
    let sign =
        RunningInstance::read(&folder.join("data")).expect("a running demo writes running.json");
    let key = std::fs::read_to_string(folder.join("data/seal.key")).expect("a key");
    let sealer = Sealer::from_hex(key.trim()).expect("a key");
    Records::new(
        Postgres::connect(&sign.database, sealer)
            .await
            .expect("the database answers"),
    )
}
