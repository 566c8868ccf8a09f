//! Who did what: one row for every write of an operator or a club (integrity rule A1).

use domain::ClubId;

use super::Records;
use crate::Failure;

/// One act. `actor` is the session's identity, never what the client says it is (decision G-7).
#[derive(Clone, Copy, Debug)]
pub struct Act<'a> {
    pub actor: &'a str,
    pub club: Option<ClubId>,
    /// A verb phrase: `enter-results`.
    pub action: &'a str,
    /// What it was done to: `draw 1042`.
    pub object: &'a str,
}

impl Records {
    pub async fn audit(&self, act: Act<'_>, detail: &serde_json::Value) -> Result<(), Failure> {
        let write = "insert into audit_log (actor, club_id, action, object, detail) values ($1, $2, $3, $4, $5)";
        let write = sqlx::query(write).bind(act.actor.to_string()).bind(act.club.map(|club| club.0));
        let write = write.bind(act.action.to_string()).bind(act.object.to_string()).bind(detail.clone());
        self.execute(write).await?;
        Ok(())
    }
}
