//! A club's home page: its texts, pictures, colours and slug (decision A-16).

use domain::ClubId;
use sqlx::{PgConnection, PgPool};

use super::clubs::{ClubGoal, Sponsor};
use super::{Records, audit, bump_catalogue_revision};
use crate::Failure;

/// Changes of a club's home page. `None` leaves a field unchanged; `Some(None)` clears it.
#[derive(Clone, Debug, Default)]
pub struct HomePage {
    pub slug: Option<String>,
    pub title: Option<String>,
    pub tagline: Option<String>,
    pub logo_url: Option<Option<String>>,
    /// New primary, secondary and accent colours. `None` leaves a colour unchanged.
    pub colors: [Option<String>; 3],
    pub enabled: Option<bool>,
    pub facebook_pixel_id: Option<Option<String>>,
    pub goal: Option<Option<ClubGoal>>,
    pub photo_url: Option<Option<String>>,
    pub sponsor: Option<Option<Sponsor>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SavePageOutcome {
    Done,
    /// Nothing was saved, because another club has or had this slug.
    SlugTaken,
}

impl Records {
    /// Saves all changes of the home page in one transaction. A former slug leads to the club for
    /// ever.
    pub async fn save_home_page(
        &self,
        club: ClubId,
        page: &HomePage,
    ) -> Result<SavePageOutcome, Failure> {
        let (page, signer) = (page.clone(), self.signer.clone());
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            if let Some(slug) = &page.slug
                && !change_club_slug(&mut transaction, club, slug).await?
            {
                return Ok(SavePageOutcome::SlugTaken);
            }
            update_home_page(&mut transaction, club, page).await?;
            audit::write_signed_audit_entry(&mut transaction, signer.as_deref(), club).await?;
            bump_catalogue_revision(&mut transaction).await?;
            transaction.commit().await?;
            Ok(SavePageOutcome::Done)
        };
        self.run_write(work).await
    }
}

/// Changes the club's slug. Returns `false` when the slug belongs to another club.
async fn change_club_slug(
    connection: &mut PgConnection,
    club: ClubId,
    slug: &str,
) -> Result<bool, sqlx::Error> {
    let old: String = sqlx::query_scalar!(
        "select home_page_slug from clubs where id = $1 for update",
        club.0
    )
    .fetch_one(&mut *connection)
    .await?;
    if old == slug {
        return Ok(true);
    }
    let is_taken: bool = sqlx::query_scalar!(
        r#"select exists (select from clubs where lower(home_page_slug) = lower($1) and id <> $2)
         or exists (select from club_slug_aliases where lower(slug) = lower($1) and club_id <> $2) as "is_taken!""#,
        slug,
        club.0
    )
    .fetch_one(&mut *connection)
    .await?;
    if is_taken {
        return Ok(false);
    }
    // If the new slug was a former slug of the club, its alias is deleted, because the slug is
    // current again.
    sqlx::query!(
        "delete from club_slug_aliases where lower(slug) = lower($1)",
        slug
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "insert into club_slug_aliases (club_id, slug) values ($1, $2) on conflict do nothing",
        club.0,
        old
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update clubs set home_page_slug = $2 where id = $1",
        club.0,
        slug
    )
    .execute(&mut *connection)
    .await?;
    Ok(true)
}

async fn update_home_page(
    connection: &mut PgConnection,
    club: ClubId,
    page: HomePage,
) -> Result<(), sqlx::Error> {
    let [primary, secondary, accent] = page.colors;
    let (changes_goal, changes_sponsor) = (page.goal.is_some(), page.sponsor.is_some());
    let (goal_text, goal_cents) = page
        .goal
        .flatten()
        .map(|goal| (goal.text, goal.amount.0))
        .unzip();
    let (sponsor_name, sponsor_logo) = page
        .sponsor
        .flatten()
        .map(|sponsor| (sponsor.name, sponsor.logo_url))
        .unzip();
    sqlx::query!(
        "update clubs set home_page_title = coalesce($2, home_page_title),
             home_page_tagline = coalesce($3, home_page_tagline),
             logo_url = case when $4 then $5 else logo_url end,
             primary_color = coalesce($6, primary_color), secondary_color = coalesce($7, secondary_color),
             accent_color = coalesce($8, accent_color), home_page_enabled = coalesce($9, home_page_enabled),
             facebook_pixel_id = case when $10 then $11 else facebook_pixel_id end,
             goal_text = case when $12 then $13 else goal_text end,
             goal_cents = case when $12 then $14 else goal_cents end,
             photo_url = case when $15 then $16 else photo_url end,
             sponsor_name = case when $17 then $18 else sponsor_name end,
             sponsor_logo_url = case when $17 then $19 else sponsor_logo_url end
         where id = $1",
        club.0,
        page.title,
        page.tagline,
        page.logo_url.is_some(),
        page.logo_url.flatten(),
        primary,
        secondary,
        accent,
        page.enabled,
        page.facebook_pixel_id.is_some(),
        page.facebook_pixel_id.flatten(),
        changes_goal,
        goal_text,
        goal_cents,
        page.photo_url.is_some(),
        page.photo_url.flatten(),
        changes_sponsor,
        sponsor_name,
        sponsor_logo.flatten()
    )
    .execute(connection)
    .await?;
    Ok(())
}
