//! A club's and the operator's browser.

use domain::DrawId;
use serde_json::json;

use super::buyer::{Answer, Buyer};
use super::server::{PASSWORD, TestServer};

/// Signed in as the club of a slug.
pub async fn club(server: &TestServer, slug: &str) -> Buyer {
    signed_in(server, &format!("{slug}@demo.test")).await
}

pub async fn operator(server: &TestServer) -> Buyer {
    signed_in(server, "operator@demo.test").await
}

async fn signed_in(server: &TestServer, email: &str) -> Buyer {
    let browser = Buyer::new(&server.url, "Club", "club@example.com", "0400 111 222");
    browser.signs_in(email, PASSWORD).await.ok();
    browser
}

pub async fn enters(browser: &Buyer, draw: DrawId, home: u8, away: u8) -> Answer {
    let body = json!({ "homeFirstTryScorer": home, "awayFirstTryScorer": away });
    browser.post(&format!("/api/draws/{draw}/results"), body).await
}
