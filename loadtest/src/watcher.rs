//! Boards: sockets that follow the draws and remember what they were shown, and when.

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

use crate::browser::{Site, number, text};
use crate::latency::millis;
use crate::told::Told;

/// One view shown on one board.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sight {
    pub draw: i64,
    /// The draw's revision.
    pub seq: i64,
    pub sold: i64,
    /// Since the run's start.
    pub at: Duration,
    /// Milliseconds between the server's own stamp and the arrival; both clocks are this machine's.
    pub age_ms: f64,
    /// The first view on a socket: what is, not what is new.
    pub greeting: bool,
}

/// What one board saw in the whole run.
#[derive(Clone, Debug, Default)]
pub struct Board {
    pub sights: Vec<Sight>,
    pub broken: Vec<String>,
    newest: HashMap<i64, i64>,
    greeted: bool,
}

impl Board {
    /// Takes one frame. Within a run a draw's revision never goes back, not even over a killed server: what was shown
    /// had been written (architecture invariant A6).
    fn take(&mut self, frame: &Value, at: Duration, wall_ms: f64) {
        if text(frame, "/type") != "draw" {
            return;
        }
        let (Some(draw), Some(seq)) = (number(frame, "/data/drawNumber"), number(frame, "/seq"))
        else {
            self.broken
                .push(format!("a frame without draw number or revision: {frame}"));
            return;
        };
        let newest = self.newest.entry(draw).or_insert(seq);
        if seq < *newest {
            self.broken.push(format!(
                "draw {draw}: revision {seq} was shown after {newest}"
            ));
        }
        *newest = seq.max(*newest);
        let sold = number(frame, "/data/ticketsSold").unwrap_or(-1);
        if !(0..=169).contains(&sold) {
            self.broken
                .push(format!("draw {draw}: {sold} tickets sold were shown"));
        }
        let stamp = frame
            .pointer("/serverNow")
            .and_then(Value::as_f64)
            .unwrap_or(wall_ms);
        let greeting = !std::mem::replace(&mut self.greeted, true);
        self.sights.push(Sight {
            draw,
            seq,
            sold,
            at,
            age_ms: (wall_ms - stamp).max(0.0),
            greeting,
        });
    }
}

/// Follows draws until told to stop; comes back when the server was away.
pub async fn follow(site: Arc<Site>, draws: Vec<i64>, mut stop: watch::Receiver<bool>) -> Board {
    let mut board = Board::default();
    let topics: Vec<String> = draws.iter().map(|draw| format!("draw:{draw}")).collect();
    let url = format!(
        "{}/ws?topics={}",
        site.base.replacen("http", "ws", 1),
        topics.join(",")
    );
    while !*stop.borrow() {
        if let Err(why) = listen(&site, &url, &mut board, &mut stop).await
            && board.broken.len() < 20
            && why.to_string().contains("HTTP error: 4")
        {
            board.broken.push(format!("a board was turned away: {why}"));
        }
        tokio::select! {
            () = tokio::time::sleep(Duration::from_millis(300)) => {}
            _ = stop.changed() => {}
        }
    }
    board
}

async fn listen(
    site: &Site,
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
                    let wall = SystemTime::now().duration_since(UNIX_EPOCH).map(millis).unwrap_or_default();
                    if let Ok(frame) = serde_json::from_str(text.as_str()) {
                        board.take(&frame, site.now(), wall);
                    }
                }
                Some(Ok(Message::Close(_))) | Some(Err(_)) | None => return Ok(()),
                Some(Ok(_)) => {}
            },
            _ = stop.changed() => {
                // Politeness only: the run is over, and a failing goodbye changes nothing.
                let _ = socket.close(None).await;
                return Ok(());
            }
        }
    }
}

/// How long boards lag, in milliseconds.
#[derive(Clone, Debug, Default)]
pub struct Lag {
    /// From the moment a buyer was shown ticket n to each board's first view with at least n sold. Zero when the board
    /// was first: it is told at the commit, the buyer only after the capture.
    pub behind_buyer: Vec<f64>,
    /// From the first board that saw a revision to the others.
    pub behind_first_board: Vec<f64>,
    /// From the server's stamp on a frame to its arrival.
    pub on_the_way: Vec<f64>,
}

pub fn lag(boards: &[Board], tolds: &[Told]) -> Lag {
    let mut lag = Lag::default();
    let mut first: HashMap<(i64, i64), Duration> = HashMap::new();
    for sight in boards
        .iter()
        .flat_map(|board| &board.sights)
        .filter(|sight| !sight.greeting)
    {
        let seen = first.entry((sight.draw, sight.seq)).or_insert(sight.at);
        *seen = sight.at.min(*seen);
        lag.on_the_way.push(sight.age_ms);
    }
    let mut known: HashMap<i64, Vec<(i64, Duration)>> = HashMap::new();
    for told in tolds {
        let (Some(decided), Some(&(draw, ticket))) = (told.decided_at, told.tickets.iter().max())
        else {
            continue;
        };
        known.entry(draw).or_default().push((ticket, decided));
    }
    for board in boards {
        for sight in board.sights.iter().filter(|sight| !sight.greeting) {
            let behind = sight.at.saturating_sub(first[&(sight.draw, sight.seq)]);
            lag.behind_first_board.push(millis(behind));
        }
        let followed = board
            .newest
            .keys()
            .filter_map(|draw| Some((*draw, known.get(draw)?)));
        for (draw, (ticket, decided)) in
            followed.flat_map(|(draw, all)| all.iter().map(move |one| (draw, *one)))
        {
            let shown = board
                .sights
                .iter()
                .find(|sight| sight.draw == draw && sight.sold >= ticket);
            lag.behind_buyer
                .extend(shown.map(|sight| millis(sight.at.saturating_sub(decided))));
        }
    }
    lag
}

/// Sold over time as the boards saw it: for each draw the growing (seconds, sold).
pub fn sold_over_time(boards: &[Board]) -> Vec<(i64, Vec<(f64, f64)>)> {
    let mut by_draw: HashMap<i64, Vec<Sight>> = HashMap::new();
    for sight in boards.iter().flat_map(|board| &board.sights) {
        by_draw.entry(sight.draw).or_default().push(*sight);
    }
    let mut lines: Vec<_> = by_draw.into_iter().collect();
    lines.sort_by_key(|(draw, _)| *draw);
    lines
        .into_iter()
        .map(|(draw, mut sights)| {
            sights.sort_by_key(|sight| (sight.seq, sight.at));
            sights.dedup_by_key(|sight| sight.seq);
            (
                draw,
                sights
                    .iter()
                    .map(|sight| (sight.at.as_secs_f64(), sight.sold as f64))
                    .collect(),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn frame(seq: i64, sold: i64) -> Value {
        json!({"v": 1, "topic": "draw:1001", "seq": seq, "serverNow": 1000, "type": "draw",
            "data": {"drawNumber": 1001, "ticketsSold": sold}})
    }

    fn board(frames: &[(i64, i64, u64)]) -> Board {
        let mut board = Board::default();
        for (seq, sold, at) in frames {
            board.take(&frame(*seq, *sold), Duration::from_millis(*at), 1003.0);
        }
        board
    }

    #[test]
    fn a_revision_that_goes_back_is_a_broken_promise() {
        assert!(board(&[(1, 0, 0), (1, 0, 5), (3, 4, 9)]).broken.is_empty());
        assert_eq!(board(&[(3, 4, 0), (2, 4, 5)]).broken.len(), 1);
        assert_eq!(board(&[(1, 170, 0)]).broken.len(), 1);
    }

    #[test]
    fn a_board_lags_behind_the_buyer_who_was_told_and_behind_the_first_board() {
        let mut told = Told::nothing(1);
        told.tickets = vec![(1001, 1), (1001, 2)];
        told.decided_at = Some(Duration::from_millis(40));
        let boards = [
            board(&[(1, 0, 0), (2, 2, 100)]),
            board(&[(1, 0, 0), (2, 2, 130)]),
        ];
        let lag = lag(&boards, &[told]);
        assert_eq!(lag.behind_buyer, vec![60.0, 90.0]);
        assert_eq!(lag.behind_first_board, vec![0.0, 30.0]);
        assert_eq!(lag.on_the_way, vec![3.0; 2], "greetings are no news");
    }

    #[test]
    fn sold_over_time_takes_each_revision_once() {
        let boards = [
            board(&[(1, 0, 0), (2, 2, 1000)]),
            board(&[(2, 2, 1500), (4, 5, 2000)]),
        ];
        assert_eq!(
            sold_over_time(&boards),
            vec![(1001, vec![(0.0, 0.0), (1.0, 2.0), (2.0, 5.0)])]
        );
    }
}
