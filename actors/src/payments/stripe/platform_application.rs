//! Remembers which application this platform is at Stripe. Clubs use their accounts for sales of
//! their own, and only the application tells those from the platform's payments.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::ApplicationId;
use tokio::time::Instant;

/// Time between two questions to Stripe while the application is unknown.
const QUESTION_INTERVAL: Duration = Duration::from_secs(60);

/// The platform's application, once Stripe has named it. Clones share it.
#[derive(Clone, Default)]
pub(super) struct PlatformApplication(Arc<Mutex<ApplicationKnowledge>>);

#[derive(Default)]
struct ApplicationKnowledge {
    application: Option<ApplicationId>,
    asked_at: Option<Instant>,
}

impl PlatformApplication {
    /// Returns the application. `None`: Stripe has not named it yet.
    pub(super) fn known(&self) -> Option<ApplicationId> {
        self.lock().application.clone()
    }

    /// Stores the application that Stripe named for an object of this platform. `None`: Stripe
    /// named none, which changes nothing.
    pub(super) fn learn(&self, named: Option<ApplicationId>) {
        let Some(named) = named else { return };
        let mut knowledge = self.lock();
        if knowledge.application.as_ref() != Some(&named) {
            tracing::info!(
                application = named.0,
                "Stripe named the platform's application"
            );
            knowledge.application = Some(named);
        }
    }

    /// Whether Stripe may be asked now. At most one question starts per [`QUESTION_INTERVAL`].
    pub(super) fn may_ask_stripe(&self) -> bool {
        let mut knowledge = self.lock();
        let is_due = knowledge
            .asked_at
            .is_none_or(|asked_at| asked_at.elapsed() >= QUESTION_INTERVAL);
        if is_due {
            knowledge.asked_at = Some(Instant::now());
        }
        is_due
    }

    fn lock(&self) -> MutexGuard<'_, ApplicationKnowledge> {
        // No code panics while it holds the lock, so its value is consistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
