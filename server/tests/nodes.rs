//! Two real servers on one Postgres: one is killed, hung or replaced while people buy, and nobody is wronged.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use rig::{Node, Rig, Shopper};
use serde_json::json;

#[path = "nodes/rig.rs"]
mod rig;

/// Longer than it takes to hear that a process is gone, shorter than a lease: who needs it all has waited for the dead.
const AT_ONCE: Duration = Duration::from_secs(4);
/// A lease, an answer that never came, and a slow machine.
const A_LEASE: Duration = Duration::from_secs(30);

#[actix_web::test]
async fn a_killed_owner_replaced_at_once() {
    let rig = Rig::open(2).await;
    let (one, other) = (rig.node("a").await, rig.node("b").await);
    let draw = rig.draws[0];
    rig.shopper(&[&one])
        .buys(draw, A_LEASE)
        .await
        .expect("the first owner sells");
    rig.shopper(&[&other])
        .buys(draw, A_LEASE)
        .await
        .expect("the other asks it");
    assert_eq!(
        (rig.owner(draw).await, rig.epoch(draw).await),
        (one.boot(&rig).await, 1),
        "it stayed its first owner's"
    );
    let mut board = rig.board(&other, draw).await;
    one.kill();
    let revision = rig
        .shopper(&[&other])
        .reserves(draw, AT_ONCE)
        .await
        .expect("nobody waits for the lease of the dead");
    board.shows(revision).await;
    rig.shopper(&[&other])
        .buys(draw, A_LEASE)
        .await
        .expect("and the next one sells");
    rig.close(vec![other], 3).await;
}

#[actix_web::test]
async fn a_hung_owner_replaced_when_its_lease_is_over_and_its_ghost_writes_nothing() {
    let rig = Rig::open(2).await;
    let (one, other) = (rig.node("a").await, rig.node("b").await);
    let draw = rig.draws[0];
    rig.shopper(&[&one])
        .buys(draw, A_LEASE)
        .await
        .expect("the first owner sells");
    // They are in the middle of it when the process stops, and go on when it does.
    let caught: Vec<_> = (0..8)
        .map(|_| tokio::spawn(rig.shopper(&[&one]).buys(draw, A_LEASE)))
        .collect();
    rig.is_being_bought(draw).await;
    one.stops();
    rig.shopper(&[&other])
        .buys(draw, A_LEASE)
        .await
        .expect("the lease ends by itself");
    assert_eq!(rig.owner(draw).await, other.boot(&rig).await);
    one.goes_on();
    let mut sold = 2;
    for buyer in caught {
        buyer
            .await
            .expect("it ends")
            .expect("whoever was caught is served by the new owner");
        sold += 1;
    }
    rig.shopper(&[&one])
        .buys(draw, A_LEASE)
        .await
        .expect("the ghost asks the new owner");
    rig.close(vec![one, other], sold + 1).await;
}

#[actix_web::test]
async fn a_rolling_deploy_under_purchases_fails_none() {
    let rig = Arc::new(Rig::open(4).await);
    let (one, other) = (rig.node("a").await, rig.node("b").await);
    let stop = Arc::new(AtomicBool::new(false));
    let bought = Arc::new(AtomicU32::new(0));
    let crowd: Vec<_> = (0..3usize)
        .map(|number| {
            let (rig, stop, bought) = (rig.clone(), stop.clone(), bought.clone());
            let nodes = [one.url.clone(), other.url.clone()];
            tokio::spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    let draw = rig.draws[number % rig.draws.len()];
                    let shopper = Shopper::new(&rig, nodes.to_vec());
                    shopper
                        .buys(draw, A_LEASE)
                        .await
                        .expect("nobody is turned away");
                    bought.fetch_add(1, Ordering::Relaxed);
                    // All of them come from one address, which may open 600 payments a minute.
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
            })
        })
        .collect();
    let more = async |by: u32| {
        let until = bought.load(Ordering::Relaxed) + by;
        while bought.load(Ordering::Relaxed) < until
            && !crowd.iter().any(tokio::task::JoinHandle::is_finished)
        {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    more(3).await;
    let one = one.replaced(&rig).await;
    more(3).await;
    let other = other.replaced(&rig).await;
    more(3).await;
    stop.store(true, Ordering::Relaxed);
    for buyer in crowd {
        buyer.await.expect("nobody was turned away");
    }
    let sold = bought.load(Ordering::Relaxed);
    Arc::into_inner(rig)
        .expect("everybody has gone")
        .close(vec![one, other], sold)
        .await;
}

/// What protects an account does not grow with the number of nodes; whether anybody has the address makes no difference.
#[actix_web::test]
async fn five_wrong_passwords_at_one_node_are_five_at_every_node() {
    let rig = Rig::open(1).await;
    let (one, other) = (rig.node("a").await, rig.node("b").await);
    let http = reqwest::Client::new();
    let guess = async |node: &Node, email: &str| {
        let body = json!({ "email": email, "password": "a wrong one" });
        let request = http
            .post(format!("{}/api/clubs/login", node.url))
            .header("origin", &node.url)
            .json(&body);
        request.send().await.expect("an answer").status().as_u16()
    };
    for email in ["reds@club.test", "nobody@club.test"] {
        for _ in 0..5 {
            assert_eq!(guess(&one, email).await, 401);
        }
        assert_eq!(guess(&other, email).await, 429, "{email} at the other");
        assert_eq!(guess(&one, email).await, 429);
    }
    rig.close(vec![one, other], 0).await;
}

/// Each of them mails whomever one names: a lost password, lost tickets, a club that registers or waits.
#[actix_web::test]
async fn twenty_forms_at_one_node_are_twenty_at_every_node() {
    let rig = Rig::open(1).await;
    let (one, other) = (rig.node("a").await, rig.node("b").await);
    let http = reqwest::Client::new();
    let fills = async |node: &Node, path: &str, number: usize| {
        let email = format!("somebody-{number}@club.test");
        let body = match path {
            "/api/clubs/register" => {
                json!({ "name": "Greens", "email": email, "phone": "0400 000 001", "password": "password1" })
            }
            "/api/waitlist" => json!({
                "clubName": "Greens", "contactName": "Kim", "contactEmail": email, "contactPhone": "0400 000 001",
            }),
            _ => json!({ "email": email }),
        };
        let request = http
            .post(format!("{}{path}", node.url))
            .header("origin", &node.url)
            .json(&body);
        request.send().await.expect("an answer").status().as_u16()
    };
    // A registration's easy password is refused after it was counted.
    let forms = [
        ("/api/clubs/reset-password", 200),
        ("/api/my-tickets", 200),
        ("/api/clubs/register", 400),
        ("/api/waitlist", 201),
    ];
    for number in 0..20 {
        let (path, answer) = forms[number % forms.len()];
        assert_eq!(fills(&one, path, number).await, answer, "{path}");
    }
    for (path, _) in forms {
        for node in [&other, &one] {
            assert_eq!(fills(node, path, 20).await, 429, "{path}");
        }
    }
    rig.close(vec![one, other], 0).await;
}

/// The door between nodes opens for a pass only, and browsers do not find it.
#[actix_web::test]
async fn nobody_comes_in_by_the_nodes_door() {
    let rig = Rig::open(1).await;
    let one: Node = rig.node("a").await;
    let http = reqwest::Client::new();
    let path = format!("/nodes/draws/{}", rig.draws[0]);
    let ask = async |url: &str, pass: Option<&str>| {
        let mut request = http.post(format!("{url}{path}")).body("{}");
        if let Some(pass) = pass {
            request = request.header("x-node-pass", pass);
        }
        request.send().await.expect("an answer").status().as_u16()
    };
    assert_eq!(ask(&one.door, None).await, 401);
    assert_eq!(ask(&one.door, Some("00")).await, 401);
    assert_eq!(
        ask(&one.door, Some(&rig.pass_for(&one).await)).await,
        400,
        "a pass opens it; the words must be sealed"
    );
    assert_eq!(
        ask(&one.url, Some(&rig.pass_for(&one).await)).await,
        404,
        "it is nowhere else"
    );
    assert_eq!(
        http.get(format!("{}/api/config", one.door))
            .send()
            .await
            .expect("an answer")
            .status(),
        404
    );
    rig.close(vec![one], 0).await;
}
