//! [`Ledger`] in Postgres.

use async_trait::async_trait;
use domain::{Deal, DrawId};

use super::group_commit::DrawBatch;
use super::{Postgres, claims, takeover};
use crate::error::Failure;
use crate::failpoint::{self, FailpointSide};
use crate::ledger::{Append, ChangedDraw, Claims, KnownDraw, Ledger, check_together};
use crate::nodes::InstanceId;

#[async_trait]
impl Ledger for Postgres {
    async fn claim(&self, me: InstanceId, draws: &[DrawId]) -> Result<Claims, Failure> {
        let (postgres, draws) = (self.clone(), draws.to_vec());
        self.write(async move || {
            claims::claim(postgres.actors(), postgres.sealer(), me, &draws, None).await
        })
        .await
    }

    async fn take_over(
        &self,
        me: InstanceId,
        draw: DrawId,
        from: InstanceId,
    ) -> Result<Claims, Failure> {
        let postgres = self.clone();
        self.run(async move {
            takeover::take_over(postgres.actors(), postgres.sealer(), me, draw, from).await
        })
        .await
    }

    async fn append(&self, appends: Vec<Append>) -> Result<(), Failure> {
        check_together(&appends)?;
        let draw_batch = DrawBatch::new(appends);
        let steps = draw_batch.steps();
        let answer = self.inner.group_commit.submit(draw_batch).await;
        steps
            .into_iter()
            .for_each(|step| failpoint::reach(step, FailpointSide::After));
        answer.unwrap_or_else(|_| Err(Failure::Unknown("the writer panicked".into())))
    }

    async fn live_draws(&self) -> Result<Vec<DrawId>, Failure> {
        let postgres = self.clone();
        self.run(async move { claims::live(postgres.actors()).await })
            .await
    }

    async fn changed_draws(
        &self,
        me: InstanceId,
        known: &[KnownDraw],
    ) -> Result<Vec<ChangedDraw>, Failure> {
        let (postgres, known) = (self.clone(), known.to_vec());
        self.run(async move { claims::moved(postgres.reads(), me, &known).await })
            .await
    }

    async fn deal(&self, draw: DrawId) -> Result<Deal, Failure> {
        let postgres = self.clone();
        self.run(async move { claims::deal(postgres.reads(), postgres.sealer(), draw).await })
            .await
    }
}
