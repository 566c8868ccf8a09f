//! A purchase inside our own walls: the engine and its books, with neither HTTP nor a provider around them. It is what one
//! compares with other ways to write the same rows.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use actors::{
    Clock, Draws, Engine, EngineParts, FulfilStatus, Gateway, GatewayError, Neighbourhood,
    NewIntent, OpenOrder, Opened, Payments, Post, SystemClock,
};
use anyhow::{Context, Result, ensure};
use async_trait::async_trait;
use domain::{
    AccountId, Cents, ClubId, DrawId, FeePolicy, Line, OrderId, PaymentIntent, PaymentIntentId,
    PaymentStatus, Timestamp,
};
use persistence::books::{Mail, OrderRecord};
use persistence::ledger::BuyerDetails;
use persistence::nodes::Boot;
use persistence::records::Records;
use persistence::records::clubs::NewClub;
use persistence::records::draws::NewDraw;
use persistence::yardstick::Room;
use persistence::{Postgres, Sealer};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::shopper::Sale;

const PRICE: Cents = Cents(500);
/// Nothing of a bench is a secret.
const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const DRAWS_AT_ONCE: usize = 500;
const HOURS: i64 = 3_600_000;

/// A provider in memory that answers at once, and a post that drops everything.
#[derive(Default)]
struct Quiet(Mutex<HashMap<PaymentIntentId, PaymentIntent>>);

/// An engine with a database of its own on the same Postgres.
#[derive(Clone)]
pub struct Walls {
    payments: Payments,
    draws: Draws,
    provider: Arc<Quiet>,
    books: Postgres,
    club: ClubId,
}

/// Ends the engine.
pub struct Foreman {
    stop: oneshot::Sender<()>,
    thread: std::thread::JoinHandle<()>,
}

impl Walls {
    /// Raises an engine over a fresh database, with one club in it. Whatever `room` holds besides is there from the start.
    pub async fn raise(room: &Room) -> Result<(Walls, Foreman)> {
        let books = open(room).await?;
        let records = Records::new(books.clone());
        let club = match records.clubs().await?.first() {
            Some(club) => club.id,
            None => found(&records).await?,
        };
        let provider = Arc::new(Quiet::default());
        let parts = EngineParts {
            ledger: Arc::new(books.clone()),
            books: Arc::new(books.clone()),
            gateway: provider.clone(),
            clock: Arc::new(SystemClock),
            mail: provider.clone(),
            neighbourhood: Neighbourhood::alone(Boot::fresh(), Arc::new(books.clone())),
        };
        let (ready, raised) = oneshot::channel();
        let (stop, stopping) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async move {
                let engine = match Engine::start(parts).await {
                    Ok(engine) => engine,
                    Err(failure) => return drop(ready.send(Err(failure))),
                };
                let handles = (engine.payments.clone(), engine.draws.clone());
                // Whoever is gone has let go of the other end as well.
                let _ = ready.send(Ok(handles));
                let _ = stopping.await;
                engine.stop().await;
            });
        });
        let (payments, draws) = raised.await.context("the engine's thread ended")??;
        Ok((
            Walls {
                payments,
                draws,
                provider,
                books,
                club,
            },
            Foreman { stop, thread },
        ))
    }

    /// New draws, awake.
    pub async fn draws(&self, count: usize) -> Result<Vec<i64>> {
        let records = Records::new(self.books.clone());
        let new = NewDraw {
            club: self.club,
            league: None,
            home_team: "Bench Home".into(),
            away_team: "Bench Away".into(),
            zone: "Australia/Brisbane".into(),
            kick_off: Timestamp(SystemClock.now().0 + 48 * HOURS),
            opens_at: None,
            price: PRICE,
            prize_percentage: 50,
            round_up_prize: false,
            pass_card_fee: false,
            fee_policy: FeePolicy::DEFAULT,
            contact_name: String::new(),
            contact_phone: String::new(),
        };
        let mut made = Vec::with_capacity(count);
        while made.len() < count {
            let some = vec![new.clone(); DRAWS_AT_ONCE.min(count - made.len())];
            let ids = records.create_draws(&some).await?;
            let mut waking: JoinSet<_> =
                ids.iter().map(|id| wake(self.draws.clone(), *id)).collect();
            while let Some(woken) = waking.join_next().await {
                woken??;
            }
            made.extend(ids.into_iter().map(|id| id.0));
        }
        Ok(made)
    }

    /// One purchase of one ticket, until the money is taken and the mail is queued.
    pub async fn purchase(&self, draw: i64) -> Result<()> {
        let id = OrderId(uuid::Uuid::new_v4().as_u128());
        let wanted = OpenOrder {
            client_key: id.to_string(),
            token: uuid::Uuid::new_v4().simple().to_string(),
            id,
            club: self.club,
            account: account(),
            lines: vec![Line {
                draw: DrawId(draw),
                count: 1,
                unit_price: PRICE,
                card_fee: Cents::ZERO,
            }],
            buyer: BuyerDetails {
                name: Some("Bench".into()),
                email: Some("bench@crowd.test".into()),
                phone: Some("0400000000".into()),
            },
        };
        let opened = self
            .payments
            .open(wanted)
            .await
            .map_err(|why| anyhow::anyhow!("opening: {why:?}"))?;
        let intent = opened.order.payment_intent.context("no payment intent")?;
        self.provider.authorise(&intent);
        let done = self
            .payments
            .fulfil(&intent)
            .await
            .map_err(|why| anyhow::anyhow!("fulfilling: {why:?}"))?;
        ensure!(
            done.status == FulfilStatus::Succeeded,
            "a purchase came to {:?}",
            done.status
        );
        Ok(())
    }

    /// What the books find wrong with themselves; nothing is expected.
    pub async fn violations(&self) -> Result<Vec<String>> {
        let rows = self.books.violations().await?;
        Ok(rows
            .into_iter()
            .map(|row| format!("{}: {}", row.invariant, row.object))
            .collect())
    }
}

impl Foreman {
    pub async fn stop(self) -> Result<()> {
        drop(self.stop);
        let ended = tokio::task::spawn_blocking(|| self.thread.join()).await?;
        ensure!(ended.is_ok(), "the engine's thread panicked");
        Ok(())
    }
}

/// So many askers at once, until the sale is over: purchases a second.
pub async fn sell<F>(
    askers: usize,
    sale: Arc<Sale>,
    purchase: impl Fn(i64) -> F + Clone + Send + 'static,
) -> Result<f64>
where
    F: Future<Output = Result<()>> + Send,
{
    at_once(askers, || {
        let (purchase, sale) = (purchase.clone(), sale.clone());
        async move {
            let mut bought = 0;
            while let Some(draw) = sale.next() {
                purchase(draw).await?;
                bought += 1;
            }
            Ok(bought)
        }
    })
    .await
}

/// So many at once, each until it has no more to do, and says how often it did it: all of them together, a second.
pub async fn at_once<F>(workers: usize, work: impl Fn() -> F) -> Result<f64>
where
    F: Future<Output = Result<usize>> + Send + 'static,
{
    let began = std::time::Instant::now();
    let mut working: JoinSet<Result<usize>> = (0..workers).map(|_| work()).collect();
    let mut done = 0;
    while let Some(worker) = working.join_next().await {
        done += worker??;
    }
    Ok(done as f64 / began.elapsed().as_secs_f64())
}

async fn open(room: &Room) -> Result<Postgres> {
    let books = Postgres::connect(&room.url, Sealer::from_hex(KEY).context("a key")?).await?;
    books.migrate().await?;
    Ok(books)
}

async fn found(records: &Records) -> Result<ClubId> {
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
    records.connect_account(club, &account()).await?;
    Ok(club)
}

async fn wake(draws: Draws, draw: DrawId) -> Result<()> {
    draws
        .wake(draw)
        .await
        .map_err(|denied| anyhow::anyhow!("waking {draw}: {denied}"))
}

fn account() -> AccountId {
    AccountId("acct_bench".into())
}

impl Quiet {
    fn change(
        &self,
        id: &PaymentIntentId,
        change: impl FnOnce(&mut PaymentIntent),
    ) -> Result<PaymentIntent, GatewayError> {
        let mut intents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let intent = intents.get_mut(id).ok_or_else(unasked)?;
        change(intent);
        Ok(intent.clone())
    }

    fn authorise(&self, id: &PaymentIntentId) {
        let now = SystemClock.now();
        let _ = self.change(id, |intent| {
            (intent.status, intent.authorised_at) = (PaymentStatus::RequiresCapture, Some(now));
        });
    }
}

fn unasked() -> GatewayError {
    GatewayError::Unavailable("a bench does not ask for this".into())
}

#[async_trait]
impl Gateway for Quiet {
    async fn create(&self, _: &str, new: &NewIntent) -> Result<Opened, GatewayError> {
        let id = PaymentIntentId(format!("pi_{}", new.order));
        let intent = PaymentIntent {
            id: id.clone(),
            account: new.account.clone(),
            status: PaymentStatus::RequiresPaymentMethod,
            amount: new.amount,
            amount_received: Cents::ZERO,
            amount_refunded: Cents::ZERO,
            application_fee: Cents::ZERO,
            application_fee_refunded: Cents::ZERO,
            currency: "aud".into(),
            order: Some(new.order),
            provider_fee: None,
            disputed: false,
            authorised_at: None,
            draws: Vec::new(),
            method: None,
            decline: None,
        };
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id.clone(), intent.clone());
        Ok(Opened {
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
    ) -> Result<Opened, GatewayError> {
        Err(unasked())
    }

    async fn retrieve(
        &self,
        _: &AccountId,
        id: &PaymentIntentId,
    ) -> Result<PaymentIntent, GatewayError> {
        self.change(id, |_| {})
    }

    async fn confirm(
        &self,
        _: &str,
        _: &AccountId,
        _: &PaymentIntentId,
        _: &str,
    ) -> Result<Opened, GatewayError> {
        Err(unasked())
    }

    async fn capture(
        &self,
        _: &str,
        _: &AccountId,
        id: &PaymentIntentId,
        fee: Cents,
    ) -> Result<PaymentIntent, GatewayError> {
        self.change(id, |intent| {
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
        Err(unasked())
    }

    async fn refund(
        &self,
        _: &str,
        _: &AccountId,
        _: &PaymentIntentId,
        _: Cents,
    ) -> Result<(), GatewayError> {
        Err(unasked())
    }

    async fn refund_fee(
        &self,
        _: &str,
        _: &AccountId,
        _: &PaymentIntentId,
        _: Cents,
    ) -> Result<(), GatewayError> {
        Err(unasked())
    }

    async fn list(&self, _: &AccountId, _: Timestamp) -> Result<Vec<PaymentIntent>, GatewayError> {
        Err(unasked())
    }

    async fn find(
        &self,
        _: &AccountId,
        _: OrderId,
        _: Timestamp,
    ) -> Result<Option<Opened>, GatewayError> {
        Err(unasked())
    }
}

#[async_trait]
impl Post for Quiet {
    async fn send(&self, _: &Mail, _: Option<&OrderRecord>) -> Result<(), String> {
        Ok(())
    }
}
