//! Every page: the document with its first paint, its data, and the right status. React takes over from there.

use actix_web::http::Method;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::{HttpRequest, HttpResponse, web};
use domain::{DrawId, TICKETS};
use serde_json::{Map, Value, json};

use crate::catalogue::lists::{List, Part};
use crate::error::Problem;
use crate::render::page::{self, Body, ClubFace, DrawFace, Frame, Head, Navigation};
use crate::routes::buyer::orders;
use crate::site::{self, Site};
use crate::state::State;
use crate::wire;

mod address;
use address::Page;

/// `GET` of anything that is no call: a built file, or a page.
pub async fn page(
    request: HttpRequest,
    state: web::Data<State>,
    site: web::Data<Site>,
) -> Result<HttpResponse, Problem> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Err(Problem::not_found());
    }
    if let Some(name) = request.path().strip_prefix(site::ASSETS) {
        return Ok(site::serve(&site, name, request.headers()));
    }
    let writer = Writer { state: &state, site: &site, path: request.path() };
    let asked = Page::of(request.path(), request.query_string());
    writer.write(asked).await
}

struct Writer<'a> {
    state: &'a State,
    site: &'a Site,
    path: &'a str,
}

/// What a page is about, once it was looked up.
enum Shown {
    Landing(Vec<DrawFace>),
    Draw(Box<DrawFace>),
    Board(Box<DrawFace>),
    Club(ClubFace, Vec<DrawFace>),
    Plain(String, &'static str),
    Missing(&'static str, &'static str),
}

const PAGE_NOT_FOUND: Shown = Shown::Missing(
    "Page Not Found",
    "There is nothing at this address. It may have moved, or the link may be cut short.",
);
const DRAW_NOT_FOUND: Shown =
    Shown::Missing("Draw Not Found", "The draw you're looking for doesn't exist or may have been removed.");
const TAGLINE: &str = "Support our club with Football Doubles - win cash prizes while helping fund our team!";

impl Writer<'_> {
    async fn write(&self, asked: Page<'_>) -> Result<HttpResponse, Problem> {
        let mut boot = Map::new();
        let shown = self.look_up(&asked, &mut boot).await?;
        let now = self.state.clock.now();
        let maintenance = self.state.catalogue.facts().maintenance_mode();
        boot.insert("config".into(), json!(wire::config::PublicConfig::from(&self.state.config)));
        boot.insert("maintenanceMode".into(), json!(maintenance));
        boot.insert("now".into(), json!(now.0));
        let support = &self.state.config.support;
        let frame = Frame {
            navigation: if matches!(asked, Page::Landing) { Navigation::Landing } else { Navigation::Plain },
            support_email: support.email.clone(),
            support_sms: support.sms.clone(),
            maintenance,
        };
        let head = self.head(&asked, &shown);
        let key = if matches!(shown, Shown::Missing(..)) { "" } else { asked.key() };
        let document = page::document(self.site, key, &head, &frame, &shown.body(), &Value::Object(boot));
        let document = document.map_err(|failure| {
            tracing::error!(%failure, "a page could not be written");
            Problem::unavailable()
        })?;
        let status = if matches!(shown, Shown::Missing(..)) { StatusCode::NOT_FOUND } else { StatusCode::OK };
        Ok(HttpResponse::build(status)
            .insert_header((CONTENT_TYPE, "text/html; charset=utf-8"))
            .insert_header((CACHE_CONTROL, if asked.is_private() { "no-store" } else { "no-cache" }))
            .body(document))
    }

    /// The page's data, for the first paint and for React alike.
    async fn look_up(&self, asked: &Page<'_>, boot: &mut Map<String, Value>) -> Result<Shown, Problem> {
        match *asked {
            Page::Landing => {
                let draws = self.lists(None);
                let faces = self.faces(&draws);
                boot.insert("draws".into(), json!(draws));
                Ok(Shown::Landing(faces))
            }
            Page::Draw(id) | Page::Verify(id) | Page::Checkout(id) | Page::Board(id) => {
                let Some(draw) = self.draw(id).await else { return Ok(DRAW_NOT_FOUND) };
                let face = DrawFace::new(&draw, self.state.clock.now());
                boot.insert("draw".into(), json!(draw));
                Ok(match asked {
                    Page::Draw(_) => Shown::Draw(Box::new(face)),
                    Page::Board(_) => Shown::Board(Box::new(face)),
                    Page::Verify(_) => {
                        Shown::Plain(format!("Verify {}", face.title()), "Recompute this draw in your own browser.")
                    }
                    _ => Shown::Plain(face.title(), "Random ticket numbers are assigned after payment."),
                })
            }
            Page::Club(slug) => self.club(slug, boot),
            Page::Order(token) => match orders::by_token(self.state, token).await? {
                Some(record) => {
                    boot.insert("order".into(), json!(orders::present(self.state, &record).await?));
                    Ok(Shown::Plain("My tickets".to_string(), ""))
                }
                None => Ok(PAGE_NOT_FOUND),
            },
            Page::Plain { heading, .. } => Ok(Shown::Plain(heading.to_string(), "")),
            Page::Missing => Ok(PAGE_NOT_FOUND),
        }
    }

    async fn draw(&self, id: i64) -> Option<wire::draw::Draw> {
        let (facts, listing, view) = self.state.catalogue.draw(DrawId(id)).await?;
        let club = facts.club(listing.club)?;
        Some(facts.wire(&listing, &view, self.state.clock.now())?.alone(&listing, club))
    }

    fn club(&self, slug: &str, boot: &mut Map<String, Value>) -> Result<Shown, Problem> {
        let facts = self.state.catalogue.facts();
        let found = facts.club_by_slug(slug).filter(|club| !club.archived && club.page_enabled);
        let Some(row) = found else { return Ok(PAGE_NOT_FOUND) };
        let part = Part { club: Some(row.id), ..Part::default() };
        let now = self.state.clock.now();
        let active = self.state.catalogue.part(List::Active, part, now);
        let completed = self.state.catalogue.part(List::Completed, part, now);
        let faces = self.faces(&active);
        let club = wire::club::Club::new(row, slug).with_draws(active, completed);
        let face = ClubFace::new(&club);
        boot.insert("club".into(), json!(club));
        Ok(Shown::Club(face, faces))
    }

    /// On sale, waiting, and completed: what the landing page shows.
    fn lists(&self, club: Option<domain::ClubId>) -> Vec<wire::draw::Draw> {
        /// Completed draws in the page itself; who scrolls further asks.
        const COMPLETED_MAX: usize = 60;
        let now = self.state.clock.now();
        let part = Part { club, ..Part::default() };
        let recent = Part { limit: Some(COMPLETED_MAX), ..part };
        let catalogue = &self.state.catalogue;
        let mut draws = catalogue.part(List::Active, part, now);
        draws.extend(catalogue.part(List::Awaiting, part, now));
        draws.extend(catalogue.part(List::Completed, recent, now));
        draws
    }

    fn faces(&self, draws: &[wire::draw::Draw]) -> Vec<DrawFace> {
        let now = self.state.clock.now();
        draws.iter().filter(|draw| draw.status == "active").map(|draw| DrawFace::new(draw, now)).collect()
    }

    fn head(&self, asked: &Page<'_>, shown: &Shown) -> Head {
        let (title, description) = match shown {
            Shown::Landing(_) => ("Football Doubles".to_string(), TAGLINE.to_string()),
            Shown::Draw(face) | Shown::Board(face) => (format!("{} | Football Doubles", face.title()), face.summary()),
            Shown::Club(face, _) => (format!("{} | Football Doubles", face.title), face.tagline.clone()),
            Shown::Plain(heading, _) => (
                format!("{heading} | Football Doubles"),
                format!("{TICKETS} tickets, one winning pair of jersey numbers. {TAGLINE}"),
            ),
            Shown::Missing(heading, words) => (format!("{heading} | Football Doubles"), words.to_string()),
        };
        let theme = match shown {
            Shown::Board(_) => page::THEME_BOARD.to_string(),
            Shown::Club(face, _) => face.primary.clone(),
            _ => page::THEME.to_string(),
        };
        let canonical = asked.canonical(self.path).filter(|_| !matches!(shown, Shown::Missing(..)));
        let canonical = canonical.map(|path| format!("{}{path}", self.state.config.public_url));
        Head { title, description, canonical, theme }
    }
}

impl Shown {
    fn body(&self) -> Body<'_> {
        match self {
            Shown::Landing(draws) => Body::Landing { draws },
            Shown::Draw(face) => Body::Draw(face),
            Shown::Board(face) => Body::Board(face),
            Shown::Club(club, draws) => Body::Club { club, draws },
            Shown::Plain(heading, words) => Body::Plain { heading, words },
            Shown::Missing(heading, words) => Body::Missing { heading, words },
        }
    }
}
