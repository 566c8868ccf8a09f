//! Runs CPU-intensive rendering on blocking threads, two jobs at a time, so that the rest of the
//! server always gets CPU time. Uploaded pictures are rendered in separate processes instead
//! (`renderer.rs`).

use actix_web::web;
use tokio::sync::Semaphore;

use crate::api::error::Problem;

/// Maximum number of concurrent rendering jobs. Further jobs wait.
const CONCURRENT_JOBS_MAX: usize = 2;
static JOB_PERMITS: Semaphore = Semaphore::const_new(CONCURRENT_JOBS_MAX);

/// Runs a CPU-intensive job on a blocking thread and returns its result.
///
/// # Errors
///
/// The server is stopping, or the job panicked.
pub async fn run_job<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let Ok(_permit) = JOB_PERMITS.acquire().await else {
        return Err(Problem::unavailable());
    };
    web::block(work).await.map_err(|_| Problem::unavailable())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[actix_web::test]
    async fn at_most_two_jobs_run_at_once_and_all_finish() {
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let work = |_| {
            let (now, most) = (now.clone(), most.clone());
            run_job(move || {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                std::thread::sleep(std::time::Duration::from_millis(5));
                now.fetch_sub(1, Ordering::SeqCst);
            })
        };
        let results = futures_util::future::join_all((0..20).map(work)).await;
        assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 20);
        assert_eq!(most.load(Ordering::SeqCst), CONCURRENT_JOBS_MAX);
    }
}
