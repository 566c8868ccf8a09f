//! Limits of text lengths, counts and sizes: the largest accepted value and the smallest refused
//! one (club.md section 5). Also which offers cannot be edited.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::DrawId;
use domain::club::SLUGS_RESERVED;
use image::codecs::jpeg::JpegEncoder;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Buyer, TestServer, club};

fn data_url(kind: &str, bytes: &[u8]) -> String {
    format!("data:{kind};base64,{}", STANDARD.encode(bytes))
}

/// Returns a JPEG of exactly this many bytes. Comment segments fill it up.
fn jpeg_of_size(bytes: usize) -> Vec<u8> {
    const JPEG_SEGMENT_BYTES_MAX: usize = 65_535 + 2;
    let mut file = Vec::new();
    JpegEncoder::new(&mut file)
        .encode_image(&image::RgbImage::new(8, 8))
        .expect("encoded");
    let mut missing = bytes - file.len();
    let mut segments = Vec::new();
    while missing > 0 {
        // A comment segment has at least four bytes, so the last one must not be left with fewer.
        let take = if missing > JPEG_SEGMENT_BYTES_MAX {
            (missing - 4).min(JPEG_SEGMENT_BYTES_MAX)
        } else {
            missing
        };
        segments.extend_from_slice(&[0xff, 0xfe]);
        segments.extend_from_slice(&u16::try_from(take - 2).expect("a segment").to_be_bytes());
        segments.resize(segments.len() + take - 4, b' ');
        missing -= take;
    }
    file.splice(2..2, segments);
    assert_eq!(file.len(), bytes);
    file
}

/// Returns an SVG of exactly this many bytes.
fn svg_of_size(bytes: usize) -> Vec<u8> {
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
async fn home_page_fields_accept_largest_value_and_refuse_larger() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
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
                .expect_refusal(400, "invalid")["message"],
            "This page name is reserved. Please choose another one.",
            "{word}"
        );
    }
    let slug = "Page name must be between 3 and 50 characters";
    let title = "Title must be between 3 and 100 characters";
    let tagline = "Tagline must be between 10 and 200 characters";
    let pixel = "Pixel ID must be 5 to 20 digits";
    let colour = "Must be a valid hex color";
    for (field, value, message) in [
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
            data_url("image/svg+xml", &svg_of_size(2 * 1024 * 1024 + 1)),
            "Logo must be smaller than 2MB. Please choose a smaller image.",
        ),
    ] {
        let refused = save(field, json!(value))
            .await
            .expect_refusal(400, "invalid");
        assert_eq!(
            (&refused["message"], &refused["errors"][0]["field"]),
            (&json!(message), &json!(field))
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
        (
            "logoUrl",
            data_url("image/svg+xml", &svg_of_size(2 * 1024 * 1024)),
        ),
        (
            "logoUrl",
            data_url("image/jpeg", &jpeg_of_size(2 * 1024 * 1024)),
        ),
        ("logoUrl", String::new()),
    ] {
        let start: String = value.chars().take(40).collect();
        let saved = save(field, json!(value)).await;
        assert_eq!(saved.status, 200, "{field} {start}: {}", saved.text);
    }
    server.finish().await;
}

#[actix_web::test]
async fn logo_without_tls_is_saved_with_tls() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let path = format!("/api/clubs/{}/home-page", broncos.id);
    let logo = json!({ "logoUrl": "http://example.com/logo.png" });
    let saved = browser.call(Method::PATCH, &path, Some(&logo)).await.ok();
    assert_eq!(saved["logoUrl"], "https://example.com/logo.png");
    server.finish().await;
}

fn offer_form(name: &str, kind: &str, games: &[DrawId]) -> Value {
    json!({ "name": name, "slug": name.to_lowercase(), "type": kind, "status": "active",
        "gameIds": games.iter().map(|game| game.0).collect::<Vec<_>>() })
}

const OFFERS_PATH: &str = "/api/admin/clubs/broncos/bundles";

#[actix_web::test]
async fn offer_fields_accept_largest_value_and_refuse_larger() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let (one, two) = (
        server.create_draw(broncos.id).await,
        server.create_draw(broncos.id).await,
    );
    let browser = club::sign_in_as_club(&server, "broncos").await;
    for (field, value, message) in [
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
        let mut form = offer_form("Double", "BUNDLE", &[one, two]);
        form[field] = json!(value);
        let refused = browser
            .post(OFFERS_PATH, form)
            .await
            .expect_refusal(400, "invalid");
        assert_eq!(
            (&refused["message"], &refused["errors"][0]["field"]),
            (&json!(message), &json!(field))
        );
    }
    let mut form = offer_form("Double", "BUNDLE", &[one, two]);
    form["slug"] = json!("a".repeat(60));
    form["displayTag"] = json!("é".repeat(200));
    let made = browser.post(OFFERS_PATH, form).await.ok();
    assert_eq!(
        made["displayTag"].as_str().map(|tag| tag.chars().count()),
        Some(200),
        "the tag is stored whole"
    );
    server.start_game(one).await;
    server
        .state
        .catalogue
        .reload()
        .await
        .expect("the read succeeds");
    let over = browser
        .post(OFFERS_PATH, offer_form("Late", "BUNDLE", &[one, two]))
        .await
        .expect_refusal(400, "invalid");
    assert_eq!(
        over["message"],
        "A game of this offer is not one of this club's games on sale"
    );
    server.finish().await;
}

#[actix_web::test]
async fn sold_closed_or_archived_offer_cannot_be_edited() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let (one, two) = (
        server.create_draw(broncos.id).await,
        server.create_draw(broncos.id).await,
    );
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let special = browser
        .post(OFFERS_PATH, offer_form("Special", "SPECIAL", &[one]))
        .await
        .ok();
    let double = browser
        .post(OFFERS_PATH, offer_form("Double", "BUNDLE", &[one, two]))
        .await
        .ok();
    let old = browser
        .post(OFFERS_PATH, offer_form("Old", "SPECIAL", &[two]))
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
                &format!("{OFFERS_PATH}/{}", made["id"]),
                Some(&offer_form(name, kind, &games)),
            )
            .await
    };
    browser
        .post(&format!("{OFFERS_PATH}/{}/archive", old["id"]), json!({}))
        .await
        .ok();
    let message = "This bundle is locked (archived) and cannot be edited.";
    assert_eq!(
        put(&old).await.expect_refusal(409, "locked")["message"],
        message
    );
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
            .get(&format!("{OFFERS_PATH}/{}", special["id"]))
            .await
            .ok()["status"],
        "locked"
    );
    let message = "This bundle is locked (has sales) and cannot be edited.";
    assert_eq!(
        put(&special).await.expect_refusal(409, "locked")["message"],
        message,
        "a special with a sale is locked too"
    );
    assert_eq!(
        put(&double).await.ok()["status"],
        "active",
        "an offer without a sale can be edited"
    );
    server.start_game(one).await;
    server
        .state
        .catalogue
        .reload()
        .await
        .expect("the read succeeds");
    let message = "This bundle is locked (closed) and cannot be edited.";
    assert_eq!(
        put(&double).await.expect_refusal(409, "locked")["message"],
        message
    );
    server.finish().await;
}

#[actix_web::test]
async fn offer_with_cancelled_game_can_be_edited_or_archived() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let (one, two, three) = (
        server.create_draw(broncos.id).await,
        server.create_draw(broncos.id).await,
        server.create_draw(broncos.id).await,
    );
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let sold = browser
        .post(OFFERS_PATH, offer_form("Sold", "BUNDLE", &[one, two]))
        .await
        .ok();
    let unsold = browser
        .post(
            OFFERS_PATH,
            offer_form("Unsold", "BUNDLE", &[one, two, three]),
        )
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
        browser
            .get(&format!("{OFFERS_PATH}/{}", made["id"]))
            .await
            .ok()["status"]
            .clone()
    };
    assert_eq!(
        (status(&sold).await, status(&unsold).await),
        (json!("locked"), json!("active"))
    );
    server.create_operator().await;
    let confirmation = json!({ "reason": "Rain", "drawNumber": one.0 });
    let operator = club::sign_in_as_operator(&server).await;
    operator
        .post(&format!("/api/admin/draws/{one}/cancel"), confirmation)
        .await
        .ok();
    assert_eq!(
        (status(&sold).await, status(&unsold).await),
        (json!("closed"), json!("active"))
    );
    assert_eq!(
        server.bob().get("/api/clubs/broncos/bundles").await.ok(),
        json!([]),
        "neither offer is listed"
    );
    let archived = browser
        .post(&format!("{OFFERS_PATH}/{}/archive", sold["id"]), json!({}))
        .await
        .ok();
    assert_eq!(archived["status"], "archived");
    let path = format!("{OFFERS_PATH}/{}", unsold["id"]);
    browser
        .call(
            Method::PUT,
            &path,
            Some(&offer_form("Unsold", "BUNDLE", &[two, three])),
        )
        .await
        .ok();
    assert_eq!(
        server.bob().get("/api/clubs/broncos/bundles").await.ok()[0]["slug"],
        "unsold",
        "the edited offer is listed again"
    );
    server.finish().await;
}

#[actix_web::test]
async fn concurrent_offers_with_one_slug_accept_one_and_refuse_other() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let one = server.create_draw(broncos.id).await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let save = async || {
        browser
            .post(OFFERS_PATH, offer_form("Special", "SPECIAL", &[one]))
            .await
    };
    let (first, second) = futures_util::join!(save(), save());
    let (refused, created) = if first.status == 201 {
        (second, first)
    } else {
        (first, second)
    };
    assert_eq!(created.status, 201, "{}", created.text);
    let message = "This slug is already used by another offer.";
    assert_eq!(
        refused.expect_refusal(409, "slug-taken")["message"],
        message
    );
    let other = browser
        .post(OFFERS_PATH, offer_form("Other", "SPECIAL", &[one]))
        .await
        .ok();
    let path = format!("{OFFERS_PATH}/{}", other["id"]);
    let renamed = browser
        .call(
            Method::PUT,
            &path,
            Some(&offer_form("Special", "SPECIAL", &[one])),
        )
        .await;
    assert_eq!(
        renamed.expect_refusal(409, "slug-taken")["message"],
        message
    );
    server.finish().await;
}

#[actix_web::test]
async fn share_image_has_at_most_3_mb_and_stays_while_in_use() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let (one, two) = (
        server.create_draw(broncos.id).await,
        server.create_draw(broncos.id).await,
    );
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let upload = async |bytes: &[u8]| {
        let body = json!({ "filename": "x.jpg", "contentType": "image/jpeg", "data": STANDARD.encode(bytes),
            "clubSlug": "broncos", "bundleSlug": "first" });
        browser.post("/api/uploads/bundle-image", body).await
    };
    assert_eq!(
        upload(&jpeg_of_size(3_000_001))
            .await
            .expect_refusal(413, "file-too-large")["message"],
        "Max size is 3MB"
    );
    assert_eq!(
        upload(&jpeg_of_size(3_240_000))
            .await
            .expect_refusal(413, "file-too-large")["message"],
        "Max size is 3MB",
        "the base64 of such a file is larger than that of the largest picture"
    );
    let url = upload(&jpeg_of_size(3_000_000)).await.ok()["url"].clone();
    for (name, game) in [("First", one), ("Second", two)] {
        let mut form = offer_form(name, "SPECIAL", &[game]);
        form["shareImageUrl"] = url.clone();
        assert_eq!(
            browser.post(OFFERS_PATH, form).await.ok()["shareImageUrl"],
            url
        );
    }
    let delete_image = async |browser: &Buyer, offer: &str| {
        let body = json!({ "url": url, "clubSlug": "broncos", "bundleSlug": offer });
        browser
            .call(Method::DELETE, "/api/uploads/bundle-image", Some(&body))
            .await
            .status
    };
    let address = url.as_str().expect("a local address");
    assert_eq!(delete_image(&browser, "first").await, 204);
    assert_eq!(
        server.alice().get(address).await.status,
        200,
        "the other offer still shows it"
    );
    let second = browser.get(OFFERS_PATH).await.ok()[0].clone();
    let plain = offer_form("Second", "SPECIAL", &[two]);
    browser
        .call(
            Method::PUT,
            &format!("{OFFERS_PATH}/{}", second["id"]),
            Some(&plain),
        )
        .await
        .ok();
    assert_eq!(delete_image(&browser, "first").await, 204);
    server
        .alice()
        .get(address)
        .await
        .expect_refusal(404, "not-found");
    server.finish().await;
}

#[actix_web::test]
async fn club_stores_at_most_200_pictures() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    server.create_club("storm").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    server
        .database
        .execute_sql(
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
        .expect_refusal(409, "too-many-pictures");
    let message = "A club keeps at most 200 pictures. Please remove one that you no longer need.";
    assert_eq!(refused["message"], message);
    assert_eq!(
        send(&browser, "broncos", 10).await.ok()["url"],
        last,
        "uploading the same picture again returns the same URL"
    );
    let page = format!("/api/clubs/{}/home-page", server.club_id("broncos"));
    let logo =
        json!({ "logoUrl": format!("data:image/jpeg;base64,{}", STANDARD.encode(picture(90))) });
    let refused = browser
        .call(reqwest::Method::PATCH, &page, Some(&logo))
        .await
        .expect_refusal(409, "too-many-pictures");
    assert_eq!(refused["message"], message);
    let storm = club::sign_in_as_club(&server, "storm").await;
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
