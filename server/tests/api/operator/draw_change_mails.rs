//! The mails about a cancelled draw and a moved kick-off, from the commit that changes the draw.

use domain::Timestamp;
use persistence::stores::Mail;
use reqwest::Method;
use serde_json::{Value, json};
use server::api::time_format::rfc3339;

use crate::support::{TestServer, club};

/// Mails in any order. The mailer sends the mails of one change at the same time.
struct ReceivedMails<'a> {
    server: &'a TestServer,
    others: Vec<Mail>,
}

impl ReceivedMails<'_> {
    fn of(server: &TestServer) -> ReceivedMails<'_> {
        ReceivedMails {
            server,
            others: Vec::new(),
        }
    }

    /// Waits for a mail of this kind and keeps mails of other kinds for later.
    async fn next(&mut self, kind: &str) -> Mail {
        if let Some(index) = self.others.iter().position(|mail| mail.kind == kind) {
            return self.others.remove(index);
        }
        loop {
            let mail = self.server.next_mail_of_any_kind().await;
            if mail.kind == kind {
                return mail;
            }
            self.others.push(mail);
        }
    }
}

fn mail_data(data: &str) -> Value {
    serde_json::from_str(data).expect("the mail's data are JSON")
}

#[actix_web::test]
async fn cancelled_draw_mails_club_with_reason_once() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    server.alice().buy(draw, 2).await;
    let cancellation = json!({ "reason": "Abandoned: storm", "drawNumber": draw.0 });
    let cancel = format!("/api/admin/draws/{draw}/cancel");
    operator.post(&cancel, cancellation.clone()).await.ok();
    operator.post(&cancel, cancellation).await;
    let mail = server.next_mail("draw-cancelled").await;
    assert_eq!(mail.to, "broncos@demo.test");
    assert_eq!(
        mail_data(&mail.data),
        json!({ "draw": draw.0, "reason": "Abandoned: storm" })
    );
    assert_eq!(server.count_queued_mails("draw-cancelled").await, 1);
    assert_eq!(
        server
            .state
            .records
            .cancellation_reason(draw)
            .await
            .expect("the read succeeds")
            .as_deref(),
        Some("Abandoned: storm")
    );
    server.finish().await;
}

#[actix_web::test]
async fn moved_kick_off_mails_each_holder_and_club_once_per_move() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    let alice = server.alice();
    alice.buy(draw, 2).await;
    alice.buy(draw, 1).await;
    let mut mails = ReceivedMails::of(&server);
    let edit = async |form: Value| {
        operator
            .call(Method::PATCH, &format!("/api/draws/{draw}"), Some(&form))
            .await
            .ok()
    };
    let before = server
        .engine
        .draws
        .view(draw)
        .await
        .expect("a view")
        .closes_at;
    // A kick-off is sent without milliseconds.
    let after = Timestamp(server.now().0 / 1000 * 1000).plus_seconds(9 * 86_400);
    edit(json!({ "gameDate": rfc3339(after), "reason": "Rain" })).await;
    let expected =
        json!({ "draw": draw.0, "reason": "Rain", "before": before.0, "after": after.0 });
    for (kind, to) in [
        ("kick-off-moved", alice.email),
        ("kick-off-moved-club", "broncos@demo.test"),
    ] {
        let mail = mails.next(kind).await;
        assert_eq!(
            (mail.to.as_str(), mail_data(&mail.data)),
            (to, expected.clone())
        );
    }
    let counts = async || {
        [
            server.count_queued_mails("kick-off-moved").await,
            server.count_queued_mails("kick-off-moved-club").await,
        ]
    };
    assert_eq!(
        counts().await,
        [1, 1],
        "a buyer with two orders gets one mail"
    );
    edit(json!({ "contactName": "Sam", "reason": "New contact" })).await;
    assert_eq!(counts().await, [1, 1], "another edit is no move");
    edit(json!({ "gameDate": rfc3339(before), "reason": "Sun" })).await;
    assert_eq!(counts().await, [2, 2], "the next move is mailed too");
    server.finish().await;
}
