//! A complete server on a free port, with its own database and Stripe sandbox.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::middleware::from_fn;
use actix_web::rt::task::JoinHandle;
use actix_web::{App, HttpServer, web};
use actors::payments::stripe::{Stripe, StripeSettings};
use actors::{Clock, Denied, Engine, EngineDependencies, MailTransport, Peers};
use async_trait::async_trait;
use domain::{
    AccountId, Cents, ClubId, Command, DrawId, FeePolicy, Refusal, Status, Terms, Timestamp,
};
use persistence::nodes::InstanceId;
use persistence::records::Records;
use persistence::records::bundles::NewBundle;
use persistence::records::clubs::{Club, NewClub};
use persistence::records::draws::DrawToCreate;
use persistence::stores::{Mail, OrderRecord};
use persistence::testing::TestDatabase;
use persistence::{Ledger, PaymentStores, Postgres, Sealer};
use sandbox::authenticator::DEMO_OPERATOR_TOTP_SECRET;
use sandbox::clock::SandboxClock;
use sandbox::{self, Sandbox};
use server::config::{Config, DEMO_WEBHOOK_SECRET, Environment};
use server::http::front::FastPathFactory;
use server::http::{edge, housekeeping, routes, sandbox_clock};
use server::ops::lifecycle::Phase;
use server::render::web_build::WebBuild;
use server::services::identity::password;
use server::state::{State, StateParts};
use tokio::sync::{mpsc, watch};

use super::buyer::Buyer;
use super::clock::AdvanceableClock;

pub const PASSWORD: &str = "correct horse battery";
/// Counts the server's unfinished background work: payment operations, webhook events, mails, and
/// card fees that Stripe has not reported yet.
const OPEN_WORK_QUERY: &str = "select (select count(*) from payment_ops where state = 'pending')
        + (select count(*) from webhook_events where handled_at is null)
        + (select count(*) from email_outbox where state = 'pending' and to_address is not null)
        + (select count(*) from payments where status = 'succeeded' and provider_fee_cents is null)
    where $1 = ''";
/// Maximum time to wait for a condition.
const WAIT_TIME_MAX: Duration = Duration::from_secs(20);

/// A running server, and access to its parts.
pub struct TestServer {
    pub url: String,
    pub state: web::Data<State>,
    pub clock: Arc<AdvanceableClock>,
    pub sandbox: Arc<Sandbox>,
    pub records: Records,
    /// Direct access to the database's tables, without the engine that usually writes their rows.
    pub store: Arc<dyn PaymentStores>,
    pub mails: tokio::sync::Mutex<mpsc::UnboundedReceiver<Mail>>,
    pub engine: Engine,
    pub database: TestDatabase,
    phase: watch::Sender<Phase>,
    handle: ServerHandle,
    tasks: Vec<JoinHandle<()>>,
}

/// A mailer that passes mails to the test instead of sending them.
struct MailRecorder(mpsc::UnboundedSender<Mail>);

#[async_trait]
impl MailTransport for MailRecorder {
    async fn send(&self, mail: &Mail, _: Option<&OrderRecord>) -> Result<(), String> {
        self.0.send(mail.clone()).map_err(|gone| gone.to_string())
    }
}

impl TestServer {
    pub async fn start() -> TestServer {
        TestServer::start_with_ledger(|store| Arc::new(store)).await
    }

    /// Starts a server with additional environment variables.
    pub async fn start_with_environment(variables: &[(&'static str, &'static str)]) -> TestServer {
        TestServer::start_with_environment_and_ledger(
            Environment::from_pairs(variables.iter().copied()),
            |store| Arc::new(store),
        )
        .await
    }

    /// Starts a server like that of a demo: `POST /sandbox/clock` moves the clocks of the server,
    /// the sandbox and the database.
    pub async fn start_with_movable_clock() -> TestServer {
        let sandbox = Some(Arc::new(SandboxClock::default()));
        TestServer::start_with_optional_clock(
            Environment::default(),
            |store| Arc::new(store),
            sandbox,
        )
        .await
    }

    /// Starts a server with a ledger that wraps or replaces the Postgres ledger.
    pub async fn start_with_ledger(ledger: impl FnOnce(Postgres) -> Arc<dyn Ledger>) -> TestServer {
        TestServer::start_with_environment_and_ledger(Environment::default(), ledger).await
    }

    async fn start_with_environment_and_ledger(
        environment: Environment,
        ledger: impl FnOnce(Postgres) -> Arc<dyn Ledger>,
    ) -> TestServer {
        TestServer::start_with_optional_clock(environment, ledger, None).await
    }

    async fn start_with_optional_clock(
        environment: Environment,
        ledger: impl FnOnce(Postgres) -> Arc<dyn Ledger>,
        movable_clock: Option<Arc<SandboxClock>>,
    ) -> TestServer {
        let database = persistence::testing::database().await;
        let postgres = Postgres::connect_with_logins(database.logins(), Sealer::new(&[7; 32]))
            .await
            .expect("connected");
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("a local address"));
        let mut config = Config::for_demo(&environment).expect("the demo needs nothing");
        config.public_url = url.clone();
        config.picture_program = env!("CARGO_BIN_EXE_server").into();
        // The server trusts this proxy, so a test can choose its client address with
        // `x-forwarded-for`.
        config.proxies = vec![std::net::IpAddr::from([127, 0, 0, 1])];
        let clock = Arc::new(AdvanceableClock::new(
            movable_clock.clone().unwrap_or_default(),
        ));
        let options = sandbox::SandboxOptions {
            clock: movable_clock,
            // This server's gateway does not wait for its turn as in production. So a test that buys
            // fast on a fast machine would be refused.
            rate_limits: None,
            ..sandbox::SandboxOptions::default()
        };
        let sandbox = Sandbox::open(None, options).expect("the sandbox opens");
        let settings = StripeSettings::new(
            config.stripe.secret_key.expose(),
            format!("{url}/sandbox/stripe"),
        )
        .returning_to(format!("{url}/thank-you"));
        let (sent, mails) = mpsc::unbounded_channel();
        let store: Arc<dyn PaymentStores> = Arc::new(postgres.clone());
        let ledger = ledger(postgres.clone());
        let gateway = Arc::new(Stripe::new(&settings).expect("a gateway"));
        let parts = EngineDependencies {
            ledger,
            store: store.clone(),
            gateway: gateway.clone(),
            clock: clock.clone(),
            mail: Arc::new(MailRecorder(sent)),
            peers: Peers::of_single_node(InstanceId(1), Arc::new(postgres.clone())),
        };
        let engine = Engine::start(parts).await.expect("the engine starts");
        let records = Records::new(postgres);
        let (phase, phases) = watch::channel(Phase::Ready);
        let parts = StateParts {
            config,
            clock: clock.clone(),
            phase: phases,
            records: records.clone(),
            outbox: engine.outbox.clone(),
            draws: engine.draws.clone(),
            reconciler: engine.reconciler.clone(),
            anomalies: engine.anomalies.clone(),
            payments: engine.payments.clone(),
            connect: gateway,
            peer_credentials: None,
        };
        let state = web::Data::new(State::open(parts).await.expect("the catalogue is read"));
        let (served, provider) = (state.clone(), sandbox.clone());
        let site = web::Data::new(WebBuild::default());
        let http = HttpServer::new(move || {
            let front = served.clone();
            let app = App::new()
                .app_data(site.clone())
                .wrap(from_fn(edge::edge_middleware))
                .configure(|cfg| sandbox_clock::configure(cfg, provider.clone()))
                .configure(|cfg| sandbox::configure(cfg, provider.clone()))
                .configure(|cfg| routes::configure(cfg, served.clone()))
                .default_service(routes::pages_route());
            FastPathFactory::new(app, front)
        });
        let http = http.on_connect(shrink_send_buffer);
        let http = http
            .workers(2)
            .disable_signals()
            .shutdown_timeout(2)
            .listen(listener)
            .expect("listening")
            .run();
        let handle = http.handle();
        actix_web::rt::spawn(http);
        sandbox.set_webhook(&format!("{url}/api/stripe/webhook"), DEMO_WEBHOOK_SECRET);
        let tasks = housekeeping::start_background_tasks(state.clone());
        let mails = tokio::sync::Mutex::new(mails);
        TestServer {
            url,
            state,
            clock,
            sandbox,
            records,
            store,
            mails,
            engine,
            database,
            phase,
            handle,
            tasks,
        }
    }

    /// Creates a club that can sell, has a confirmed e-mail address and the login
    /// `<slug>@demo.test`.
    pub async fn create_club(&self, slug: &str) -> Club {
        let club = self.create_unconfirmed_club(slug).await;
        self.confirm_email(club.id).await;
        self.records
            .club(club.id)
            .await
            .expect("the read succeeds")
            .expect("the club exists")
    }

    /// Creates a club that can sell, but has not confirmed its e-mail address.
    pub async fn create_unconfirmed_club(&self, slug: &str) -> Club {
        let new = NewClub {
            name: format!("{slug} RLFC"),
            email: format!("{slug}@demo.test"),
            password_hash: password::hash(PASSWORD),
            phone: Some("0400 111 222".into()),
            slug: slug.into(),
            ..NewClub::default()
        };
        let club = self.records.create_club(&new).await.expect("a club");
        let account = AccountId(format!("acct_{slug}"));
        self.sandbox
            .ensure_account(&account.0, &club.name)
            .expect("an account");
        self.records
            .connect_account(club.id, &account)
            .await
            .expect("the call succeeds");
        self.records
            .update_connected_account_state(&account, true, true, true)
            .await
            .expect("ready");
        self.state
            .catalogue
            .reload()
            .await
            .expect("the read succeeds");
        self.records
            .club(club.id)
            .await
            .expect("the read succeeds")
            .expect("the club exists")
    }

    /// Confirms the club's e-mail address, as its mailed link does.
    pub async fn confirm_email(&self, club: ClubId) {
        let (token_hash, now) = (server::services::identity::random(), self.clock.now());
        self.records
            .begin_email_verification(club, &token_hash, now.plus_seconds(60))
            .await
            .expect("the call succeeds");
        assert!(
            self.records
                .finish_email_verification(&token_hash, now)
                .await
                .expect("the write succeeds"),
            "the link is valid"
        );
    }

    /// Creates a draw with tickets for $5.00, half of the sales as prize, and kick-off in a week.
    pub async fn create_draw(&self, club: ClubId) -> DrawId {
        self.create_draw_with(club, |_| ()).await
    }

    pub async fn create_draw_with(
        &self,
        club: ClubId,
        change: impl FnOnce(&mut DrawToCreate),
    ) -> DrawId {
        let mut new = DrawToCreate {
            club,
            league: Some("NRL".into()),
            home_team: "Broncos".into(),
            away_team: "Cowboys".into(),
            zone: "Australia/Brisbane".into(),
            kick_off: self.clock.now().plus_seconds(7 * 86_400),
            opens_at: None,
            price: Cents(500),
            prize_percentage: 50,
            round_up_prize: false,
            pass_card_fee: false,
            fee_policy: FeePolicy::DEFAULT,
            contact_name: "Sam Contact".into(),
            contact_phone: "0400 333 444".into(),
        };
        change(&mut new);
        let draw = self.records.create_draws(&[new]).await.expect("a draw")[0];
        self.engine.draws.wake(draw).await.expect("the draw wakes");
        self.state
            .catalogue
            .reload()
            .await
            .expect("the read succeeds");
        draw
    }

    /// Returns the id of the club with this slug.
    pub fn club_id(&self, slug: &str) -> ClubId {
        self.state
            .catalogue
            .facts()
            .club_by_slug(slug)
            .expect("a club")
            .id
    }

    /// Returns the number of sales of an offer.
    pub async fn count_sales_of_offer(&self, offer: i64) -> i64 {
        let count =
            "select coalesce(sum(quantity), 0) from bundle_sales where bundle_id::text = $1";
        self.database.query_number(count, &offer.to_string()).await
    }

    /// Creates an offer of the club `broncos` with one game.
    pub async fn create_offer(&self, slug: &str, game: DrawId) -> i64 {
        let new = NewBundle {
            name: "Finals".into(),
            slug: slug.into(),
            status: "active".into(),
            kind: "SPECIAL".into(),
            games: vec![game],
            ..NewBundle::default()
        };
        self.records
            .create_bundle(self.club_id("broncos"), &new)
            .await
            .expect("an offer")
    }

    /// Creates the club `broncos` and a draw.
    pub async fn create_club_with_draw(&self) -> DrawId {
        let club = self.create_club("broncos").await;
        self.create_draw(club.id).await
    }

    /// Creates the operator `operator@demo.test`, whose authenticator is enrolled.
    pub async fn create_operator(&self) {
        let hash = password::hash(PASSWORD);
        let id = self
            .records
            .create_admin("operator@demo.test", "Operator", &hash)
            .await
            .expect("an operator");
        self.records
            .begin_second_factor(id, DEMO_OPERATOR_TOTP_SECRET)
            .await
            .expect("the call succeeds");
        self.records
            .mark_code_step_used(id, 1, self.clock.now())
            .await
            .expect("the operator is enrolled");
    }

    /// Returns a new browser of the buyer Alice.
    pub fn alice(&self) -> Buyer {
        Buyer::new(&self.url, "Alice", "alice@example.com", "0411 000 001")
    }

    /// Returns a new browser of the buyer Bob.
    pub fn bob(&self) -> Buyer {
        Buyer::new(&self.url, "Bob", "bob@example.com", "0411 000 002")
    }

    /// Moves a draw's kick-off to 300 ms from now, and waits until the actor closes the draw.
    pub async fn start_game(&self, draw: DrawId) {
        let view = self
            .engine
            .draws
            .view(draw)
            .await
            .expect("the draw has a view");
        loop {
            let terms = Terms {
                price: view.price,
                prize_percentage: 50,
                round_up_prize: false,
                opens_at: None,
                closes_at: self.clock.now().plus_ms(300),
            };
            match self
                .engine
                .draws
                .execute(draw, Command::amend_command_of_club(terms), None)
                .await
            {
                // On a busy machine, this kick-off is in the past before the actor handles the
                // command, so it is refused and sent again.
                Err(Denied::Refused(Refusal::TermsInvalid)) => {}
                amended => break amended.map(|_| ()).expect("amended"),
            }
        }
        let mut watched = self.engine.draws.watch(draw).await.expect("watched");
        let closed = watched.wait_for(|view| view.status != Status::Active);
        tokio::time::timeout(WAIT_TIME_MAX, closed)
            .await
            .expect("the draw closes")
            .expect("still watched");
    }

    /// Returns the server's current time.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Waits for the next mail of this kind, skipping others.
    pub async fn next_mail(&self, kind: &str) -> Mail {
        let mut mails = self.mails.lock().await;
        let next = async {
            loop {
                let mail = mails.recv().await.expect("the engine lives");
                if mail.kind == kind {
                    return mail;
                }
            }
        };
        tokio::time::timeout(WAIT_TIME_MAX, next)
            .await
            .expect("a mail comes")
    }

    /// Waits for the next mail.
    pub async fn next_mail_of_any_kind(&self) -> Mail {
        let mut mails = self.mails.lock().await;
        tokio::time::timeout(WAIT_TIME_MAX, mails.recv())
            .await
            .expect("a mail comes")
            .expect("the engine lives")
    }

    /// Returns the link in a mail, decrypted. The outbox stores links encrypted.
    pub fn mailed_link(&self, mail: &Mail) -> String {
        let data: serde_json::Value = serde_json::from_str(&mail.data).expect("valid JSON");
        let sealed = data["sealedLink"].as_str().expect("a sealed link");
        self.records
            .unseal("mail-link", &mail.to, sealed)
            .expect("it opens")
    }

    /// Returns the number of mails of this kind that were ever queued.
    pub async fn count_queued_mails(&self, kind: &str) -> i64 {
        self.database
            .query_number("select count(*) from email_outbox where kind = $1", kind)
            .await
    }

    /// Waits until the sandbox has delivered its webhook events and the server has finished its
    /// background work.
    pub async fn wait_until_idle(&self) {
        eventually("no work is left in the background", async || {
            let ledger = self.alice().get("/sandbox/ledger").await.ok();
            let is_idle = ledger["events"]["pending"] == 0
                && self.database.query_number(OPEN_WORK_QUERY, "").await == 0;
            is_idle.then_some(())
        })
        .await;
    }

    /// Starts to drain the server, which closes its sockets.
    pub fn start_draining(&self) {
        self.phase.send_replace(Phase::Draining);
        self.phase.send_replace(Phase::Closing);
    }

    /// Asserts that the database violates no invariant, and stops the server.
    pub async fn finish(self) {
        let broken = self
            .records
            .violations()
            .await
            .expect("the invariants are read");
        assert!(
            broken.is_empty(),
            "violated invariants in {}: {broken:?}",
            self.database.name
        );
        for task in &self.tasks {
            task.abort();
        }
        self.handle.stop(false).await;
        self.engine.stop().await;
    }
}

/// Makes the send buffer small, so that the server soon notices a client that does not read.
fn shrink_send_buffer(connection: &dyn std::any::Any, _: &mut actix_web::dev::Extensions) {
    if let Some(stream) = connection.downcast_ref::<actix_web::rt::net::TcpStream>() {
        socket2::SockRef::from(stream)
            .set_send_buffer_size(8192)
            .expect("a small buffer");
    }
}

/// Calls `look` repeatedly until it returns a value. Panics after `WAIT_TIME_MAX`.
pub async fn eventually<T>(condition: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let found = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(WAIT_TIME_MAX, found)
        .await
        .unwrap_or_else(|_| panic!("the condition was never met: {condition}"))
}
