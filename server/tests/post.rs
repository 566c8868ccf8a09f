//! Mails from the outbox table to the mailbox. A complete server sends them after a purchase.

use std::sync::Arc;
use std::time::Duration;

use actors::SystemClock;
use domain::order::LineRequest;
use domain::{
    AccountId, Cents, Command, DrawId, FeePolicy, GameResult, OrderId, Serial, Status, Terms,
};
use persistence::records::audit::AuditAction;
use persistence::records::clubs::NewClub;
use persistence::records::draws::DrawToCreate;
use persistence::stores::OrderRecord;
use persistence::testing::TestDatabase;
use sandbox::mailbox::MailMessage;
use sandbox::{Sandbox, SandboxOptions};
use server::app::{self, Provider, RunningServer, ServerParts};
use server::cli::demo::buyers::{self, PlannedOrder};
use server::cli::demo::seed::SellingClub;
use server::config::{Config, Environment};
use server::render::mail_sender::{DeliveryMethod, MailSender};
use server::render::web_build::WebBuild;

mod post {
    mod withheld_content;
}

/// Maximum time until a mail has arrived in the mailbox.
const MAIL_TIMEOUT: Duration = Duration::from_secs(30);
const HOUR_MS: i64 = 3_600_000;

struct MailFixture {
    running: RunningServer,
    sandbox: Arc<Sandbox>,
    seller: SellingClub,
    draw: DrawId,
    _database: TestDatabase,
}

impl MailFixture {
    async fn open() -> MailFixture {
        let database = persistence::testing::database().await;
        let sandbox = Sandbox::open(None, SandboxOptions::default()).expect("a sandbox");
        let environment =
            Environment::from_pairs([("PORT", "0"), ("PUBLIC_URL", "https://doubles.example.com")]);
        let parts = ServerParts {
            config: Config::for_demo(&environment).expect("the demo needs nothing"),
            postgres: database.postgres().await,
            clock: Arc::new(SystemClock),
            site: Arc::new(WebBuild::default()),
            provider: Provider::Sandbox(sandbox.clone()),
        };
        let running = app::start(parts).await.expect("a server");
        let records = &running.state.records;
        let new = NewClub {
            name: "Redcliffe Sharks".to_string(),
            email: "sharks@example.com".to_string(),
            slug: "sharks".to_string(),
            ..NewClub::default()
        };
        let club = records.create_club(&new).await.expect("a club").id;
        let account = AccountId("acct_sharks".to_string());
        sandbox
            .ensure_account(&account.0, "Redcliffe Sharks")
            .expect("no journal");
        records
            .connect_account(club, &account)
            .await
            .expect("connected");
        let (token_hash, now) = ([1; 32], running.state.clock.now());
        records
            .begin_email_verification(club, &token_hash, now.plus_ms(HOUR_MS))
            .await
            .expect("begun");
        assert!(
            records
                .finish_email_verification(&token_hash, now)
                .await
                .expect("confirmed")
        );
        running.state.catalogue.reload().await.expect("read");
        let new = DrawToCreate {
            club,
            league: Some("Queensland Cup".to_string()),
            home_team: "Redcliffe Sharks".to_string(),
            away_team: "Wynnum Tigers".to_string(),
            zone: "Australia/Brisbane".to_string(),
            kick_off: now.plus_ms(HOUR_MS),
            opens_at: None,
            price: Cents(500),
            prize_percentage: 50,
            round_up_prize: false,
            pass_card_fee: true,
            fee_policy: FeePolicy::DEFAULT,
            contact_name: "Sam".to_string(),
            contact_phone: "0400 000 000".to_string(),
        };
        let draw = records.create_draws(&[new]).await.expect("a draw")[0];
        MailFixture {
            seller: SellingClub { club, account },
            running,
            sandbox,
            draw,
            _database: database,
        }
    }

    /// Returns a mail sender beside the server's, which sends a mail at once to the mailbox.
    fn mail_sender(&self) -> MailSender {
        let state = &self.running.state;
        let sender = MailSender::new(
            state.config.clone(),
            state.records.clone(),
            DeliveryMethod::Mailbox(self.sandbox.clone()),
            Arc::new(SystemClock),
        );
        sender.set_catalogue(state.catalogue.clone());
        sender
    }

    async fn buy(&self, count: u16) -> OrderRecord {
        let wanted = LineRequest {
            draw: self.draw,
            count,
            unit_price: Cents(500),
            passes_card_fee: true,
        };
        let wish = PlannedOrder {
            seller: self.seller.clone(),
            wanted,
            buyer: Some("Alice Nguyen"),
        };
        buyers::place_order(&self.running.engine.payments, wish)
            .await
            .expect("bought")
    }

    /// Waits for this many mails.
    async fn wait_for_mail_count(&self, count: usize) -> Vec<MailMessage> {
        let arrived = async {
            loop {
                let mails = self.sandbox.mailbox().mails();
                if mails.len() >= count {
                    return mails.into_iter().map(|delivered| delivered.mail).collect();
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(MAIL_TIMEOUT, arrived)
            .await
            .expect("the mails arrive")
    }

    /// Moves the draw's kick-off to 300 ms from now, and waits until the draw has closed.
    async fn close_draw_at_kick_off(&self) {
        let terms = Terms {
            price: Cents(500),
            prize_percentage: 50,
            round_up_prize: false,
            opens_at: None,
            closes_at: self.running.state.clock.now().plus_ms(300),
        };
        let draws = &self.running.engine.draws;
        draws
            .execute(self.draw, Command::amend_command_of_club(terms), None)
            .await
            .expect("amended");
        let mut watched = draws.watch(self.draw).await.expect("watched");
        let closed = watched.wait_for(|view| view.status != Status::Active);
        tokio::time::timeout(MAIL_TIMEOUT, closed)
            .await
            .expect("the draw closes")
            .expect("still watched");
    }

    /// Enters a result for which the ticket with this serial number wins.
    async fn enter_result_for(&self, serial: Serial) {
        let draws = &self.running.engine.draws;
        let (_, cell) = draws.cells(self.draw, &[serial]).await.expect("own pairs")[0];
        let result = GameResult::new(cell.home(), cell.away()).expect("a result");
        draws
            .execute(self.draw, Command::Complete { result }, None)
            .await
            .expect("completed");
    }

    async fn queue_test_mail(&self, kind: &str, order: OrderId, to: &str, data: &str) {
        let outbox = &self.running.engine.outbox;
        assert!(
            outbox
                .queue_mail_now(&format!("{kind}:{to}"), kind, Some(order), to, data)
                .await
                .expect("queued")
        );
    }
}

#[actix_web::test]
async fn ticket_mail_contains_own_numbers_and_club_address() {
    let club = MailFixture::open().await;
    let order = club.buy(2).await;
    let mail = club.wait_for_mail_count(1).await.remove(0);
    assert!(
        mail.subject.starts_with("2 tickets – Sharks v Tigers, "),
        "{}",
        mail.subject
    );
    assert_eq!(mail.to, "alice.nguyen@example.com");
    assert_eq!(mail.reply_to.as_deref(), Some("sharks@example.com"));
    assert!(mail.message_id.contains('@') && !mail.message_id.contains('<'));
    let (_, serials) = &order.tickets[0];
    let cells = club
        .running
        .engine
        .draws
        .cells(club.draw, serials)
        .await
        .expect("own pairs");
    for (serial, cell) in cells {
        let line = format!(
            "{}   {} / {}",
            serial.label(club.draw),
            cell.home(),
            cell.away()
        );
        assert!(
            mail.text.contains(&line),
            "{line} is missing in\n{}",
            mail.text
        );
    }
    let link = format!("https://doubles.example.com/my/{}", order.token);
    for words in [
        link.as_str(),
        "Queensland Cup",
        "AEST",
        "Total $10.47",
        "payment processing fees $0.47",
    ] {
        assert!(
            mail.text.contains(words) && mail.html.contains(words),
            "{words} is missing in\n{}",
            mail.text
        );
    }
    club.running.stop().await.expect("stopped");
}

#[actix_web::test]
async fn audit_anchor_mail_names_the_command_that_checks_it() {
    let club = MailFixture::open().await;
    let outbox = &club.running.engine.outbox;
    let data = r#"{"anchor":"42:9f","date":"2026-11-24"}"#;
    assert!(
        outbox
            .queue_mail_now("anchor", "audit-anchor", None, "operator@example.com", data)
            .await
            .expect("queued")
    );
    let mail = club.wait_for_mail_count(1).await.remove(0);
    assert_eq!(
        (mail.to.as_str(), mail.subject.as_str()),
        ("operator@example.com", "Audit log anchor of 2026-11-24")
    );
    let command = "server audit --anchor 42:9f";
    assert!(
        mail.text.contains(command) && mail.html.contains(command),
        "{}",
        mail.text
    );
    club.running.stop().await.expect("stopped");
}

#[actix_web::test]
async fn winner_is_mailed_the_prize_and_a_correction() {
    let club = MailFixture::open().await;
    let order = club.buy(3).await;
    let serial = order.tickets[0].1[1];
    let draws = &club.running.engine.draws;
    let (_, cell) = draws.cells(club.draw, &[serial]).await.expect("own pairs")[0];
    let result = GameResult::new(cell.home(), cell.away()).expect("a result");
    draws
        .execute(club.draw, Command::Complete { result }, None)
        .await
        .expect("completed");
    let data = format!(r#"{{"draw":{},"serial":{}}}"#, club.draw, serial.number());
    club.queue_test_mail("winner", order.order.id, "alice.nguyen@example.com", &data)
        .await;
    club.queue_test_mail(
        "correction",
        order.order.id,
        "alice.nguyen@example.com",
        &data,
    )
    .await;
    // Nothing is sent to the placeholder address of a buyer who gave no address. The mail counts as
    // sent.
    club.queue_test_mail("winner", order.order.id, "no-email+7@invalid", &data)
        .await;
    let mails = club.wait_for_mail_count(3).await;
    let of = |kind: &str| {
        mails
            .iter()
            .find(|mail| mail.kind == kind)
            .unwrap_or_else(|| panic!("no {kind}"))
            .clone()
    };
    let winner = of("winner");
    assert_eq!(
        winner.subject,
        "You won $7.50 – Redcliffe Sharks v Wynnum Tigers"
    );
    for words in [
        "Congratulations Alice Nguyen",
        &serial.label(club.draw),
        "within 7 days",
    ] {
        assert!(
            winner.text.contains(words),
            "{words} is missing in\n{}",
            winner.text
        );
    }
    assert!(of("correction").text.contains("no longer holds"));
    assert!(mails.iter().all(|mail| !mail.to.ends_with("@invalid")));
    club.running.stop().await.expect("stopped");
}

/// Checks the text part and the HTML part of a mail: both contain `words`, and neither contains
/// markup of the other.
#[track_caller]
fn assert_mail_parts_readable(mail: &MailMessage, words: &[&str]) {
    let kind = mail.kind.as_str();
    assert!(
        (1..=50).contains(&mail.subject.chars().count()),
        "{kind}: {}",
        mail.subject
    );
    for word in words {
        assert!(
            mail.text.contains(word),
            "{kind}: {word} is missing in\n{}",
            mail.text
        );
        assert!(
            mail.html.contains(word),
            "{kind}: {word} is missing in\n{}",
            mail.html
        );
    }
    for needed in ["lang=\"en-AU\"", "<h1", "color-scheme", "max-width:600px"] {
        assert!(mail.html.contains(needed), "{kind}: {needed} is missing");
    }
    for absent in ["<img", "<script", "background-image", "{{", "None"] {
        assert!(
            !mail.html.contains(absent) && !mail.text.contains(absent),
            "{kind}: {absent}"
        );
    }
    assert!(
        !mail.text.contains('<'),
        "{kind}: markup in the text\n{}",
        mail.text
    );
    // Every long line of the text part is also in the HTML part, except in mails with a receipt,
    // which is an HTML table.
    let lines = mail
        .text
        .lines()
        .map(str::trim)
        .filter(|_| !["tickets", "resend"].contains(&kind));
    for line in lines.filter(|line| {
        line.len() > 40 && !line.contains("https://") && !line.starts_with("Questions?")
    }) {
        let escaped = line.replace('&', "&#38;").replace('\'', "&#39;");
        let start: String = escaped.chars().take(40).collect();
        assert!(
            mail.html.contains(&start),
            "{kind}: {start:?} stands in the text only\n{}",
            mail.html
        );
    }
}

/// Kind of mail, recipient, stored data, and words that both parts of the mail must contain.
type MailCase = (&'static str, &'static str, String, &'static [&'static str]);

/// Returns the test cases for the mails to a winner about bank details.
fn bank_detail_mail_cases(draw: DrawId) -> [MailCase; 2] {
    let data = format!(r#"{{"draw":{draw},"account":"••••321","by":"club"}}"#);
    let changed = &["entered the account ••••321", "write to us at once"];
    let proposed = &["to the account ••••321 instead", "within 7 days"];
    [
        ("winner-bank", "i@example.com", data.clone(), changed),
        ("winner-bank-proposed", "j@example.com", data, proposed),
    ]
}

/// Sends every kind of mail with the data that it needs. Checks both parts of each.
#[actix_web::test]
async fn every_mail_has_equal_text_and_html_without_images() {
    let club = MailFixture::open().await;
    let order = club.buy(2).await;
    let serial = order.tickets[0].1[0];
    let draws = &club.running.engine.draws;
    let (_, cell) = draws.cells(club.draw, &[serial]).await.expect("own pairs")[0];
    let result = GameResult::new(cell.home(), cell.away()).expect("a result");
    draws
        .execute(club.draw, Command::Complete { result }, None)
        .await
        .expect("completed");
    let link = |to: &str, path: &str| {
        let link = format!("https://doubles.example.com/{path}");
        server::render::mail_sender::sealed_link(&club.running.state.records, to, &link)
    };
    let (draw, seller, number) = (club.draw, club.seller.club, serial.number());
    let sharks = "sharks@example.com";
    let sealed = link("g@example.com", "reset-password?invited=1&token=1");
    let invitation =
        format!(r#"{{"name":"Ann","club":{seller},"role":"seller","sealedLink":"{sealed}"}}"#);
    let mut mails_to_check: Vec<MailCase> = vec![
        (
            "resend",
            "a@example.com",
            "{}".into(),
            &["2 tickets, paid", "/my/"],
        ),
        (
            "refunded",
            "b@example.com",
            "{}".into(),
            &["Refund of $10.47", "5 to 10 business days", "/my/"],
        ),
        (
            "refund-pending",
            "c@example.com",
            "{}".into(),
            &["Refund of $10.47 requested", "not been sent yet", "/my/"],
        ),
        (
            "refund-failed",
            "d@example.com",
            "{}".into(),
            &["refund of $10.47 did not arrive", "still owed", "/my/"],
        ),
        (
            "refund-failed-operator",
            "operator@example.com",
            "{}".into(),
            &[
                "A refund of $10.47 failed",
                "owed it",
                "/admin/payment-monitoring",
            ],
        ),
        (
            "not-charged",
            "h@example.com",
            "{}".into(),
            &["not been charged", "no more tickets on sale", "/my/"],
        ),
        (
            "disputed",
            sharks,
            "{}".into(),
            &[
                "wants back the payment of $10.47",
                "stay valid",
                "/club/sharks/admin",
            ],
        ),
        (
            "inquiry",
            sharks,
            "{}".into(),
            &[
                "asks about the payment of $10.47",
                "No money was taken",
                "/club/sharks/admin",
            ],
        ),
        (
            "winner",
            "c@example.com",
            format!(
                r#"{{"draw":{draw},"serial":{number},"until":1795165800000,"sealedLink":"{}"}}"#,
                link("c@example.com", "claim#abc")
            ),
            &["You won $5.00", "/claim#abc"],
        ),
        (
            "correction",
            "d@example.com",
            format!(r#"{{"draw":{draw}}}"#),
            &["no longer holds"],
        ),
        (
            "winner-details",
            sharks,
            format!(r#"{{"draw":{draw}}}"#),
            &["no mail holds them"],
        ),
        (
            "draw-cancelled",
            sharks,
            format!(r#"{{"draw":{draw},"reason":"Storm damage"}}"#),
            &["Redcliffe Sharks v Wynnum Tigers", "Reason: Storm damage"],
        ),
        (
            "kick-off-moved",
            "k@example.com",
            format!(
                r#"{{"draw":{draw},"reason":"Rain","before":1795165800000,"after":1795252200000}}"#
            ),
            &["now kicks off on", "Reason: Rain", "stay valid", "/my/"],
        ),
        (
            "kick-off-moved-club",
            sharks,
            format!(
                r#"{{"draw":{draw},"reason":null,"before":1795165800000,"after":1795252200000}}"#
            ),
            &["now kicks off on", "was told"],
        ),
        (
            "results-due",
            sharks,
            format!(r#"{{"draw":{draw}}}"#),
            &["enter the result"],
        ),
        (
            "results-submitted",
            sharks,
            format!(r#"{{"draw":{draw}}}"#),
            &["The result is in"],
        ),
        (
            "connect-incomplete",
            sharks,
            format!(r#"{{"club":{seller}}}"#),
            &["Connect your payment account"],
        ),
        (
            "account-lost",
            sharks,
            format!(r#"{{"club":{seller}}}"#),
            &["needs attention", "not on sale until"],
        ),
        (
            "reset",
            sharks,
            format!(
                r#"{{"name":"Sharks","sealedLink":"{}"}}"#,
                link(sharks, "reset-password?token=1")
            ),
            &[
                "Hello Sharks.",
                "once, for 30 minutes",
                "Choose a new password",
                "/reset-password?token=1",
            ],
        ),
        (
            "verify",
            sharks,
            format!(
                r#"{{"name":"Sharks","sealedLink":"{}"}}"#,
                link(sharks, "verify-email?token=1")
            ),
            &[
                "Confirm this address",
                "for seven days",
                "/verify-email?token=1",
            ],
        ),
        (
            "invitation",
            "g@example.com",
            invitation,
            &["Hello Ann.", "Sharks", "as a seller", "for 72 hours"],
        ),
        (
            "my-tickets",
            "f@example.com",
            format!(r#"{{"sealedLink":"{}"}}"#, link("f@example.com", "my#abc")),
            &["for 24 hours", "See my tickets", "/my#abc"],
        ),
        (
            "waitlist",
            "e@example.com",
            r#"{"name":"Sam"}"#.into(),
            &["Hello Sam.", "You are on the waitlist"],
        ),
    ];
    mails_to_check.extend(bank_detail_mail_cases(draw));
    for (kind, to, data, _) in &mails_to_check {
        club.queue_test_mail(kind, order.order.id, to, data).await;
    }
    let mails = club.wait_for_mail_count(mails_to_check.len() + 1).await;
    let tickets: MailCase = (
        "tickets",
        "",
        String::new(),
        &["2 tickets, paid", "Total $10.47", "calendar.ics"],
    );
    for (kind, _, _, words) in mails_to_check.iter().chain([&tickets]) {
        let mail = mails
            .iter()
            .find(|mail| mail.kind == *kind)
            .unwrap_or_else(|| panic!("no {kind}"));
        assert_mail_parts_readable(mail, words);
    }
    club.running.stop().await.expect("stopped");
}

#[actix_web::test]
async fn refund_of_cancelled_draw_names_game_and_reason() {
    let club = MailFixture::open().await;
    let order = club.buy(2).await;
    let (actor, object) = ("operator 1", format!("draw:{}", club.draw));
    let entry = AuditAction {
        actor,
        club: Some(club.seller.club),
        action: "cancel-draw",
        object: &object,
        ip: None,
    }
    .entry(serde_json::json!({ "reason": "Abandoned: storm" }));
    club.running
        .engine
        .payments
        .with_audit_entry(entry)
        .cancel_draw(club.draw, "Abandoned: storm")
        .await
        .expect("cancelled");
    let mails = club.wait_for_mail_count(3).await;
    let refund = mails
        .iter()
        .find(|mail| mail.kind.starts_with("refund"))
        .expect("a mail about the refund");
    assert_eq!(Some(&refund.to), order.buyer.email.as_ref());
    let words = [
        "The draw for Redcliffe Sharks v Wynnum Tigers on ",
        "was cancelled. Reason: Abandoned: storm",
    ];
    assert_mail_parts_readable(refund, &words);
    club.running.stop().await.expect("stopped");
}

/// A mail describes the situation when it is sent. Here the draw is still open, because its game is
/// ahead.
#[actix_web::test]
async fn not_charged_and_dispute_mails_reflect_an_open_draw() {
    let club = MailFixture::open().await;
    let order = club.buy(2).await;
    club.queue_test_mail("not-charged", order.order.id, "h@example.com", "{}")
        .await;
    club.queue_test_mail("disputed", order.order.id, "sharks@example.com", "{}")
        .await;
    let mails = club.wait_for_mail_count(3).await;
    let of = |kind: &str| {
        mails
            .iter()
            .find(|mail| mail.kind == kind)
            .unwrap_or_else(|| panic!("no {kind}"))
    };
    let page = format!("https://doubles.example.com/draw/{}\n", club.draw);
    let expected_words = [
        "Alice Nguyen",
        "$10.47 for 2 tickets in Redcliffe Sharks v Wynnum Tigers",
        "still on sale",
    ];
    assert_mail_parts_readable(of("not-charged"), &expected_words);
    assert!(
        of("not-charged").text.contains(&page),
        "{}",
        of("not-charged").text
    );
    assert_eq!(
        of("not-charged").subject,
        "You have not been charged – Sharks v Tigers"
    );
    assert_eq!(
        of("not-charged").reply_to.as_deref(),
        Some("sharks@example.com")
    );
    assert_mail_parts_readable(
        of("disputed"),
        &[
            "Hello Redcliffe Sharks",
            "own Stripe account",
            "no longer valid",
        ],
    );
    for personal in ["Alice", "alice.nguyen"] {
        assert!(
            !of("disputed").text.contains(personal) && !of("disputed").html.contains(personal),
            "{personal}"
        );
    }
    club.running.stop().await.expect("stopped");
}

/// The result can still be undone, and the draw is then on sale again. Therefore the mail must not
/// tell the club a ticket's pair (decision E-6).
#[actix_web::test]
async fn early_result_mail_hides_the_winning_ticket() {
    let club = MailFixture::open().await;
    let order = club.buy(1).await;
    let serial = order.tickets[0].1[0];
    club.enter_result_for(serial).await;
    let about = format!(r#"{{"draw":{}}}"#, club.draw);
    club.queue_test_mail(
        "results-submitted",
        order.order.id,
        "sharks@example.com",
        &about,
    )
    .await;
    let mails = club.wait_for_mail_count(2).await;
    let mail = mails
        .iter()
        .find(|mail| mail.kind == "results-submitted")
        .expect("the club's mail");
    assert_mail_parts_readable(mail, &["Which ticket wins is shown after kick-off"]);
    for telling in [serial.label(club.draw).as_str(), "wins $", "was not sold"] {
        assert!(
            !mail.text.contains(telling) && !mail.html.contains(telling),
            "{telling} in\n{}",
            mail.text
        );
    }
    club.running.stop().await.expect("stopped");
}

#[actix_web::test]
async fn club_is_mailed_due_result_entered_result_and_winner_details() {
    let club = MailFixture::open().await;
    let order = club.buy(1).await;
    let serial = order.tickets[0].1[0];
    club.close_draw_at_kick_off().await;
    club.enter_result_for(serial).await;
    let about = format!(r#"{{"draw":{}}}"#, club.draw);
    for kind in ["results-due", "results-submitted", "winner-details"] {
        club.queue_test_mail(kind, order.order.id, "sharks@example.com", &about)
            .await;
    }
    let connect = format!(r#"{{"club":{}}}"#, club.seller.club);
    club.queue_test_mail(
        "connect-incomplete",
        order.order.id,
        "sharks@example.com",
        &connect,
    )
    .await;
    let link = "https://doubles.example.com/claim#abc";
    let sealed = server::render::mail_sender::sealed_link(
        &club.running.state.records,
        "alice.nguyen@example.com",
        link,
    );
    let winner = format!(
        r#"{{"draw":{},"serial":{},"until":1795165800000,"sealedLink":"{sealed}"}}"#,
        club.draw,
        serial.number()
    );
    club.queue_test_mail(
        "winner",
        order.order.id,
        "alice.nguyen@example.com",
        &winner,
    )
    .await;
    // The buyer's tickets, the moved kick-off to the buyer and to the club, and the five above.
    let mails = club.wait_for_mail_count(8).await;
    let results = format!("https://doubles.example.com/admin/results/{}", club.draw);
    let result = format!(
        "The result: https://doubles.example.com/draw/{}\n",
        club.draw
    );
    let won = mails
        .iter()
        .find(|mail| mail.kind == "winner")
        .expect("the winner's mail");
    assert!(won.text.contains(&result), "{}", won.text);
    for mail in &mails {
        // Every URL in the HTML part must be a link that can be clicked.
        let body = mail.html.split("</head>").nth(1).expect("a body");
        let body: String = body
            .split("<a href=")
            .map(|part| part.split_once("</a>").map_or(part, |(_, rest)| rest))
            .collect();
        assert!(
            !body.contains("https://") && !body.contains('@'),
            "{} holds a plain address:\n{}",
            mail.kind,
            mail.html
        );
    }
    let label = serial.label(club.draw);
    for (kind, words) in [
        (
            "results-due",
            vec!["The game has finished", "1 ticket was sold", &results],
        ),
        (
            "results-submitted",
            vec!["The result is in", &label, "wins $2.50", &results],
        ),
        (
            "winner-details",
            vec!["The prize of $2.50 can be paid now", &results],
        ),
        (
            "connect-incomplete",
            vec![
                "Connect your payment account",
                "https://doubles.example.com/club/sharks/admin",
            ],
        ),
        (
            "winner",
            vec![
                "Claim your prize",
                link,
                "Fri 20 Nov 2026, 7:10 pm AEST",
                "Sam, 0400 000 000",
            ],
        ),
    ] {
        let mail = mails
            .iter()
            .find(|mail| mail.kind == kind)
            .unwrap_or_else(|| panic!("no {kind}"));
        assert!(mail.subject.chars().count() <= 50, "{}", mail.subject);
        for word in words {
            assert!(
                mail.text.contains(word) && mail.html.contains(word),
                "{word} is missing in\n{}",
                mail.text
            );
        }
        assert!(!mail.html.contains("<img"), "reads well without images");
    }
    club.running.stop().await.expect("stopped");
}
