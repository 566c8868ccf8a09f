//! The trait `Ledger` in Postgres.

use async_trait::async_trait;
use domain::DrawId;

use super::group::Entry;
use super::{Postgres, claims};
use crate::error::Failure;
use crate::ledger::{Append, Claimed, Ledger};

#[async_trait]
impl Ledger for Postgres {
    async fn claim(&self, draws: &[DrawId]) -> Result<Vec<Claimed>, Failure> {
        let (postgres, draws) = (self.clone(), draws.to_vec());
        self.run(async move { claims::claim(postgres.actors(), postgres.sealer(), &draws).await }).await
    }

    async fn append(&self, append: Append) -> Result<(), Failure> {
        if append.events.is_empty() {
            return Err(Failure::NotWritten("a commit has events".into()));
        }
        let answer = self.inner.appends.ask(Entry::of(append)).await;
        answer.unwrap_or_else(|_| Err(Failure::Unknown("the writer vanished".into())))
    }

    async fn live(&self) -> Result<Vec<DrawId>, Failure> {
        let postgres = self.clone();
        self.run(async move { claims::live(postgres.actors()).await }).await
    }
}
