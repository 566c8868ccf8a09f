//! Where papers and pictures are made: on the blocking threads, two at a time, so that a storm of them leaves the rest of the
//! server its cores and its memory (a decoder may take 256 MB).

use actix_web::web;
use tokio::sync::Semaphore;

use crate::error::Problem;

/// Whoever comes third waits; nobody is refused for it.
const AT_ONCE: usize = 2;
static ROOM: Semaphore = Semaphore::const_new(AT_ONCE);

/// Runs something that takes tens of milliseconds of a core.
///
/// # Errors
/// The server is stopping, or the work came to a panic.
pub async fn run<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let Ok(_permit) = ROOM.acquire().await else {
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
    async fn never_more_than_two_are_made_at_once_and_all_are_made() {
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let work = |_| {
            let (now, most) = (now.clone(), most.clone());
            run(move || {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                std::thread::sleep(std::time::Duration::from_millis(5));
                now.fetch_sub(1, Ordering::SeqCst);
            })
        };
        let made = futures_util::future::join_all((0..20).map(work)).await;
        assert_eq!(made.iter().filter(|made| made.is_ok()).count(), 20);
        assert_eq!(most.load(Ordering::SeqCst), AT_ONCE);
    }
}
