//! Boards: WebSocket clients that follow draws, and record which views they were shown, and when.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use futures_util::StreamExt;
use serde_json::Value;
use tokio::sync::watch;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;

use crate::browser::{RunSettings, json_number_at, json_text_at};
use crate::latency::duration_ms;
use crate::transcript::BuyerTranscript;

/// One view that a board received.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoardView {
    pub draw: i64,
    /// The draw's revision. It grows with each commit.
    pub seq: i64,
    pub sold: i64,
    /// When the view arrived: the time since the start of the run.
    pub at: Duration,
    /// Milliseconds from the server's timestamp to the arrival. Both use the clock of this machine.
    pub age_ms: f64,
    /// Whether this is the first view on a socket. It shows the current state, not a change.
    pub is_first_view: bool,
}

/// What one board received during the whole run.
#[derive(Clone, Debug, Default)]
pub struct Board {
    pub views: Vec<BoardView>,
    pub failures: Vec<String>,
    newest_revision: HashMap<i64, i64>,
    greeted: bool,
}

impl Board {
    /// Records one frame. A draw's revision must never decrease, not even after the server was
    /// killed, because a view is sent only after its commit (invariant A6).
    fn record_frame(&mut self, frame: &Value, at: Duration, wall_ms: f64) {
        if json_text_at(frame, "/type") != "draw" {
            return;
        }
        let (Some(draw), Some(seq)) = (
            json_number_at(frame, "/data/drawNumber"),
            json_number_at(frame, "/seq"),
        ) else {
            self.failures
                .push(format!("a frame without draw number or revision: {frame}"));
            return;
        };
        let newest_revision = self.newest_revision.entry(draw).or_insert(seq);
        if seq < *newest_revision {
            self.failures.push(format!(
                "draw {draw}: revision {seq} was shown after {newest_revision}"
            ));
        }
        *newest_revision = seq.max(*newest_revision);
        let sold = json_number_at(frame, "/data/ticketsSold").unwrap_or(-1);
        if !(0..=169).contains(&sold) {
            self.failures
                .push(format!("draw {draw}: {sold} tickets sold were shown"));
        }
        let stamp = frame
            .pointer("/serverNow")
            .and_then(Value::as_f64)
            .unwrap_or(wall_ms);
        let is_first_view = !std::mem::replace(&mut self.greeted, true);
        self.views.push(BoardView {
            draw,
            seq,
            sold,
            at,
            age_ms: (wall_ms - stamp).max(0.0),
            is_first_view,
        });
    }
}

/// Follows draws until `stop` is set. Reconnects when the server could not be reached.
pub async fn follow_draws(
    site: Arc<RunSettings>,
    draws: Vec<i64>,
    mut stop: watch::Receiver<bool>,
) -> Board {
    let mut board = Board::default();
    let topics: Vec<String> = draws.iter().map(|draw| format!("draw:{draw}")).collect();
    let url = format!(
        "{}/ws?topics={}",
        site.base.replacen("http", "ws", 1),
        topics.join(",")
    );
    while !*stop.borrow() {
        if let Err(why) = receive_frames(&site, &url, &mut board, &mut stop).await
            && board.failures.len() < 20
            && why.to_string().contains("HTTP error: 4")
        {
            board
                .failures
                .push(format!("the server refused a board: {why}"));
        }
        tokio::select! {
            () = tokio::time::sleep(Duration::from_millis(300)) => {}
            _ = stop.changed() => {}
        }
    }
    board
}

async fn receive_frames(
    site: &RunSettings,
    url: &str,
    board: &mut Board,
    stop: &mut watch::Receiver<bool>,
) -> Result<()> {
    let mut request = url.into_client_request()?;
    request
        .headers_mut()
        .insert("origin", HeaderValue::from_str(&site.base)?);
    let (mut socket, _) = connect_async(request).await?;
    board.greeted = false;
    loop {
        tokio::select! {
            frame = socket.next() => match frame {
                Some(Ok(Message::Text(text))) => {
                    let wall = SystemTime::now().duration_since(UNIX_EPOCH).map(duration_ms).unwrap_or_default();
                    if let Ok(frame) = serde_json::from_str(text.as_str()) {
                        board.record_frame(&frame, site.elapsed(), wall);
                    }
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return Ok(()),
                Some(Ok(_)) => {}
            },
            _ = stop.changed() => {
                // The run is over, so an error while closing the socket does not matter.
                let _ = socket.close(None).await;
                return Ok(());
            }
        }
    }
}

/// How late boards showed sales, in milliseconds.
#[derive(Clone, Debug, Default)]
pub struct BoardLag {
    /// For each board, the time from the moment when a buyer saw ticket n to the board's first view
    /// with n or more sold tickets. Zero when the board was first. That is usual: boards are
    /// updated at the commit, the buyer only after the capture.
    pub behind_buyer: Vec<f64>,
    /// The time from the first board that received a revision to each other board.
    pub behind_first_board: Vec<f64>,
    /// The time from the server's timestamp in a frame to the frame's arrival.
    pub frame_delay: Vec<f64>,
}

pub fn measure_lag(boards: &[Board], transcripts: &[BuyerTranscript]) -> BoardLag {
    let mut lag = BoardLag::default();
    let mut first: HashMap<(i64, i64), Duration> = HashMap::new();
    for view in boards
        .iter()
        .flat_map(|board| &board.views)
        .filter(|view| !view.is_first_view)
    {
        let seen = first.entry((view.draw, view.seq)).or_insert(view.at);
        *seen = view.at.min(*seen);
        lag.frame_delay.push(view.age_ms);
    }
    let mut known: HashMap<i64, Vec<(i64, Duration)>> = HashMap::new();
    for transcript in transcripts {
        let (Some(decided), Some(&(draw, ticket))) =
            (transcript.decided_at, transcript.tickets.iter().max())
        else {
            continue;
        };
        known.entry(draw).or_default().push((ticket, decided));
    }
    for board in boards {
        for view in board.views.iter().filter(|view| !view.is_first_view) {
            let behind = view.at.saturating_sub(first[&(view.draw, view.seq)]);
            lag.behind_first_board.push(duration_ms(behind));
        }
        let followed_draws = board
            .newest_revision
            .keys()
            .filter_map(|draw| Some((*draw, known.get(draw)?)));
        for (draw, (ticket, decided)) in
            followed_draws.flat_map(|(draw, all)| all.iter().map(move |one| (draw, *one)))
        {
            let shown = board
                .views
                .iter()
                .find(|view| view.draw == draw && view.sold >= ticket);
            lag.behind_buyer
                .extend(shown.map(|view| duration_ms(view.at.saturating_sub(decided))));
        }
    }
    lag
}

/// Returns the number of sold tickets over time, as boards received it: points of seconds and sold
/// tickets for each draw.
pub fn sold_over_time(boards: &[Board]) -> Vec<(i64, Vec<(f64, f64)>)> {
    let mut by_draw: HashMap<i64, Vec<BoardView>> = HashMap::new();
    for view in boards.iter().flat_map(|board| &board.views) {
        by_draw.entry(view.draw).or_default().push(*view);
    }
    let mut lines: Vec<_> = by_draw.into_iter().collect();
    lines.sort_by_key(|(draw, _)| *draw);
    lines
        .into_iter()
        .map(|(draw, mut views)| {
            views.sort_by_key(|view| (view.seq, view.at));
            views.dedup_by_key(|view| view.seq);
            (
                draw,
                views
                    .iter()
                    .map(|view| (view.at.as_secs_f64(), view.sold as f64))
                    .collect(),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn draw_frame(seq: i64, sold: i64) -> Value {
        json!({"v": 1, "topic": "draw:1001", "seq": seq, "serverNow": 1000, "type": "draw",
            "data": {"drawNumber": 1001, "ticketsSold": sold}})
    }

    fn board_with_frames(frames: &[(i64, i64, u64)]) -> Board {
        let mut board = Board::default();
        for (seq, sold, at) in frames {
            board.record_frame(&draw_frame(*seq, *sold), Duration::from_millis(*at), 1003.0);
        }
        board
    }

    #[test]
    fn decreasing_revision_is_reported() {
        assert!(
            board_with_frames(&[(1, 0, 0), (1, 0, 5), (3, 4, 9)])
                .failures
                .is_empty()
        );
        assert_eq!(board_with_frames(&[(3, 4, 0), (2, 4, 5)]).failures.len(), 1);
        assert_eq!(board_with_frames(&[(1, 170, 0)]).failures.len(), 1);
    }

    #[test]
    fn board_lag_is_measured_from_buyer_and_first_board() {
        let mut transcript = BuyerTranscript::empty(1);
        transcript.tickets = vec![(1001, 1), (1001, 2)];
        transcript.decided_at = Some(Duration::from_millis(40));
        let boards = [
            board_with_frames(&[(1, 0, 0), (2, 2, 100)]),
            board_with_frames(&[(1, 0, 0), (2, 2, 130)]),
        ];
        let lag = measure_lag(&boards, &[transcript]);
        assert_eq!(lag.behind_buyer, vec![60.0, 90.0]);
        assert_eq!(lag.behind_first_board, vec![0.0, 30.0]);
        assert_eq!(lag.frame_delay, vec![3.0; 2], "greetings are no news");
    }

    #[test]
    fn sold_over_time_takes_each_revision_once() {
        let boards = [
            board_with_frames(&[(1, 0, 0), (2, 2, 1000)]),
            board_with_frames(&[(2, 2, 1500), (4, 5, 2000)]),
        ];
        assert_eq!(
            sold_over_time(&boards),
            vec![(1001, vec![(0.0, 0.0), (1.0, 2.0), (2.0, 5.0)])]
        );
    }
}
