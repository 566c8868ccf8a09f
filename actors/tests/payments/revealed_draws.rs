//! A draw whose number pairs are public allocates no more tickets (decision M-4).

use actors::{Denied, RepairError};
use domain::{AnomalyKind, Command, DrawId, GameResult, Refusal, Status, TermsEdit, TermsEditor};

use crate::anomalies::{create_lost_payment, open_anomalies, recovered_buyer};
use crate::world::{KICK_OFF, TestWorld, run_in_paused_time};

const DRAW: DrawId = DrawId(1042);

async fn execute(world: &TestWorld, command: Command) -> Result<Status, Denied> {
    world
        .draws()
        .execute(DRAW, command, None)
        .await
        .map(|committed| committed.view.status)
}

#[test]
fn revealed_draw_is_not_postponed_and_takes_no_repair() {
    run_in_paused_time(|| async {
        let mut world = TestWorld::with_draws(&[1042]).await;
        let id = create_lost_payment(&world, 404, 1000, "1042x2").await;
        world.advance_seconds(60).await;
        assert_eq!(
            open_anomalies(&world),
            [(AnomalyKind::MissingTicket, Some(id.clone()))],
            "authorised before kick-off"
        );
        world.clock.advance_to(KICK_OFF.plus_seconds(60)).await;
        let result = GameResult::new(1, 1).unwrap();
        assert_eq!(
            execute(&world, Command::Complete { result }).await,
            Ok(Status::Completed)
        );
        assert_eq!(execute(&world, Command::Undo).await, Ok(Status::Closed));
        // The first run tests an actor that has the reveal in memory. The second tests an engine
        // that has just read the draw from the ledger.
        for _ in 0..2 {
            let edit = TermsEdit {
                closes_at: Some(KICK_OFF.plus_seconds(86_400)),
                ..TermsEdit::default()
            };
            let postpone = Command::Amend {
                edit,
                by: TermsEditor::Operator,
                described: false,
            };
            assert_eq!(
                execute(&world, postpone).await,
                Err(Denied::Refused(Refusal::Revealed))
            );
            let given = world
                .engine()
                .anomalies
                .allocate_missing_tickets(&id, recovered_buyer(), "f".repeat(32))
                .await;
            assert_eq!(
                given.map(|record| record.order.id),
                Err(RepairError::Refused(Refusal::Revealed))
            );
            let view = world.draws().view(DRAW).await.unwrap();
            let now = KICK_OFF.plus_seconds(120);
            assert_eq!(
                (
                    view.status,
                    view.sold,
                    view.result,
                    view.is_deal_public(now)
                ),
                (Status::Closed, 0, None, true)
            );
            world.restart_engine().await;
        }
        assert_eq!(
            execute(&world, Command::Complete { result }).await,
            Ok(Status::Completed)
        );
    });
}
