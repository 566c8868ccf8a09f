//! A game that is submitted again, later or concurrently, creates only one draw (B:58, B:232). This
//! matters because a club cannot withdraw a draw from sale.

use domain::{ClubId, DrawId};
use reqwest::Method;
use serde_json::json;

use super::draws::{accept_terms, new_draw_form, new_draw_form_with};
use crate::support::buyer::ApiResponse;
use crate::support::{Buyer, TestServer, club};

const FIXTURE_IMPORT_CSV: &str = "date,kick-off,zone,home,away\n2036-03-07,20:00,Australia/Sydney,Knights,Raiders\n\
     2036-03-08,15:00,Australia/Perth,Sharks,Tigers\n";

async fn import_fixtures(server: &TestServer, browser: &Buyer, club: ClubId) -> ApiResponse {
    let path = format!("/api/clubs/{club}/fixtures");
    let request = browser
        .bare_request(Method::POST, &path)
        .header("origin", &server.url);
    Buyer::send_request(request.body(FIXTURE_IMPORT_CSV)).await
}

async fn count_draws(browser: &Buyer, club: ClubId) -> usize {
    browser
        .get(&format!("/api/clubs/{club}/draws"))
        .await
        .ok()
        .as_array()
        .map_or(0, Vec::len)
}

#[actix_web::test]
async fn resubmitted_draw_form_is_refused_with_existing_draw() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    accept_terms(&browser).await;
    let number = browser.post("/api/draws", new_draw_form()).await.ok()["drawNumber"]
        .as_i64()
        .expect("a JSON number");
    let again = async || {
        browser
            .post("/api/draws", new_draw_form())
            .await
            .expect_refusal(409, "draw-exists")
    };
    let message = format!("This game is on sale already as draw {number}.");
    let refused = again().await;
    assert_eq!(
        (&refused["message"], &refused["drawNumber"]),
        (&json!(message), &json!(number))
    );
    accept_terms(&browser).await;
    assert_eq!(
        again().await["message"],
        message,
        "the answer is the same after a new agreement"
    );
    assert_eq!(count_draws(&browser, broncos.id).await, 1);
    browser
        .post(
            "/api/draws",
            new_draw_form_with("gameDate", json!("2036-11-29T19:10")),
        )
        .await
        .ok();
    server.create_club("storm").await;
    let storm = club::sign_in_as_club(&server, "storm").await;
    accept_terms(&storm).await;
    storm.post("/api/draws", new_draw_form()).await.ok();
    // If the game's first draw is cancelled, the game may be put on sale again.
    server
        .engine
        .payments
        .cancel_draw(DrawId(number), "a washed-out ground")
        .await
        .expect("cancelled");
    accept_terms(&browser).await;
    browser.post("/api/draws", new_draw_form()).await.ok();
    server.finish().await;
}

#[actix_web::test]
async fn concurrent_draw_submissions_create_one_draw() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    for round in 0..4 {
        let game = new_draw_form_with("homeTeam", json!(format!("Broncos {round}")));
        accept_terms(&browser).await;
        accept_terms(&browser).await;
        let submit = || browser.post("/api/draws", game.clone());
        let (one, other) = tokio::join!(submit(), submit());
        let mut statuses = [one.status, other.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 409], "{} {}", one.text, other.text);
    }
    assert_eq!(count_draws(&browser, broncos.id).await, 4);
    accept_terms(&browser).await;
    accept_terms(&browser).await;
    let (one, other) = tokio::join!(
        import_fixtures(&server, &browser, broncos.id),
        import_fixtures(&server, &browser, broncos.id)
    );
    // The second import either finds the draws that the first one created, or is refused with 409.
    let later = if one.status == 200 && one.json()["created"] == 2 {
        other
    } else {
        one
    };
    assert!(
        later.status == 409 || later.json()["alreadyThere"] == 2,
        "{}",
        later.text
    );
    assert_eq!(count_draws(&browser, broncos.id).await, 6);
    server.finish().await;
}

#[actix_web::test]
async fn draw_creation_succeeds_even_if_catalogue_reload_fails() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    accept_terms(&browser).await;
    server
        .database
        .execute_sql("alter table club_slug_aliases rename to elsewhere")
        .await;
    let draw = browser.post("/api/draws", new_draw_form()).await.ok();
    for (field, value) in [
        ("homeTeam", json!("Broncos")),
        ("status", json!("active")),
        ("editable", json!(true)),
    ] {
        assert_eq!(draw[field], value, "{field}");
    }
    accept_terms(&browser).await;
    assert_eq!(
        import_fixtures(&server, &browser, broncos.id).await.ok()["created"],
        2
    );
    server
        .database
        .execute_sql("alter table elsewhere rename to club_slug_aliases")
        .await;
    server
        .state
        .catalogue
        .reload()
        .await
        .expect("the read succeeds");
    assert_eq!(
        browser
            .get(&format!("/api/draws/{}", draw["drawNumber"]))
            .await
            .ok(),
        draw,
        "the draw reads as it was answered"
    );
    assert_eq!(count_draws(&browser, broncos.id).await, 3);
    server.finish().await;
}
