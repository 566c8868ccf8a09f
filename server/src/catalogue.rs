//! What lists show, in memory: clubs, draws' fixed facts, footers and settings, read from the books and kept current by
//! one small read a second; and answers prepared from them, made once per change and handed out as bytes.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use actors::Draws;
use domain::{ClubId, DrawId, Serial, Status, SurchargeMode, Timestamp, View};
use persistence::Failure;
use persistence::records::clubs::Club;
use persistence::records::footers::FooterMenu;
use persistence::records::listings::Listing;
use persistence::records::{Records, settings};

pub mod lists;
pub mod prepared;
pub mod single;

use crate::config::CardFeePassing;
use lists::Lists;
use prepared::PerDraw;

/// Everything as of one reading of the books.
#[derive(Default)]
pub struct Facts {
    /// The catalogue's revision in the books.
    revision: i64,
    /// Counts this process's readings, by their beginning: what was prepared from an older one is stale.
    reading: u64,
    clubs: BTreeMap<ClubId, Arc<Club>>,
    /// Present and former slugs, lower case.
    slugs: HashMap<String, ClubId>,
    draws: BTreeMap<DrawId, Arc<Listing>>,
    pub footers: Vec<FooterMenu>,
    settings: BTreeMap<String, String>,
}

pub struct Catalogue {
    records: Records,
    draws: Draws,
    facts: RwLock<Arc<Facts>>,
    /// Readings that were begun; facts bear the number of theirs.
    begun: AtomicU64,
    lists: Mutex<Lists>,
    fragments: PerDraw,
    singles: PerDraw,
    tickets: PerDraw,
}

impl Facts {
    pub fn club(&self, id: ClubId) -> Option<&Arc<Club>> {
        self.clubs.get(&id)
    }

    /// Counts this process's readings of the books.
    pub fn reading(&self) -> u64 {
        self.reading
    }

    /// By its present slug or one it once had, whatever the case (decision A-16).
    pub fn club_by_slug(&self, slug: &str) -> Option<&Arc<Club>> {
        self.club(*self.slugs.get(&slug.to_lowercase())?)
    }

    /// Ascending by id.
    pub fn clubs(&self) -> impl Iterator<Item = &Arc<Club>> {
        self.clubs.values()
    }

    /// How many of a club's draws are on sale, as of this reading.
    pub fn count_on_sale(&self, club: ClubId) -> usize {
        self.draws
            .values()
            .filter(|listing| listing.club == club && listing.view.status == Status::Active)
            .count()
    }

    pub fn listing(&self, draw: DrawId) -> Option<&Arc<Listing>> {
        self.draws.get(&draw)
    }

    /// New payment intents are refused; everything else runs (decision I-5).
    pub fn maintenance_mode(&self) -> bool {
        self.settings
            .get(settings::MAINTENANCE_MODE)
            .is_some_and(|value| value == "true")
    }

    /// Clubs may register by themselves: yes unless the operator switched it off (decision I-6).
    pub fn registration_is_open(&self) -> bool {
        self.settings
            .get(settings::CLUB_REGISTRATION_ENABLED)
            .is_none_or(|value| value != "false")
    }

    /// The setting, else what the environment says (decision D-6).
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

    /// The setting, else what the environment says (decision D-14).
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

    /// Whether the winning ticket was sold; `None` before it is revealed (decision E-6), and while this reading is older than
    /// the result.
    pub fn winner_sold(&self, view: &View, now: Timestamp) -> Option<bool> {
        view.revealed(now)?;
        let listing = self.listing(view.draw)?;
        (listing.view.result == view.result)
            .then_some(listing.winner_sold)
            .flatten()
    }

    /// The newer of what the row said and what the actor says.
    fn newest(&self, listing: &Listing, awake: Option<&View>) -> View {
        awake
            .filter(|view| view.revision >= listing.view.revision)
            .copied()
            .unwrap_or(listing.view)
    }
}

impl Catalogue {
    /// # Errors
    /// The books could not be read.
    pub async fn open(records: Records, draws: Draws) -> Result<Catalogue, Failure> {
        let catalogue = Catalogue {
            records,
            draws,
            facts: RwLock::default(),
            begun: AtomicU64::new(0),
            lists: Mutex::default(),
            fragments: PerDraw::default(),
            singles: PerDraw::default(),
            tickets: PerDraw::default(),
        };
        catalogue.reload().await?;
        Ok(catalogue)
    }

    pub fn draws(&self) -> &Draws {
        &self.draws
    }

    pub fn facts(&self) -> Arc<Facts> {
        self.facts
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Looks something up in the newest reading, which must not be kept.
    fn looked_up<T>(&self, look: impl FnOnce(&Facts) -> T) -> T {
        look(&self.facts.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads everything again: after our own writes, and when another process wrote.
    ///
    /// # Errors
    /// The books could not be read; what was known stays.
    pub async fn reload(&self) -> Result<(), Failure> {
        // One that is overtaken by another changes nothing: who began later has read all that this one was asked for.
        let reading = self.begun.fetch_add(1, Ordering::Relaxed) + 1;
        // The revision is read first: a change that comes in between is read again a second later.
        let revision = self.records.catalogue_revision().await?;
        let settings = self.records.settings().await?;
        let clubs = self.records.clubs().await?;
        let aliases = self.records.slug_aliases().await?;
        let listings = self.records.listings().await?;
        let footers = self.records.footer_menus().await?;
        let present = clubs.iter().map(|club| (club.slug.to_lowercase(), club.id));
        let facts = Facts {
            revision,
            reading,
            slugs: aliases.into_iter().chain(present).collect(),
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
        self.replace(facts);
        Ok(())
    }

    /// The small read of every second: everything again only if the catalogue's revision or a setting moved.
    ///
    /// # Errors
    /// The books could not be read; what was known stays.
    pub async fn refresh(&self) -> Result<(), Failure> {
        let revision = self.records.catalogue_revision().await?;
        let settings = self.records.settings().await?;
        let facts = self.facts();
        if facts.revision == revision
            && facts.settings == settings
            && !self.results_are_missing(&facts)
        {
            return Ok(());
        }
        self.reload().await
    }

    /// A draw was completed (or its result taken back) after this reading: whether its winner was sold is not known here.
    fn results_are_missing(&self, facts: &Facts) -> bool {
        self.draws.views().iter().any(|view| {
            facts.listing(view.draw).is_some_and(|listing| {
                view.revision > listing.view.revision && view.result != listing.view.result
            })
        })
    }

    fn replace(&self, facts: Facts) {
        let mut current = self.facts.write().unwrap_or_else(PoisonError::into_inner);
        if facts.reading > current.reading {
            *current = Arc::new(facts);
        }
    }

    /// A draw as of now, waking its actor if it sleeps; `None` when there is no such draw. When the actor cannot answer, the
    /// row's word stands: a page must not disappear because a draw is being rebuilt.
    pub async fn draw(&self, draw: DrawId) -> Option<(Arc<Facts>, Arc<Listing>, View)> {
        let facts = self.facts();
        if let Some((listing, view)) = self.view_now(&facts, draw) {
            let listing = listing.clone();
            return Some((facts, listing, view));
        }
        let listing = facts.listing(draw)?.clone();
        let awake = self.draws.view(draw).await.ok();
        let view = facts.newest(&listing, awake.as_ref());
        Some((facts, listing, view))
    }

    /// The same from memory alone: `None` also when its actor would have to be woken.
    pub fn draw_now(&self, draw: DrawId) -> Option<(Arc<Facts>, Arc<Listing>, View)> {
        let facts = self.facts();
        let (listing, view) = self.view_now(&facts, draw)?;
        let listing = listing.clone();
        Some((facts, listing, view))
    }

    fn view_now<'a>(&self, facts: &'a Facts, draw: DrawId) -> Option<(&'a Arc<Listing>, View)> {
        let listing = facts.listing(draw)?;
        // What is over stays as its row says; an undone result is read again within a second.
        let view = match listing.view.status {
            Status::Completed | Status::Cancelled => listing.view,
            Status::Active | Status::Closed => {
                facts.newest(listing, Some(&self.draws.shown(draw)?))
            }
        };
        Some((listing, view))
    }

    /// The serials of a draw that have an owner, ascending.
    ///
    /// # Errors
    /// The books could not be read.
    pub async fn sold_serials(&self, draw: DrawId) -> Result<Vec<Serial>, Failure> {
        self.records.sold_serials(draw).await
    }
}
