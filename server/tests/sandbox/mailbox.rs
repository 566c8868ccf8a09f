use sandbox::SandboxOptions;
use sandbox::mailbox::MailMessage;
use serde_json::Value;

use crate::support::{SandboxProvider, TempDir};

fn rendered_mail(to: &str, kind: &str) -> MailMessage {
    MailMessage {
        to: to.to_owned(),
        from: "tickets@demo.test".to_owned(),
        subject: format!("Your tickets, {to}"),
        text: "Hello".to_owned(),
        html: "<p>Hello</p>".to_owned(),
        message_id: format!("<{to}@demo.test>"),
        kind: kind.to_owned(),
        ..MailMessage::default()
    }
}

#[actix_web::test]
async fn mails_are_newest_first_and_survive_a_restart() {
    let dir = TempDir::new();
    let provider = SandboxProvider::open(Some(dir.0.clone()), SandboxOptions::default());
    provider
        .sandbox
        .mailbox()
        .deliver(rendered_mail("alice@demo.test", "order-confirmation"))
        .unwrap();
    provider
        .sandbox
        .mailbox()
        .deliver(rendered_mail("bob@demo.test", "winner"))
        .unwrap();
    provider.stop().await;
    let provider = SandboxProvider::open(Some(dir.0.clone()), SandboxOptions::default());
    let list: Value = provider
        .fetch_sandbox_page("mailbox.json")
        .await
        .json()
        .await
        .unwrap();
    assert_eq!(list["total"], 2);
    assert_eq!(list["messages"][0]["to"], "bob@demo.test");
    let alices: Value = provider
        .fetch_sandbox_page("mailbox.json?to=alice@demo.test")
        .await
        .json()
        .await
        .unwrap();
    assert_eq!(alices["messages"].as_array().unwrap().len(), 1);
    assert_eq!(alices["messages"][0]["html"], "<p>Hello</p>");
    let newer: Value = provider
        .fetch_sandbox_page("mailbox.json?after=1&kind=winner")
        .await
        .json()
        .await
        .unwrap();
    assert_eq!(newer["messages"][0]["id"], 2);
}
