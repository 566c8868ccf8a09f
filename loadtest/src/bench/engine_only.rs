//! The engine with its database, but without HTTP and without a provider. It is compared with other
//! ways to write the same rows.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use actors::{
    Clock, Draws, Engine, EngineDependencies, FulfilStatus, Gateway, GatewayError, MailTransport,
    NewIntent, OpenOrderRequest, OpenedIntent, Payments, Peers, SystemClock,
};
use anyhow::{Context, Result, ensure};
use async_trait::async_trait;
use domain::{
    AccountId, ApplicationId, Cents, ClubId, DrawId, FeePolicy, Line, OrderId, PaymentIntent,
    PaymentIntentId, PaymentOrigin, PaymentStatus, ProviderRefund, Timestamp,
};
use persistence::ledger::BuyerDetails;
use persistence::nodes::InstanceId;
use persistence::records::Records;
use persistence::records::clubs::NewClub;
use persistence::records::draws::DrawToCreate;
use persistence::stores::{Mail, OrderRecord};
use persistence::{Postgres, Sealer};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::purchase_client::Sale;
use super::temporary_database::TemporaryDatabase;

const TICKET_PRICE: Cents = Cents(500);
/// Sealing key of the benchmark, as hexadecimal digits. It need not be secret.
const SEALING_KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const DRAWS_PER_BATCH_MAX: usize = 500;
const HOUR_MS: i64 = 3_600_000;

/// A payment provider in memory that answers at once. It also serves as a mailer that drops every
/// mail.
#[derive(Default)]
struct InMemoryProvider(Mutex<HashMap<PaymentIntentId, PaymentIntent>>);

/// An engine under test, with a separate database on the same Postgres server.
#[derive(Clone)]
pub struct EngineUnderTest {
    payments: Payments,
    draws: Draws,
    provider: Arc<InMemoryProvider>,
    store: Postgres,
    club: ClubId,
}

/// Stops the engine when it is dropped.
pub struct EngineStopGuard {
    stop: oneshot::Sender<()>,
    thread: std::thread::JoinHandle<()>,
}

impl EngineUnderTest {
    /// Starts an engine on `scratch_database` with one club. Rows that are in the database stay.
    pub async fn start(
        scratch_database: &TemporaryDatabase,
    ) -> Result<(EngineUnderTest, EngineStopGuard)> {
        let store = connect_store(scratch_database).await?;
        let records = Records::new(store.clone());
        let club = match records.clubs().await?.first() {
            Some(club) => club.id,
            None => create_club(&records).await?,
        };
        let provider = Arc::new(InMemoryProvider::default());
        let parts = EngineDependencies {
            ledger: Arc::new(store.clone()),
            store: Arc::new(store.clone()),
            gateway: provider.clone(),
            clock: Arc::new(SystemClock),
            mail: provider.clone(),
            peers: Peers::of_single_node(InstanceId::random(), Arc::new(store.clone())),
        };
        let (ready, started) = oneshot::channel();
        let (stop, stop_receiver) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async move {
                let engine = match Engine::start(parts).await {
                    Ok(engine) => engine,
                    Err(failure) => return drop(ready.send(Err(failure))),
                };
                let handles = (engine.payments.clone(), engine.draws.clone());
                // Sending fails if `start` was cancelled. Then the stop channel is closed as well,
                // so the engine stops.
                let _ = ready.send(Ok(handles));
                let _ = stop_receiver.await;
                engine.stop().await;
            });
        });
        let (payments, draws) = started.await.context("the engine's thread ended")??;
        Ok((
            EngineUnderTest {
                payments,
                draws,
                provider,
                store,
                club,
            },
            EngineStopGuard { stop, thread },
        ))
    }

    /// Creates draws and starts their actors. Returns the numbers of the draws.
    pub async fn create_draws_on_sale(&self, count: usize) -> Result<Vec<i64>> {
        let records = Records::new(self.store.clone());
        let new = DrawToCreate {
            club: self.club,
            league: None,
            home_team: "Bench Home".into(),
            away_team: "Bench Away".into(),
            zone: "Australia/Brisbane".into(),
            kick_off: Timestamp(SystemClock.now().0 + 48 * HOUR_MS),
            opens_at: None,
            price: TICKET_PRICE,
            prize_percentage: 50,
            round_up_prize: false,
            pass_card_fee: false,
            fee_policy: FeePolicy::DEFAULT,
            contact_name: String::new(),
            contact_phone: String::new(),
        };
        let mut created = Vec::with_capacity(count);
        while created.len() < count {
            let some = vec![new.clone(); DRAWS_PER_BATCH_MAX.min(count - created.len())];
            let ids = records.create_draws(&some).await?;
            let mut waking: JoinSet<_> = ids
                .iter()
                .map(|id| start_draw_actor(self.draws.clone(), *id))
                .collect();
            while let Some(result) = waking.join_next().await {
                result??;
            }
            created.extend(ids.into_iter().map(|id| id.0));
        }
        Ok(created)
    }

    /// Buys one ticket. Returns after the capture, when the confirmation mail is queued.
    pub async fn purchase_ticket(&self, draw: i64) -> Result<()> {
        let id = OrderId(uuid::Uuid::new_v4().as_u128());
        let order = OpenOrderRequest {
            client_key: id.to_string(),
            token: uuid::Uuid::new_v4().simple().to_string(),
            id,
            club: self.club,
            account: bench_account(),
            lines: vec![Line {
                draw: DrawId(draw),
                count: 1,
                unit_price: TICKET_PRICE,
                card_fee: Cents::ZERO,
            }],
            buyer: BuyerDetails {
                name: Some("Bench".into()),
                email: Some("bench@crowd.test".into()),
                phone: Some("0400000000".into()),
            },
            source: None,
        };
        let opened = self
            .payments
            .open(order)
            .await
            .map_err(|why| anyhow::anyhow!("opening: {why:?}"))?;
        let intent = opened.order.payment_intent.context("no payment intent")?;
        self.provider.authorise_intent(&intent);
        let done = self
            .payments
            .fulfil(&intent)
            .await
            .map_err(|why| anyhow::anyhow!("fulfilling: {why:?}"))?;
        ensure!(
            done.status == FulfilStatus::Succeeded,
            "a purchase ended as {:?}",
            done.status
        );
        Ok(())
    }

    /// Returns the violated invariants of the engine's database. There should be none.
    pub async fn find_invariant_violations(&self) -> Result<Vec<String>> {
        let rows = self.store.violations().await?;
        Ok(rows
            .into_iter()
            .map(|row| format!("{}: {}", row.invariant, row.object))
            .collect())
    }
}

impl EngineStopGuard {
    pub async fn stop(self) -> Result<()> {
        drop(self.stop);
        let ended = tokio::task::spawn_blocking(|| self.thread.join()).await?;
        ensure!(ended.is_ok(), "the engine's thread panicked");
        Ok(())
    }
}

/// Runs a sale with `askers` concurrent buyers. Returns the purchases per second.
pub async fn run_sale<F>(
    askers: usize,
    sale: Arc<Sale>,
    purchase: impl Fn(i64) -> F + Clone + Send + 'static,
) -> Result<f64>
where
    F: Future<Output = Result<()>> + Send,
{
    run_concurrently(askers, || {
        let (purchase, sale) = (purchase.clone(), sale.clone());
        async move {
            let mut bought = 0;
            while let Some(draw) = sale.next_draw() {
                purchase(draw).await?;
                bought += 1;
            }
            Ok(bought)
        }
    })
    .await
}

/// Runs `workers` tasks at the same time. Each returns how often it did its work. Returns the total
/// per second.
pub async fn run_concurrently<F>(workers: usize, work: impl Fn() -> F) -> Result<f64>
where
    F: Future<Output = Result<usize>> + Send + 'static,
{
    let started_at = std::time::Instant::now();
    let mut working: JoinSet<Result<usize>> = (0..workers).map(|_| work()).collect();
    let mut done = 0;
    while let Some(worker) = working.join_next().await {
        done += worker??;
    }
    Ok(done as f64 / started_at.elapsed().as_secs_f64())
}

async fn connect_store(scratch_database: &TemporaryDatabase) -> Result<Postgres> {
    let store = Postgres::connect(
        &scratch_database.url,
        Sealer::from_hex(SEALING_KEY).context("a key")?,
    )
    .await?;
    store.migrate().await?;
    Ok(store)
}

async fn create_club(records: &Records) -> Result<ClubId> {
    let club = NewClub {
        name: "Bench".into(),
        email: "bench@club.test".into(),
        password_hash: String::new(),
        location: None,
        phone: None,
        slug: "bench".into(),
        title: None,
        tagline: None,
        logo_url: None,
        colors: None,
    };
    let club = records.create_club(&club).await?.id;
    records.connect_account(club, &bench_account()).await?;
    Ok(club)
}

async fn start_draw_actor(draws: Draws, draw: DrawId) -> Result<()> {
    draws
        .wake(draw)
        .await
        .map_err(|denied| anyhow::anyhow!("waking {draw}: {denied}"))
}

fn bench_account() -> AccountId {
    AccountId("acct_bench".into())
}

impl InMemoryProvider {
    fn change_intent(
        &self,
        id: &PaymentIntentId,
        change: impl FnOnce(&mut PaymentIntent),
    ) -> Result<PaymentIntent, GatewayError> {
        let mut intents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let intent = intents.get_mut(id).ok_or_else(unsupported_call)?;
        change(intent);
        Ok(intent.clone())
    }

    fn authorise_intent(&self, id: &PaymentIntentId) {
        let now = SystemClock.now();
        let _ = self.change_intent(id, |intent| {
            (intent.status, intent.authorised_at) = (PaymentStatus::RequiresCapture, Some(now));
        });
    }
}

fn unsupported_call() -> GatewayError {
    GatewayError::unavailable("a bench does not ask for this")
}

fn platform_application() -> ApplicationId {
    ApplicationId("ca_bench".into())
}

#[async_trait]
impl Gateway for InMemoryProvider {
    async fn create(&self, _: &str, new: &NewIntent) -> Result<OpenedIntent, GatewayError> {
        let id = PaymentIntentId(format!("pi_{}", new.order));
        let intent = PaymentIntent {
            id: id.clone(),
            account: new.account.clone(),
            status: PaymentStatus::RequiresPaymentMethod,
            amount: new.amount,
            amount_received: Cents::ZERO,
            amount_refunded: Cents::ZERO,
            refunds: Vec::new(),
            application_fee: Cents::ZERO,
            application_fee_refunded: Cents::ZERO,
            currency: "aud".into(),
            origin: PaymentOrigin {
                application: Some(platform_application()),
                has_order_key: true,
            },
            order: Some(new.order),
            provider_fee: None,
            dispute: None,
            authorised_at: None,
            draws: Vec::new(),
            method: None,
            decline: None,
        };
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id.clone(), intent.clone());
        Ok(OpenedIntent {
            id,
            client_secret: "secret".into(),
            intent,
        })
    }

    async fn update(
        &self,
        _: &str,
        _: &AccountId,
        _: &PaymentIntentId,
        _: &NewIntent,
    ) -> Result<OpenedIntent, GatewayError> {
        Err(unsupported_call())
    }

    async fn retrieve(
        &self,
        _: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<PaymentIntent, GatewayError> {
        self.change_intent(id, |_| {})
    }

    async fn confirm(
        &self,
        _: &str,
        _: &AccountId,
        _: &PaymentIntentId,
        _: &str,
    ) -> Result<OpenedIntent, GatewayError> {
        Err(unsupported_call())
    }

    async fn capture(
        &self,
        _: &str,
        _: &AccountId,
        id: &PaymentIntentId,
        fee: Cents,
    ) -> Result<PaymentIntent, GatewayError> {
        self.change_intent(id, |intent| {
            intent.status = PaymentStatus::Succeeded;
            (intent.amount_received, intent.application_fee) = (intent.amount, fee);
        })
    }

    async fn cancel(
        &self,
        _: &str,
        _: &AccountId,
        _: &PaymentIntentId,
    ) -> Result<PaymentIntent, GatewayError> {
        Err(unsupported_call())
    }

    async fn refund(
        &self,
        _: &str,
        _: &AccountId,
        _: &PaymentIntentId,
        _: Cents,
    ) -> Result<ProviderRefund, GatewayError> {
        Err(unsupported_call())
    }

    async fn refund_fee(
        &self,
        _: &str,
        _: &AccountId,
        _: &PaymentIntentId,
        _: Cents,
    ) -> Result<(), GatewayError> {
        Err(unsupported_call())
    }

    async fn list(&self, _: &AccountId, _: Timestamp) -> Result<Vec<PaymentIntent>, GatewayError> {
        Err(unsupported_call())
    }

    async fn find_open_intent(
        &self,
        _: &AccountId,
        _: OrderId,
        _: Timestamp,
    ) -> Result<Option<OpenedIntent>, GatewayError> {
        Err(unsupported_call())
    }

    async fn platform_application(&self) -> Result<Option<ApplicationId>, GatewayError> {
        Ok(Some(platform_application()))
    }
}

#[async_trait]
impl MailTransport for InMemoryProvider {
    async fn send(&self, _: &Mail, _: Option<&OrderRecord>) -> Result<(), String> {
        Ok(())
    }
}
