//! The database contains no issued secret as clear text or as a plain SHA-256 hash (decision M-5).
//! The anchor of the audit log is mailed daily.

use serde_json::json;
use sha2::{Digest, Sha256};

use crate::support::server::{PASSWORD, eventually};
use crate::support::{Buyer, TestServer, club};

/// Returns the forms in which a column could contain a secret: as text, as bytes, or as the SHA-256
/// of either, in hexadecimal digits.
fn stored_forms_of_secret(secret: &str) -> Vec<String> {
    let bytes = hex::decode(secret).ok();
    let plain = bytes.iter().map(Vec::as_slice).chain([secret.as_bytes()]);
    let hashes = plain.map(|bytes| hex::encode(Sha256::digest(bytes)));
    hashes
        .chain([secret.to_string(), hex::encode(secret)])
        .collect()
}

fn secret_in_link(link: &str, mark: &str) -> String {
    link.split_once(mark)
        .expect("the link holds a secret")
        .1
        .to_string()
}

fn cookie_value(browser: &Buyer, name: &str) -> String {
    let cookies = browser.cookies();
    let value = cookies
        .split("; ")
        .find_map(|one| one.strip_prefix(name))
        .expect("the browser has the cookie");
    value.trim_start_matches('=').to_string()
}

/// Makes the server issue every kind of secret to buyers, clubs, members and operators. Returns
/// each with its name.
async fn issue_secrets(server: &TestServer) -> Vec<(&'static str, String)> {
    let broncos = server.create_club("broncos").await;
    let draw = server.create_draw(broncos.id).await;
    let other = server.create_draw(broncos.id).await;
    server.create_operator().await;
    let (alice, bob) = (server.alice(), server.bob());
    let (paid, bought) = alice.buy(draw, 1).await;
    let unpaid = bob.open_intent(other, 2).await;
    let mut secrets = vec![
        ("token of a paid order", paid.token().to_string()),
        ("client secret of a paid order", paid.secret().to_string()),
        ("token of an unpaid order", unpaid.token().to_string()),
        (
            "client secret of an unpaid order",
            unpaid.secret().to_string(),
        ),
        ("browser cookie", cookie_value(&alice, "fd_session")),
    ];
    alice
        .post("/api/my-tickets", json!({ "email": alice.email }))
        .await
        .ok();
    secrets.push((
        "link to tickets",
        secret_in_link(
            &server.mailed_link(&server.next_mail("my-tickets").await),
            "/my#",
        ),
    ));

    let (owner, operator) = (
        club::sign_in_as_club(server, "broncos").await,
        club::sign_in_as_operator(server).await,
    );
    secrets.push(("login cookie of a club", cookie_value(&owner, "fd_login")));
    secrets.push((
        "login cookie of an operator",
        cookie_value(&operator, "fd_login"),
    ));
    let ann = json!({ "email": "ann@example.com", "name": "Ann", "role": "seller" });
    owner
        .post(&format!("/api/clubs/{}/users", broncos.id), ann)
        .await
        .ok();
    secrets.push((
        "invitation",
        secret_in_link(
            &server.mailed_link(&server.next_mail("invitation").await),
            "token=",
        ),
    ));
    for email in ["broncos@demo.test", "operator@demo.test", "ann@example.com"] {
        server
            .bob()
            .post("/api/clubs/reset-password", json!({ "email": email }))
            .await
            .ok();
        secrets.push((
            "password reset",
            secret_in_link(
                &server.mailed_link(&server.next_mail("reset").await),
                "token=",
            ),
        ));
    }
    let storm = server.create_unconfirmed_club("storm").await;
    let browser = club::sign_in_as_club(server, "storm").await;
    browser
        .post(
            &format!("/api/clubs/{}/verification-email", storm.id),
            json!({}),
        )
        .await;
    secrets.push((
        "confirmation of an address",
        secret_in_link(
            &server.mailed_link(&server.next_mail("verify").await),
            "token=",
        ),
    ));

    let number = |name: &str| bought["tickets"][0][name].as_u64().expect("a JSON number") as u8;
    server.start_game(draw).await;
    club::enter_result(&owner, draw, number("homeNumber"), number("awayNumber"))
        .await
        .ok();
    owner
        .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
        .await
        .ok();
    secrets.push((
        "winner's link",
        secret_in_link(
            &server.mailed_link(&server.next_mail("winner").await),
            "/claim#",
        ),
    ));
    secrets.push(("password", PASSWORD.to_string()));
    secrets
}

#[actix_web::test]
async fn issued_secrets_are_never_stored_in_clear_text() {
    let server = TestServer::start().await;
    let secrets = issue_secrets(&server).await;
    assert_eq!(secrets.len(), 15, "every kind");
    let events =
        "select count(*) from webhook_events where kind like $1 and payload like '%\"object\":%'";
    eventually(
        "the provider's events of the payment are stored",
        async || {
            (server
                .database
                .query_number(events, "payment_intent.%")
                .await
                > 0)
            .then_some(())
        },
    )
    .await;
    let text = server.database.all_rows_as_text().await;
    for (name, secret) in &secrets {
        for form in stored_forms_of_secret(secret) {
            assert!(!text.contains(&form), "the {name} is stored as {form}");
        }
    }
    server.finish().await;
}

#[actix_web::test]
async fn audit_anchor_is_mailed_to_each_operator_once_a_day() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let sweep = async || server::http::housekeeping::run_periodic_tasks(&server.state).await;
    sweep().await;
    assert_eq!(
        server.count_queued_mails("audit-anchor").await,
        0,
        "an empty audit log has no anchor"
    );
    let operator = club::sign_in_as_operator(&server).await;
    operator
        .post("/api/admin/maintenance-mode", json!({ "enabled": true }))
        .await
        .ok();
    sweep().await;
    let anchor = server
        .records
        .audit_anchor()
        .await
        .expect("the read succeeds")
        .expect("an entry");
    let mail = server.next_mail("audit-anchor").await;
    assert_eq!(mail.to, "operator@demo.test");
    assert!(
        mail.data.contains(&anchor.to_string()),
        "{} names {anchor}",
        mail.data
    );

    operator
        .post("/api/admin/maintenance-mode", json!({ "enabled": false }))
        .await
        .ok();
    sweep().await;
    assert_eq!(
        server.count_queued_mails("audit-anchor").await,
        1,
        "once a day"
    );
    server.clock.advance_seconds(86_400);
    sweep().await;
    let newer = server
        .records
        .audit_anchor()
        .await
        .expect("the read succeeds")
        .expect("an entry");
    assert!(
        newer.entry > anchor.entry
            && server
                .next_mail("audit-anchor")
                .await
                .data
                .contains(&newer.to_string())
    );
    assert_eq!(server.count_queued_mails("audit-anchor").await, 2);
    assert_eq!(
        server.records.audit_log_contains_anchor(&anchor).await,
        Ok(true),
        "yesterday's anchor is still valid"
    );
    server.finish().await;
}
