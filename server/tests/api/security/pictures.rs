//! Invalid or ambiguous pictures are refused. Others are decoded and encoded again, so that no byte
//! of the upload is stored (decisions G-8, G-9).

use std::net::TcpListener;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::json;

use crate::support::{Buyer, TestServer, club};

fn encode_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Returns a PNG in base64, all of one colour.
pub fn png_base64(width: u32, height: u32) -> String {
    encode_base64(&png_bytes(width, height))
}

fn png_bytes(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::RgbImage::new(width, height)
        .write_to(&mut bytes, image::ImageFormat::Png)
        .expect("encoded");
    bytes.into_inner()
}

fn jpeg_bytes() -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::RgbImage::new(4, 4)
        .write_to(&mut bytes, image::ImageFormat::Jpeg)
        .expect("encoded");
    bytes.into_inner()
}

/// Returns a PNG whose header states this size, with a valid checksum, but without the pixels.
fn png_with_claimed_size(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = png_bytes(1, 1);
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    let crc = crc32(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&crc.to_be_bytes());
    bytes
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 {
                (crc >> 1) ^ 0xEDB8_8320
            } else {
                crc >> 1
            }
        })
    };
    !bytes.iter().fold(!0, step)
}

/// SVGs with scripts, external content or extreme sizes. `URL` is replaced by a local address that
/// the server must never request.
const HOSTILE_SVGS: [&str; 24] = [
    r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>"#,
    r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="alert(1)"><rect width="9" height="9"/></svg>"#,
    r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="javascript:alert(1)"/></foreignObject></svg>"#,
    r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><a href="javascript:alert(1)"><rect width="9" height="9"/></a></svg>"#,
    r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="URL/x.png" width="9" height="9"/></svg>"#,
    r#"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9"><image xlink:href="URL/x.png" width="9" height="9"/></svg>"#,
    r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd" width="9" height="9"/></svg>"#,
    r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="/etc/passwd" width="9" height="9"/></svg>"#,
    r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="data:image/svg+xml;base64,PHN2Zy8+" width="9" height="9"/></svg>"#,
    r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><use href="URL/x.svg#a"/></svg>"#,
    r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><feImage href="URL/x.png"/></svg>"#,
    r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><defs><filter id="f"><feImage href="URL/x.png"/></filter></defs><rect width="9" height="9" filter="url(#f)"/></svg>"#,
    r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><style>@import url("URL/x.css"); rect { fill: url("URL/y") }</style><rect width="9" height="9"/></svg>"#,
    r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><style>@font-face { font-family: x; src: url("URL/x.woff") }</style><text font-family="x" y="9">x</text></svg>"#,
    r#"<?xml version="1.0"?><?xml-stylesheet href="URL/x.xsl" type="text/xsl"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>"#,
    r#"<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text y="9">&x;</text></svg>"#,
    r#"<?xml version="1.0"?><!DOCTYPE svg SYSTEM "URL/x.dtd"><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>"#,
    r#"<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY % x SYSTEM "URL/x"> %x;]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>"#,
    r#"<svg xmlns="http://www.w3.org/2000/svg" width="20000" height="20000"><rect width="20000" height="20000"/></svg>"#,
    r#"<svg xmlns="http://www.w3.org/2000/svg" width="1e38" height="1e-38"><rect width="9" height="9"/></svg>"#,
    r#"<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0"/>"#,
    r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 NaN Infinity"/>"#,
    r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><animate onbegin="alert(1)" attributeName="x"/><set onend="alert(1)"/></svg>"#,
    r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><defs><filter id="f"><feGaussianBlur stdDeviation="1e9"/><feTurbulence numOctaves="1000000"/></filter></defs><rect width="9" height="9" filter="url(#f)"/></svg>"#,
];

/// Returns two "billion laughs" SVGs, which multiply themselves: one by entities, one by nested
/// `use` elements.
fn billion_laughs() -> [String; 2] {
    let entities =
        (1..10).map(|n| format!("<!ENTITY l{n} \"{}\">", format!("&l{};", n - 1).repeat(10)));
    let entities = entities.collect::<String>();
    let uses = (1..10).map(|n| {
        let inner = format!("<use href=\"#g{}\"/>", n - 1).repeat(10);
        format!("<g id=\"g{n}\">{inner}</g>")
    });
    let uses = uses.collect::<String>();
    [
        format!(
            "<?xml version=\"1.0\"?><!DOCTYPE svg [<!ENTITY l0 \"ha\">{entities}]><svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"><text y=\"9\">&l9;</text></svg>"
        ),
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"><defs><g id=\"g0\"><rect width=\"1\" height=\"1\"/></g>{uses}</defs><use href=\"#g9\"/></svg>"
        ),
    ]
}

/// Asserts that the stored picture is a PNG or JPEG that contains none of the texts by which a
/// hostile upload is recognised.
async fn assert_picture_reencoded(browser: &Buyer, url: &str, sent: &str) {
    let answer = browser
        .bare_request(Method::GET, url)
        .send()
        .await
        .expect("the server answers");
    assert_eq!(answer.status(), 200, "{url}");
    let header = |name: &str| {
        answer.headers()[name]
            .to_str()
            .expect("the text is UTF-8")
            .to_string()
    };
    assert!(["image/png", "image/jpeg"].contains(&header("content-type").as_str()));
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert_eq!(
        header("content-security-policy"),
        "default-src 'none'; sandbox"
    );
    let bytes = answer.bytes().await.expect("the body is read");
    assert!(
        bytes.starts_with(b"\x89PNG\r\n\x1a\n") || bytes.starts_with(b"\xff\xd8\xff"),
        "{sent}"
    );
    for trace in ["<svg", "<script", "alert", "root:", "<?php", "<html", "GPS"] {
        let found = bytes
            .windows(trace.len())
            .any(|window| window == trace.as_bytes());
        assert!(!found, "{trace} is left in the picture of {sent}");
    }
}

#[actix_web::test]
async fn hostile_svg_is_refused_or_rendered_without_network_access() {
    let server = TestServer::start().await;
    let id = server.create_club("broncos").await.id;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener
        .set_nonblocking(true)
        .expect("the listener does not block");
    let url = format!("http://{}", listener.local_addr().expect("a local address"));
    let path = format!("/api/clubs/{id}/home-page");
    let mut drawn = 0;
    for drawing in HOSTILE_SVGS
        .iter()
        .map(|drawing| drawing.replace("URL", &url))
        .chain(billion_laughs())
    {
        let start: String = drawing.chars().take(160).collect();
        let logo = format!(
            "data:image/svg+xml;base64,{}",
            encode_base64(drawing.as_bytes())
        );
        let answer = browser
            .call(Method::PATCH, &path, Some(&json!({ "logoUrl": logo })))
            .await;
        if answer.status == 200 {
            let url_path = answer.json()["logoUrl"]
                .as_str()
                .expect("a local address")
                .to_string();
            assert!(
                url_path.starts_with("/uploads/") && url_path.ends_with(".png"),
                "{url_path}: {start}"
            );
            assert_picture_reencoded(&browser, &url_path, &start).await;
            drawn += 1;
        } else {
            assert_eq!(answer.status, 400, "{start}: {}", answer.text);
        }
        // An SVG is never accepted as a share image, even a harmless one.
        let image = json!({ "clubSlug": "broncos", "data": encode_base64(drawing.as_bytes()) });
        browser
            .post("/api/uploads/bundle-image", image)
            .await
            .expect_refusal(400, "invalid-file");
    }
    // The server refuses an SVG with external references, filters, `use` or entity declarations. It
    // only removes scripts and event handlers.
    assert!(
        drawn >= 6,
        "SVGs whose scripts can be left out are rendered: {drawn}"
    );
    assert!(
        listener.accept().is_err(),
        "an address in an SVG was requested"
    );
    server.finish().await;
}

#[actix_web::test]
async fn invalid_polyglot_or_large_picture_is_refused_or_reencoded() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let (picture, photo) = (png_bytes(4, 4), jpeg_bytes());
    let with = |bytes: &[u8], more: &[u8]| [bytes, more].concat();
    let mut noted = photo.clone();
    noted.splice(
        2..2,
        b"\xff\xfe\x00\x1a<script>alert(1)</script>"[..]
            .iter()
            .copied(),
    );
    for (what, bytes) in [
        (
            "a PNG with a page behind it",
            with(&picture, b"<html><script>alert(1)</script>"),
        ),
        (
            "a JPEG with a program behind it",
            with(&photo, b"<?php system($_GET[0]);"),
        ),
        ("a JPEG with a comment", noted),
        ("a PNG with a picture's text", with(&picture, b"GPS -27.4")),
    ] {
        let sent = browser
            .post(
                "/api/uploads/bundle-image",
                json!({ "clubSlug": "broncos", "data": encode_base64(&bytes) }),
            )
            .await;
        let url = sent.ok()["url"]
            .as_str()
            .expect("a local address")
            .to_string();
        assert_picture_reencoded(&browser, &url, what).await;
    }
    let bare = |bytes: &[u8]| encode_base64(bytes);
    for (what, data) in [
        ("nothing", String::new()),
        ("no base64", "%%%%".into()),
        ("a GIF", bare(b"GIF89a\x01\0\x01\0\0\0\0;")),
        ("a WebP", bare(b"RIFF\0\0\0\0WEBPVP8 ")),
        ("a PDF", bare(b"%PDF-1.7")),
        ("a page", bare(b"<!doctype html><script>alert(1)</script>")),
        (
            "a page that says PNG",
            format!(
                "data:image/png;base64,{}",
                bare(b"<html><svg></svg></html>")
            ),
        ),
        ("a PNG's first bytes", bare(b"\x89PNG\r\n\x1a\n")),
        ("a PNG cut off", bare(&picture[..picture.len() - 20])),
        ("a JPEG's first bytes", bare(b"\xff\xd8\xff\xe0")),
        (
            "a PNG of 20,000 by 20,000",
            bare(&png_with_claimed_size(20_000, 20_000)),
        ),
        (
            "a PNG of four thousand million by as many",
            bare(&png_with_claimed_size(u32::MAX, u32::MAX)),
        ),
        ("a ZIP", bare(b"PK\x03\x04")),
        ("an ICO", bare(b"\0\0\x01\0\x01\0")),
    ] {
        let answer = browser
            .post(
                "/api/uploads/bundle-image",
                json!({ "clubSlug": "broncos", "data": data }),
            )
            .await;
        assert_eq!(answer.status, 400, "{what}: {}", answer.text);
        answer.expect_refusal(400, "invalid-file");
    }
    let mut large = picture.clone();
    large.resize(3_000_001, 0);
    let answer = browser
        .post(
            "/api/uploads/bundle-image",
            json!({ "clubSlug": "broncos", "data": encode_base64(&large) }),
        )
        .await;
    assert_eq!(
        answer.expect_refusal(413, "file-too-large")["message"],
        "Max size is 3MB"
    );
    server.finish().await;
}

/// The server passes a logo's URL on to browsers unchanged, and never requests it.
#[actix_web::test]
async fn logo_url_never_runs_script_and_is_never_fetched() {
    let server = TestServer::start().await;
    let id = server.create_club("broncos").await.id;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let path = format!("/api/clubs/{id}/home-page");
    for bad in [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " javascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "data:text/html;base64,PHNjcmlwdD4=",
        "vbscript:x",
        "file:///etc/passwd",
        "//evil.test/x.png",
        "https://evil.test/\"onerror=\"alert(1)",
        "https://evil.test/x.png'><script>",
    ] {
        let answer = browser
            .call(Method::PATCH, &path, Some(&json!({ "logoUrl": bad })))
            .await;
        assert_eq!(answer.status, 400, "{bad}: {}", answer.text);
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener
        .set_nonblocking(true)
        .expect("the listener does not block");
    let there = listener.local_addr().expect("a local address");
    // The specification allows an http URL. Browsers do not show it because of the content security
    // policy.
    for logo_url in [
        format!("https://{there}/logo.png"),
        format!("http://{there}/latest/meta-data"),
    ] {
        browser
            .call(Method::PATCH, &path, Some(&json!({ "logoUrl": logo_url })))
            .await
            .ok();
        assert_eq!(server.bob().get("/club/broncos").await.status, 200);
        assert_eq!(
            server
                .bob()
                .bare_request(Method::GET, "/og/club/broncos")
                .send()
                .await
                .expect("a card")
                .status(),
            200
        );
    }
    assert!(
        listener.accept().is_err(),
        "the server requested a logo URL"
    );
    server.finish().await;
}
