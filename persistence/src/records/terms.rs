//! A club's acceptance of the terms of service, recorded before a draw is created (decision E-17).

use domain::{ClubId, DrawId};

use super::Records;
use crate::Failure;

impl Records {
    /// The server's own word on address and browser; the client's is ignored.
    pub async fn accept_terms(
        &self,
        club: ClubId,
        draw: Option<DrawId>,
        ip_address: &str,
        user_agent: &str,
        version: &str,
    ) -> Result<(), Failure> {
        let write = sqlx::query(
            "insert into terms_acceptances (club_id, draw_id, ip_address, user_agent, terms_version)
             values ($1, $2, $3, $4, $5)",
        );
        let write = write.bind(club.0).bind(draw.map(|draw| draw.0)).bind(ip_address.to_string());
        self.execute(write.bind(user_agent.to_string()).bind(version.to_string())).await?;
        Ok(())
    }
}
