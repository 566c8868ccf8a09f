//! Signs browsers in as a club, a member or the operator, and makes their calls.

use actors::Clock;
use domain::access::Role;
use domain::{ClubId, DrawId};
use persistence::records::club_users::NewClubUser;
use sandbox::authenticator::DEMO_OPERATOR_TOTP_SECRET;
use serde_json::json;
use server::services::identity::password;
use server::services::identity::second_factor::{TOTP_STEP_SECONDS, authenticator};

use super::buyer::{ApiResponse, Buyer};
use super::server::{PASSWORD, TestServer};

/// Signs in with the own login of the club with this slug.
pub async fn sign_in_as_club(server: &TestServer, slug: &str) -> Buyer {
    sign_in_with_email(server, &format!("{slug}@demo.test")).await
}

/// Signs in as the operator with a password and an authenticator code.
pub async fn sign_in_as_operator(server: &TestServer) -> Buyer {
    let browser = sign_in_with_email(server, "operator@demo.test").await;
    submit_unused_totp_code(server, &browser, "/api/admin/totp/verify").await;
    browser
}

/// Signs in as the operator in a second browser. First moves the clock by 90 seconds, because each
/// code is valid once.
pub async fn sign_in_as_operator_in_second_browser(server: &TestServer) -> Buyer {
    server.clock.advance_seconds(90);
    sign_in_as_operator(server).await
}

/// Submits authenticator codes until one is accepted. The server accepts three codes at a time,
/// each once.
pub async fn submit_unused_totp_code(server: &TestServer, browser: &Buyer, path: &str) {
    for steps in -1..=1 {
        let answer = browser
            .post(path, json!({ "code": totp_code(server, steps) }))
            .await;
        if answer.status == 200 {
            return;
        }
        // The code may have expired between the reading of the clock and the call.
        let late = steps == -1 && answer.json()["code"] == "wrong-code";
        answer.expect_refusal(401, if late { "wrong-code" } else { "code-used" });
    }
    panic!("all three codes of this minute are used");
}

/// Returns the operator's authenticator code, `steps` half minutes from now.
pub fn totp_code(server: &TestServer, steps: i64) -> String {
    let seconds = server.clock.now().0 / 1000 + steps * TOTP_STEP_SECONDS;
    let totp =
        authenticator(DEMO_OPERATOR_TOTP_SECRET, "operator@demo.test").expect("an authenticator");
    totp.generate(seconds as u64).to_string()
}

/// Invites `<role>.<slug>@demo.test` as a member of a club, and signs in as this member.
pub async fn sign_in_as_member(server: &TestServer, club: ClubId, role: Role) -> Buyer {
    let slug = server
        .state
        .catalogue
        .facts()
        .club(club)
        .expect("a club")
        .slug
        .clone();
    let email = format!("{}.{slug}@demo.test", role.name());
    let token_hash = server::services::identity::random();
    let at = server.clock.now();
    let name = format!("{} {}", role.name(), club);
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
        .expect("the member is invited");
    let hash = password::hash(PASSWORD);
    server
        .records
        .finish_password_reset(&token_hash, &hash, at)
        .await
        .expect("the write succeeds")
        .expect("the call succeeds");
    sign_in_with_email(server, &email).await
}

/// Enters the password again, so that it is recent for ten minutes.
pub async fn reauthenticate(browser: &Buyer) {
    browser
        .post("/api/auth/reauthenticate", json!({ "password": PASSWORD }))
        .await
        .ok();
}

async fn sign_in_with_email(server: &TestServer, email: &str) -> Buyer {
    let browser = Buyer::new(&server.url, "Club", "club@example.com", "0400 111 222");
    browser.sign_in(email, PASSWORD).await.ok();
    browser
}

/// Enters a result: the jersey numbers of the first try scorers of both teams.
pub async fn enter_result(browser: &Buyer, draw: DrawId, home: u8, away: u8) -> ApiResponse {
    let body = json!({ "homeFirstTryScorer": home, "awayFirstTryScorer": away });
    browser
        .post(&format!("/api/draws/{draw}/results"), body)
        .await
}
