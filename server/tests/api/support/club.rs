//! A club's and the operator's browser.

use actors::Clock;
use domain::access::Role;
use domain::{ClubId, DrawId};
use persistence::records::club_users::NewClubUser;
use serde_json::json;
use server::identity::password;
use server::identity::second_factor::{STEP_SECONDS, authenticator};
use server::sandbox::authenticator::OPERATOR_SECRET;

use super::buyer::{Answer, Buyer};
use super::server::{PASSWORD, TestServer};

/// Signed in as the club of a slug.
pub async fn club(server: &TestServer, slug: &str) -> Buyer {
    signed_in(server, &format!("{slug}@demo.test")).await
}

/// Signed in with password and code.
pub async fn operator(server: &TestServer) -> Buyer {
    let browser = signed_in(server, "operator@demo.test").await;
    shows_code(server, &browser, "/api/admin/totp/verify").await;
    browser
}

/// Signed in once more, in a second browser, half a minute later: each code serves once.
pub async fn operator_again(server: &TestServer) -> Buyer {
    server.clock.push_seconds(90);
    operator(server).await
}

/// Shows the first code that was not shown before, of the three that a tolerant clock takes.
pub async fn shows_code(server: &TestServer, browser: &Buyer, path: &str) {
    for steps in -1..=1 {
        let answer = browser
            .post(path, json!({ "code": code(server, steps) }))
            .await;
        if answer.status == 200 {
            return;
        }
        // Between reading the clock and showing the code its half minute may have ended.
        let late = steps == -1 && answer.json()["code"] == "wrong-code";
        answer.refused(401, if late { "wrong-code" } else { "code-used" });
    }
    panic!("all three codes of this minute are used");
}

/// What the operator's authenticator shows so many steps from now.
pub fn code(server: &TestServer, steps: i64) -> String {
    let seconds = server.clock.now().0 / 1000 + steps * STEP_SECONDS;
    let totp = authenticator(OPERATOR_SECRET, "operator@demo.test").expect("an authenticator");
    totp.generate(seconds as u64).to_string()
}

/// Signed in as one of a club's people, `<role>.<slug>@demo.test`, who is asked in for it.
pub async fn member(server: &TestServer, club: ClubId, role: Role) -> Buyer {
    let slug = server
        .state
        .catalogue
        .facts()
        .club(club)
        .expect("a club")
        .slug
        .clone();
    let email = format!("{}.{slug}@demo.test", role.word());
    let token_hash = server::identity::random();
    let at = server.clock.now();
    let name = format!("{} {}", role.word(), club);
    let new = NewClubUser {
        club,
        email: email.clone(),
        name,
        role,
        token_hash,
        at,
        until: at.plus_seconds(60),
    };
    server
        .records
        .invite_club_user(&new)
        .await
        .expect("asked in");
    let hash = password::hash(PASSWORD);
    server
        .records
        .finish_reset(&token_hash, &hash, at)
        .await
        .expect("written")
        .expect("joined");
    signed_in(server, &email).await
}

async fn signed_in(server: &TestServer, email: &str) -> Buyer {
    let browser = Buyer::new(&server.url, "Club", "club@example.com", "0400 111 222");
    browser.signs_in(email, PASSWORD).await.ok();
    browser
}

pub async fn enters(browser: &Buyer, draw: DrawId, home: u8, away: u8) -> Answer {
    let body = json!({ "homeFirstTryScorer": home, "awayFirstTryScorer": away });
    browser
        .post(&format!("/api/draws/{draw}/results"), body)
        .await
}
