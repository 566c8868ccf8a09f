//! Two real servers on one Postgres. One is killed, hung or replaced while people buy.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use serde_json::json;
use test_cluster::{ClusterBuyer, Node, TestCluster};

#[path = "nodes/test_cluster.rs"]
mod test_cluster;

/// Time within which another node takes over from a killed one. It is shorter than a lease, so a
/// slower request must have waited for the lease to end.
const TAKEOVER_TIME_MAX: Duration = Duration::from_secs(4);
/// Maximum time to buy when a lease must end first. Allows for an unanswered request and a slow
/// machine.
const PURCHASE_TIME_AFTER_LEASE_MAX: Duration = Duration::from_secs(30);

#[actix_web::test]
async fn killed_owner_is_replaced_at_once() {
    let cluster = TestCluster::open(2).await;
    let (one, other) = (cluster.start_node("a").await, cluster.start_node("b").await);
    let draw = cluster.draws[0];
    cluster
        .buyer_at(&[&one])
        .buy(draw, PURCHASE_TIME_AFTER_LEASE_MAX)
        .await
        .expect("the first owner sells");
    cluster
        .buyer_at(&[&other])
        .buy(draw, PURCHASE_TIME_AFTER_LEASE_MAX)
        .await
        .expect("the other node forwards to it");
    assert_eq!(
        (
            cluster.owner_of_draw(draw).await,
            cluster.epoch_of_draw(draw).await
        ),
        (one.newest_instance_id(&cluster).await, 1),
        "the first owner keeps the draw"
    );
    let mut board = cluster.open_board(&other, draw).await;
    one.kill();
    let revision = cluster
        .buyer_at(&[&other])
        .reserve_and_release(draw, TAKEOVER_TIME_MAX)
        .await
        .expect("the dead node's lease is not waited for");
    board.wait_until_revision_received(revision).await;
    cluster
        .buyer_at(&[&other])
        .buy(draw, PURCHASE_TIME_AFTER_LEASE_MAX)
        .await
        .expect("and the next one sells");
    cluster.stop_and_check_sales(vec![other], 3).await;
}

#[actix_web::test]
async fn hung_owner_is_replaced_after_its_lease_and_stays_fenced() {
    let cluster = TestCluster::open(2).await;
    let (one, other) = (cluster.start_node("a").await, cluster.start_node("b").await);
    let draw = cluster.draws[0];
    cluster
        .buyer_at(&[&one])
        .buy(draw, PURCHASE_TIME_AFTER_LEASE_MAX)
        .await
        .expect("the first owner sells");
    // These purchases are in progress when the process is paused. They continue when it resumes.
    let caught: Vec<_> = (0..8)
        .map(|_| {
            tokio::spawn(
                cluster
                    .buyer_at(&[&one])
                    .buy(draw, PURCHASE_TIME_AFTER_LEASE_MAX),
            )
        })
        .collect();
    cluster.wait_for_reservation(draw).await;
    one.pause();
    cluster
        .buyer_at(&[&other])
        .buy(draw, PURCHASE_TIME_AFTER_LEASE_MAX)
        .await
        .expect("the lease ends by itself");
    assert_eq!(
        cluster.owner_of_draw(draw).await,
        other.newest_instance_id(&cluster).await
    );
    one.resume();
    let mut sold = 2;
    for buyer in caught {
        buyer
            .await
            .expect("it ends")
            .expect("the interrupted buyer is served by the new owner");
        sold += 1;
    }
    cluster
        .buyer_at(&[&one])
        .buy(draw, PURCHASE_TIME_AFTER_LEASE_MAX)
        .await
        .expect("the former owner forwards to the new one");
    cluster
        .stop_and_check_sales(vec![one, other], sold + 1)
        .await;
}

#[actix_web::test]
async fn rolling_deploy_fails_no_purchase() {
    let cluster = Arc::new(TestCluster::open(4).await);
    let (one, other) = (cluster.start_node("a").await, cluster.start_node("b").await);
    let stop = Arc::new(AtomicBool::new(false));
    let bought = Arc::new(AtomicU32::new(0));
    let crowd: Vec<_> = (0..3usize)
        .map(|number| {
            let (cluster, stop, bought) = (cluster.clone(), stop.clone(), bought.clone());
            let nodes = [one.url.clone(), other.url.clone()];
            tokio::spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    let draw = cluster.draws[number % cluster.draws.len()];
                    let buyer_at = ClusterBuyer::new(&cluster, nodes.to_vec());
                    buyer_at
                        .buy(draw, PURCHASE_TIME_AFTER_LEASE_MAX)
                        .await
                        .expect("no purchase fails");
                    bought.fetch_add(1, Ordering::Relaxed);
                    // All buyers share one address, which may open 600 payments a minute, so each
                    // waits between purchases.
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
    let one = one.replace(&cluster).await;
    more(3).await;
    let other = other.replace(&cluster).await;
    more(3).await;
    stop.store(true, Ordering::Relaxed);
    for buyer in crowd {
        buyer.await.expect("no purchase failed");
    }
    let sold = bought.load(Ordering::Relaxed);
    Arc::into_inner(cluster)
        .expect("all buyers have finished")
        .stop_and_check_sales(vec![one, other], sold)
        .await;
}

/// More nodes do not raise the limit of failed sign-ins. The limit is the same for e-mail addresses
/// without an account.
#[actix_web::test]
async fn login_limit_is_shared_by_all_nodes() {
    let cluster = TestCluster::open(1).await;
    let (one, other) = (cluster.start_node("a").await, cluster.start_node("b").await);
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
    cluster.stop_and_check_sales(vec![one, other], 0).await;
}

/// Password reset, ticket links, registration and the waitlist send a mail to an address that the
/// caller chooses. All nodes count the use of these forms together.
#[actix_web::test]
async fn mail_form_limit_is_shared_by_all_nodes() {
    let cluster = TestCluster::open(1).await;
    let (one, other) = (cluster.start_node("a").await, cluster.start_node("b").await);
    let http = reqwest::Client::new();
    let submit = async |node: &Node, path: &str, number: usize| {
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
    // The registration is refused for its weak password, but counts toward the limit. Thus no
    // account is created.
    let forms = [
        ("/api/clubs/reset-password", 200),
        ("/api/my-tickets", 200),
        ("/api/clubs/register", 400),
        ("/api/waitlist", 201),
    ];
    for number in 0..20 {
        let (path, answer) = forms[number % forms.len()];
        assert_eq!(submit(&one, path, number).await, answer, "{path}");
    }
    for (path, _) in forms {
        for node in [&other, &one] {
            assert_eq!(submit(node, path, 20).await, 429, "{path}");
        }
    }
    cluster.stop_and_check_sales(vec![one, other], 0).await;
}

/// Calls to the port for other nodes need a pass signed with the shared key. Browsers cannot reach
/// the routes of this port.
#[actix_web::test]
async fn node_port_requires_signed_pass_and_serves_only_nodes() {
    let cluster = TestCluster::open(1).await;
    let one: Node = cluster.start_node("a").await;
    let http = reqwest::Client::new();
    let path = format!("/nodes/draws/{}", cluster.draws[0]);
    let ask = async |url: &str, pass: Option<&str>| {
        let mut request = http.post(format!("{url}{path}")).body("{}");
        if let Some(pass) = pass {
            request = request.header("x-node-pass", pass);
        }
        request.send().await.expect("an answer").status().as_u16()
    };
    assert_eq!(ask(&one.peer_url, None).await, 401);
    assert_eq!(ask(&one.peer_url, Some("00")).await, 401);
    assert_eq!(
        ask(&one.peer_url, Some(&cluster.issue_node_pass(&one).await)).await,
        400,
        "a pass opens it; the words must be sealed"
    );
    assert_eq!(
        ask(&one.url, Some(&cluster.issue_node_pass(&one).await)).await,
        404,
        "the route exists only on the node port"
    );
    assert_eq!(
        http.get(format!("{}/api/config", one.peer_url))
            .send()
            .await
            .expect("an answer")
            .status(),
        404
    );
    cluster.stop_and_check_sales(vec![one], 0).await;
}
