//! Taking a draw over from an owner that is alive for the books and dead for its buyers.

use actix::{AsyncContext, Context};
use domain::DrawId;
use persistence::ledger::Claims;
use persistence::nodes::Boot;
use persistence::{Failure, Ledger};

use super::DrawSupervisor;
use crate::membership::{MEMORY, Membership};

/// A draw that was taken over, or may have been. It is served when nobody believes the former owner's memory any more.
pub(super) struct Late {
    pub(super) draw: DrawId,
    claims: Result<Claims, Failure>,
    /// Under which lease of ours.
    term: Option<u64>,
}

/// Takes those draws that are still where they stood still; they are no longer `elsewhere` then.
pub(super) async fn take_over(
    ledger: &dyn Ledger,
    membership: &Membership,
    standstills: &[(DrawId, Boot)],
    claims: Option<&mut Claims>,
) -> Vec<Late> {
    let (Some(claims), mut late) = (claims, Vec::new()) else {
        return Vec::new();
    };
    for (draw, owner) in standstills {
        let stands = claims
            .elsewhere
            .iter()
            .position(|one| one.view.draw == *draw && one.owner.boot == *owner);
        let Some(at) = stands else { continue };
        claims.elsewhere.remove(at);
        tracing::warn!(draw.id = %draw, node = %owner, "a draw is taken over from an owner that does not answer");
        let term = membership.term();
        let claims = ledger.take_over(membership.boot(), *draw, *owner).await;
        late.push(Late {
            draw: *draw,
            claims,
            term,
        });
    }
    late
}

impl DrawSupervisor {
    /// Until then nobody else claims it here: it counts as being claimed.
    pub(super) fn serve_later(&mut self, late: Late, ctx: &mut Context<Self>) {
        ctx.run_later(MEMORY, move |supervisor, ctx| {
            let Late { draw, claims, term } = late;
            supervisor.claiming.remove(&draw);
            match claims {
                // What was read under a lease that has ended may be old.
                Ok(_) if term.is_none() || supervisor.membership.term() != term => {
                    supervisor.want(draw)
                }
                Ok(claims) => supervisor.claimed(&[draw], claims, ctx),
                Err(failure) => supervisor.not_claimed(vec![draw], &failure, ctx),
            }
            supervisor.claim_due(ctx);
            supervisor.keep_listening(ctx);
        });
    }
}
