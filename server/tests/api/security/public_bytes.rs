//! Two servers that differ only in a secret send strangers the same bytes, headers, `ETag`s and
//! frames, until results are entered (reliability.md 5.9, decisions F-1, K-3).

use domain::{Cents, DrawId, FeePolicy, Timestamp};
use persistence::records::draws::DrawToCreate;
use reqwest::Method;
use reqwest::header::HeaderValue;

use crate::privacy::public_paths;
use crate::support::socket::Socket;
use crate::support::{Buyer, TestServer, club};

/// Number of draws per server. Each sells a different number of tickets, and the last one sells
/// all.
const DRAW_COUNT: usize = 20;

/// What the draws of one server copy from those of another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CopiedDrawSecret {
    /// Only the public commitment. Each server keeps its own deal, which is secret.
    Commitment,
    Deal,
}

struct ComparedServer {
    server: TestServer,
    draws: Vec<DrawId>,
    club: i64,
    /// Kick-off of the first draw. Each following draw is a day later.
    kick_off: Timestamp,
    /// The server's original commitments before the copy, as `draw:commitment`.
    own_commitments: Vec<String>,
}

impl ComparedServer {
    /// Starts a server with the same club, draws and sales as the other servers. `source` is the
    /// server from which a secret is copied, and the kind of secret.
    async fn open(
        source: Option<(&ComparedServer, CopiedDrawSecret)>,
        name: &'static str,
        email: &'static str,
        phone: &'static str,
    ) -> ComparedServer {
        let server = TestServer::start().await;
        let club = server.create_club("broncos").await.id;
        // Half a day is added, so that texts such as "in seven days" stay the same while the test
        // runs.
        let kick_off = source.map_or(
            server.now().plus_seconds(7 * 86_400 + 43_200),
            |(other, _)| other.kick_off,
        );
        let draw = |number: i64| DrawToCreate {
            club,
            league: Some("NRL".into()),
            home_team: format!("Broncos {number}"),
            away_team: "Cowboys".into(),
            zone: "Australia/Brisbane".into(),
            kick_off: kick_off.plus_seconds(86_400 * number),
            opens_at: None,
            price: Cents(500),
            prize_percentage: 50,
            round_up_prize: false,
            pass_card_fee: false,
            fee_policy: FeePolicy::DEFAULT,
            contact_name: "Sam Contact".into(),
            contact_phone: "0400 333 444".into(),
        };
        let new: Vec<DrawToCreate> = (0..DRAW_COUNT as i64).map(draw).collect();
        let draws = server.records.create_draws(&new).await.expect("draws");
        let mut own_commitments = Vec::new();
        for draw in &draws {
            // A draw's actor checks the seed against the commitment when it starts. Therefore the
            // copied commitment is written after the sales.
            let server_to_copy = |secret: CopiedDrawSecret| {
                source
                    .filter(|(_, copied)| *copied == secret)
                    .map(|(other, _)| &other.server)
            };
            if let Some(other) = server_to_copy(CopiedDrawSecret::Deal) {
                server
                    .copy_draw_secret(other, *draw, CopiedDrawSecret::Deal)
                    .await;
            }
            server
                .engine
                .draws
                .wake(*draw)
                .await
                .expect("the draw wakes");
            server
                .engine
                .draws
                .view(*draw)
                .await
                .expect("the read succeeds");
            if let Some(other) = server_to_copy(CopiedDrawSecret::Commitment) {
                own_commitments.push(server.read_commitment(*draw).await);
                server
                    .copy_draw_secret(other, *draw, CopiedDrawSecret::Commitment)
                    .await;
            }
        }
        assert!(source.is_none_or(|(other, _)| other.draws == draws));
        server
            .state
            .catalogue
            .reload()
            .await
            .expect("the read succeeds");
        server.create_offer("finals", draws[0]).await;
        let variant = ComparedServer {
            server,
            draws,
            club: club.0,
            kick_off,
            own_commitments,
        };
        for (number, draw) in variant.draws.iter().enumerate() {
            let counts = if number + 1 == DRAW_COUNT {
                vec![50, 50, 50, 19]
            } else {
                vec![1 + (number as u16 * 11) % 50]
            };
            for count in counts {
                Buyer::new(&variant.server.url, name, email, phone)
                    .buy(*draw, count)
                    .await;
            }
        }
        // One order stays unpaid, so that the comparison includes reserved tickets.
        Buyer::new(&variant.server.url, name, email, phone)
            .open_intent(variant.draws[1], 3)
            .await;
        variant
    }

    /// Returns every response and every first WebSocket frame that this browser can get, each with
    /// its name.
    async fn collect_responses(&self, browser: &Buyer) -> Vec<(String, String)> {
        let mut paths: Vec<String> = [
            "/",
            "/club/broncos",
            "/sitemap.xml",
            "/robots.txt",
            "/my",
            "/nowhere",
            "/api/nothing",
        ]
        .map(String::from)
        .into();
        for draw in &self.draws {
            paths.extend(
                public_paths(*draw, self.club)
                    .into_iter()
                    .filter(|path| path.contains(&draw.to_string())),
            );
            for page in [
                "draw/{}",
                "draw/{}/display",
                "checkout/{}",
                "verify/{}",
                "og/draw/{}",
                "api/draws/{}/winners",
                "api/draws/{}/report",
            ] {
                paths.push(format!("/{}", page.replace("{}", &draw.to_string())));
            }
        }
        // Leaves out the integrity check, because it would report the copied commitments.
        paths.extend(
            public_paths(self.draws[0], self.club)
                .into_iter()
                .filter(|path| path != "/api/health/integrity"),
        );
        let mut responses = Vec::new();
        for path in paths {
            let answer = browser
                .bare_request(Method::GET, &path)
                .send()
                .await
                .expect("the server answers");
            let mut head: Vec<String> = (answer.headers().iter())
                .filter(|(name, _)| {
                    !["date", "x-server-time", "x-request-id", "set-cookie"]
                        .contains(&name.as_str())
                })
                .map(|(name, value)| {
                    format!(
                        "{name}: {}",
                        if name == "etag" {
                            etag_without_catalogue_number(value)
                        } else {
                            format!("{value:?}")
                        }
                    )
                })
                .collect();
            head.sort();
            let status = answer.status();
            let body = text_or_hex(answer.bytes().await.expect("the body is read"));
            responses.push((
                path,
                self.without_varying_values(&format!("{status}\n{}\n\n{body}", head.join("\n"))),
            ));
        }
        for topic in self
            .draws
            .iter()
            .map(|draw| format!("draw:{draw}"))
            .chain(["draws".into(), "public".into()])
        {
            let kind = topic.split(':').next().expect("a word").to_string();
            let frame = Socket::open_with_cookies_of(&self.server, browser, &topic)
                .await
                .next_frame(&kind)
                .await;
            responses.push((topic, self.without_varying_values(&frame.to_string())));
        }
        responses
    }

    /// Removes values that differ in every run: port, time and request id.
    fn without_varying_values(&self, text: &str) -> String {
        let text = text
            .replace(&self.server.url, "URL")
            .replace(&self.server.url.replacen("http", "ws", 1), "WS");
        let text = text
            .lines()
            .filter(|line| !line.starts_with("DTSTAMP:"))
            .collect::<Vec<_>>()
            .join("\n");
        let mut plain = text;
        for name in [
            "\"now\":",
            "\"serverNow\":",
            "\"requestId\":",
            "\"serverTime\":",
            "\"checkedAt\":",
        ] {
            let pieces: Vec<String> = plain.split(name).map(str::to_string).collect();
            let rest = pieces[1..].iter().map(|piece| {
                piece.trim_start_matches(|c: char| c.is_alphanumeric() || "\":-.".contains(c))
            });
            plain = std::iter::once(pieces[0].as_str())
                .chain(rest)
                .collect::<Vec<_>>()
                .join(name);
        }
        // The sequence numbers of list frames contain the time, so they are removed. Those of draw
        // frames are public revisions and are compared.
        match plain.split_once("\"topic\":\"draw") {
            Some((_, rest)) if rest.starts_with("s\"") => frame_without_seq(&plain),
            None if plain.contains("\"topic\":\"public\"") => frame_without_seq(&plain),
            _ => plain,
        }
    }
}

/// Returns an `ETag` without its first part, the number of the catalogue reading, which differs
/// between servers.
fn etag_without_catalogue_number(tag: &HeaderValue) -> String {
    let tag = format!("{tag:?}");
    tag.split_once('.')
        .map_or(tag.clone(), |(_, rest)| rest.to_string())
}

fn frame_without_seq(frame: &str) -> String {
    let Some((before, after)) = frame.split_once("\"seq\":") else {
        return frame.to_string();
    };
    format!(
        "{before}{}",
        after.trim_start_matches(|c: char| c.is_ascii_digit())
    )
}

fn text_or_hex(bytes: bytes::Bytes) -> String {
    String::from_utf8(bytes.to_vec()).unwrap_or_else(|_| hex::encode(&bytes))
}

#[track_caller]
fn assert_same_responses(what: &str, one: &[(String, String)], other: &[(String, String)]) {
    assert_eq!(one.len(), other.len());
    for (first, second) in one.iter().zip(other) {
        assert_eq!(first, second, "{what}");
    }
}

#[actix_web::test]
async fn public_responses_are_independent_of_deal_and_buyers() {
    let one = ComparedServer::open(None, "Alice", "alice@example.com", "0411 000 009").await;
    let other_deals = ComparedServer::open(
        Some((&one, CopiedDrawSecret::Commitment)),
        "Alice",
        "alice@example.com",
        "0411 000 009",
    )
    .await;
    let other_buyers = ComparedServer::open(
        Some((&one, CopiedDrawSecret::Deal)),
        "Zoe",
        "zoe@example.org",
        "+61 7 5555 1234",
    )
    .await;
    let bobs_browser = |variant: &ComparedServer| {
        Buyer::new(
            &variant.server.url,
            "Bob",
            "bob@example.com",
            "0411 000 002",
        )
    };
    let (responses, with_other_deal, with_other_buyers) = (
        one.collect_responses(&bobs_browser(&one)).await,
        other_deals
            .collect_responses(&bobs_browser(&other_deals))
            .await,
        other_buyers
            .collect_responses(&bobs_browser(&other_buyers))
            .await,
    );
    assert!(responses.len() > 15 * DRAW_COUNT, "{}", responses.len());
    assert_same_responses("another deal", &responses, &with_other_deal);
    assert_same_responses("other buyers", &responses, &with_other_buyers);
    // A buyer with a ticket learns no more about the other tickets than a stranger.
    let mut holders = Vec::new();
    for variant in [&one, &other_deals] {
        let holder = bobs_browser(variant);
        holder.buy(variant.draws[2], 1).await;
        holders.push(variant.collect_responses(&holder).await);
    }
    assert_same_responses("another deal, to a holder", &holders[0], &holders[1]);
    // Counter-check: after the results the deals are public, so the comparison must find
    // differences.
    for variant in [&one, &other_deals] {
        let owner = club::sign_in_as_club(&variant.server, "broncos").await;
        club::enter_result(&owner, variant.draws[DRAW_COUNT - 1], 3, 4)
            .await
            .ok();
        variant.server.clock.advance_seconds(86_400 * 40);
        variant
            .server
            .state
            .catalogue
            .reload()
            .await
            .expect("the read succeeds");
    }
    let path = format!("/api/draws/{}/tickets", one.draws[DRAW_COUNT - 1]);
    let (first, second) = (
        bobs_browser(&one).get(&path).await.text,
        bobs_browser(&other_deals).get(&path).await.text,
    );
    assert!(
        first.contains("\"homeNumber\":1") && first != second,
        "the revealed deals differ"
    );
    for variant in [one, other_deals, other_buyers] {
        for commitment in &variant.own_commitments {
            variant.server.overwrite_commitment(commitment).await;
        }
        variant.server.finish().await;
    }
}

impl TestServer {
    /// Returns a draw's commitment as `draw:commitment`, in hexadecimal digits.
    async fn read_commitment(&self, draw: DrawId) -> String {
        let read =
            "select id::text || ':' || encode(commitment, 'hex') from draws where id::text = $1";
        self.database.query_text(read, &draw.to_string()).await
    }

    /// Replaces a draw's commitment directly in the database.
    async fn overwrite_commitment(&self, commitment: &str) {
        let write =
            "with written as (update draws set commitment = decode(split_part($1, ':', 2), 'hex')
             where id::text = split_part($1, ':', 1) returning 1) select count(*) from written";
        assert_eq!(self.database.query_number(write, commitment).await, 1);
    }

    /// Copies a draw's commitment from another server, and its encrypted seed too for
    /// `CopiedDrawSecret::Deal`.
    async fn copy_draw_secret(&self, other: &TestServer, draw: DrawId, copied: CopiedDrawSecret) {
        self.overwrite_commitment(&other.read_commitment(draw).await)
            .await;
        if copied == CopiedDrawSecret::Deal {
            let read = "select id::text || ':' || encode(seed_sealed, 'hex') from draws where id::text = $1";
            let write = "with written as (update draws set seed_sealed = decode(split_part($1, ':', 2), 'hex')
                 where id::text = split_part($1, ':', 1) returning 1) select count(*) from written";
            let sealed_seed = other.database.query_text(read, &draw.to_string()).await;
            assert_eq!(self.database.query_number(write, &sealed_seed).await, 1);
        }
    }
}
