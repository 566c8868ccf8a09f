//! One server with everything in it, on a free port.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::middleware::from_fn;
use actix_web::rt::task::JoinHandle;
use actix_web::{App, HttpServer, web};
use actors::payment::stripe::{Stripe, StripeSettings};
use actors::{Clock, Denied, Engine, EngineParts, Neighbourhood, Post};
use async_trait::async_trait;
use domain::{
    AccountId, Cents, ClubId, Command, DrawId, FeePolicy, Refusal, Status, Terms, Timestamp,
};
use persistence::books::{Mail, OrderRecord};
use persistence::nodes::Boot;
use persistence::records::Records;
use persistence::records::bundles::NewBundle;
use persistence::records::clubs::{Club, NewClub};
use persistence::records::draws::NewDraw;
use persistence::testing::Database;
use persistence::{Books, Ledger, Postgres, Sealer};
use server::app::Phase;
use server::config::{Config, DEMO_WEBHOOK_SECRET, Environment};
use server::front::Front;
use server::identity::password;
use server::sandbox::authenticator::OPERATOR_SECRET;
use server::sandbox::{self, Sandbox};
use server::site::Site;
use server::state::{State, StateParts};
use server::{edge, routes};
use tokio::sync::{mpsc, watch};

use super::buyer::Buyer;
use super::clock::PushedClock;

pub const PASSWORD: &str = "correct horse battery";
/// How long a fact may take to come true before a test gives up.
const PATIENCE: Duration = Duration::from_secs(20);

pub struct TestServer {
    pub url: String,
    pub state: web::Data<State>,
    pub clock: Arc<PushedClock>,
    pub sandbox: Arc<Sandbox>,
    pub records: Records,
    /// Past the engine, which alone writes what is in them.
    pub books: Arc<dyn Books>,
    pub mails: tokio::sync::Mutex<mpsc::UnboundedReceiver<Mail>>,
    pub engine: Engine,
    pub database: Database,
    phase: watch::Sender<Phase>,
    handle: ServerHandle,
    tasks: Vec<JoinHandle<()>>,
}

/// Keeps mails instead of sending them.
struct Pigeonhole(mpsc::UnboundedSender<Mail>);

#[async_trait]
impl Post for Pigeonhole {
    async fn send(&self, mail: &Mail, _: Option<&OrderRecord>) -> Result<(), String> {
        self.0.send(mail.clone()).map_err(|gone| gone.to_string())
    }
}

impl TestServer {
    pub async fn start() -> TestServer {
        TestServer::start_on(|books| Arc::new(books)).await
    }

    /// With something said in the environment.
    pub async fn start_in(said: &[(&'static str, &'static str)]) -> TestServer {
        TestServer::begin(Environment::from_pairs(said.iter().copied()), |books| {
            Arc::new(books)
        })
        .await
    }

    /// With another ledger in front of the books, or in their place.
    pub async fn start_on(ledger: impl FnOnce(Postgres) -> Arc<dyn Ledger>) -> TestServer {
        TestServer::begin(Environment::default(), ledger).await
    }

    async fn begin(
        environment: Environment,
        ledger: impl FnOnce(Postgres) -> Arc<dyn Ledger>,
    ) -> TestServer {
        let database = persistence::testing::database().await;
        let postgres = Postgres::connect_by(database.doors(), Sealer::new(&[7; 32]))
            .await
            .expect("connected");
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let mut config = Config::demo(&environment).expect("the demo needs nothing");
        config.public_url = url.clone();
        // So that a test may come from an address of its own.
        config.proxies = vec![std::net::IpAddr::from([127, 0, 0, 1])];
        let sandbox = Sandbox::open(None, sandbox::Options::default()).expect("the sandbox opens");
        let clock = Arc::new(PushedClock::default());
        let settings = StripeSettings::new(
            config.stripe.secret_key.expose(),
            format!("{url}/sandbox/stripe"),
        );
        let (sent, mails) = mpsc::unbounded_channel();
        let books: Arc<dyn Books> = Arc::new(postgres.clone());
        let ledger = ledger(postgres.clone());
        let gateway = Arc::new(Stripe::new(&settings).expect("a gateway"));
        let parts = EngineParts {
            ledger,
            books: books.clone(),
            gateway: gateway.clone(),
            clock: clock.clone(),
            mail: Arc::new(Pigeonhole(sent)),
            neighbourhood: Neighbourhood::alone(Boot(1), Arc::new(postgres.clone())),
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
            pass: None,
        };
        let state = web::Data::new(State::open(parts).await.expect("the catalogue is read"));
        let (served, provider) = (state.clone(), sandbox.clone());
        let site = web::Data::new(Site::default());
        let http = HttpServer::new(move || {
            let front = served.clone();
            let app = App::new()
                .app_data(site.clone())
                .wrap(from_fn(edge::wrap))
                .configure(|cfg| sandbox::configure(cfg, provider.clone()))
                .configure(|cfg| routes::configure(cfg, served.clone()))
                .default_service(routes::pages());
            Front::before(app, front)
        });
        // A narrow line, so that whoever stops reading is noticed before megabytes are under way.
        let http = http.on_connect(|connection, _| {
            if let Some(stream) = connection.downcast_ref::<actix_web::rt::net::TcpStream>() {
                socket2::SockRef::from(stream)
                    .set_send_buffer_size(8192)
                    .expect("a small buffer");
            }
        });
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
        let tasks = routes::run(state.clone());
        let mails = tokio::sync::Mutex::new(mails);
        TestServer {
            url,
            state,
            clock,
            sandbox,
            records,
            books,
            mails,
            engine,
            database,
            phase,
            handle,
            tasks,
        }
    }

    /// A club that may sell, signing in as `<slug>@demo.test`.
    pub async fn club(&self, slug: &str) -> Club {
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
            .expect("joined");
        self.records
            .account_updated(&account, true, true, true)
            .await
            .expect("ready");
        self.state.catalogue.reload().await.expect("read");
        self.records
            .club(club.id)
            .await
            .expect("read")
            .expect("there")
    }

    /// A draw at $5.00 with half for the prize, a week before its kick-off.
    pub async fn draw(&self, club: ClubId) -> DrawId {
        self.draw_with(club, |_| ()).await
    }

    pub async fn draw_with(&self, club: ClubId, change: impl FnOnce(&mut NewDraw)) -> DrawId {
        let mut new = NewDraw {
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
        self.engine.draws.wake(draw).await.expect("awake");
        self.state.catalogue.reload().await.expect("read");
        draw
    }

    pub fn club_named(&self, slug: &str) -> ClubId {
        self.state
            .catalogue
            .facts()
            .club_by_slug(slug)
            .expect("a club")
            .id
    }

    /// How often an offer was sold.
    pub async fn sold_of(&self, offer: i64) -> i64 {
        let count =
            "select coalesce(sum(quantity), 0) from bundle_sales where bundle_id::text = $1";
        self.database.count(count, &offer.to_string()).await
    }

    /// An offer of the club `broncos` with one game.
    pub async fn offer(&self, slug: &str, game: DrawId) -> i64 {
        let new = NewBundle {
            name: "Finals".into(),
            slug: slug.into(),
            status: "active".into(),
            kind: "SPECIAL".into(),
            games: vec![game],
            ..NewBundle::default()
        };
        self.records
            .create_bundle(self.club_named("broncos"), &new)
            .await
            .expect("an offer")
    }

    /// A club and its draw.
    pub async fn game(&self) -> DrawId {
        let club = self.club("broncos").await;
        self.draw(club.id).await
    }

    pub async fn operator(&self) {
        let hash = password::hash(PASSWORD);
        let id = self
            .records
            .create_admin("operator@demo.test", "Operator", &hash)
            .await
            .expect("an operator");
        self.records
            .begin_second_factor(id, OPERATOR_SECRET)
            .await
            .expect("begun");
        self.records
            .use_step(id, 1, self.clock.now())
            .await
            .expect("enrolled");
    }

    pub fn alice(&self) -> Buyer {
        Buyer::new(&self.url, "Alice", "alice@example.com", "0411 000 001")
    }

    pub fn bob(&self) -> Buyer {
        Buyer::new(&self.url, "Bob", "bob@example.com", "0411 000 002")
    }

    /// Moves a draw's kick-off to almost now, and waits until the whistle has gone.
    pub async fn kick_off(&self, draw: DrawId) {
        let view = self.engine.draws.view(draw).await.expect("a view");
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
                .execute(draw, Command::amend(terms), None)
                .await
            {
                // On a busy machine the time was over before the actor read it.
                Err(Denied::Refused(Refusal::TermsInvalid)) => {}
                amended => break amended.map(|_| ()).expect("amended"),
            }
        }
        let mut watched = self.engine.draws.watch(draw).await.expect("watched");
        let closed = watched.wait_for(|view| view.status != Status::Active);
        tokio::time::timeout(PATIENCE, closed)
            .await
            .expect("the whistle goes")
            .expect("still watched");
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The next mail of a kind.
    pub async fn mail(&self, kind: &str) -> Mail {
        let mut mails = self.mails.lock().await;
        let next = async {
            loop {
                let mail = mails.recv().await.expect("the engine lives");
                if mail.kind == kind {
                    return mail;
                }
            }
        };
        tokio::time::timeout(PATIENCE, next)
            .await
            .expect("a mail comes")
    }

    /// The link a mail carries, which the outbox holds sealed.
    pub fn link(&self, mail: &Mail) -> String {
        let data: serde_json::Value = serde_json::from_str(&mail.data).expect("JSON");
        let sealed = data["sealedLink"].as_str().expect("a sealed link");
        self.records
            .unseal("mail-link", &mail.to, sealed)
            .expect("it opens")
    }

    /// How many mails of a kind were ever queued.
    pub async fn queued(&self, kind: &str) -> i64 {
        self.database
            .count("select count(*) from email_outbox where kind = $1", kind)
            .await
    }

    /// Told to stop: sockets say goodbye.
    pub fn drain(&self) {
        self.phase.send_replace(Phase::Draining);
        self.phase.send_replace(Phase::Closing);
    }

    /// Asks the books whether a promise was broken, and stops.
    pub async fn finish(self) {
        let broken = self
            .records
            .violations()
            .await
            .expect("the invariants are read");
        assert!(
            broken.is_empty(),
            "broken promises in {}: {broken:?}",
            self.database.name
        );
        for task in &self.tasks {
            task.abort();
        }
        self.handle.stop(false).await;
        self.engine.stop().await;
    }
}

/// Waits for a fact.
pub async fn eventually<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let found = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, found)
        .await
        .unwrap_or_else(|_| panic!("never came true: {what}"))
}
