//! A club's money, to the cent, against what the provider says.

use domain::{Cents, DrawId};
use serde_json::{Value, json};

use crate::support::buyer::{Intent, items};
use crate::support::server::eventually;
use crate::support::{Buyer, TestServer, club};

pub fn cents(value: &Value) -> i64 {
    Cents::parse(value.as_str().expect("an amount").trim_start_matches('-'))
        .expect("dollars")
        .0
}

async fn buys_cart(buyer: &Buyer, lines: &[(DrawId, u16)]) {
    let intent = Intent {
        body: buyer.ask_for_cart(lines).await.ok(),
    };
    buyer.authorise(&intent).await;
    let body = json!({ "items": items(lines), "buyer": buyer.details(), "paymentIntentId": intent.id(),
        "ageConfirmation": true, "termsAgreement": true });
    assert_eq!(
        buyer.post("/api/purchase-cart", body).await.ok()["status"],
        "succeeded"
    );
}

/// Two draws of one club with carts over both, a passed-on card fee on one, and a cap that is reached on neither.
pub async fn season(server: &TestServer) -> (DrawId, DrawId, Buyer) {
    let broncos = server.club("broncos").await;
    let one = server
        .draw_with(broncos.id, |new| new.pass_card_fee = true)
        .await;
    let two = server.draw_with(broncos.id, |new| {
        new.price = Cents(730);
        new.home_team = "Sharks".into();
    });
    let two = two.await;
    server.alice().buys(one, 3).await;
    server.bob().buys(two, 2).await;
    server.alice().buys(two, 1).await;
    buys_cart(&server.bob(), &[(one, 1), (two, 4)]).await;
    (one, two, club::club(server, "broncos").await)
}

#[actix_web::test]
async fn what_the_dashboard_says_is_what_the_provider_says() {
    let server = TestServer::start().await;
    let (one, two, browser) = season(&server).await;
    let of = async |draw: DrawId| {
        browser
            .get(&format!("/api/draws/{draw}/financials"))
            .await
            .ok()
    };
    let known = async || {
        let (one, two) = (of(one).await, of(two).await);
        (one["feesEstimated"] == false && two["feesEstimated"] == false).then_some((one, two))
    };
    let (first, second) = eventually("the provider's fees are known", known).await;
    assert_eq!(
        (&first["soldTickets"], &second["soldTickets"]),
        (&json!(4), &json!(7))
    );
    assert_eq!(
        (&first["totalRevenue"], &second["totalRevenue"]),
        (&json!("20.00"), &json!("51.10"))
    );
    assert_eq!(
        (
            &first["actualTransactionCount"],
            &second["actualTransactionCount"]
        ),
        (&json!(2), &json!(3))
    );
    let sum = |field: &str| cents(&first[field]) + cents(&second[field]);
    let ledger = server.sandbox.ledger();
    let account = &ledger["accounts"]["acct_broncos"];
    let theirs = |field: &str| account[field].as_i64().expect("cents");
    assert_eq!(
        sum("totalRevenue") + sum("cardFeesPaidByBuyers"),
        theirs("captured"),
        "{ledger}"
    );
    assert_eq!(sum("actualStripeFees"), theirs("stripe_fees"), "{ledger}");
    assert_eq!(sum("platformFee"), theirs("fees"), "{ledger}");
    assert_eq!(
        sum("clubRevenue"),
        theirs("captured") - theirs("stripe_fees") - theirs("fees"),
        "{ledger}"
    );
    for draw in [&first, &second] {
        assert_eq!(
            cents(&draw["clubProfit"]),
            cents(&draw["clubRevenue"]) - cents(&draw["prizePool"])
        );
    }
    let id = browser.get("/api/admin/whoami").await.ok()["user"]["id"].clone();
    let stats = browser.get(&format!("/api/clubs/{id}/stats")).await.ok();
    assert_eq!(cents(&stats["totalRevenue"]), sum("totalRevenue"));
    assert_eq!(cents(&stats["clubProfit"]), sum("clubProfit"));
    assert_eq!(stats["ticketsSold"], 11);
    assert_eq!(
        stats["draws"],
        json!({ "active": 2, "awaiting": 0, "completed": 0 })
    );
    server.finish().await;
}
