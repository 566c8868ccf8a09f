//! No stored text contains invisible characters, direction overrides or terminal control
//! characters.

use reqwest::Method;
use serde_json::{Value, json};
use server::text::plain_text::is_forbidden_character;

use super::access_matrix::ClubObjects;
use crate::support::server::PASSWORD;
use crate::support::{Buyer, TestServer, club};

/// Characters that are inserted into every text: direction overrides, zero-width characters, C0 and
/// C1 control characters, and line separators.
const HIDDEN_CHARACTERS: &str =
    "\u{202e}\u{2066}\u{200b}\u{200f}\u{7}\u{1b}\u{85}\u{2028}\u{2029}\r\n\t\u{feff}";

fn with_hidden_characters(word: &str) -> Value {
    let (start, end) = word.split_at(word.len() / 2);
    json!(format!(
        "{start}{HIDDEN_CHARACTERS}{end}{HIDDEN_CHARACTERS}"
    ))
}

/// Returns a body for a call with hidden characters in every text field, or `None` if the call
/// takes no body.
fn body_with_hidden_characters(document: &Value, operation: &Value) -> Option<Value> {
    let schema = operation.pointer("/requestBody/content/application~1json/schema")?;
    let name = schema["$ref"].as_str()?.rsplit('/').next()?;
    let fields = document["components"]["schemas"][name]["properties"].as_object()?;
    let is_text = |field: &Value| field["type"].to_string().contains("string");
    let hidden_text =
        |(name, _): (&String, &Value)| (name.clone(), with_hidden_characters("Hidden"));
    Some(Value::Object(
        fields
            .iter()
            .filter(|(_, field)| is_text(field))
            .map(hidden_text)
            .collect(),
    ))
}

#[actix_web::test]
async fn no_text_field_of_any_call_stores_hidden_characters() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let objects = ClubObjects::create(&server, "broncos").await;
    let (owner, operator) = (
        club::sign_in_as_club(&server, "broncos").await,
        club::sign_in_as_operator(&server).await,
    );
    submit_forms_with_hidden_characters(&server, &owner, &operator).await;
    let document = server::http::openapi::document();
    let mut tried = 0;
    for route in server::http::routes::ROUTES {
        let verb = route.method.method().to_string().to_lowercase();
        let Some(body) =
            body_with_hidden_characters(&document, &document["paths"][route.path][&verb])
        else {
            continue;
        };
        for caller in [&owner, &operator] {
            // Skips the logout routes, because they would end the session that the next calls use.
            if !route.path.ends_with("logout") {
                let answer = caller
                    .call(
                        crate::access::http_method_of(route),
                        &objects.path(route),
                        Some(&body),
                    )
                    .await;
                assert!(
                    answer.status < 500,
                    "{verb} {}: {}",
                    route.path,
                    answer.text
                );
                tried += 1;
            }
        }
    }
    assert!(tried > 60, "{tried} calls take a text");
    let everything = server.database.all_rows_as_text().await;
    for line in everything.lines() {
        let held: String = line
            .chars()
            .filter(|letter| is_forbidden_character(*letter))
            .collect();
        assert!(
            held.is_empty(),
            "{held:?} in {}",
            line.chars().take(300).collect::<String>()
        );
    }
    for word in [
        "Sha", "Lea", "Con", "Off", "Foo", "Tit", "Reg", "Wai", "Buy", "Wal",
    ] {
        assert!(
            everything.contains(&format!("{word}  ")),
            "{word} was stored"
        );
    }
    server.finish().await;
}

/// Makes valid calls that store each kind of text in the database.
async fn submit_forms_with_hidden_characters(server: &TestServer, owner: &Buyer, operator: &Buyer) {
    let id = server.club_id("broncos");
    owner
        .post("/api/terms/accept", json!({ "clubId": id.0 }))
        .await
        .ok();
    let draw = json!({
        "clubId": id.0, "homeTeam": with_hidden_characters("Sharks"), "awayTeam": with_hidden_characters("Eagles"), "league": with_hidden_characters("League"),
        "gameDate": "2099-03-06T19:10", "ticketPrice": "5.00", "prizePercentage": 50, "contactName": with_hidden_characters("Contac"),
        "contactPhone": "0400 333 444", "timezone": "Australia/Brisbane",
    });
    let draw = owner.post("/api/draws", draw).await.ok();
    let number = draw["drawNumber"]
        .as_i64()
        .or(draw["id"].as_i64())
        .expect("a JSON number");
    let offer = json!({
        "name": with_hidden_characters("Offers"), "slug": "hidden", "type": "SPECIAL", "status": "draft", "gameIds": [number],
        "displayTag": with_hidden_characters("Tagged"), "primaryCopy": "Copy\u{202e}",
    });
    owner
        .post("/api/admin/clubs/broncos/bundles", offer)
        .await
        .ok();
    let page = json!({ "homePageTitle": with_hidden_characters("Titles"), "homePageTagline": with_hidden_characters("Taglines") });
    owner
        .call(
            Method::PATCH,
            &format!("/api/clubs/{id}/home-page"),
            Some(&page),
        )
        .await
        .ok();
    operator
        .post(
            "/api/admin/footer-menus",
            json!({ "heading": with_hidden_characters("Footer") }),
        )
        .await
        .ok();
    let form = json!({ "name": with_hidden_characters("Regist"), "email": "new@club.test", "password": PASSWORD, "phone": "0400 111 333" });
    server.bob().post("/api/clubs/register", form).await.ok();
    let waiting = json!({
        "clubName": with_hidden_characters("Waitin"), "contactName": with_hidden_characters("Waiter"), "contactEmail": "w@club.test", "contactPhone": "0400 111 333",
    });
    server.bob().post("/api/waitlist", waiting).await.ok();
    let game = domain::DrawId(number);
    let hidden = "Buy\u{202e}\u{7}\r\u{2028}ers\u{200b}";
    Buyer::new(&server.url, hidden, "b@buyer.test", "0411 000 009")
        .open_intent(game, 1)
        .await;
    // With a wallet, the buyer's details arrive with the payment, after the order was opened.
    let wallet = server.bob();
    let opened = wallet
        .post(
            "/api/create-payment-intent",
            json!({ "drawNumber": number, "ticketCount": 1 }),
        )
        .await
        .ok();
    let body = json!({
        "drawNumber": number, "ticketCount": 1, "paymentIntentId": opened["paymentIntentId"],
        "paymentMethodId": "pm_card_visa", "ageConfirmation": true, "termsAgreement": true,
        "customerInfo": { "name": with_hidden_characters("Wallet"), "email": "w@buyer.test", "phone": "0411 000 010" },
    });
    wallet.post("/api/process-wallet-payment", body).await.ok();
}
