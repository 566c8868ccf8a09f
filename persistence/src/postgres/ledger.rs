//! The trait `Ledger` in Postgres.

use async_trait::async_trait;
use domain::{Deal, DrawId};

use super::group::Entry;
use super::{Postgres, claims, takeover};
use crate::error::Failure;
use crate::failpoint::{self, Side};
use crate::ledger::{Append, Claims, Known, Ledger, Moved, check_together};
use crate::nodes::Boot;

#[async_trait]
impl Ledger for Postgres {
    async fn claim(&self, me: Boot, draws: &[DrawId]) -> Result<Claims, Failure> {
        let (postgres, draws) = (self.clone(), draws.to_vec());
        self.write(async move || {
            claims::claim(postgres.actors(), postgres.sealer(), me, &draws, None).await
        })
        .await
    }

    async fn take_over(&self, me: Boot, draw: DrawId, from: Boot) -> Result<Claims, Failure> {
        let postgres = self.clone();
        self.run(async move {
            takeover::take_over(postgres.actors(), postgres.sealer(), me, draw, from).await
        })
        .await
    }

    async fn append(&self, appends: Vec<Append>) -> Result<(), Failure> {
        check_together(&appends)?;
        let entry = Entry::of(appends);
        let steps = entry.steps();
        let answer = self.inner.appends.ask(entry).await;
        steps
            .into_iter()
            .for_each(|step| failpoint::reach(step, Side::After));
        answer.unwrap_or_else(|_| Err(Failure::Unknown("the writer vanished".into())))
    }

    async fn live(&self) -> Result<Vec<DrawId>, Failure> {
        let postgres = self.clone();
        self.run(async move { claims::live(postgres.actors()).await })
            .await
    }

    async fn moved(&self, me: Boot, known: &[Known]) -> Result<Vec<Moved>, Failure> {
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
