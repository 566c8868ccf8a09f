//! The club's home page and offers (club.md sections 2, 5 and 7).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::DrawId;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Buyer, TestServer, club};

const LOGO_SVG: &[u8] = br#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="alert(1)"><rect width="9" height="9"/></svg>"#;

fn data_url(kind: &str, bytes: &[u8]) -> String {
    format!("data:{kind};base64,{}", STANDARD.encode(bytes))
}

#[actix_web::test]
async fn saved_home_page_is_found_under_old_and_new_slug() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    server.create_club("storm").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let path = format!("/api/clubs/{}/home-page", broncos.id);
    let save = async |body: Value| browser.call(Method::PATCH, &path, Some(&body)).await;
    let slug = "Page name must contain only lowercase letters, numbers, and hyphens";
    let logo = "Must be a valid URL or uploaded image";
    for (field, value, message) in [
        ("homePageSlug", json!("Broncos!"), slug),
        (
            "homePageSlug",
            json!("admin"),
            "This page name is reserved. Please choose another one.",
        ),
        (
            "homePageSlug",
            json!("ab"),
            "Page name must be between 3 and 50 characters",
        ),
        (
            "homePageTitle",
            json!("ab"),
            "Title must be between 3 and 100 characters",
        ),
        (
            "homePageTagline",
            json!("too short"),
            "Tagline must be between 10 and 200 characters",
        ),
        ("logoUrl", json!("javascript:alert(1)"), logo),
        ("logoUrl", json!("data:image/png;base64,%%%"), logo),
        (
            "logoUrl",
            json!(data_url("image/png", b"GIF89a")),
            "Please upload a PNG, JPG, or SVG file.",
        ),
        (
            "logoUrl",
            json!(data_url("image/png", &vec![0; 2 * 1024 * 1024 + 1])),
            "Logo must be smaller than 2MB. Please choose a smaller image.",
        ),
        ("primaryColor", json!("red"), "Must be a valid hex color"),
        ("accentColor", json!("#12345g"), "Must be a valid hex color"),
        (
            "facebookPixelId",
            json!("1234"),
            "Pixel ID must be 5 to 20 digits",
        ),
    ] {
        let refused = save(json!({ field: value }))
            .await
            .expect_refusal(400, "invalid");
        assert_eq!(
            (&refused["errors"][0]["field"], &refused["message"]),
            (&json!(field), &json!(message))
        );
    }
    save(json!({ "homePageSlug": "storm" }))
        .await
        .expect_refusal(409, "slug-taken");
    let saved = save(
        json!({ "homePageSlug": "the-broncos", "homePageTitle": "The Broncos", "primaryColor": "#AA0011",
        "logoUrl": data_url("image/svg+xml", LOGO_SVG), "facebookPixelId": "1234567" }),
    );
    let saved = saved.await.ok();
    assert_eq!(
        (&saved["homePageSlug"], &saved["homePageReady"]),
        (&json!("the-broncos"), &json!(true))
    );
    assert_eq!(
        (&saved["primaryColor"], &saved["facebookPixelId"]),
        (&json!("#aa0011"), &json!("1234567"))
    );
    let picture = server
        .alice()
        .get(saved["logoUrl"].as_str().expect("a local address"))
        .await;
    assert_eq!(
        (picture.status, picture.header("content-type")),
        (200, Some("image/png"))
    );
    assert_eq!(
        picture.header("content-security-policy"),
        Some("default-src 'none'; sandbox")
    );
    assert_eq!(picture.header("x-content-type-options"), Some("nosniff"));
    let old = server.alice().get("/api/clubs/slug/broncos").await.ok();
    assert_eq!(
        (&old["slug"], &old["canonicalSlug"]),
        (&json!("broncos"), &json!("the-broncos"))
    );
    let storm = club::sign_in_as_club(&server, "storm").await;
    storm
        .call(Method::PATCH, &path, Some(&json!({})))
        .await
        .expect_refusal(404, "not-found");
    let own_page = format!(
        "/api/clubs/{}/home-page",
        storm.get("/api/admin/whoami").await.ok()["user"]["id"]
    );
    let taken_slug = json!({ "homePageSlug": "broncos" });
    storm
        .call(Method::PATCH, &own_page, Some(&taken_slug))
        .await
        .expect_refusal(409, "slug-taken");
    assert_eq!(
        save(json!({ "homePageSlug": "broncos" })).await.ok()["homePageSlug"],
        "broncos",
        "the club may take its own old slug back"
    );
    server.finish().await;
}

fn offer_form(name: &str, kind: &str, status: &str, games: &[DrawId]) -> Value {
    json!({ "name": name, "slug": name.to_lowercase(), "type": kind, "status": status,
        "gameIds": games.iter().map(|game| game.0).collect::<Vec<_>>() })
}

#[actix_web::test]
async fn offer_create_change_and_archive_use_specified_messages() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let (one, two) = (
        server.create_draw(broncos.id).await,
        server.create_draw(broncos.id).await,
    );
    let storm = server.create_club("storm").await;
    let foreign = server.create_draw(storm.id).await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let path = "/api/admin/clubs/broncos/bundles";
    let needed = "Please provide name, slug, and select at least one game";
    for (body, message) in [
        (json!({}), needed),
        (offer_form("", "BUNDLE", "draft", &[one, two]), needed),
        (offer_form("Double", "BUNDLE", "draft", &[]), needed),
        (
            offer_form("Double", "SPECIAL", "draft", &[one, two]),
            "A Special must include exactly one game",
        ),
        (
            offer_form("Double", "BUNDLE", "draft", &[one]),
            "A Bundle must include at least two games",
        ),
        (
            offer_form("Double", "BUNDLE", "active", &[one]),
            "Select at least 2 games to activate this bundle",
        ),
        (
            offer_form("Do uble", "BUNDLE", "draft", &[one, two]),
            "Slug must contain only lowercase letters, numbers, and hyphens",
        ),
        (
            offer_form("Double", "BUNDLE", "draft", &[one, foreign]),
            "A game of this offer is not one of this club's games on sale",
        ),
    ] {
        assert_eq!(
            browser
                .post(path, body)
                .await
                .expect_refusal(400, "invalid")["message"],
            message
        );
    }
    let made = browser
        .post(path, offer_form("Double", "BUNDLE", "draft", &[one, two]))
        .await
        .ok();
    assert_eq!(
        (
            &made["status"],
            &made["editable"],
            &made["games"][0]["homeTeam"]
        ),
        (&json!("draft"), &json!(true), &json!("Broncos"))
    );
    browser
        .post(path, offer_form("double", "SPECIAL", "draft", &[one]))
        .await
        .expect_refusal(409, "slug-taken");
    let own = format!("{path}/{}", made["id"]);
    let put = async |body: Value| browser.call(Method::PUT, &own, Some(&body)).await;
    assert_eq!(
        put(offer_form("Double", "BUNDLE", "active", &[one, two]))
            .await
            .ok()["status"],
        "active"
    );
    let other_club = club::sign_in_as_club(&server, "storm").await;
    other_club.get(path).await.expect_refusal(404, "not-found");
    other_club
        .get(&format!("/api/admin/clubs/storm/bundles/{}", made["id"]))
        .await
        .expect_refusal(404, "not-found");
    let (intent, _) = server.alice().buy(one, 1).await;
    let sold = "insert into bundle_sales (bundle_id, order_id, quantity)
         select 1, id, 1 from orders where payment_intent_id = $1 returning id";
    server.database.query_number(sold, intent.id()).await;
    let refused = put(offer_form("Double", "BUNDLE", "active", &[one, two]))
        .await
        .expect_refusal(409, "locked");
    assert_eq!(
        refused["message"],
        "This bundle is locked (has sales) and cannot be edited."
    );
    let archive = format!("{own}/archive");
    browser
        .post(&archive, json!({}))
        .await
        .expect_refusal(409, "locked");
    let listed = browser.get(path).await.ok();
    assert_eq!(
        (&listed[0]["status"], &listed[0]["ticketsSold"]),
        (&json!("locked"), &json!(1))
    );
    server.start_game(one).await;
    server
        .state
        .catalogue
        .reload()
        .await
        .expect("the read succeeds");
    assert_eq!(browser.get(&own).await.ok()["status"], "closed");
    assert_eq!(
        browser.post(&archive, json!({})).await.ok()["status"],
        "archived"
    );
    put(offer_form("Double", "BUNDLE", "active", &[two, one]))
        .await
        .expect_refusal(409, "locked");
    server.finish().await;
}

#[actix_web::test]
async fn share_image_type_is_read_from_bytes_and_owner_deletes_it() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    server.create_club("storm").await;
    let (browser, storm) = (
        club::sign_in_as_club(&server, "broncos").await,
        club::sign_in_as_club(&server, "storm").await,
    );
    let upload = async |browser: &Buyer, bytes: &[u8]| {
        let body = json!({ "filename": "x.png", "contentType": "image/png", "data": STANDARD.encode(bytes),
            "clubSlug": "broncos", "bundleSlug": "double", "desiredKey": "../../etc/passwd" });
        browser.post("/api/uploads/bundle-image", body).await
    };
    let mut png = Vec::new();
    let picture = image::RgbImage::new(12, 6);
    picture
        .write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png)
        .expect("encoded");
    for bad in [&b"GIF89a"[..], LOGO_SVG, b""] {
        let message = upload(&browser, bad)
            .await
            .expect_refusal(400, "invalid-file")["message"]
            .clone();
        assert_eq!(message, "Please upload a JPG or PNG image");
    }
    assert_eq!(
        upload(&browser, &vec![0; 3_000_001])
            .await
            .expect_refusal(413, "file-too-large")["message"],
        "Max size is 3MB"
    );
    upload(&storm, &png).await.expect_refusal(404, "not-found");
    let url = upload(&browser, &png).await.ok()["url"]
        .as_str()
        .expect("a local address")
        .to_string();
    assert!(
        url.starts_with("/uploads/bundle-image-") && url.ends_with(".png"),
        "{url}"
    );
    assert_eq!(server.alice().get(&url).await.status, 200);
    let delete_image = async |browser: &Buyer, club: &str| {
        let body = json!({ "url": url, "clubSlug": club, "bundleSlug": "double" });
        browser
            .call(Method::DELETE, "/api/uploads/bundle-image", Some(&body))
            .await
    };
    delete_image(&storm, "storm")
        .await
        .expect_refusal(404, "not-found");
    assert_eq!(delete_image(&browser, "broncos").await.status, 204);
    server
        .alice()
        .get(&url)
        .await
        .expect_refusal(404, "not-found");
    server.finish().await;
}

/// Returns a JPEG photo of noise, which compresses badly.
fn noisy_photo(width: u32, height: u32) -> Vec<u8> {
    let mut random = 7u32;
    let photo = image::RgbImage::from_fn(width, height, |_, _| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        image::Rgb(random.to_be_bytes()[..3].try_into().expect("three bytes"))
    });
    let mut jpeg = Vec::new();
    image::codecs::jpeg::JpegEncoder::new_with_quality(&mut jpeg, 60)
        .encode_image(&photo)
        .expect("encoded");
    jpeg
}

#[actix_web::test]
async fn goal_photo_and_sponsor_are_shown_and_limited() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let draw = server.create_draw(broncos.id).await;
    let (_, bought) = server.alice().buy(draw, 2).await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let path = format!("/api/clubs/{}/home-page", broncos.id);
    let save = async |body: Value| browser.call(Method::PATCH, &path, Some(&body)).await;
    let own = |kind: &str| format!("/uploads/{kind}-{}-0a.png", broncos.id);
    let too_large = data_url("image/jpeg", &noisy_photo(1400, 1400));
    for (field, body) in [
        (
            "goalText",
            json!({ "goalText": "ab", "goalAmount": "500.00" }),
        ),
        (
            "goalText",
            json!({ "goalText": "x".repeat(81), "goalAmount": "500.00" }),
        ),
        ("goalAmount", json!({ "goalText": "New boots" })),
        (
            "goalAmount",
            json!({ "goalText": "New boots", "goalAmount": "99.99" }),
        ),
        (
            "goalAmount",
            json!({ "goalText": "New boots", "goalAmount": "1000000.01" }),
        ),
        (
            "photoUrl",
            json!({ "photoUrl": "https://elsewhere.example.com/x.jpg" }),
        ),
        (
            "photoUrl",
            json!({ "photoUrl": "/uploads/photo-999-0a.jpg" }),
        ),
        (
            "photoUrl",
            json!({ "photoUrl": data_url("image/png", b"GIF89a") }),
        ),
        ("photoUrl", json!({ "photoUrl": too_large })),
        ("sponsorName", json!({ "sponsorName": "x" })),
        ("sponsorName", json!({ "sponsorName": "x".repeat(41) })),
        (
            "sponsorName",
            json!({ "sponsorName": "", "sponsorLogoUrl": own("sponsor") }),
        ),
        (
            "sponsorLogoUrl",
            json!({ "sponsorName": "Harbour Marine", "sponsorLogoUrl": own("logo") }),
        ),
    ] {
        let refused = save(body.clone()).await.expect_refusal(400, "invalid");
        assert_eq!(
            refused["errors"][0]["field"], field,
            "{field}: {}",
            refused["message"]
        );
    }
    let public = async || server.bob().get("/api/clubs/slug/broncos").await.ok();
    let untouched = public().await;
    for field in [
        "goalText",
        "goalAmount",
        "photoUrl",
        "sponsorName",
        "sponsorLogoUrl",
    ] {
        assert_eq!(untouched[field], Value::Null, "{field}");
    }
    assert_eq!(
        untouched["raisedSoFar"], "0.00",
        "only a completed draw counts"
    );

    let photo = data_url("image/jpeg", &noisy_photo(300, 200));
    save(
        json!({ "goalText": " New boots ", "goalAmount": "10000.00", "photoUrl": photo,
        "sponsorName": "Harbour Marine", "sponsorLogoUrl": photo }),
    )
    .await
    .ok();
    server.start_game(draw).await;
    let number = |name: &str| bought["tickets"][0][name].as_u64().expect("a number") as u8;
    club::enter_result(&browser, draw, number("homeNumber"), number("awayNumber"))
        .await
        .ok();
    server.state.catalogue.reload().await.expect("read");
    let shown = public().await;
    assert_eq!(
        (
            &shown["goalText"],
            &shown["goalAmount"],
            &shown["sponsorName"]
        ),
        (
            &json!("New boots"),
            &json!("10000.00"),
            &json!("Harbour Marine")
        )
    );
    // Two tickets of $5.00, half of which is the prize.
    assert_eq!(shown["raisedSoFar"], "5.00");
    let picture = shown["photoUrl"].as_str().expect("a photo");
    assert!(
        picture.starts_with(&format!("/uploads/photo-{}-", broncos.id)),
        "{picture}"
    );
    assert_eq!(server.bob().get(picture).await.status, 200);
    let page = server.bob().get("/club/broncos").await.text;
    assert!(
        page.contains("of the way to New boots") && page.contains(picture),
        "first paint"
    );

    // Absent fields stay, empty fields are cleared.
    save(json!({ "homePageTitle": "The Broncos" })).await.ok();
    assert_eq!(public().await["goalText"], "New boots");
    save(json!({ "photoUrl": picture, "goalText": "", "sponsorName": "", "sponsorLogoUrl": "" }))
        .await
        .ok();
    let cleared = public().await;
    for field in ["goalText", "goalAmount", "sponsorName", "sponsorLogoUrl"] {
        assert_eq!(cleared[field], Value::Null, "{field}");
    }
    assert_eq!(cleared["photoUrl"], picture);
    server.finish().await;
}
