//! Creating, importing, editing and archiving draws (club.md sections 2, 4 and 5).

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Buyer, TestServer, club};

pub fn new_draw_form() -> Value {
    json!({ "league": "NRL", "homeTeam": " Broncos ", "awayTeam": "Cowboys", "gameDate": "2036-11-28T19:10",
        "timezone": "Australia/Sydney", "contactName": "Sam Contact", "contactPhone": "0400 333 444",
        "ticketPrice": "5.00", "prizePercentage": 50, "passStripeFees": true, "roundUpPrize": true })
}

pub fn new_draw_form_with(field: &str, value: Value) -> Value {
    let mut form = new_draw_form();
    form[field] = value;
    form
}

pub async fn accept_terms(browser: &Buyer) {
    let body =
        json!({ "clubId": null, "ipAddress": null, "userAgent": "a lie", "termsVersion": "1.0" });
    let answer = browser.post("/api/terms/accept", body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
}

#[actix_web::test]
async fn connected_club_with_accepted_terms_creates_draw() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    accept_terms(&browser).await;
    let answer = browser.post("/api/draws", new_draw_form()).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let draw = answer.json();
    // 19:10 in Sydney is 08:10 UTC, because daylight saving time applies in November.
    assert_eq!(draw["gameDate"], "2036-11-28T08:10:00Z");
    for (field, value) in [
        ("id", draw["drawNumber"].clone()),
        ("clubId", json!(broncos.id.0)),
        ("homeTeam", json!("Broncos")),
        ("gameTime", json!("19:10:00")),
        ("timezone", json!("Australia/Sydney")),
        ("ticketPrice", json!("5.00")),
        ("passStripeFees", json!(true)),
        ("roundUpPrize", json!(true)),
        ("status", json!("active")),
        ("ticketsAvailable", json!(169)),
        ("contactName", json!("Sam Contact")),
        ("editable", json!(true)),
        ("locked", json!(false)),
    ] {
        assert_eq!(draw[field], value, "{field}");
    }
    let number = draw["id"].as_i64().expect("a JSON number");
    let public = server
        .alice()
        .get(&format!("/api/draws/{number}"))
        .await
        .ok();
    assert_eq!(public["homeTeam"], "Broncos");
    assert!(
        public.get("editable").is_none(),
        "the public draw has no `editable`"
    );
    let count = "select count(*) from terms_acceptances where draw_id::text = $1 and ip_address = '127.0.0.1'
         and user_agent not like 'a lie' and terms_digest is not null";
    assert_eq!(
        server
            .database
            .query_number(count, &number.to_string())
            .await,
        1,
        "the accepted terms are linked to the draw, with the address and user agent that the server saw"
    );
    assert_eq!(
        server.alice().buy(domain::DrawId(number), 1).await.1["success"],
        true
    );
    server.finish().await;
}

#[actix_web::test]
async fn draw_defaults_are_brisbane_3pm_and_half_prize() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    accept_terms(&browser).await;
    let least = json!({ "homeTeam": "Broncos", "awayTeam": "Cowboys", "gameDate": "2036-11-28", "contactName": "Sam",
        "contactPhone": "0400 333 444", "ticketPrice": 5 });
    let draw = browser.post("/api/draws", least).await.ok();
    for (field, value) in [
        ("gameDate", json!("2036-11-28T05:00:00Z")),
        ("gameTime", json!("15:00:00")),
        ("timezone", json!("Australia/Brisbane")),
        ("prizePercentage", json!(50)),
        ("passStripeFees", json!(false)),
        ("roundUpPrize", json!(false)),
        ("league", json!(null)),
        ("ticketPrice", json!("5.00")),
    ] {
        assert_eq!(draw[field], value, "{field}");
    }
    server.finish().await;
}

#[actix_web::test]
async fn every_field_of_draw_form_is_validated() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    accept_terms(&browser).await;
    for (field, value, message) in [
        ("homeTeam", json!(" "), "Home team is required"),
        ("awayTeam", json!(null), "Away team is required"),
        (
            "awayTeam",
            json!("broncos"),
            "Home and away team must be different",
        ),
        ("gameDate", json!(""), "Game date is required"),
        ("gameDate", json!("28/11/2036"), "Game date is required"),
        (
            "gameDate",
            json!("2020-01-01"),
            "Game date must be in the future",
        ),
        ("gameTime", json!("7 pm"), "Game time is required"),
        ("timezone", json!("Mars/Olympus"), "Timezone is required"),
        ("contactName", json!(""), "Contact name is required"),
        ("contactPhone", json!(""), "Contact phone is required"),
        (
            "contactPhone",
            json!("call Sam"),
            "Contact phone must be a phone number",
        ),
        ("ticketPrice", json!(0), "Ticket price is required"),
        ("ticketPrice", json!("free"), "Ticket price is required"),
        (
            "ticketPrice",
            json!("10000.01"),
            "Ticket price must be at most $10,000.00",
        ),
        (
            "ticketPrice",
            json!("0.19"),
            "Ticket price must be at least $0.50, the smallest amount that can be paid by card",
        ),
        (
            "prizePercentage",
            json!(0),
            "Prize percentage must be between 1 and 100",
        ),
        (
            "prizePercentage",
            json!(101),
            "Prize percentage must be between 1 and 100",
        ),
        (
            "homeTeam",
            json!("x".repeat(101)),
            "Must be at most 100 characters",
        ),
        (
            "salesOpenAt",
            json!("soon"),
            "The opening time is not a date and time",
        ),
    ] {
        let refused = browser
            .post("/api/draws", new_draw_form_with(field, value.clone()))
            .await
            .expect_refusal(400, "invalid");
        assert_eq!(
            (&refused["errors"][0]["field"], &refused["message"]),
            (&json!(field), &json!(message)),
            "{value}"
        );
    }
    let empty = browser
        .post("/api/draws", json!({}))
        .await
        .expect_refusal(400, "invalid");
    let messages: Vec<_> = empty["errors"]
        .as_array()
        .expect("errors")
        .iter()
        .map(|e| e["message"].clone())
        .collect();
    let expected = [
        "Home team is required",
        "Away team is required",
        "Game date is required",
        "Contact name is required",
        "Contact phone is required",
        "Ticket price is required",
    ];
    assert_eq!(messages, expected);
    browser.post("/api/draws", new_draw_form()).await.ok();
    server.finish().await;
}

#[actix_web::test]
async fn draw_without_account_or_terms_is_refused() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    server
        .alice()
        .post("/api/draws", new_draw_form())
        .await
        .expect_refusal(401, "unauthenticated");
    let message = "Agreement Required: Please check the box to agree to the Terms of Service before proceeding";
    let create = async || browser.post("/api/draws", new_draw_form()).await;
    assert_eq!(
        create().await.expect_refusal(428, "terms-required")["message"],
        message
    );
    let outdated = json!({ "termsVersion": "0.9" });
    let refused = browser
        .post("/api/terms/accept", outdated)
        .await
        .expect_refusal(409, "terms-outdated");
    assert_eq!(
        refused["message"],
        "Error recording your agreement. Please try again."
    );
    accept_terms(&browser).await;
    server.clock.advance_seconds(31 * 60);
    create().await.expect_refusal(428, "terms-required");
    accept_terms(&browser).await;
    create().await.ok();
    let another = new_draw_form_with("awayTeam", json!("Tigers"));
    browser
        .post("/api/draws", another)
        .await
        .expect_refusal(428, "terms-required");
    accept_terms(&browser).await;
    server
        .records
        .update_connected_account_state(&broncos.account.expect("one"), false, true, true)
        .await
        .expect("the write succeeds");
    let refused = create().await.expect_refusal(403, "setup-required");
    assert_eq!(
        (&refused["setupRequired"], &refused["message"]),
        (
            &json!(true),
            &json!("Connect Stripe account first to create draws")
        )
    );
    assert!(
        browser
            .get(&format!("/api/clubs/{}/draws", broncos.id))
            .await
            .ok()
            .as_array()
            .is_some_and(|d| d.len() == 1)
    );
    server.finish().await;
}

#[actix_web::test]
async fn club_cannot_create_draw_for_another_club() {
    let server = TestServer::start().await;
    let (broncos, _) = (
        server.create_club("broncos").await,
        server.create_club("storm").await,
    );
    let storm = club::sign_in_as_club(&server, "storm").await;
    accept_terms(&storm).await;
    storm
        .post(
            "/api/draws",
            new_draw_form_with("clubId", json!(broncos.id.0)),
        )
        .await
        .expect_refusal(404, "not-found");
    storm
        .post("/api/terms/accept", json!({ "clubId": broncos.id.0 }))
        .await
        .expect_refusal(404, "not-found");
    storm
        .get(&format!("/api/clubs/{}/draw-template", broncos.id))
        .await
        .expect_refusal(404, "not-found");
    server
        .records
        .archive_club(broncos.id, true)
        .await
        .expect("the club is archived");
    server
        .state
        .catalogue
        .reload()
        .await
        .expect("the read succeeds");
    let archived = club::sign_in_as_club(&server, "broncos").await;
    archived
        .post("/api/draws", new_draw_form())
        .await
        .expect_refusal(403, "club-archived");
    assert_eq!(
        archived
            .get(&format!("/api/clubs/{}", broncos.id))
            .await
            .ok()["archived"],
        true
    );
    server
        .alice()
        .get(&format!("/api/clubs/{}", broncos.id))
        .await
        .expect_refusal(404, "club-not-found");
    server.finish().await;
}

#[actix_web::test]
async fn card_fee_passthrough_can_be_switched_off() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    assert_eq!(
        browser.get("/api/config").await.ok()["feePassthroughAllowed"],
        true
    );
    server
        .records
        .set_setting("fee_passthrough_allowed", "false", "test")
        .await
        .expect("the write succeeds");
    server
        .state
        .catalogue
        .reload()
        .await
        .expect("the read succeeds");
    assert_eq!(
        browser.get("/api/config").await.ok()["feePassthroughAllowed"],
        false
    );
    accept_terms(&browser).await;
    browser
        .post("/api/draws", new_draw_form())
        .await
        .expect_refusal(422, "fee-passthrough-off");
    browser
        .post(
            "/api/draws",
            new_draw_form_with("passStripeFees", json!(false)),
        )
        .await
        .ok();
    server.finish().await;
}

#[actix_web::test]
async fn club_lists_archived_draws_and_reads_template_of_last_draw() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    browser
        .get(&format!("/api/clubs/{}/draw-template", broncos.id))
        .await
        .expect_refusal(404, "not-found");
    let draw = server.create_draw(broncos.id).await;
    let template = browser
        .get(&format!("/api/clubs/{}/draw-template", broncos.id))
        .await
        .ok();
    assert_eq!(
        (&template["homeTeam"], &template["ticketPrice"]),
        (&json!("Broncos"), &json!("5.00"))
    );
    assert_eq!(
        template["gameDate"].as_str().map(str::len),
        Some("2026-11-27T19:10".len())
    );
    club::enter_result(&browser, draw, 1, 2).await.ok();
    browser
        .call(
            Method::PATCH,
            &format!("/api/draws/{draw}/archive"),
            Some(&json!({})),
        )
        .await
        .ok();
    let own = browser
        .get(&format!("/api/clubs/{}/draws", broncos.id))
        .await
        .ok();
    assert_eq!(
        (&own[0]["archived"], &own[0]["contactName"]),
        (&json!(true), &json!("Sam Contact"))
    );
    let public = server
        .alice()
        .get(&format!("/api/clubs/{}/draws", broncos.id))
        .await
        .ok();
    assert_eq!(public, json!([]));
    server.finish().await;
}

#[actix_web::test]
async fn fixture_import_previews_each_row_and_imports_once() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let import = async |query: &str, table: &'static str| {
        let path = format!("/api/clubs/{}/fixtures?{query}", broncos.id);
        let request = browser
            .bare_request(Method::POST, &path)
            .header("origin", &server.url)
            .body(table);
        Buyer::send_request(request).await
    };
    let table = "date,kick-off,zone,home,away,league\n2036-03-07,20:00,Australia/Sydney,Knights,Raiders,NRL\n\
                 2036-03-08,15:00,Australia/Perth,Sharks,Tigers,NRL\n";
    let preview = import("dryRun=true", table).await.ok();
    assert_eq!(
        (&preview["found"], &preview["created"]),
        (&json!(2), &json!(0))
    );
    assert_eq!(
        preview["rows"][1],
        json!({ "line": 3, "league": "NRL", "homeTeam": "Sharks", "awayTeam": "Tigers",
        "gameDate": "2036-03-08T07:00:00Z", "timezone": "Australia/Perth", "gameTime": "15:00:00",
        "alreadyThere": false })
    );
    import("dryRun=false", table)
        .await
        .expect_refusal(428, "terms-required");
    accept_terms(&browser).await;
    let contact = "contactName=Jo%20Bloggs&contactPhone=0400%20999%20888";
    assert_eq!(
        import(&format!("price=7.50&prize=40&{contact}"), table)
            .await
            .ok()["created"],
        2
    );
    let shown = browser
        .get(&format!("/api/clubs/{}/draws", broncos.id))
        .await
        .ok();
    for draw in shown.as_array().expect("draws") {
        assert_eq!(
            (&draw["contactName"], &draw["contactPhone"]),
            (&json!("Jo Bloggs"), &json!("0400 999 888"))
        );
    }
    let again = import("dryRun=true", table).await.ok();
    assert_eq!(
        (&again["alreadyThere"], &again["rows"][0]["alreadyThere"]),
        (&json!(2), &json!(true))
    );
    let wrong = import(
        "dryRun=true",
        "date,kick-off,zone,home,away\n2020-01-01,20:00,Nowhere,,B\n",
    )
    .await;
    let wrong = wrong.expect_refusal(422, "fixtures-refused");
    assert_eq!(
        wrong["errors"][0],
        json!({ "line": 2, "message": "zone \"Nowhere\" is unknown" })
    );
    server.finish().await;
}

#[actix_web::test]
async fn imported_draws_use_club_contact_unless_one_is_given() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let path = format!("/api/clubs/{}/fixtures", broncos.id);
    let import = async |query: &str, home: &str| {
        accept_terms(&browser).await;
        let table = format!(
            "date,kick-off,zone,home,away\n2036-03-07,20:00,Australia/Sydney,{home},Raiders\n"
        );
        let request = browser
            .bare_request(Method::POST, &format!("{path}?{query}"))
            .header("origin", &server.url);
        Buyer::send_request(request.body(table)).await
    };
    let contact = async |imported: Value| {
        let draw = browser
            .get(&format!("/api/draws/{}", imported["drawNumbers"][0]))
            .await
            .ok();
        (draw["contactName"].clone(), draw["contactPhone"].clone())
    };
    let own = contact(import("", "Knights").await.ok()).await;
    assert_eq!(own, (json!("broncos RLFC"), json!("0400 111 222")));
    let named = contact(import("contactName=Jo", "Sharks").await.ok()).await;
    assert_eq!(named, (json!("Jo"), json!("0400 111 222")));
    server
        .database
        .execute_sql("update clubs set phone = null")
        .await;
    let refused = import("contactName=Jo", "Eels")
        .await
        .expect_refusal(400, "invalid");
    assert_eq!(
        (&refused["message"], &refused["errors"][0]["field"]),
        (&json!("Contact phone is required"), &json!("contactPhone"))
    );
    let named = contact(import("contactPhone=0400%20999%20888", "Eels").await.ok()).await;
    assert_eq!(named, (json!("broncos RLFC"), json!("0400 999 888")));
    server.finish().await;
}

#[actix_web::test]
async fn draw_price_and_prize_are_locked_once_tickets_are_sold() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let path = format!("/api/draws/{draw}");
    let patch = async |body: Value| browser.call(Method::PATCH, &path, Some(&body)).await;
    let before = browser.get(&path).await.ok();
    let changed =
        patch(json!({ "ticketPrice": "7.50", "prizePercentage": 60, "roundUpPrize": true }))
            .await
            .ok();
    assert_eq!(
        (&changed["ticketPrice"], &changed["prizePercentage"]),
        (&json!("7.50"), &json!(60))
    );
    assert_eq!(
        changed["gameDate"], before["gameDate"],
        "fields that the edit does not name stay"
    );
    let moved = json!({ "league": null, "homeTeam": "Sharks", "gameDate": "2036-12-05T20:15", "timezone": "Pacific/Auckland",
        "contactName": "Jo", "contactPhone": "0400 999 888" });
    let changed = patch(moved).await.ok();
    for (field, value) in [
        ("league", json!(null)),
        ("homeTeam", json!("Sharks")),
        ("gameDate", json!("2036-12-05T07:15:00Z")),
        ("gameTime", json!("20:15:00")),
        ("contactName", json!("Jo")),
    ] {
        assert_eq!(changed[field], value, "{field}");
    }
    assert_eq!(server.alice().get(&path).await.ok()["homeTeam"], "Sharks");
    assert_eq!(
        patch(json!({ "gameTime": "21:00" })).await.ok()["gameDate"],
        "2036-12-05T08:00:00Z"
    );
    assert_eq!(
        patch(json!({ "timezone": "Australia/Brisbane" }))
            .await
            .ok()["gameDate"],
        "2036-12-05T11:00:00Z"
    );
    server.alice().buy(draw, 2).await;
    let message = "Cannot change price/prize percentage/prize rounding after tickets are sold (2 tickets sold)";
    for body in [
        json!({ "ticketPrice": "8.00" }),
        json!({ "prizePercentage": 50 }),
        json!({ "roundUpPrize": false }),
    ] {
        assert_eq!(
            patch(body).await.expect_refusal(409, "terms-locked")["message"],
            message
        );
    }
    let same = json!({ "ticketPrice": "7.50", "prizePercentage": 60, "awayTeam": "Tigers" });
    let changed = patch(same).await.ok();
    assert_eq!(
        (&changed["awayTeam"], &changed["locked"]),
        (&json!("Tigers"), &json!(true))
    );
    server.finish().await;
}

#[actix_web::test]
async fn card_fee_setting_is_locked_once_tickets_are_sold() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let path = format!("/api/draws/{draw}");
    let set = async |passed_on: bool| {
        let body = json!({ "passStripeFees": passed_on });
        browser.call(Method::PATCH, &path, Some(&body)).await
    };
    assert_eq!(set(true).await.ok()["passStripeFees"], true);
    server.alice().buy(draw, 2).await;
    let refused = set(false).await.expect_refusal(409, "terms-locked");
    assert_eq!(
        refused["message"],
        "Cannot change who pays the card fee after tickets are sold (2 tickets sold)"
    );
    assert_eq!(set(true).await.ok()["passStripeFees"], true);
    server.finish().await;
}

#[actix_web::test]
async fn draw_without_a_payable_price_is_refused() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let set = async |price: &str, passed_on: bool| {
        let body = json!({ "ticketPrice": price, "passStripeFees": passed_on });
        browser
            .call(Method::PATCH, &format!("/api/draws/{draw}"), Some(&body))
            .await
    };
    set("0.30", false).await.expect_refusal(400, "invalid");
    assert_eq!(
        set("0.30", true).await.ok()["ticketPrice"],
        "0.30",
        "with the card fee of 31 cents, a buyer pays 61 cents"
    );
    assert_eq!(set("0.50", false).await.ok()["ticketPrice"], "0.50");
    server.finish().await;
}

#[actix_web::test]
async fn draw_check_finds_every_refusal_without_accepted_terms() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let check = async |form: Value| browser.post("/api/draws/check", form).await;
    assert_eq!(check(new_draw_form()).await.status, 204);
    for (field, value) in [
        ("gameDate", json!("2020-01-01")),
        ("ticketPrice", json!(0)),
        ("homeTeam", json!("")),
    ] {
        check(new_draw_form_with(field, value))
            .await
            .expect_refusal(400, "invalid");
    }
    accept_terms(&browser).await;
    let draw = browser.post("/api/draws", new_draw_form()).await.ok();
    let refused = check(new_draw_form())
        .await
        .expect_refusal(409, "draw-exists");
    assert_eq!(refused["drawNumber"], draw["drawNumber"]);
    let storm = server.create_club("storm").await;
    check(new_draw_form_with("clubId", json!(storm.id.0)))
        .await
        .expect_refusal(404, "not-found");
    server.finish().await;
}

#[actix_web::test]
async fn draw_without_sales_is_cancelled_by_its_club() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let (unsold, sold) = (
        server.create_draw(broncos.id).await,
        server.create_draw(broncos.id).await,
    );
    server.alice().buy(sold, 1).await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let cancel = async |draw: domain::DrawId| {
        browser
            .post(&format!("/api/draws/{draw}/cancel"), json!({}))
            .await
    };
    cancel(sold).await.expect_refusal(409, "has-sales");
    assert_eq!(cancel(unsold).await.ok()["status"], "cancelled");
    cancel(unsold).await.expect_refusal(409, "not-active");
    let audited = "select count(*) from audit_log where action = $1";
    assert_eq!(
        server.database.query_number(audited, "cancel-draw").await,
        1
    );
    server.finish().await;
}

#[actix_web::test]
async fn readable_fixture_lines_are_imported_and_others_listed() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    accept_terms(&browser).await;
    let table = "Date;Kick-off;State;Home team;Away team\n06/03/2036;3:00pm;Queensland;Broncos;Cowboys\n\
                 07/03/2036;dusk;QLD;Broncos;Storm\n";
    let import = async |query: &str| {
        let path = format!("/api/clubs/{}/fixtures?{query}", broncos.id);
        let request = browser
            .bare_request(Method::POST, &path)
            .header("origin", &server.url);
        Buyer::send_request(request.body(table)).await
    };
    import("contactPhone=0400333444")
        .await
        .expect_refusal(422, "fixtures-refused");
    let imported = import("skipInvalid=true&contactPhone=0400333444")
        .await
        .ok();
    assert_eq!(imported["created"], 1);
    assert_eq!(imported["rows"][0]["gameDate"], "2036-03-06T05:00:00Z");
    assert_eq!(
        imported["problems"],
        json!([{ "line": 3, "message": "kick-off \"dusk\" is not like 7:10pm or 19:10" }])
    );
    server.finish().await;
}

#[actix_web::test]
async fn invalid_or_unauthorised_draw_edits_are_refused() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_club("storm").await;
    let (browser, storm) = (
        club::sign_in_as_club(&server, "broncos").await,
        club::sign_in_as_club(&server, "storm").await,
    );
    let path = format!("/api/draws/{draw}");
    let patch =
        async |browser: &Buyer, body: Value| browser.call(Method::PATCH, &path, Some(&body)).await;
    for (body, message) in [
        (json!({ "homeTeam": "" }), "Home team is required"),
        (json!({ "awayTeam": "" }), "Away team is required"),
        (
            json!({ "awayTeam": "BRONCOS" }),
            "Home and away team must be different",
        ),
        (json!({ "gameDate": "" }), "Game date is required"),
        (json!({ "gameTime": "" }), "Game time is required"),
        (json!({ "timezone": "" }), "Timezone is required"),
        (json!({ "ticketPrice": "" }), "Ticket price is required"),
        (json!({ "contactName": "" }), "Contact name is required"),
        (json!({ "contactPhone": "" }), "Contact phone is required"),
    ] {
        assert_eq!(
            patch(&browser, body).await.expect_refusal(400, "invalid")["message"],
            message
        );
    }
    let message = "Draw not found or you don't have permission to edit it.";
    assert_eq!(
        patch(&storm, json!({ "homeTeam": "x" }))
            .await
            .expect_refusal(404, "draw-not-found")["message"],
        message
    );
    server.start_game(draw).await;
    let refused = patch(&browser, json!({ "gameDate": "2036-12-05" }))
        .await
        .expect_refusal(409, "game-started");
    assert_eq!(
        refused["message"],
        "This draw cannot be edited because the game has already started."
    );
    let archive = format!("{path}/archive");
    let early = browser
        .call(Method::PATCH, &archive, Some(&json!({ "archived": true })))
        .await;
    assert_eq!(
        early.expect_refusal(409, "not-completed")["message"],
        "Only a completed draw can be archived."
    );
    club::enter_result(&browser, draw, 1, 2).await.ok();
    let refused = patch(&browser, json!({ "homeTeam": "x" }))
        .await
        .expect_refusal(409, "not-active");
    assert_eq!(
        refused["message"],
        "This draw cannot be edited because it is not active."
    );
    let shown = browser.get(&path).await.ok();
    assert_eq!(
        (&shown["editable"], &shown["notEditableReason"]),
        (&json!(false), &refused["message"])
    );
    server.finish().await;
}

#[actix_web::test]
async fn archived_draw_leaves_lists_until_restored() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    club::enter_result(&browser, draw, 1, 2).await.ok();
    let archive = format!("/api/draws/{draw}/archive");
    let completed = async || {
        server
            .alice()
            .get("/api/draws/completed")
            .await
            .ok()
            .as_array()
            .map(Vec::len)
    };
    assert_eq!(completed().await, Some(1));
    let call = async |body: Value| {
        browser
            .call(Method::PATCH, &archive, Some(&body))
            .await
            .ok()["archived"]
            .clone()
    };
    assert_eq!(call(json!({ "archived": true })).await, true);
    assert_eq!(completed().await, Some(0));
    assert_eq!(
        server
            .alice()
            .get(&format!("/api/draws/{draw}"))
            .await
            .status,
        200,
        "an archived draw is still readable by its link"
    );
    assert_eq!(call(json!({ "archived": false })).await, false);
    assert_eq!(completed().await, Some(1));
    server.finish().await;
}

#[actix_web::test]
async fn forbidden_card_fee_passthrough_ends_at_next_draw_edit() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let draw = server
        .create_draw_with(broncos.id, |new| new.pass_card_fee = true)
        .await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    server
        .records
        .set_setting("fee_passthrough_allowed", "false", "test")
        .await
        .expect("the write succeeds");
    server
        .state
        .catalogue
        .reload()
        .await
        .expect("the read succeeds");
    let path = format!("/api/draws/{draw}");
    assert_eq!(browser.get(&path).await.ok()["passStripeFees"], true);
    let edit = json!({ "league": "NRL", "passStripeFees": true });
    let changed = browser.call(Method::PATCH, &path, Some(&edit)).await.ok();
    assert_eq!(
        (&changed["passStripeFees"], &changed["ticketPrice"]),
        (&json!(false), &json!("5.00"))
    );
    server.finish().await;
}
