//! A cluster for tests: a Postgres database, a payment sandbox that runs longer than the nodes, and
//! buyers.

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use actix_web::{App, HttpServer};
use domain::{AccountId, Cents, DrawId, FeePolicy};
use futures_util::StreamExt;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use persistence::nodes::InstanceId;
use persistence::records::Records;
use persistence::records::clubs::NewClub;
use persistence::records::draws::DrawToCreate;
use persistence::testing::{TempFolder, TestDatabase, database};
use persistence::{Postgres, Sealer};
use reqwest::Method;
use sandbox::{self, Sandbox, SandboxOptions};
use serde_json::{Value, json};
use server::ops::peer_credentials::PeerCredentials;

const SEAL_KEY_HEX: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const WEBHOOK_SECRET: &str = "whsec_of_the_tests";
/// Pause before a retry, as in the `Retry-After` header of every 503.
const RETRY_AFTER: Duration = Duration::from_secs(1);
const NODE_STARTUP_TIME_MAX: Duration = Duration::from_secs(60);

pub struct TestCluster {
    pub draws: Vec<DrawId>,
    database: TestDatabase,
    records: Records,
    folder: TempFolder,
    sandbox: Arc<Sandbox>,
    provider: String,
    buyers: AtomicU32,
}

/// A node of the cluster: one server process.
pub struct Node {
    pub url: String,
    /// URL of the port for other nodes.
    pub peer_url: String,
    name: &'static str,
    ports: [u16; 2],
    child: ChildProcess,
}

/// A child process that is killed when it is dropped, also after a failed test.
struct ChildProcess(Child);

impl Drop for ChildProcess {
    fn drop(&mut self) {
        // Errors are ignored, because the process may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl TestCluster {
    pub async fn open(draws: usize) -> TestCluster {
        let database = database().await;
        let sealer = Sealer::from_hex(SEAL_KEY_HEX).expect("a key");
        let postgres = Postgres::connect_with(database.options.clone(), sealer)
            .await
            .expect("connected");
        let records = Records::new(postgres);
        let sandbox = Sandbox::open(None, SandboxOptions::default()).expect("the sandbox opens");
        let club = NewClub {
            name: "Reds".into(),
            email: "reds@club.test".into(),
            slug: "reds".into(),
            ..NewClub::default()
        };
        let club = records.create_club(&club).await.expect("a club").id;
        let account = AccountId("acct_reds".into());
        sandbox
            .ensure_account(&account.0, "Reds")
            .expect("an account");
        records
            .connect_account(club, &account)
            .await
            .expect("joined");
        records
            .update_connected_account_state(&account, true, true, true)
            .await
            .expect("ready");
        let now = actors::Clock::now(&actors::SystemClock);
        let new = |_| DrawToCreate {
            club,
            league: None,
            home_team: "Reds".into(),
            away_team: "Blues".into(),
            zone: "Australia/Brisbane".into(),
            kick_off: now.plus_seconds(86_400),
            opens_at: None,
            price: Cents(500),
            prize_percentage: 50,
            round_up_prize: false,
            pass_card_fee: false,
            fee_policy: FeePolicy::DEFAULT,
            contact_name: "Sam".into(),
            contact_phone: "0400 333 444".into(),
        };
        let new: Vec<DrawToCreate> = (0..draws).map(new).collect();
        let draws = records.create_draws(&new).await.expect("draws");
        let served = sandbox.clone();
        let http = HttpServer::new(move || {
            App::new().configure(|cfg| sandbox::configure(cfg, served.clone()))
        });
        let http = http
            .workers(1)
            .disable_signals()
            .bind(("127.0.0.1", 0))
            .expect("a free port");
        let provider = format!("http://{}", http.addrs()[0]);
        actix_web::rt::spawn(http.run());
        let folder = TempFolder::new();
        std::fs::write(folder.path().join("index.html"), "<title>x</title>").expect("written");
        TestCluster {
            draws,
            database,
            records,
            folder,
            sandbox,
            provider,
            buyers: AtomicU32::new(0),
        }
    }

    /// Starts a node and waits until it is ready to serve.
    pub async fn start_node(&self, name: &'static str) -> Node {
        let node = self.spawn_process(name, [free_port(), free_port()]);
        self.sandbox
            .set_webhook(&format!("{}/api/stripe/webhook", node.url), WEBHOOK_SECRET);
        node.wait_until_ready().await;
        node
    }

    /// Starts a node's process with the environment variables that `serve` requires.
    fn spawn_process(&self, name: &'static str, ports: [u16; 2]) -> Node {
        let (url, peer_url) = (
            format!("http://127.0.0.1:{}", ports[0]),
            format!("127.0.0.1:{}", ports[1]),
        );
        let folder = self.folder.path();
        let log = std::fs::File::create(folder.join(format!(
            "{name}-{}.log",
            self.buyers.load(Ordering::Relaxed)
        )));
        let log = log.expect("a log");
        let child = Command::new(env!("CARGO_BIN_EXE_server"))
            .arg("serve")
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .envs([
                ("DATABASE_URL", self.database.ordinary_url.as_str()),
                ("BANK_DATABASE_URL", &self.database.bank_url),
            ])
            .envs([("SEAL_KEY", SEAL_KEY_HEX), ("NODE_ADDRESS", &peer_url)])
            .envs([
                ("PUBLIC_URL", url.as_str()),
                ("BIND_ADDR", "127.0.0.1"),
                ("PORT", &ports[0].to_string()),
            ])
            .envs([(
                "STRIPE_API_URL",
                format!("{}/sandbox/stripe", self.provider),
            )])
            .envs([
                ("STRIPE_SECRET_KEY", "sk_test_x"),
                ("STRIPE_PUBLISHABLE_KEY", "pk_test_x"),
            ])
            .envs([
                ("FEE_PASSTHROUGH", "allowed"),
                ("STRIPE_WEBHOOK_SECRETS", WEBHOOK_SECRET),
                ("SMTP_URL", "smtp://127.0.0.1:9"),
            ])
            .envs([
                ("MAIL_FROM", "x@tickets.test"),
                ("SUPPORT_EMAIL", "s@tickets.test"),
                ("SUPPORT_SMS", "0400 000 000"),
            ])
            .env("FD_DATA_DIR", folder.join(name))
            .env("FD_WEB_DIR", folder)
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a log"))
            .stderr(log)
            .spawn()
            .expect("the server starts");
        Node {
            url,
            peer_url: format!("http://{peer_url}"),
            name,
            ports,
            child: ChildProcess(child),
        }
    }

    pub fn buyer_at(&self, nodes: &[&Node]) -> ClusterBuyer {
        ClusterBuyer::new(self, nodes.iter().map(|node| node.url.clone()).collect())
    }

    pub async fn owner_of_draw(&self, draw: DrawId) -> InstanceId {
        let owner = "select owner_boot::text from draws where id::text = $1";
        instance_id(&self.database.query_text(owner, &draw.to_string()).await)
    }

    /// Returns a pass with which another node would authenticate a call to this node.
    pub async fn issue_node_pass(&self, node: &Node) -> String {
        let sealer = Sealer::from_hex(SEAL_KEY_HEX).expect("a key");
        let boot = node.newest_instance_id(self).await;
        PeerCredentials::new(sealer, InstanceId(1))
            .issue_node_pass(boot, actors::Clock::now(&actors::SystemClock))
    }

    /// Waits until at least one ticket of the draw is reserved.
    pub async fn wait_for_reservation(&self, draw: DrawId) {
        let held = "select count(*) from reservations where draw_id::text = $1";
        while self.database.query_number(held, &draw.to_string()).await == 0 {
            tokio::task::yield_now().await;
        }
    }

    pub async fn epoch_of_draw(&self, draw: DrawId) -> i64 {
        self.database
            .query_number(
                "select owner_epoch from draws where id::text = $1",
                &draw.to_string(),
            )
            .await
    }

    pub async fn open_board(&self, node: &Node, draw: DrawId) -> BoardConnection {
        let url = format!(
            "{}/ws?topics=draw:{draw}",
            node.url.replacen("http", "ws", 1)
        );
        let (socket, _) = tokio_tungstenite::connect_async(url)
            .await
            .expect("a socket");
        BoardConnection(socket)
    }

    /// Stops all nodes. Checks that as many tickets exist as were sold, and that no node wrote to a
    /// draw after a newer owner.
    pub async fn stop_and_check_sales(self, nodes: Vec<Node>, sold: u32) {
        let tickets = "select count(*) from tickets where $1 = ''";
        assert_eq!(
            self.database.query_number(tickets, "").await,
            i64::from(sold),
            "tickets confirmed and tickets sold"
        );
        let stale_writes =
            "select count(*) from draw_events e join draw_events p on p.draw_id = e.draw_id
                      and p.revision = e.revision - 1 where e.epoch < p.epoch and $1 = ''";
        assert_eq!(
            self.database.query_number(stale_writes, "").await,
            0,
            "no write after a newer owner's"
        );
        for node in nodes {
            node.terminate().await;
        }
        let active_nodes = self
            .database
            .query_number(
                "select count(*) from nodes where lease_until > now() and $1 = ''",
                "",
            )
            .await;
        assert_eq!(active_nodes, 0, "a stopped node ends its lease");
        let broken: BTreeSet<String> = self
            .records
            .violations()
            .await
            .expect("read")
            .into_iter()
            .map(|violation| violation.invariant)
            .collect();
        assert!(broken.is_empty(), "{broken:?}");
    }
}

impl Node {
    async fn wait_until_ready(&self) {
        let started = Instant::now();
        let ready = format!("{}/api/health/ready", self.url);
        while !reqwest::get(&ready)
            .await
            .is_ok_and(|answer| answer.status().is_success())
        {
            assert!(
                started.elapsed() < NODE_STARTUP_TIME_MAX,
                "node {} does not start",
                self.name
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.0.id().cast_signed()), signal).expect("it runs");
    }

    pub async fn newest_instance_id(&self, cluster: &TestCluster) -> InstanceId {
        let address = self.peer_url.trim_start_matches("http://");
        let newest =
            "select boot_id::text from nodes where address = $1 order by started_at desc limit 1";
        instance_id(&cluster.database.query_text(newest, address).await)
    }

    /// Kills the process with SIGKILL, like `kill -9`.
    pub fn kill(self) {
        drop(self.child);
    }

    pub fn pause(&self) {
        self.signal(Signal::SIGSTOP);
    }

    pub fn resume(&self) {
        self.signal(Signal::SIGCONT);
    }

    pub async fn terminate(mut self) {
        self.signal(Signal::SIGTERM);
        let ended = loop {
            match self.child.0.try_wait().expect("it can be waited for") {
                Some(ended) => break ended,
                None => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        };
        assert!(ended.success(), "it drains and ends well");
    }

    /// Replaces the process as a deploy does: sends SIGTERM and then starts a new process.
    pub async fn replace(self, cluster: &TestCluster) -> Node {
        let (name, ports) = (self.name, self.ports);
        self.terminate().await;
        let node = cluster.spawn_process(name, ports);
        node.wait_until_ready().await;
        node
    }
}

fn instance_id(name: &str) -> InstanceId {
    InstanceId(uuid::Uuid::parse_str(name).expect("a name").as_u128())
}

fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    listener.local_addr().expect("an address").port()
}

/// A buyer with a browser. If one node does not answer or is unavailable, the buyer tries the next
/// one.
pub struct ClusterBuyer {
    nodes: Vec<String>,
    provider: String,
    number: u32,
    http: reqwest::Client,
}

impl ClusterBuyer {
    pub fn new(cluster: &TestCluster, nodes: Vec<String>) -> ClusterBuyer {
        let http = reqwest::Client::builder()
            .cookie_store(true)
            .timeout(Duration::from_secs(25))
            .build();
        let number = cluster.buyers.fetch_add(1, Ordering::Relaxed);
        ClusterBuyer {
            nodes,
            provider: cluster.provider.clone(),
            number,
            http: http.expect("a browser"),
        }
    }

    /// Sends a request to one node after the other, until a node answers with a status other than
    /// 502 to 504 or the time `until` has passed.
    async fn send_to_any_node(
        &self,
        method: Method,
        path: &str,
        body: &Value,
        until: Instant,
    ) -> Result<Value, String> {
        let mut last = String::new();
        for turn in self.number as usize.. {
            let url = format!("{}{path}", self.nodes[turn % self.nodes.len()]);
            match self
                .http
                .request(method.clone(), url)
                .json(body)
                .send()
                .await
            {
                Ok(answer) if !matches!(answer.status().as_u16(), 502..=504) => {
                    let (status, text) = (answer.status(), answer.text().await.unwrap_or_default());
                    let answer = serde_json::from_str(&text).unwrap_or(Value::Null);
                    return if status.is_success() {
                        Ok(answer)
                    } else {
                        Err(format!("{status} {text}"))
                    };
                }
                Ok(answer) => last = answer.status().to_string(),
                Err(why) => last = why.to_string(),
            }
            if Instant::now() >= until {
                break;
            }
            // The next node is tried after 20 ms. After all nodes have failed, the buyer waits for
            // the time of `Retry-After`.
            let all_nodes_tried =
                (turn + 1 - self.number as usize).is_multiple_of(self.nodes.len());
            let pause = if all_nodes_tried {
                RETRY_AFTER
            } else {
                Duration::from_millis(20)
            };
            tokio::time::sleep(pause).await;
        }
        Err(format!("gave up: {last}"))
    }

    fn buyer_details(&self) -> Value {
        let number = self.number;
        json!({ "buyerName": "Ann", "buyerEmail": format!("ann{number}@buyer.test"), "buyerPhone": "0400 000 001" })
    }

    async fn open_payment(&self, draw: DrawId, until: Instant) -> Result<Value, String> {
        // Requests the cookie that identifies the browser, as the first page does.
        self.send_to_any_node(Method::GET, "/api/config", &Value::Null, until)
            .await?;
        let body = json!({ "drawNumber": draw.0, "ticketCount": 1, "buyer": self.buyer_details() });
        self.send_to_any_node(Method::POST, "/api/create-payment-intent", &body, until)
            .await
    }

    /// Reserves a ticket and releases it. Returns the draw's revision between both steps.
    pub async fn reserve_and_release(
        &self,
        draw: DrawId,
        retry_for: Duration,
    ) -> Result<u64, String> {
        let until = Instant::now() + retry_for;
        let opened = self.open_payment(draw, until).await?;
        let shown = self
            .send_to_any_node(
                Method::GET,
                &format!("/api/draws/{draw}"),
                &json!({}),
                until,
            )
            .await?;
        let reservation = format!(
            "/api/reservations/{}",
            opened["reservationId"].as_str().unwrap_or_default()
        );
        self.send_to_any_node(Method::DELETE, &reservation, &json!({}), until)
            .await?;
        shown["revision"].as_u64().ok_or_else(|| shown.to_string())
    }

    /// Buys one ticket. Retries for the time `retry_for`.
    pub async fn buy(self, draw: DrawId, retry_for: Duration) -> Result<(), String> {
        let until = Instant::now() + retry_for;
        let opened = self.open_payment(draw, until).await?;
        let text = |name: &str| opened[name].as_str().unwrap_or_default().to_string();
        let confirm = format!(
            "{}/sandbox/stripe/v1/payment_intents/{}/confirm",
            self.provider,
            text("paymentIntentId")
        );
        let form = format!(
            "payment_method=pm_card_visa&client_secret={}",
            text("clientSecret")
        );
        let confirmed = self
            .http
            .post(confirm)
            .header("authorization", "Bearer pk_test_x");
        let confirmed = confirmed.header("stripe-account", text("connectedAccountId"));
        let confirmed = confirmed
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form)
            .send()
            .await;
        let confirmed = confirmed.map_err(|why| why.to_string())?;
        if !confirmed.status().is_success() {
            return Err(confirmed.text().await.unwrap_or_default());
        }
        let body = json!({
            "drawNumber": draw.0, "ticketCount": 1, "buyer": self.buyer_details(), "paymentIntentId": text("paymentIntentId"),
            "ageConfirmation": true, "termsAgreement": true,
        });
        loop {
            let done = self
                .send_to_any_node(Method::POST, "/api/purchase-tickets", &body, until)
                .await?;
            match done["status"].as_str() {
                Some("succeeded") => return Ok(()),
                Some("processing") if Instant::now() < until => {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                _ => return Err(done.to_string()),
            }
        }
    }
}

type Socket =
    tokio_tungstenite::WebSocketStream<tokio_tungstenite::MaybeTlsStream<tokio::net::TcpStream>>;

/// A board that follows a draw over a WebSocket.
pub struct BoardConnection(Socket);

impl BoardConnection {
    /// Waits until the board has received this revision or a later one.
    pub async fn wait_until_revision_received(&mut self, revision: u64) {
        let shown = async {
            while let Some(Ok(message)) = self.0.next().await {
                let frame: Value =
                    serde_json::from_str(message.to_text().unwrap_or_default()).unwrap_or_default();
                if frame["type"] == "draw" && frame["seq"].as_u64() >= Some(revision) {
                    return;
                }
            }
            panic!("the board's socket ended");
        };
        tokio::time::timeout(Duration::from_secs(30), shown)
            .await
            .expect("boards are back within 30 s");
    }
}
