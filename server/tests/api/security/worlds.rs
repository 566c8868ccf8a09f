//! Two worlds that differ in nothing but a secret: what a stranger is told is the same, byte for byte, headers, ETags and
//! frames included, until results are entered (reliability.md 5.9, decisions F-1, K-3).

use domain::{Cents, DrawId, FeePolicy, Timestamp};
use persistence::records::draws::NewDraw;
use reqwest::Method;
use reqwest::header::HeaderValue;

use crate::privacy::public_paths;
use crate::support::socket::Socket;
use crate::support::{Buyer, TestServer, club};

/// How many draws there are in a world: each is sold another number of tickets of, the last one all.
const DRAWS: usize = 20;

/// What a draw of one world takes over from the other: `commitment`, or `commitment` and seed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// The promise alone: another deal behind the same public text.
    Commitment,
    Deal,
}

struct World {
    server: TestServer,
    draws: Vec<DrawId>,
    club: i64,
    /// Of its first draw; the others follow day by day.
    kick_off: Timestamp,
    /// Its own promises, as `draw:promise`, where another's were put in.
    own: Vec<String>,
}

impl World {
    /// The same club, draws and sales each time; what is not said to be taken over is this world's own.
    async fn open(
        like: Option<(&World, Taken)>,
        name: &'static str,
        email: &'static str,
        phone: &'static str,
    ) -> World {
        let server = TestServer::start().await;
        let club = server.club("broncos").await.id;
        // Half a day away from where "in seven days" would become another word while we look.
        let kick_off = like.map_or(
            server.now().plus_seconds(7 * 86_400 + 43_200),
            |(other, _)| other.kick_off,
        );
        let draw = |number: i64| NewDraw {
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
        let new: Vec<NewDraw> = (0..DRAWS as i64).map(draw).collect();
        let draws = server.records.create_draws(&new).await.expect("draws");
        let mut own = Vec::new();
        for draw in &draws {
            // An actor that wakes holds its seed against the promise; another promise is put in behind its back.
            let taken = |wanted: Taken| {
                like.filter(|(_, taken)| *taken == wanted)
                    .map(|(other, _)| &other.server)
            };
            if let Some(other) = taken(Taken::Deal) {
                server.take_over(other, *draw, Taken::Deal).await;
            }
            server.engine.draws.wake(*draw).await.expect("awake");
            server.engine.draws.view(*draw).await.expect("read");
            if let Some(other) = taken(Taken::Commitment) {
                own.push(server.promise(*draw).await);
                server.take_over(other, *draw, Taken::Commitment).await;
            }
        }
        assert!(like.is_none_or(|(other, _)| other.draws == draws));
        server.state.catalogue.reload().await.expect("read");
        server.offer("finals", draws[0]).await;
        let world = World {
            server,
            draws,
            club: club.0,
            kick_off,
            own,
        };
        for (number, draw) in world.draws.iter().enumerate() {
            let counts = if number + 1 == DRAWS {
                vec![50, 50, 50, 19]
            } else {
                vec![1 + (number as u16 * 11) % 50]
            };
            for count in counts {
                Buyer::new(&world.server.url, name, email, phone)
                    .buys(*draw, count)
                    .await;
            }
        }
        // One is kept and not paid for, so that what is held is in it too.
        Buyer::new(&world.server.url, name, email, phone)
            .intent(world.draws[1], 3)
            .await;
        world
    }

    /// Everything that is told to a stranger, or to a buyer of another ticket: each answer whole.
    async fn told(&self, browser: &Buyer) -> Vec<(String, String)> {
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
        // The other world's promises were put in behind its back, and that is what this one finds.
        paths.extend(
            public_paths(self.draws[0], self.club)
                .into_iter()
                .filter(|path| path != "/api/health/integrity"),
        );
        let mut told = Vec::new();
        for path in paths {
            let answer = browser
                .raw(Method::GET, &path)
                .send()
                .await
                .expect("an answer");
            let mut head: Vec<String> = (answer.headers().iter())
                .filter(|(name, _)| {
                    !["date", "x-server-time", "x-request-id", "set-cookie"]
                        .contains(&name.as_str())
                })
                .map(|(name, value)| {
                    format!(
                        "{name}: {}",
                        if name == "etag" {
                            kept(value)
                        } else {
                            format!("{value:?}")
                        }
                    )
                })
                .collect();
            head.sort();
            let status = answer.status();
            let body = hex_if_binary(answer.bytes().await.expect("bytes"));
            told.push((
                path,
                self.plain(&format!("{status}\n{}\n\n{body}", head.join("\n"))),
            ));
        }
        for topic in self
            .draws
            .iter()
            .map(|draw| format!("draw:{draw}"))
            .chain(["draws".into(), "public".into()])
        {
            let kind = topic.split(':').next().expect("a word").to_string();
            let frame = Socket::of(&self.server, browser, &topic)
                .await
                .hears(&kind)
                .await;
            told.push((topic, self.plain(&frame.to_string())));
        }
        told
    }

    /// Without what differs by nature: the port, the moment, the answer's own id.
    fn plain(&self, text: &str) -> String {
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
        // The lists' frames are numbered by the time; a draw's by its revision, which is told.
        match plain.split_once("\"topic\":\"draw") {
            Some((_, rest)) if rest.starts_with("s\"") => without_seq(&plain),
            None if plain.contains("\"topic\":\"public\"") => without_seq(&plain),
            _ => plain,
        }
    }
}

/// An entity tag without the count of the catalogue's readings, which is the time's.
fn kept(tag: &HeaderValue) -> String {
    let tag = format!("{tag:?}");
    tag.split_once('.')
        .map_or(tag.clone(), |(_, rest)| rest.to_string())
}

fn without_seq(frame: &str) -> String {
    let Some((before, after)) = frame.split_once("\"seq\":") else {
        return frame.to_string();
    };
    format!(
        "{before}{}",
        after.trim_start_matches(|c: char| c.is_ascii_digit())
    )
}

fn hex_if_binary(bytes: bytes::Bytes) -> String {
    String::from_utf8(bytes.to_vec()).unwrap_or_else(|_| hex::encode(&bytes))
}

#[track_caller]
fn assert_same(what: &str, one: &[(String, String)], other: &[(String, String)]) {
    assert_eq!(one.len(), other.len());
    for (first, second) in one.iter().zip(other) {
        assert_eq!(first, second, "{what}");
    }
}

#[actix_web::test]
async fn no_public_byte_depends_on_the_deal_or_on_who_bought() {
    let one = World::open(None, "Alice", "alice@example.com", "0411 000 009").await;
    let other_deals = World::open(
        Some((&one, Taken::Commitment)),
        "Alice",
        "alice@example.com",
        "0411 000 009",
    )
    .await;
    let other_buyers = World::open(
        Some((&one, Taken::Deal)),
        "Zoe",
        "zoe@example.org",
        "+61 7 5555 1234",
    )
    .await;
    let bobs =
        |world: &World| Buyer::new(&world.server.url, "Bob", "bob@example.com", "0411 000 002");
    let (told, of_deals, of_buyers) = (
        one.told(&bobs(&one)).await,
        other_deals.told(&bobs(&other_deals)).await,
        other_buyers.told(&bobs(&other_buyers)).await,
    );
    assert!(told.len() > 15 * DRAWS, "{}", told.len());
    assert_same("another deal", &told, &of_deals);
    assert_same("other buyers", &told, &of_buyers);
    // Somebody who bought a ticket is told no more of the others' than a stranger.
    let mut holders = Vec::new();
    for world in [&one, &other_deals] {
        let holder = bobs(world);
        holder.buys(world.draws[2], 1).await;
        holders.push(world.told(&holder).await);
    }
    assert_same("another deal, to a holder", &holders[0], &holders[1]);
    // Once the results are in, the deals do differ: what was compared would have shown them.
    for world in [&one, &other_deals] {
        let owner = club::club(&world.server, "broncos").await;
        club::enters(&owner, world.draws[DRAWS - 1], 3, 4)
            .await
            .ok();
        world.server.clock.push_seconds(86_400 * 40);
        world.server.state.catalogue.reload().await.expect("read");
    }
    let path = format!("/api/draws/{}/tickets", one.draws[DRAWS - 1]);
    let (first, second) = (
        bobs(&one).get(&path).await.text,
        bobs(&other_deals).get(&path).await.text,
    );
    assert!(
        first.contains("\"homeNumber\":1") && first != second,
        "the reveal shows what was kept"
    );
    for world in [one, other_deals, other_buyers] {
        for promise in &world.own {
            world.server.promises(promise).await;
        }
        world.server.finish().await;
    }
}

impl TestServer {
    /// `draw:promise`, in hexadecimal digits.
    async fn promise(&self, draw: DrawId) -> String {
        let read =
            "select id::text || ':' || encode(commitment, 'hex') from draws where id::text = $1";
        self.database.text(read, &draw.to_string()).await
    }

    /// Past all guards: a draw's promise is this one.
    async fn promises(&self, promise: &str) {
        let write =
            "with written as (update draws set commitment = decode(split_part($1, ':', 2), 'hex')
             where id::text = split_part($1, ':', 1) returning 1) select count(*) from written";
        assert_eq!(self.database.count(write, promise).await, 1);
    }

    /// Past all guards: a draw gets the other world's promise, and its deal or not.
    async fn take_over(&self, other: &TestServer, draw: DrawId, taken: Taken) {
        self.promises(&other.promise(draw).await).await;
        if taken == Taken::Deal {
            let read = "select id::text || ':' || encode(seed_sealed, 'hex') from draws where id::text = $1";
            let write = "with written as (update draws set seed_sealed = decode(split_part($1, ':', 2), 'hex')
                 where id::text = split_part($1, ':', 1) returning 1) select count(*) from written";
            let theirs = other.database.text(read, &draw.to_string()).await;
            assert_eq!(self.database.count(write, &theirs).await, 1);
        }
    }
}
