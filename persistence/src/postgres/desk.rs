//! A desk where many ask and few write: whatever waits is done in one piece of work, and each asker gets an own answer.
//! This is what makes one transaction carry hundreds of commits.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::{Mutex, mpsc, oneshot};

/// Asks that may wait at one desk. Whoever comes then waits at the door: actors and handlers are bounded themselves.
const WAITING_MAX: usize = 4_096;

/// Does the work of a desk.
pub(super) trait Clerk: Send + 'static {
    type Ask: Send + 'static;
    type Answer: Send + 'static;

    /// Asks about the same subject never share a piece of work; the later one waits for the next.
    fn subject(ask: &Self::Ask) -> Option<u128>;

    /// How much room an ask takes up in a piece of work.
    fn size(_: &Self::Ask) -> usize {
        1
    }

    /// One answer for each ask, in the same order.
    fn work(&mut self, asks: Vec<Self::Ask>) -> impl Future<Output = Vec<Self::Answer>> + Send;
}

pub(super) struct Desk<C: Clerk> {
    door: mpsc::Sender<Slip<C>>,
}

struct Slip<C: Clerk> {
    ask: C::Ask,
    answer: oneshot::Sender<C::Answer>,
}

/// The clerk died over this ask; what became of it nobody knows.
pub(super) struct Vanished;

impl<C: Clerk> Desk<C> {
    /// Opens a desk with so many clerks, each taking at once asks that are no larger than `together_max`, all in all. It closes
    /// when it is dropped, after the work at hand.
    pub fn open(
        threads: &Handle,
        clerks: usize,
        together_max: usize,
        hire: impl Fn() -> C + Send + Sync + 'static,
    ) -> Desk<C> {
        let (door, waiting) = mpsc::channel(WAITING_MAX);
        let tray = Arc::new(Mutex::new(Tray {
            waiting,
            put_back: VecDeque::new(),
        }));
        let hire = Arc::new(hire);
        for _ in 0..clerks {
            threads.spawn(employ(
                threads.clone(),
                tray.clone(),
                together_max,
                hire.clone(),
            ));
        }
        Desk { door }
    }

    /// Once asked, it is done, whether or not the asker waits for the answer.
    pub async fn ask(&self, ask: C::Ask) -> Result<C::Answer, Vanished> {
        let (answer, answered) = oneshot::channel();
        self.door
            .send(Slip { ask, answer })
            .await
            .map_err(|_| Vanished)?;
        answered.await.map_err(|_| Vanished)
    }
}

/// What waits, shared by the clerks of one desk.
struct Tray<C: Clerk> {
    waiting: mpsc::Receiver<Slip<C>>,
    /// Same subject as something just taken, or too much for one piece of work: first in the next round.
    put_back: VecDeque<Slip<C>>,
}

impl<C: Clerk> Tray<C> {
    /// Everything that waits, up to a limit; waits for the first. `None`: the desk is closed.
    async fn take(&mut self, together_max: usize) -> Option<Vec<Slip<C>>> {
        let first = match self.put_back.pop_front() {
            Some(slip) => slip,
            None => self.waiting.recv().await?,
        };
        let mut subjects: BTreeSet<u128> = C::subject(&first.ask).into_iter().collect();
        let mut room = together_max.saturating_sub(C::size(&first.ask));
        let mut taken = vec![first];
        let mut again = VecDeque::new();
        while room > 0 {
            let Some(slip) = self
                .put_back
                .pop_front()
                .or_else(|| self.waiting.try_recv().ok())
            else {
                break;
            };
            let size = C::size(&slip.ask);
            if size > room {
                again.push_back(slip);
                break;
            }
            match C::subject(&slip.ask) {
                Some(subject) if !subjects.insert(subject) => again.push_back(slip),
                _ => {
                    room -= size;
                    taken.push(slip);
                }
            }
        }
        again.append(&mut self.put_back);
        self.put_back = again;
        Some(taken)
    }
}

/// Keeps one post filled: a clerk that panics is replaced, and those it worked for are told that nobody knows.
async fn employ<C: Clerk>(
    threads: Handle,
    tray: Arc<Mutex<Tray<C>>>,
    together_max: usize,
    hire: Arc<impl Fn() -> C + Send + Sync + 'static>,
) {
    loop {
        let shift = serve(hire(), tray.clone(), together_max);
        match threads.spawn(shift).await {
            Ok(()) => return,
            Err(died) if died.is_panic() => {
                tracing::error!("a writer panicked and is replaced: {died}")
            }
            Err(_) => return,
        }
    }
}

async fn serve<C: Clerk>(mut clerk: C, tray: Arc<Mutex<Tray<C>>>, together_max: usize) {
    loop {
        let taken = tray.lock().await.take(together_max).await;
        let Some(slips) = taken else {
            return;
        };
        let (asks, answers): (Vec<_>, Vec<_>) = slips
            .into_iter()
            .map(|slip| (slip.ask, slip.answer))
            .unzip();
        let said = clerk.work(asks).await;
        for (answer, said) in answers.into_iter().zip(said) {
            // Whoever went away is answered by the books.
            let _ = answer.send(said);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers each ask with how many shared its piece of work; panics over zero.
    struct Counter(Arc<Mutex<()>>);

    impl Clerk for Counter {
        type Ask = u128;
        type Answer = usize;

        fn subject(ask: &u128) -> Option<u128> {
            Some(*ask)
        }

        /// From a hundred on they take up five places.
        fn size(ask: &u128) -> usize {
            if *ask < 100 { 1 } else { 5 }
        }

        async fn work(&mut self, asks: Vec<u128>) -> Vec<usize> {
            let _gate = self.0.lock().await;
            assert!(!asks.contains(&0), "zero kills");
            vec![asks.len(); asks.len()]
        }
    }

    fn desk(gate: &Arc<Mutex<()>>, together_max: usize) -> Arc<Desk<Counter>> {
        let gate = gate.clone();
        Arc::new(Desk::open(&Handle::current(), 1, together_max, move || {
            Counter(gate.clone())
        }))
    }

    async fn settle() {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }

    /// In how large a piece of work each of these was done, all of which waited while another was being done.
    async fn together_with<const ASKS: usize>(subjects: [u128; ASKS]) -> Vec<Option<usize>> {
        let gate = Arc::new(Mutex::new(()));
        let desk = desk(&gate, 10);
        let closed = gate.lock().await;
        let ask = |subject| {
            let desk = desk.clone();
            tokio::spawn(async move { desk.ask(subject).await.ok() })
        };
        let first = ask(9);
        settle().await;
        let waiting = subjects.map(ask);
        settle().await;
        drop(closed);
        assert_eq!(first.await.expect("joined"), Some(1));
        let mut sizes = Vec::new();
        for one in waiting {
            sizes.push(one.await.expect("joined"));
        }
        sizes
    }

    #[tokio::test]
    async fn what_waits_is_done_together_but_never_twice_the_same_subject() {
        let sizes = together_with([1, 2, 1, 3]).await;
        assert_eq!(sizes, [Some(3), Some(3), Some(1), Some(3)]);
    }

    #[tokio::test]
    async fn what_is_too_much_for_one_piece_of_work_is_done_in_the_next() {
        let sizes = together_with([100, 1, 101, 2, 102]).await;
        // The first two have six places; the third is too much, and whoever came after it does not pass it.
        assert_eq!(sizes, [Some(2), Some(2), Some(2), Some(2), Some(1)]);
    }

    #[tokio::test]
    async fn a_clerk_that_dies_is_replaced_and_its_askers_are_told() {
        let desk = desk(&Arc::new(Mutex::new(())), 10);
        assert!(desk.ask(0).await.is_err());
        assert_eq!(desk.ask(1).await.ok(), Some(1));
    }

    #[tokio::test]
    async fn an_asker_that_goes_away_is_served_all_the_same() {
        let gate = Arc::new(Mutex::new(()));
        let desk = desk(&gate, 10);
        let closed = gate.lock().await;
        let gone = tokio::spawn({
            let desk = desk.clone();
            async move { desk.ask(1).await.ok() }
        });
        settle().await;
        gone.abort();
        drop(closed);
        assert_eq!(desk.ask(2).await.ok(), Some(1));
    }
}
