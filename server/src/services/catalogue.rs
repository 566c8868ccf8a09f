//! In-memory data for the public lists: clubs, fixed facts of draws, footers and settings. One
//! small database read per second keeps it current. Responses are prepared once per change and
//! served as bytes.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use actors::Draws;
use domain::{Cents, ClubId, DrawId, Serial, Status, SurchargeMode, Timestamp, View};
use persistence::Failure;
use persistence::records::clubs::Club;
use persistence::records::footers::FooterMenu;
use persistence::records::listings::Listing;
use persistence::records::{Records, settings};

pub mod lists;
pub mod prepared_response;
mod public_config;
pub mod single_draw;

use crate::config::CardFeePassing;
use lists::CachedLists;
use prepared_response::PreparedResponsesByDraw;

/// Clubs, draws, footers and settings from one reading of the database.
#[derive(Default)]
pub struct CatalogueFacts {
    /// The catalogue's revision in the database when the facts were read.
    revision: i64,
    /// Sequence number of the database reading that the facts come from, within the process.
    /// Responses prepared from a reading with a lower number are stale.
    reading: u64,
    clubs: BTreeMap<ClubId, Arc<Club>>,
    /// Current and former slugs, in lower case.
    slugs: HashMap<String, ClubId>,
    draws: BTreeMap<DrawId, Arc<Listing>>,
    pub footers: Vec<FooterMenu>,
    settings: BTreeMap<String, String>,
}

/// The in-memory catalogue of clubs and draws, with prepared responses.
pub struct Catalogue {
    records: Records,
    draws: Draws,
    facts: RwLock<Arc<CatalogueFacts>>,
    /// Number of database readings started so far, used to number them.
    readings_begun: AtomicU64,
    lists: Mutex<CachedLists>,
    fragments: PreparedResponsesByDraw,
    singles: PreparedResponsesByDraw,
    tickets: PreparedResponsesByDraw,
}

impl CatalogueFacts {
    pub fn club(&self, id: ClubId) -> Option<&Arc<Club>> {
        self.clubs.get(&id)
    }

    /// Returns the sequence number of the database reading that these facts come from.
    pub fn reading_number(&self) -> u64 {
        self.reading
    }

    /// Finds a club by its current or a former slug, ignoring case (decision A-16).
    pub fn club_by_slug(&self, slug: &str) -> Option<&Arc<Club>> {
        self.club(*self.slugs.get(&slug.to_lowercase())?)
    }

    /// Returns all clubs, ascending by id.
    pub fn clubs(&self) -> impl Iterator<Item = &Arc<Club>> {
        self.clubs.values()
    }

    /// Returns the number of the club's draws that were on sale at the time of this reading.
    pub fn count_on_sale(&self, club: ClubId) -> usize {
        self.draws
            .values()
            .filter(|listing| listing.club == club && listing.view.status == Status::Active)
            .count()
    }

    /// Returns what a club has raised: the ticket sales of its completed draws without the prizes
    /// that were won. A draw counts once its result is public.
    pub fn raised_so_far(&self, club: ClubId, now: Timestamp) -> Cents {
        self.draws
            .values()
            .filter(|listing| listing.club == club)
            .filter_map(|listing| {
                let view = &listing.view;
                view.public_result(now)?;
                let prize = match listing.winner_sold {
                    Some(false) => Cents::ZERO,
                    _ => view.prize,
                };
                Some((view.price * i64::from(view.sold) - prize).max(Cents::ZERO))
            })
            .sum()
    }

    /// Returns a draw's fixed facts, and its changing state at the time of this reading.
    pub fn listing(&self, draw: DrawId) -> Option<&Arc<Listing>> {
        self.draws.get(&draw)
    }

    /// Whether maintenance mode is on. New payment intents are then refused; everything else runs
    /// (decision I-5).
    pub fn maintenance_mode(&self) -> bool {
        self.settings
            .get(settings::MAINTENANCE_MODE)
            .is_some_and(|value| value == "true")
    }

    /// Whether clubs may register by themselves. True unless the operator switched it off (decision
    /// I-6).
    pub fn registration_is_open(&self) -> bool {
        self.settings
            .get(settings::CLUB_REGISTRATION_ENABLED)
            .is_none_or(|value| value != "false")
    }

    /// Returns the surcharge mode from the operator's settings, or `otherwise` from the environment
    /// (decision D-6).
    pub fn surcharge_mode(&self, otherwise: SurchargeMode) -> SurchargeMode {
        match self
            .settings
            .get(settings::SURCHARGE_MODE)
            .map(String::as_str)
        {
            Some("per_line") => SurchargeMode::PerLine,
            Some("per_charge") => SurchargeMode::PerCharge,
            _ => otherwise,
        }
    }

    /// Returns whether clubs may pass on the card fee: from the operator's settings, or `otherwise`
    /// from the environment (decision D-14).
    pub fn card_fee_passing(&self, otherwise: CardFeePassing) -> CardFeePassing {
        match self
            .settings
            .get(settings::FEE_PASSTHROUGH_ALLOWED)
            .map(String::as_str)
        {
            Some("true") => CardFeePassing::Allowed,
            Some("false") => CardFeePassing::Forbidden,
            _ => otherwise,
        }
    }

    /// Whether the winning ticket was sold. `None` before the winning ticket is revealed (decision
    /// E-6), and while these facts are older than the result.
    pub fn winner_sold(&self, view: &View, now: Timestamp) -> Option<bool> {
        view.public_result(now)?;
        let listing = self.listing(view.draw)?;
        (listing.view.result == view.result)
            .then_some(listing.winner_sold)
            .flatten()
    }

    /// Returns the newer view of a draw: `awake`, the view of its running actor, or the stored
    /// view.
    fn newest_view(&self, listing: &Listing, awake: Option<&View>) -> View {
        awake
            .filter(|view| view.revision >= listing.view.revision)
            .copied()
            .unwrap_or(listing.view)
    }
}

impl Catalogue {
    /// Reads the catalogue for the first time.
    ///
    /// # Errors
    ///
    /// The database could not be read.
    pub async fn load(records: Records, draws: Draws) -> Result<Catalogue, Failure> {
        let catalogue = Catalogue {
            records,
            draws,
            facts: RwLock::default(),
            readings_begun: AtomicU64::new(0),
            lists: Mutex::default(),
            fragments: PreparedResponsesByDraw::default(),
            singles: PreparedResponsesByDraw::default(),
            tickets: PreparedResponsesByDraw::default(),
        };
        catalogue.reload().await?;
        Ok(catalogue)
    }

    /// Returns the client of the draw actors.
    pub fn draws(&self) -> &Draws {
        &self.draws
    }

    /// Returns the facts of the newest reading.
    pub fn facts(&self) -> Arc<CatalogueFacts> {
        self.facts
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Runs a function on the newest facts without cloning the reference to them.
    fn with_facts<T>(&self, read: impl FnOnce(&CatalogueFacts) -> T) -> T {
        read(&self.facts.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads all facts from the database again, after this or another process has written.
    ///
    /// # Errors
    ///
    /// The database could not be read. The previous facts stay.
    pub async fn reload(&self) -> Result<(), Failure> {
        // `replace_facts` drops this reading if a reading that started later has ended earlier,
        // because that one has newer data.
        let reading = self.readings_begun.fetch_add(1, Ordering::Relaxed) + 1;
        // The revision is read before the data. If another process writes in between, `refresh`
        // sees a newer revision within a second and reloads.
        let revision = self.records.catalogue_revision().await?;
        let settings = self.records.settings().await?;
        let clubs = self.records.clubs().await?;
        let aliases = self.records.slug_aliases().await?;
        let listings = self.records.listings().await?;
        let footers = self.records.footer_menus().await?;
        let current_slugs = clubs.iter().map(|club| (club.slug.to_lowercase(), club.id));
        let facts = CatalogueFacts {
            revision,
            reading,
            slugs: aliases.into_iter().chain(current_slugs).collect(),
            clubs: clubs
                .into_iter()
                .map(|club| (club.id, Arc::new(club)))
                .collect(),
            draws: listings
                .into_iter()
                .map(|listing| (listing.id(), Arc::new(listing)))
                .collect(),
            footers,
            settings,
        };
        self.replace_facts(facts);
        Ok(())
    }

    /// Reads all facts again if the catalogue's revision, a setting or a result has changed. Called
    /// every second.
    ///
    /// # Errors
    ///
    /// The database could not be read. The previous facts stay.
    pub async fn refresh(&self) -> Result<(), Failure> {
        let revision = self.records.catalogue_revision().await?;
        let settings = self.records.settings().await?;
        let facts = self.facts();
        if facts.revision == revision
            && facts.settings == settings
            && !self.any_result_changed_since(&facts)
        {
            return Ok(());
        }
        self.reload().await
    }

    /// Whether a draw got or lost its result after `facts` were read. `facts` then do not say
    /// whether its winning ticket was sold.
    fn any_result_changed_since(&self, facts: &CatalogueFacts) -> bool {
        self.draws.views().iter().any(|view| {
            facts.listing(view.draw).is_some_and(|listing| {
                view.revision > listing.view.revision && view.result != listing.view.result
            })
        })
    }

    fn replace_facts(&self, facts: CatalogueFacts) {
        let mut current = self.facts.write().unwrap_or_else(PoisonError::into_inner);
        if facts.reading > current.reading {
            *current = Arc::new(facts);
        }
    }

    /// Returns the current state of a draw. Starts the draw's actor if it is not running. `None`
    /// when there is no such draw. If the actor cannot answer, the database row is used, so that a
    /// draw's page stays available while its actor restarts.
    pub async fn draw(&self, draw: DrawId) -> Option<(Arc<CatalogueFacts>, Arc<Listing>, View)> {
        let facts = self.facts();
        if let Some((listing, view)) = self.view_from_memory(&facts, draw) {
            let listing = listing.clone();
            return Some((facts, listing, view));
        }
        let listing = facts.listing(draw)?.clone();
        let awake = self.draws.view(draw).await.ok();
        let view = facts.newest_view(&listing, awake.as_ref());
        Some((facts, listing, view))
    }

    /// Returns the current state of a draw from memory; `None` when there is no such draw, or the
    /// draw's actor would have to be started to know the state.
    pub fn draw_from_memory(
        &self,
        draw: DrawId,
    ) -> Option<(Arc<CatalogueFacts>, Arc<Listing>, View)> {
        let facts = self.facts();
        let (listing, view) = self.view_from_memory(&facts, draw)?;
        let listing = listing.clone();
        Some((facts, listing, view))
    }

    fn view_from_memory<'a>(
        &self,
        facts: &'a CatalogueFacts,
        draw: DrawId,
    ) -> Option<(&'a Arc<Listing>, View)> {
        let listing = facts.listing(draw)?;
        // A finished draw is shown from its stored row. If its result is undone, the next refresh
        // reads the row again within a second.
        let view = match listing.view.status {
            Status::Completed | Status::Cancelled => listing.view,
            Status::Active | Status::Closed => {
                facts.newest_view(listing, Some(&self.draws.cached_view(draw)?))
            }
        };
        Some((listing, view))
    }

    /// Reads the serials of a draw's sold tickets, ascending.
    ///
    /// # Errors
    ///
    /// The database could not be read.
    pub async fn sold_serials(&self, draw: DrawId) -> Result<Vec<Serial>, Failure> {
        self.records.sold_serials(draw).await
    }
}
