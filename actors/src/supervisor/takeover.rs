//! Takes a stalled draw over from an owner that does not answer although its lease is valid.

use actix::{AsyncContext, Context};
use domain::DrawId;
use persistence::ledger::DrawClaims;
use persistence::nodes::InstanceId;
use persistence::{Failure, Ledger};

use super::DrawSupervisor;
use crate::membership::{Membership, STALE_READ_MAX};

/// A draw that this node has taken over, or may have. This node serves the draw only after the
/// former owner may no longer answer from memory.
pub(super) struct DelayedTakeover {
    pub(super) draw: DrawId,
    claims: Result<DrawClaims, Failure>,
    /// Number of this node's lease at the time of the takeover. `None`: there was no valid lease.
    lease_number: Option<u64>,
}

/// Takes over the stalled draws that still have the same owner, and removes them from
/// `claims.elsewhere`, the draws that other nodes own.
pub(super) async fn take_over(
    ledger: &dyn Ledger,
    membership: &Membership,
    stalled_draws: &[(DrawId, InstanceId)],
    claims: Option<&mut DrawClaims>,
) -> Vec<DelayedTakeover> {
    let (Some(claims), mut takeovers) = (claims, Vec::new()) else {
        return Vec::new();
    };
    for (draw, owner) in stalled_draws {
        let position = claims
            .elsewhere
            .iter()
            .position(|remote| remote.view.draw == *draw && remote.owner.boot == *owner);
        let Some(position) = position else { continue };
        claims.elsewhere.remove(position);
        tracing::warn!(draw.id = %draw, node = %owner, "draw taken over: its owner does not answer");
        let lease_number = membership.lease_number();
        let claims = ledger
            .take_over(membership.instance_id(), *draw, *owner)
            .await;
        takeovers.push(DelayedTakeover {
            draw: *draw,
            claims,
            lease_number,
        });
    }
    takeovers
}

impl DrawSupervisor {
    /// Serves a draw after a delay of [`STALE_READ_MAX`]. Until then the draw is treated as being
    /// claimed, so that this node does not claim it again.
    pub(super) fn serve_draw_after_delay(
        &mut self,
        takeover: DelayedTakeover,
        ctx: &mut Context<Self>,
    ) {
        ctx.run_later(STALE_READ_MAX, move |supervisor, ctx| {
            let DelayedTakeover {
                draw,
                claims,
                lease_number,
            } = takeover;
            supervisor.claims.end_draw_claim(draw);
            match claims {
                // A snapshot that was read under an earlier lease may be outdated.
                Ok(_)
                    if lease_number.is_none()
                        || supervisor.membership.lease_number() != lease_number =>
                {
                    supervisor.claims.push(draw);
                }
                Ok(claims) => supervisor.handle_claims(&[draw], claims, ctx),
                Err(failure) => supervisor.handle_failed_claim(vec![draw], &failure, ctx),
            }
            supervisor.claim_queued_draws(ctx);
            supervisor.schedule_view_poll(ctx);
        });
    }
}
