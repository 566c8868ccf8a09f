//! Clubs and the waitlist, for the operator.

use domain::Cents;
use persistence::records::console::clubs::ClubRow;
use persistence::records::waitlist::WaitlistEntry as WaitlistRecord;
use serde::Serialize;
use utoipa::ToSchema;

use super::format_timestamp;
use crate::api::time_format::rfc3339;

/// A club with its account status and totals.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConsoleClub {
    pub id: i64,
    pub name: String,
    pub email: String,
    pub phone: Option<String>,
    pub location: Option<String>,
    pub created_at: String,
    pub stripe_connect_onboarding_complete: bool,
    pub stripe_connect_account_id: Option<String>,
    pub home_page_slug: String,
    pub archived: bool,
    pub archived_at: Option<String>,
    pub charges_enabled: bool,
    pub payouts_enabled: bool,
    pub details_submitted: bool,
    pub total_draws: i64,
    pub active_draws: i64,
    pub completed_draws: i64,
    pub tickets_sold: i64,
    pub revenue: String,
    /// Whether wallet buttons appear for payments to this club: `active`, `inactive` or `failed`.
    /// Null while this is not checked, for example on a test host.
    pub wallet_domain: Option<&'static str>,
    /// Why no wallet button appears.
    pub wallet_domain_problem: Option<String>,
}

impl ConsoleClub {
    /// Builds the club's entry with the state of this site's domain on its account.
    pub fn new(row: &ClubRow, domain: Option<(&'static str, Option<String>)>) -> ConsoleClub {
        let (wallet_domain, wallet_domain_problem) = match domain {
            Some((state, problem)) => (Some(state), problem),
            None => (None, None),
        };
        ConsoleClub {
            wallet_domain,
            wallet_domain_problem,
            id: row.id,
            name: row.name.clone(),
            email: row.email.clone(),
            phone: row.phone.clone(),
            location: row.location.clone(),
            created_at: format_timestamp(row.created_at),
            stripe_connect_onboarding_complete: row.connected,
            stripe_connect_account_id: row.account_id.clone(),
            home_page_slug: row.slug.clone(),
            archived: row.archived,
            archived_at: row.archived_at.map(format_timestamp),
            charges_enabled: row.charges_enabled,
            payouts_enabled: row.payouts_enabled,
            details_submitted: row.details_submitted,
            total_draws: row.total_draws,
            active_draws: row.active_draws,
            completed_draws: row.completed_draws,
            tickets_sold: row.tickets_sold,
            revenue: Cents(row.revenue_cents).decimal(),
        }
    }
}

/// A club's Stripe account (decision B-17).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StripeAccount {
    pub club_id: i64,
    pub club_name: String,
    pub account_id: Option<String>,
    pub charges_enabled: bool,
    pub payouts_enabled: bool,
    pub details_submitted: bool,
}

impl From<&ClubRow> for StripeAccount {
    fn from(row: &ClubRow) -> StripeAccount {
        StripeAccount {
            club_id: row.id,
            club_name: row.name.clone(),
            account_id: row.account_id.clone(),
            charges_enabled: row.charges_enabled,
            payouts_enabled: row.payouts_enabled,
            details_submitted: row.details_submitted,
        }
    }
}

/// A club on the waitlist.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitlistEntry {
    pub id: i64,
    pub club_name: String,
    pub contact_name: String,
    pub contact_email: String,
    pub contact_phone: String,
    pub created_at: String,
}

impl From<WaitlistRecord> for WaitlistEntry {
    fn from(entry: WaitlistRecord) -> WaitlistEntry {
        WaitlistEntry {
            id: entry.id,
            club_name: entry.club_name,
            contact_name: entry.contact_name,
            contact_email: entry.contact_email,
            contact_phone: entry.contact_phone,
            created_at: rfc3339(entry.created_at),
        }
    }
}
