//! What mails must not contain: pairs before the payment is captured, and texts of a club whose
//! e-mail address is not confirmed.

use actors::MailTransport;
use domain::OrderState;
use persistence::records::clubs::NewClub;
use persistence::stores::{Mail, OrderRecord};

use crate::MailFixture;

/// Renders the mail from the order as it was before its payment was captured. The mail must omit
/// the pairs.
#[actix_web::test]
async fn allocated_order_mail_contains_no_pair() {
    let club = MailFixture::open().await;
    let captured = club.buy(2).await;
    let mail_sender = club.mail_sender();
    let mut allocated = captured.clone();
    allocated.order.state = OrderState::Allocated;
    let write = async |to: &str, record: &OrderRecord| {
        let mail = Mail {
            id: 1,
            kind: "resend".to_string(),
            order: Some(record.order.id),
            to: to.to_string(),
            data: "{}".to_string(),
            message_id: format!("<{to}>"),
            attempts: 1,
        };
        mail_sender
            .send(&mail, Some(record))
            .await
            .expect("delivered");
        let mails = club.sandbox.mailbox().mails();
        let found = mails
            .into_iter()
            .find(|delivered| delivered.mail.to == to)
            .expect("a mail")
            .mail;
        format!("{}\n{}\n{}", found.subject, found.text, found.html)
    };
    let label = captured.tickets[0].1[0].label(club.draw);
    assert!(
        write("captured@example.com", &captured)
            .await
            .contains(&label),
        "a captured order's mail shows its tickets"
    );
    let held = write("allocated@example.com", &allocated).await;
    assert!(
        !held.contains(&label) && held.contains("2 tickets"),
        "{held}"
    );
    club.running.stop().await.expect("stopped");
}

/// The club's e-mail address may belong to another person, who must not receive the club's texts.
#[actix_web::test]
async fn mail_to_unconfirmed_address_omits_club_texts() {
    let club = MailFixture::open().await;
    let records = &club.running.state.records;
    let new = NewClub {
        name: "Win at evil".to_string(),
        email: "stranger@example.com".to_string(),
        slug: "win-at-evil".to_string(),
        ..NewClub::default()
    };
    let unconfirmed = records.create_club(&new).await.expect("a club").id;
    let order = club.buy(1).await.order.id;
    let data = format!(r#"{{"club":{unconfirmed}}}"#);
    for kind in ["connect-incomplete", "account-lost"] {
        club.queue_test_mail(kind, order, "stranger@example.com", &data)
            .await;
    }
    let mails = club.wait_for_mail_count(3).await;
    for mail in mails
        .iter()
        .filter(|mail| mail.to == "stranger@example.com")
    {
        let all = format!("{} {} {}", mail.subject, mail.text, mail.html).to_lowercase();
        assert!(
            !all.contains("evil") && all.contains("https://doubles.example.com/admin"),
            "{all}"
        );
    }
    club.running.stop().await.expect("stopped");
}

/// Between queueing and sending, the order may be refunded or the buyer may stop the mails.
#[actix_web::test]
async fn reminder_is_sent_only_while_it_is_wanted_and_true() {
    let club = MailFixture::open().await;
    let captured = club.buy(2).await;
    let state = &club.running.state;
    let mail_sender = club.mail_sender();
    let send = async |kind: &str, to: &str, record: &OrderRecord| {
        let mail = Mail {
            id: 1,
            kind: kind.to_string(),
            order: Some(record.order.id),
            to: to.to_string(),
            data: format!(r#"{{"draw":{}}}"#, club.draw),
            message_id: format!("<{to}>"),
            attempts: 1,
        };
        mail_sender.send(&mail, Some(record)).await.expect("sent");
        let mails = club.sandbox.mailbox().mails();
        mails
            .into_iter()
            .find(|delivered| delivered.mail.to == to)
            .map(|delivered| delivered.mail)
    };
    let kick_off = "kick-off-reminder";
    assert!(
        send(kick_off, "a@example.com", &captured).await.is_none(),
        "not asked for"
    );
    let wants = async |wanted| {
        let stored =
            state
                .records
                .set_order_reminder(captured.order.id, wanted, domain::Timestamp(0));
        stored.await.expect("stored");
    };
    wants(true).await;
    let sent = send(kick_off, "b@example.com", &captured)
        .await
        .expect("a mail");
    let stop = format!("/my/{}?reminder=off", captured.token);
    assert!(
        sent.subject.starts_with("Kick-off soon"),
        "{}",
        sent.subject
    );
    for part in [&sent.text, &sent.html] {
        assert!(part.contains(&stop), "{part}");
        let label = captured.tickets[0].1[0].label(club.draw);
        assert!(!part.contains(&label), "no ticket is in the mail: {part}");
    }
    let mut refunded = captured.clone();
    refunded.order.state = OrderState::Void;
    assert!(send(kick_off, "c@example.com", &refunded).await.is_none());
    assert!(
        send("result-notice", "d@example.com", &captured)
            .await
            .is_none(),
        "there is no result"
    );
    wants(false).await;
    assert!(
        send(kick_off, "e@example.com", &captured).await.is_none(),
        "stopped"
    );
    club.running.stop().await.expect("stopped");
}
