//! The same game is one draw, however often and however fast it is sent (B:58, B:232): nobody can take a draw off sale again.

use domain::{ClubId, DrawId};
use reqwest::Method;
use serde_json::json;

use super::draws::{agrees, form, with};
use crate::support::buyer::Answer;
use crate::support::{Buyer, TestServer, club};

const SEASON: &str = "date,kick-off,zone,home,away\n2036-03-07,20:00,Australia/Sydney,Knights,Raiders\n\
     2036-03-08,15:00,Australia/Perth,Sharks,Tigers\n";

async fn imports(server: &TestServer, browser: &Buyer, club: ClubId) -> Answer {
    let path = format!("/api/clubs/{club}/fixtures");
    let request = browser
        .raw(Method::POST, &path)
        .header("origin", &server.url);
    Buyer::sent(request.body(SEASON)).await
}

async fn draws(browser: &Buyer, club: ClubId) -> usize {
    browser
        .get(&format!("/api/clubs/{club}/draws"))
        .await
        .ok()
        .as_array()
        .map_or(0, Vec::len)
}

#[actix_web::test]
async fn a_form_that_is_sent_again_after_a_lost_answer_makes_no_second_draw() {
    let server = TestServer::start().await;
    let broncos = server.club("broncos").await;
    let browser = club::club(&server, "broncos").await;
    agrees(&browser).await;
    let number = browser.post("/api/draws", form()).await.ok()["drawNumber"]
        .as_i64()
        .expect("a number");
    let again = async || {
        browser
            .post("/api/draws", form())
            .await
            .refused(409, "draw-exists")
    };
    let words = format!("This game is on sale already as draw {number}.");
    let refused = again().await;
    assert_eq!(
        (&refused["message"], &refused["drawNumber"]),
        (&json!(words), &json!(number))
    );
    agrees(&browser).await;
    assert_eq!(
        again().await["message"],
        words,
        "who agrees anew has the same draw"
    );
    assert_eq!(draws(&browser, broncos.id).await, 1);
    browser
        .post("/api/draws", with("gameDate", json!("2036-11-29T19:10")))
        .await
        .ok();
    server.club("storm").await;
    let storm = club::club(&server, "storm").await;
    agrees(&storm).await;
    storm.post("/api/draws", form()).await.ok();
    // What was called off may be put on sale anew.
    server
        .engine
        .payments
        .cancel_draw(DrawId(number), "a washed-out ground")
        .await
        .expect("cancelled");
    agrees(&browser).await;
    browser.post("/api/draws", form()).await.ok();
    server.finish().await;
}

#[actix_web::test]
async fn two_presses_at_once_make_one_draw() {
    let server = TestServer::start().await;
    let broncos = server.club("broncos").await;
    let browser = club::club(&server, "broncos").await;
    for round in 0..4 {
        let game = with("homeTeam", json!(format!("Broncos {round}")));
        agrees(&browser).await;
        agrees(&browser).await;
        let press = || browser.post("/api/draws", game.clone());
        let (one, other) = tokio::join!(press(), press());
        let mut statuses = [one.status, other.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 409], "{} {}", one.text, other.text);
    }
    assert_eq!(draws(&browser, broncos.id).await, 4);
    agrees(&browser).await;
    agrees(&browser).await;
    let (one, other) = tokio::join!(
        imports(&server, &browser, broncos.id),
        imports(&server, &browser, broncos.id)
    );
    // The later one reads the table before or after the draws are there.
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
    assert_eq!(draws(&browser, broncos.id).await, 6);
    server.finish().await;
}

#[actix_web::test]
async fn a_draw_that_is_written_is_answered_even_if_the_lists_cannot_be_read_then() {
    let server = TestServer::start().await;
    let broncos = server.club("broncos").await;
    let browser = club::club(&server, "broncos").await;
    agrees(&browser).await;
    server
        .database
        .run("alter table club_slug_aliases rename to elsewhere")
        .await;
    let draw = browser.post("/api/draws", form()).await.ok();
    for (field, value) in [
        ("homeTeam", json!("Broncos")),
        ("status", json!("active")),
        ("editable", json!(true)),
    ] {
        assert_eq!(draw[field], value, "{field}");
    }
    agrees(&browser).await;
    assert_eq!(
        imports(&server, &browser, broncos.id).await.ok()["created"],
        2
    );
    server
        .database
        .run("alter table elsewhere rename to club_slug_aliases")
        .await;
    server.state.catalogue.reload().await.expect("read");
    assert_eq!(
        browser
            .get(&format!("/api/draws/{}", draw["drawNumber"]))
            .await
            .ok(),
        draw,
        "as it was told"
    );
    assert_eq!(draws(&browser, broncos.id).await, 3);
    server.finish().await;
}
