//! Clubs, with their current and former slugs (the club's part of a page's address).

use domain::{AccountId, Cents, ClubId, Timestamp};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;

use super::{Records, audit, bump_catalogue_revision, timestamp, to_column_time};
use crate::Failure;

/// A club: its public data, e-mail address, phone and connected account. Never contains the
/// password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Club {
    pub id: ClubId,
    pub name: String,
    pub email: String,
    pub location: Option<String>,
    pub phone: Option<String>,
    pub account: Option<AccountId>,
    /// Whether the provider lets the club sell, which means `charges_enabled && details_submitted`
    /// (decision B-13).
    pub connected: bool,
    pub charges_enabled: bool,
    pub details_submitted: bool,
    pub payouts_enabled: bool,
    pub archived: bool,
    pub slug: String,
    pub title: Option<String>,
    pub tagline: Option<String>,
    pub logo_url: Option<String>,
    pub primary_color: String,
    pub secondary_color: String,
    pub accent_color: String,
    pub facebook_pixel_id: Option<String>,
    pub page_enabled: bool,
    /// What the club raises money for, and how much.
    pub goal: Option<ClubGoal>,
    pub photo_url: Option<String>,
    pub sponsor: Option<Sponsor>,
    /// Whether the club confirmed its e-mail address through a mailed link (decision G-18).
    pub email_verified: bool,
    pub created_at: Timestamp,
}

/// What a club raises money for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClubGoal {
    pub text: String,
    pub amount: Cents,
}

/// The sponsor that a club names on its page and its boards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sponsor {
    pub name: String,
    pub logo_url: Option<String>,
}

impl Club {
    /// Returns whether the club may start a payment (decisions B-13, H-3).
    pub fn is_selling(&self) -> bool {
        !self.archived && self.connected && self.account.is_some()
    }
}

struct ClubColumns {
    id: i64,
    name: String,
    email: String,
    location: Option<String>,
    phone: Option<String>,
    stripe_connect_account_id: Option<String>,
    charges_enabled: bool,
    details_submitted: bool,
    payouts_enabled: bool,
    archived: bool,
    home_page_slug: String,
    home_page_title: Option<String>,
    home_page_tagline: Option<String>,
    logo_url: Option<String>,
    primary_color: String,
    secondary_color: String,
    accent_color: String,
    facebook_pixel_id: Option<String>,
    home_page_enabled: bool,
    goal_text: Option<String>,
    goal_cents: Option<i64>,
    photo_url: Option<String>,
    sponsor_name: Option<String>,
    sponsor_logo_url: Option<String>,
    email_verified_at: Option<OffsetDateTime>,
    created_at: OffsetDateTime,
}

impl From<ClubColumns> for Club {
    fn from(row: ClubColumns) -> Club {
        Club {
            id: ClubId(row.id),
            name: row.name,
            email: row.email,
            location: row.location,
            phone: row.phone,
            account: row.stripe_connect_account_id.map(AccountId),
            connected: row.charges_enabled && row.details_submitted,
            charges_enabled: row.charges_enabled,
            details_submitted: row.details_submitted,
            payouts_enabled: row.payouts_enabled,
            archived: row.archived,
            slug: row.home_page_slug,
            title: row.home_page_title,
            tagline: row.home_page_tagline,
            logo_url: row.logo_url,
            primary_color: row.primary_color,
            secondary_color: row.secondary_color,
            accent_color: row.accent_color,
            facebook_pixel_id: row.facebook_pixel_id,
            page_enabled: row.home_page_enabled,
            goal: row
                .goal_text
                .zip(row.goal_cents)
                .map(|(text, cents)| ClubGoal {
                    text,
                    amount: Cents(cents),
                }),
            photo_url: row.photo_url,
            sponsor: row.sponsor_name.map(|name| Sponsor {
                name,
                logo_url: row.sponsor_logo_url,
            }),
            email_verified: row.email_verified_at.is_some(),
            created_at: timestamp(row.created_at),
        }
    }
}

/// What changed in the database when the provider reported the state of a connected account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountChange {
    /// Nothing changed: the account's reported state was already stored, or no club has this
    /// account.
    Nothing,
    Something,
    /// The club may no longer sell. A mail that says so was queued.
    Lost,
}

/// A club to create. The caller has checked that the slug is valid and unused (decision H-1).
#[derive(Clone, Debug, Default)]
pub struct NewClub {
    pub name: String,
    pub email: String,
    /// The hash of the password (Argon2id in PHC form), never the password itself.
    pub password_hash: String,
    pub location: Option<String>,
    pub phone: Option<String>,
    pub slug: String,
    pub title: Option<String>,
    pub tagline: Option<String>,
    pub logo_url: Option<String>,
    /// The primary, secondary and accent colour. `None` means the defaults of the specification.
    pub colors: Option<[String; 3]>,
}

/// A query for clubs. `$rest` is what follows `from clubs`.
macro_rules! query_clubs {
    ($rest:literal $(, $argument:expr)*) => {
        sqlx::query_as!(
            ClubColumns,
            "select id, name, email, location, phone, stripe_connect_account_id, charges_enabled, details_submitted,
                 payouts_enabled, archived, home_page_slug, home_page_title, home_page_tagline, logo_url,
                 primary_color, secondary_color, accent_color, facebook_pixel_id, home_page_enabled,
                 goal_text, goal_cents, photo_url, sponsor_name, sponsor_logo_url, email_verified_at, created_at
             from clubs " + $rest,
            $($argument),*
        )
    };
}

impl Records {
    pub async fn clubs(&self) -> Result<Vec<Club>, Failure> {
        let work = async |pool: PgPool| query_clubs!("order by id").fetch_all(&pool).await;
        let rows: Vec<ClubColumns> = self.run_read(work).await?;
        Ok(rows.into_iter().map(Club::from).collect())
    }

    pub async fn club(&self, id: ClubId) -> Result<Option<Club>, Failure> {
        let work = async move |pool: PgPool| {
            query_clubs!("where id = $1", id.0)
                .fetch_optional(&pool)
                .await
        };
        let row: Option<ClubColumns> = self.run_read(work).await?;
        Ok(row.map(Club::from))
    }

    /// Returns every former slug with the club that had it.
    pub async fn slug_aliases(&self) -> Result<Vec<(String, ClubId)>, Failure> {
        let rows = self
            .run_read(async move |pool: PgPool| {
                sqlx::query!(r#"select lower(slug) as "slug!", club_id from club_slug_aliases"#)
                    .fetch_all(&pool)
                    .await
            })
            .await?;
        Ok(rows
            .into_iter()
            .map(|row| (row.slug, ClubId(row.club_id)))
            .collect())
    }

    /// Creates a club.
    ///
    /// # Errors
    ///
    /// [`Failure::NotWritten`] when another club has the e-mail address or the slug.
    pub async fn create_club(&self, new: &NewClub) -> Result<Club, Failure> {
        let new = new.clone();
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let row = insert_club(&mut transaction, new).await?;
            bump_catalogue_revision(&mut transaction).await?;
            transaction.commit().await?;
            Ok(row)
        };
        let row: ClubColumns = self.run_write(work).await?;
        Ok(row.into())
    }

    /// Removes the club that registered with this e-mail address, if it never confirmed the address
    /// and has done nothing since. Its name, slug and address become unused. Returns `false` when
    /// there is no such club.
    pub async fn remove_unconfirmed_club(&self, email: &str) -> Result<bool, Failure> {
        let email = email.trim().to_string();
        Ok(self.remove_unconfirmed(Some(email), None).await? > 0)
    }

    /// Removes every club that registered before a time, never confirmed its address and has done
    /// nothing since. Returns how many were removed.
    pub async fn remove_unconfirmed_clubs(&self, before: Timestamp) -> Result<u64, Failure> {
        self.remove_unconfirmed(None, Some(to_column_time(before)))
            .await
    }

    async fn remove_unconfirmed(
        &self,
        email: Option<String>,
        before: Option<OffsetDateTime>,
    ) -> Result<u64, Failure> {
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let removed = sqlx::query!(
                "delete from clubs c
                 where email_verified_at is null and stripe_connect_account_id is null
                   and ($1::text is null or lower(email) = lower($1))
                   and ($2::timestamptz is null or created_at < $2)
                   and not exists (select from draws where club_id = c.id)
                   and not exists (select from payouts where club_id = c.id)
                   and not exists (select from club_users where club_id = c.id and password is not null)",
                email,
                before
            )
            .execute(&mut *transaction)
            .await?
            .rows_affected();
            if removed > 0 {
                bump_catalogue_revision(&mut transaction).await?;
            }
            transaction.commit().await?;
            Ok(removed)
        };
        self.run_write(work).await
    }

    /// Stores the id of the club's connected account at the payment provider.
    /// [`Records::update_connected_account_state`] stores what that account may do.
    pub async fn connect_account(&self, club: ClubId, account: &AccountId) -> Result<(), Failure> {
        let account = account.0.clone();
        self.change_row_shown_in_lists(sqlx::query!(
            "update clubs set stripe_connect_account_id = $1 where id = $2",
            account,
            club.0
        ))
        .await?;
        Ok(())
    }

    /// Stores what a connected account may do, as reported by the provider (decision B-13). If the
    /// club may no longer sell, the same transaction queues a mail to the club.
    pub async fn update_connected_account_state(
        &self,
        account: &AccountId,
        charges_enabled: bool,
        details_submitted: bool,
        payouts_enabled: bool,
    ) -> Result<AccountChange, Failure> {
        let (account, signer) = (account.0.clone(), self.signer.clone());
        let capabilities = (charges_enabled, details_submitted, payouts_enabled);
        let work = async move |pool: PgPool| {
            let mut transaction = pool.begin().await?;
            let moved = update_account_state(&mut transaction, account, capabilities).await?;
            if moved != AccountChange::Nothing {
                audit::write_signed_audit_entry(&mut transaction, signer.as_deref(), "").await?;
                bump_catalogue_revision(&mut transaction).await?;
                transaction.commit().await?;
            }
            Ok(moved)
        };
        self.run_write(work).await
    }

    /// Archives a club, or undoes that. An archived club is hidden from lists and gets no new
    /// payment intents (decision H-3).
    pub async fn archive_club(&self, club: ClubId, archived: bool) -> Result<bool, Failure> {
        self.change_row_shown_in_lists(sqlx::query!(
            "update clubs set archived = $2 where id = $1",
            club.0,
            archived
        ))
        .await
    }
}

async fn update_account_state(
    connection: &mut PgConnection,
    account: String,
    capabilities: (bool, bool, bool),
) -> Result<AccountChange, sqlx::Error> {
    let club = sqlx::query!(
        r#"select id, email, (charges_enabled, details_submitted, payouts_enabled) = ($2, $3, $4) as "is_known!",
             charges_enabled and details_submitted as "was_connected!"
         from clubs where stripe_connect_account_id = $1 for no key update"#,
        account,
        capabilities.0,
        capabilities.1,
        capabilities.2
    )
    .fetch_optional(&mut *connection)
    .await?;
    let Some(club) = club.filter(|club| !club.is_known) else {
        return Ok(AccountChange::Nothing);
    };
    sqlx::query!(
        "update clubs set charges_enabled = $2, details_submitted = $3, payouts_enabled = $4 where id = $1",
        club.id,
        capabilities.0,
        capabilities.1,
        capabilities.2
    )
    .execute(&mut *connection)
    .await?;
    if !club.was_connected || (capabilities.0 && capabilities.1) {
        return Ok(AccountChange::Something);
    }
    sqlx::query!(
        "insert into email_outbox (dedupe_key, kind, to_address, data)
         values ('account-lost-' || $1::bigint || '-' || extract(epoch from clock_timestamp()), 'account-lost', $2,
             json_build_object('club', $1::bigint)::text)",
        club.id,
        club.email
    )
    .execute(connection)
    .await?;
    Ok(AccountChange::Lost)
}

async fn insert_club(
    connection: &mut PgConnection,
    new: NewClub,
) -> Result<ClubColumns, sqlx::Error> {
    let [primary, secondary, accent] = new
        .colors
        .unwrap_or_else(|| ["#1f2937", "#374151", "#3b82f6"].map(str::to_string));
    sqlx::query_as!(
        ClubColumns,
        "insert into clubs (name, email, password, location, phone, home_page_slug, home_page_title,
             home_page_tagline, logo_url, primary_color, secondary_color, accent_color)
         values ($1, $2, $3, $4, $5, $6, $7,
             coalesce($8, 'Support our club with Football Doubles - win cash prizes while helping fund our team!'),
             $9, $10, $11, $12)
         returning id, name, email, location, phone, stripe_connect_account_id, charges_enabled, details_submitted,
             payouts_enabled, archived, home_page_slug, home_page_title, home_page_tagline, logo_url,
             primary_color, secondary_color, accent_color, facebook_pixel_id, home_page_enabled,
             goal_text, goal_cents, photo_url, sponsor_name, sponsor_logo_url, email_verified_at, created_at",
        new.name,
        new.email,
        new.password_hash,
        new.location,
        new.phone,
        new.slug,
        new.title,
        new.tagline,
        new.logo_url,
        primary,
        secondary,
        accent
    )
    .fetch_one(connection)
    .await
}
