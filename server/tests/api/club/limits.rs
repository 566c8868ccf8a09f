//! How long, how many, how large: the last that is taken and the first that is not (club.md section 5).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::DrawId;
use domain::club::SLUGS_RESERVED;
use image::codecs::jpeg::JpegEncoder;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Buyer, TestServer, club};

const SLUG: &str = "Page name must contain only lowercase letters, numbers, and hyphens";

fn data(kind: &str, bytes: &[u8]) -> String {
    format!("data:{kind};base64,{}", STANDARD.encode(bytes))
}

/// A photograph of exactly so many bytes: the rest of it is what cameras write beside the picture.
fn jpeg(bytes: usize) -> Vec<u8> {
    const SEGMENT_MAX: usize = 65_535 + 2;
    let mut file = Vec::new();
    JpegEncoder::new(&mut file)
        .encode_image(&image::RgbImage::new(8, 8))
        .expect("encoded");
    let mut missing = bytes - file.len();
    let mut beside = Vec::new();
    while missing > 0 {
        // A segment has four bytes of its own; the last two must not be left with less.
        let take = if missing > SEGMENT_MAX {
            (missing - 4).min(SEGMENT_MAX)
        } else {
            missing
        };
        beside.extend_from_slice(&[0xff, 0xfe]);
        beside.extend_from_slice(&u16::try_from(take - 2).expect("a segment").to_be_bytes());
        beside.resize(beside.len() + take - 4, b' ');
        missing -= take;
    }
    file.splice(2..2, beside);
    assert_eq!(file.len(), bytes);
    file
}

/// A drawing of exactly so many bytes.
fn svg(bytes: usize) -> Vec<u8> {
    let (start, end) = (
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><!--"#,
        "--></svg>",
    );
    format!(
        "{start}{}{end}",
        " ".repeat(bytes - start.len() - end.len())
    )
    .into_bytes()
}

#[actix_web::test]
async fn a_home_page_takes_the_last_that_fits_and_not_one_more() {
    let server = TestServer::start().await;
    let broncos = server.club("broncos").await;
    let browser = club::club(&server, "broncos").await;
    let path = format!("/api/clubs/{}/home-page", broncos.id);
    let save = async |field: &str, value: Value| {
        browser
            .call(Method::PATCH, &path, Some(&json!({ field: value })))
            .await
    };
    for word in SLUGS_RESERVED {
        assert_eq!(
            save("homePageSlug", json!(word))
                .await
                .refused(400, "invalid")["message"],
            SLUG,
            "{word}"
        );
    }
    let slug = "Page name must be between 3 and 50 characters";
    let title = "Title must be between 3 and 100 characters";
    let tagline = "Tagline must be between 10 and 200 characters";
    let pixel = "Pixel ID must be 5 to 20 digits";
    let colour = "Must be a valid hex color";
    for (field, value, words) in [
        ("homePageSlug", "ab".to_string(), slug),
        ("homePageSlug", "a".repeat(51), slug),
        ("homePageTitle", "ab".to_string(), title),
        ("homePageTitle", "é".repeat(101), title),
        ("homePageTagline", "é".repeat(9), tagline),
        ("homePageTagline", "é".repeat(201), tagline),
        ("facebookPixelId", "1234".to_string(), pixel),
        ("facebookPixelId", "1".repeat(21), pixel),
        ("facebookPixelId", "12345a".to_string(), pixel),
        ("secondaryColor", "#12345".to_string(), colour),
        ("secondaryColor", "123456".to_string(), colour),
        (
            "logoUrl",
            "ftp://example.com/logo.png".to_string(),
            "Must be a valid URL or uploaded image",
        ),
        (
            "logoUrl",
            data("image/svg+xml", &svg(2 * 1024 * 1024 + 1)),
            "Logo must be smaller than 2MB. Please choose a smaller image.",
        ),
    ] {
        let refused = save(field, json!(value)).await.refused(400, "invalid");
        assert_eq!(
            (&refused["message"], &refused["errors"][0]["field"]),
            (&json!(words), &json!(field))
        );
    }
    for (field, value) in [
        ("homePageSlug", "abc".to_string()),
        ("homePageSlug", "a".repeat(50)),
        ("homePageTitle", "abc".to_string()),
        ("homePageTitle", "é".repeat(100)),
        ("homePageTagline", "é".repeat(10)),
        ("homePageTagline", "é".repeat(200)),
        ("facebookPixelId", "12345".to_string()),
        ("facebookPixelId", "1".repeat(20)),
        ("facebookPixelId", String::new()),
        ("secondaryColor", "#123abc".to_string()),
        ("logoUrl", "http://example.com/logo.png".to_string()),
        ("logoUrl", data("image/svg+xml", &svg(2 * 1024 * 1024))),
        ("logoUrl", data("image/jpeg", &jpeg(2 * 1024 * 1024))),
        ("logoUrl", String::new()),
    ] {
        let start: String = value.chars().take(40).collect();
        let saved = save(field, json!(value)).await;
        assert_eq!(saved.status, 200, "{field} {start}: {}", saved.text);
    }
    server.finish().await;
}

fn offer(name: &str, kind: &str, games: &[DrawId]) -> Value {
    json!({ "name": name, "slug": name.to_lowercase(), "type": kind, "status": "active",
        "gameIds": games.iter().map(|game| game.0).collect::<Vec<_>>() })
}

const OFFERS: &str = "/api/admin/clubs/broncos/bundles";

#[actix_web::test]
async fn an_offer_takes_the_last_that_fits_and_not_one_more() {
    let server = TestServer::start().await;
    let broncos = server.club("broncos").await;
    let (one, two) = (server.draw(broncos.id).await, server.draw(broncos.id).await);
    let browser = club::club(&server, "broncos").await;
    for (field, value, words) in [
        ("slug", "a".repeat(61), "Slug must be at most 60 characters"),
        (
            "displayTag",
            "é".repeat(201),
            "Tag must be at most 200 characters",
        ),
        (
            "primaryCopy",
            "é".repeat(2001),
            "Must be at most 2000 characters",
        ),
        (
            "shareImageUrl",
            "javascript:alert(1)".to_string(),
            "Must be a valid URL or uploaded image",
        ),
        (
            "type",
            "TRIPLE".to_string(),
            "An offer is a BUNDLE or a SPECIAL",
        ),
        (
            "status",
            "locked".to_string(),
            "An offer is saved as draft or active",
        ),
        ("startAt", "soon".to_string(), "This is not a date and time"),
    ] {
        let mut form = offer("Double", "BUNDLE", &[one, two]);
        form[field] = json!(value);
        let refused = browser.post(OFFERS, form).await.refused(400, "invalid");
        assert_eq!(
            (&refused["message"], &refused["errors"][0]["field"]),
            (&json!(words), &json!(field))
        );
    }
    let mut form = offer("Double", "BUNDLE", &[one, two]);
    form["slug"] = json!("a".repeat(60));
    form["displayTag"] = json!("é".repeat(200));
    let made = browser.post(OFFERS, form).await.ok();
    assert_eq!(
        made["displayTag"].as_str().map(|tag| tag.chars().count()),
        Some(200),
        "kept whole, cut when shown"
    );
    server.kick_off(one).await;
    server.state.catalogue.reload().await.expect("read");
    let over = browser
        .post(OFFERS, offer("Late", "BUNDLE", &[one, two]))
        .await
        .refused(400, "invalid");
    assert_eq!(
        over["message"],
        "A game of this offer is not one of this club's games on sale"
    );
    server.finish().await;
}

#[actix_web::test]
async fn an_offer_that_is_sold_closed_or_archived_is_kept_as_it_is() {
    let server = TestServer::start().await;
    let broncos = server.club("broncos").await;
    let (one, two) = (server.draw(broncos.id).await, server.draw(broncos.id).await);
    let browser = club::club(&server, "broncos").await;
    let special = browser
        .post(OFFERS, offer("Special", "SPECIAL", &[one]))
        .await
        .ok();
    let double = browser
        .post(OFFERS, offer("Double", "BUNDLE", &[one, two]))
        .await
        .ok();
    let old = browser
        .post(OFFERS, offer("Old", "SPECIAL", &[two]))
        .await
        .ok();
    let put = async |made: &Value| {
        let (name, kind) = (
            made["name"].as_str().expect("a name"),
            made["type"].as_str().expect("a kind"),
        );
        let games = if kind == "SPECIAL" {
            vec![two]
        } else {
            vec![one, two]
        };
        browser
            .call(
                Method::PUT,
                &format!("{OFFERS}/{}", made["id"]),
                Some(&offer(name, kind, &games)),
            )
            .await
    };
    browser
        .post(&format!("{OFFERS}/{}/archive", old["id"]), json!({}))
        .await
        .ok();
    let words = "This bundle is locked (archived) and cannot be edited.";
    assert_eq!(put(&old).await.refused(409, "locked")["message"], words);
    let items = json!([{ "drawId": one.0, "quantity": 1, "bundleId": special["id"] }]);
    let alice = server.alice();
    alice
        .post(
            "/api/cart/create-payment-intent",
            json!({ "items": items, "buyer": alice.details() }),
        )
        .await
        .ok();
    let pay = json!({ "items": items, "buyer": alice.details(), "ageConfirmation": true, "termsAgreement": true,
        "paymentMethodId": crate::support::GOOD_CARD });
    alice
        .post("/api/cart/complete-card-payment", pay)
        .await
        .ok();
    assert_eq!(
        browser
            .get(&format!("{OFFERS}/{}", special["id"]))
            .await
            .ok()["status"],
        "locked"
    );
    let words = "This bundle is locked (has sales) and cannot be edited.";
    assert_eq!(
        put(&special).await.refused(409, "locked")["message"],
        words,
        "one game or several, sold is sold"
    );
    assert_eq!(
        put(&double).await.ok()["status"],
        "active",
        "of this one nothing is sold"
    );
    server.kick_off(one).await;
    server.state.catalogue.reload().await.expect("read");
    let words = "This bundle is locked (closed) and cannot be edited.";
    assert_eq!(put(&double).await.refused(409, "locked")["message"], words);
    server.finish().await;
}

#[actix_web::test]
async fn an_offer_with_a_game_that_was_called_off_is_mended_or_put_away() {
    let server = TestServer::start().await;
    let broncos = server.club("broncos").await;
    let (one, two, three) = (
        server.draw(broncos.id).await,
        server.draw(broncos.id).await,
        server.draw(broncos.id).await,
    );
    let browser = club::club(&server, "broncos").await;
    let sold = browser
        .post(OFFERS, offer("Sold", "BUNDLE", &[one, two]))
        .await
        .ok();
    let unsold = browser
        .post(OFFERS, offer("Unsold", "BUNDLE", &[one, two, three]))
        .await
        .ok();
    let items: Vec<Value> = [one, two]
        .iter()
        .map(|draw| json!({ "drawId": draw.0, "quantity": 1, "bundleId": sold["id"] }))
        .collect();
    let alice = server.alice();
    alice
        .post(
            "/api/cart/create-payment-intent",
            json!({ "items": items, "buyer": alice.details() }),
        )
        .await
        .ok();
    let pay = json!({ "items": items, "buyer": alice.details(), "ageConfirmation": true, "termsAgreement": true,
        "paymentMethodId": crate::support::GOOD_CARD });
    alice
        .post("/api/cart/complete-card-payment", pay)
        .await
        .ok();
    let status = async |made: &Value| {
        browser.get(&format!("{OFFERS}/{}", made["id"])).await.ok()["status"].clone()
    };
    assert_eq!(
        (status(&sold).await, status(&unsold).await),
        (json!("locked"), json!("active"))
    );
    server.operator().await;
    let meant = json!({ "reason": "Rain", "drawNumber": one.0 });
    let operator = club::operator(&server).await;
    operator
        .post(&format!("/api/admin/draws/{one}/cancel"), meant)
        .await
        .ok();
    assert_eq!(
        (status(&sold).await, status(&unsold).await),
        (json!("closed"), json!("active"))
    );
    assert_eq!(
        server.bob().get("/api/clubs/broncos/bundles").await.ok(),
        json!([]),
        "nobody is offered either"
    );
    let archived = browser
        .post(&format!("{OFFERS}/{}/archive", sold["id"]), json!({}))
        .await
        .ok();
    assert_eq!(archived["status"], "archived");
    let path = format!("{OFFERS}/{}", unsold["id"]);
    browser
        .call(
            Method::PUT,
            &path,
            Some(&offer("Unsold", "BUNDLE", &[two, three])),
        )
        .await
        .ok();
    assert_eq!(
        server.bob().get("/api/clubs/broncos/bundles").await.ok()[0]["slug"],
        "unsold",
        "it is on sale again"
    );
    server.finish().await;
}

#[actix_web::test]
async fn of_two_offers_of_one_name_saved_at_once_the_second_reads_why() {
    let server = TestServer::start().await;
    let broncos = server.club("broncos").await;
    let one = server.draw(broncos.id).await;
    let browser = club::club(&server, "broncos").await;
    let save = async || {
        browser
            .post(OFFERS, offer("Special", "SPECIAL", &[one]))
            .await
    };
    let (first, second) = futures_util::join!(save(), save());
    let (taken, made) = if first.status == 201 {
        (second, first)
    } else {
        (first, second)
    };
    assert_eq!(made.status, 201, "{}", made.text);
    let words = "This slug is already used by another offer.";
    assert_eq!(taken.refused(409, "slug-taken")["message"], words);
    let other = browser
        .post(OFFERS, offer("Other", "SPECIAL", &[one]))
        .await
        .ok();
    let path = format!("{OFFERS}/{}", other["id"]);
    let renamed = browser
        .call(
            Method::PUT,
            &path,
            Some(&offer("Special", "SPECIAL", &[one])),
        )
        .await;
    assert_eq!(renamed.refused(409, "slug-taken")["message"], words);
    server.finish().await;
}

#[actix_web::test]
async fn a_share_image_may_have_three_million_bytes_and_stays_while_another_offer_shows_it() {
    let server = TestServer::start().await;
    let broncos = server.club("broncos").await;
    let (one, two) = (server.draw(broncos.id).await, server.draw(broncos.id).await);
    let browser = club::club(&server, "broncos").await;
    let upload = async |bytes: &[u8]| {
        let body = json!({ "filename": "x.jpg", "contentType": "image/jpeg", "data": STANDARD.encode(bytes),
            "clubSlug": "broncos", "bundleSlug": "first" });
        browser.post("/api/uploads/bundle-image", body).await
    };
    assert_eq!(
        upload(&jpeg(3_000_001))
            .await
            .refused(413, "file-too-large")["message"],
        "Max size is 3MB"
    );
    let url = upload(&jpeg(3_000_000)).await.ok()["url"].clone();
    for (name, game) in [("First", one), ("Second", two)] {
        let mut form = offer(name, "SPECIAL", &[game]);
        form["shareImageUrl"] = url.clone();
        assert_eq!(browser.post(OFFERS, form).await.ok()["shareImageUrl"], url);
    }
    let forget = async |browser: &Buyer, offer: &str| {
        let body = json!({ "url": url, "clubSlug": "broncos", "bundleSlug": offer });
        browser
            .call(Method::DELETE, "/api/uploads/bundle-image", Some(&body))
            .await
            .status
    };
    let address = url.as_str().expect("an address");
    assert_eq!(forget(&browser, "first").await, 204);
    assert_eq!(
        server.alice().get(address).await.status,
        200,
        "the other offer still shows it"
    );
    let second = browser.get(OFFERS).await.ok()[0].clone();
    let plain = offer("Second", "SPECIAL", &[two]);
    browser
        .call(
            Method::PUT,
            &format!("{OFFERS}/{}", second["id"]),
            Some(&plain),
        )
        .await
        .ok();
    assert_eq!(forget(&browser, "first").await, 204);
    server.alice().get(address).await.refused(404, "not-found");
    server.finish().await;
}

#[actix_web::test]
async fn a_club_keeps_two_hundred_pictures_and_the_next_waits_until_one_is_removed() {
    let server = TestServer::start().await;
    server.club("broncos").await;
    server.club("storm").await;
    let browser = club::club(&server, "broncos").await;
    server
        .database
        .run(
            "insert into uploads (key, club_id, purpose, bytes)
             select 'old-' || n || '.png', (select id from clubs where home_page_slug = 'broncos'), 'bundle-image', '' from
                 generate_series(1, 199) n",
        )
        .await;
    let picture = |shade: u8| {
        let mut file = Vec::new();
        let pixels = image::RgbImage::from_pixel(8, 8, image::Rgb([shade, 0, 0]));
        JpegEncoder::new(&mut file)
            .encode_image(&pixels)
            .expect("encoded");
        file
    };
    let send = async |browser: &Buyer, slug: &str, shade: u8| {
        let body = json!({ "filename": "x.jpg", "contentType": "image/jpeg", "data": STANDARD.encode(picture(shade)),
            "clubSlug": slug });
        browser.post("/api/uploads/bundle-image", body).await
    };
    let last = send(&browser, "broncos", 10).await.ok()["url"].clone();
    let refused = send(&browser, "broncos", 200)
        .await
        .refused(409, "too-many-pictures");
    let words = "A club keeps at most 200 pictures. Please remove one that you no longer need.";
    assert_eq!(refused["message"], words);
    assert_eq!(
        send(&browser, "broncos", 10).await.ok()["url"],
        last,
        "the same picture again is no other"
    );
    let page = format!("/api/clubs/{}/home-page", server.club_named("broncos"));
    let logo =
        json!({ "logoUrl": format!("data:image/jpeg;base64,{}", STANDARD.encode(picture(90))) });
    let refused = browser
        .call(reqwest::Method::PATCH, &page, Some(&logo))
        .await
        .refused(409, "too-many-pictures");
    assert_eq!(refused["message"], words);
    let storm = club::club(&server, "storm").await;
    send(&storm, "storm", 200).await.ok();
    let body = json!({ "clubSlug": "broncos", "url": last });
    assert_eq!(
        browser
            .call(
                reqwest::Method::DELETE,
                "/api/uploads/bundle-image",
                Some(&body)
            )
            .await
            .status,
        204
    );
    send(&browser, "broncos", 200).await.ok();
    server.finish().await;
}
