//! A queue whose workers process waiting requests in batches. Each request gets a separate
//! response. Batching lets one transaction contain hundreds of commits.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::{Mutex, mpsc, oneshot};

/// The number of requests that may wait in one queue. When the queue is full, further callers wait
/// for a free place. Actors and handlers limit how many callers there are.
const WAITING_REQUESTS_MAX: usize = 4_096;

/// Processes batches of requests.
pub(super) trait BatchWorker: Send + 'static {
    type Request: Send + 'static;
    type Response: Send + 'static;

    /// Returns the conflict key of a request, if it has one. Of two waiting requests with equal
    /// keys, the later one is put into the next batch.
    fn conflict_key(request: &Self::Request) -> Option<u128>;

    /// Returns how much of a batch's capacity a request uses.
    fn request_size(_: &Self::Request) -> usize {
        1
    }

    /// Processes a batch. Returns one response for each request, in the order of the requests.
    fn process_batch(
        &mut self,
        batch: Vec<Self::Request>,
    ) -> impl Future<Output = Vec<Self::Response>> + Send;
}

/// A handle that submits requests to the workers of one queue.
pub(super) struct BatchQueue<W: BatchWorker> {
    sender: mpsc::Sender<PendingRequest<W>>,
}

struct PendingRequest<W: BatchWorker> {
    request: W::Request,
    reply: oneshot::Sender<W::Response>,
}

/// Error: the worker panicked while it processed this request, so the request's outcome is unknown.
pub(super) struct WorkerLost;

impl<W: BatchWorker> BatchQueue<W> {
    /// Starts a queue with `workers` workers. The sizes of a batch's requests add up to at most
    /// `batch_size_max`. The workers stop after their current batch when the queue is dropped.
    pub fn start(
        threads: &Handle,
        workers: usize,
        batch_size_max: usize,
        new_worker: impl Fn() -> W + Send + Sync + 'static,
    ) -> BatchQueue<W> {
        let (sender, receiver) = mpsc::channel(WAITING_REQUESTS_MAX);
        let inbox = Arc::new(Mutex::new(Inbox {
            receiver,
            put_back: VecDeque::new(),
        }));
        let new_worker = Arc::new(new_worker);
        for _ in 0..workers {
            threads.spawn(supervise(
                threads.clone(),
                inbox.clone(),
                batch_size_max,
                new_worker.clone(),
            ));
        }
        BatchQueue { sender }
    }

    /// Submits a request and waits for its response. Once submitted, the request is processed even
    /// if the caller stops waiting.
    pub async fn submit(&self, request: W::Request) -> Result<W::Response, WorkerLost> {
        let (reply, response) = oneshot::channel();
        self.sender
            .send(PendingRequest { request, reply })
            .await
            .map_err(|_| WorkerLost)?;
        response.await.map_err(|_| WorkerLost)
    }
}

/// The waiting requests. All workers of one queue share this value.
struct Inbox<W: BatchWorker> {
    receiver: mpsc::Receiver<PendingRequest<W>>,
    /// Requests that did not fit into the previous batch, or had the conflict key of a request in
    /// it. They come first in the next batch.
    put_back: VecDeque<PendingRequest<W>>,
}

impl<W: BatchWorker> Inbox<W> {
    /// Waits for the first request of a batch. Then also takes the requests that already wait, as
    /// long as their sizes add up to at most `batch_size_max`. Returns `None` when the queue is
    /// closed.
    async fn take_batch(&mut self, batch_size_max: usize) -> Option<Vec<PendingRequest<W>>> {
        let first = match self.put_back.pop_front() {
            Some(pending) => pending,
            None => self.receiver.recv().await?,
        };
        let mut keys: BTreeSet<u128> = W::conflict_key(&first.request).into_iter().collect();
        let mut capacity = batch_size_max.saturating_sub(W::request_size(&first.request));
        let mut batch = vec![first];
        let mut put_back = VecDeque::new();
        while capacity > 0 {
            let Some(pending) = self
                .put_back
                .pop_front()
                .or_else(|| self.receiver.try_recv().ok())
            else {
                break;
            };
            let size = W::request_size(&pending.request);
            if size > capacity {
                put_back.push_back(pending);
                break;
            }
            match W::conflict_key(&pending.request) {
                Some(key) if !keys.insert(key) => put_back.push_back(pending),
                _ => {
                    capacity -= size;
                    batch.push(pending);
                }
            }
        }
        put_back.append(&mut self.put_back);
        self.put_back = put_back;
        Some(batch)
    }
}

/// Runs one worker, and starts another when it panics. The callers of the batch that caused the
/// panic get [`WorkerLost`].
async fn supervise<W: BatchWorker>(
    threads: Handle,
    inbox: Arc<Mutex<Inbox<W>>>,
    batch_size_max: usize,
    new_worker: Arc<impl Fn() -> W + Send + Sync + 'static>,
) {
    loop {
        let session = run_worker(new_worker(), inbox.clone(), batch_size_max);
        match threads.spawn(session).await {
            Ok(()) => return,
            Err(error) if error.is_panic() => {
                tracing::error!("a writer panicked and is replaced: {error}");
            }
            Err(_) => return,
        }
    }
}

async fn run_worker<W: BatchWorker>(
    mut worker: W,
    inbox: Arc<Mutex<Inbox<W>>>,
    batch_size_max: usize,
) {
    loop {
        let batch = inbox.lock().await.take_batch(batch_size_max).await;
        let Some(batch) = batch else {
            return;
        };
        let (requests, replies): (Vec<_>, Vec<_>) = batch
            .into_iter()
            .map(|pending| (pending.request, pending.reply))
            .unzip();
        let responses = worker.process_batch(requests).await;
        for (reply, response) in replies.into_iter().zip(responses) {
            // Sending the response fails when the caller has stopped waiting for it. The error is
            // ignored.
            let _ = reply.send(response);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test worker that answers each request with the number of requests in its batch. It panics
    /// on request zero.
    struct BatchSizeReporter(Arc<Mutex<()>>);

    impl BatchWorker for BatchSizeReporter {
        type Request = u128;
        type Response = usize;

        fn conflict_key(request: &u128) -> Option<u128> {
            Some(*request)
        }

        /// Returns size five for requests from 100 on, so that the tests can fill a batch. Other
        /// requests have size one.
        fn request_size(request: &u128) -> usize {
            if *request < 100 { 1 } else { 5 }
        }

        async fn process_batch(&mut self, batch: Vec<u128>) -> Vec<usize> {
            let _gate = self.0.lock().await;
            assert!(!batch.contains(&0), "request zero makes the worker panic");
            vec![batch.len(); batch.len()]
        }
    }

    fn start_queue(
        gate: &Arc<Mutex<()>>,
        batch_size_max: usize,
    ) -> Arc<BatchQueue<BatchSizeReporter>> {
        let gate = gate.clone();
        Arc::new(BatchQueue::start(
            &Handle::current(),
            1,
            batch_size_max,
            move || BatchSizeReporter(gate.clone()),
        ))
    }

    async fn let_tasks_run() {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }

    /// Sends the requests while the worker is busy, so that all of them wait. Returns for each
    /// request the size of its batch.
    async fn batch_sizes<const COUNT: usize>(requests: [u128; COUNT]) -> Vec<Option<usize>> {
        let gate = Arc::new(Mutex::new(()));
        let queue = start_queue(&gate, 10);
        let closed_gate = gate.lock().await;
        let submit = |request| {
            let queue = queue.clone();
            tokio::spawn(async move { queue.submit(request).await.ok() })
        };
        let first = submit(9);
        let_tasks_run().await;
        let waiting = requests.map(submit);
        let_tasks_run().await;
        drop(closed_gate);
        assert_eq!(first.await.expect("joined"), Some(1));
        let mut sizes = Vec::new();
        for task in waiting {
            sizes.push(task.await.expect("joined"));
        }
        sizes
    }

    #[tokio::test]
    async fn waiting_requests_share_a_batch_unless_keys_conflict() {
        let sizes = batch_sizes([1, 2, 1, 3]).await;
        assert_eq!(sizes, [Some(3), Some(3), Some(1), Some(3)]);
    }

    #[tokio::test]
    async fn request_beyond_the_batch_limit_waits_for_the_next_batch() {
        let sizes = batch_sizes([100, 1, 101, 2, 102]).await;
        // The first two requests have size six together. The third does not fit, and later requests
        // do not overtake it.
        assert_eq!(sizes, [Some(2), Some(2), Some(2), Some(2), Some(1)]);
    }

    #[tokio::test]
    async fn panicked_worker_is_replaced_and_its_callers_get_an_error() {
        let queue = start_queue(&Arc::new(Mutex::new(())), 10);
        assert!(queue.submit(0).await.is_err());
        assert_eq!(queue.submit(1).await.ok(), Some(1));
    }

    #[tokio::test]
    async fn request_of_a_cancelled_caller_is_still_processed() {
        let gate = Arc::new(Mutex::new(()));
        let queue = start_queue(&gate, 10);
        let closed_gate = gate.lock().await;
        let cancelled = tokio::spawn({
            let queue = queue.clone();
            async move { queue.submit(1).await.ok() }
        });
        let_tasks_run().await;
        cancelled.abort();
        drop(closed_gate);
        assert_eq!(queue.submit(2).await.ok(), Some(1));
    }
}
