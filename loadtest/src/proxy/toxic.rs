//! The faults ("toxics") of a link, and what each does to a piece of traffic.

use std::time::Duration;

/// One of the three proxied links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkKind {
    Postgres,
    Provider,
    Browser,
}

impl LinkKind {
    pub const ALL: [LinkKind; 3] = [LinkKind::Postgres, LinkKind::Provider, LinkKind::Browser];
}

/// A fault of a link while it is disturbed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Toxic {
    /// Delays every piece.
    Latency,
    /// Delays random pieces, which arrive in bursts.
    Jitter,
    /// Limits the bandwidth.
    Narrow,
    /// Splits the traffic into packets of a few bytes.
    Sliced,
    /// Ends the connection after some bytes, at any point of the message.
    Limited,
    /// Refuses new connections and closes open ones.
    Refused,
    /// Discards the request and resets the connection: certainly no effect.
    ResetBefore,
    /// Forwards the request and resets the connection when the answer comes: an effect without an
    /// answer.
    ResetAfter,
    /// Both ends stay connected and receive nothing.
    HalfOpen,
    /// Sends the request twice. On the Postgres link: resets when a commit is answered.
    Doubled,
    /// Forwards the request and answers 500. On the Postgres link: resets when a begin is answered.
    AnswersError,
    /// Discards the request and answers 429. On the Postgres link: truncates the answer.
    AnswersBusy,
    /// Never forwards a capture, and reports the payment as captured in this and every later
    /// answer. No server can survive that: it is only for the negative control.
    FakesCaptures,
}

impl Toxic {
    pub const ALL: [Toxic; 12] = [
        Toxic::Latency,
        Toxic::Jitter,
        Toxic::Narrow,
        Toxic::Sliced,
        Toxic::Limited,
        Toxic::Refused,
        Toxic::ResetBefore,
        Toxic::ResetAfter,
        Toxic::HalfOpen,
        Toxic::Doubled,
        Toxic::AnswersError,
        Toxic::AnswersBusy,
    ];

    /// Returns how long a piece of `bytes` bytes is delayed. `random` is a fresh random number.
    pub fn pause(self, bytes: usize, random: u64) -> Duration {
        match self {
            Toxic::Latency => Duration::from_millis(150),
            Toxic::Jitter => Duration::from_millis(if random.is_multiple_of(4) {
                random % 600
            } else {
                0
            }),
            // 32 kB a second.
            Toxic::Narrow => Duration::from_millis(bytes as u64 / 32),
            _ => Duration::ZERO,
        }
    }
}

/// What the proxy does with a piece of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceAction {
    Forward,
    /// Forwards it; resets the client's connection when the answer starts.
    ResetOnAnswer,
    /// Forwards it; passes only the first bytes of the answer.
    TruncateAnswer,
    Reset,
    Discard,
    SendTwice,
    /// Forwards it; the client reads this text instead of the answer.
    ReplaceAnswer(&'static str),
    /// Does not forward it; the client reads this text.
    AnswerDirectly(&'static str),
    /// Fakes a capture: see [`super::false_captures`].
    FakeCapture,
}

const SERVER_ERROR: &str = "HTTP/1.1 500 Internal Server Error\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\
    connection: close\r\n\r\n{}";
const BUSY: &str = "HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\
    retry-after: 1\r\nconnection: close\r\n\r\n{}";

/// Returns whether the piece starts a new request. Otherwise it is the rest of a body.
pub fn begins_request(link_kind: LinkKind, piece: &[u8]) -> bool {
    link_kind == LinkKind::Postgres || piece.windows(9).any(|window| window == b" HTTP/1.1")
}

/// Returns what a toxic does with a piece from the client. A request may span several pieces.
pub fn action_for(toxic: Option<Toxic>, link_kind: LinkKind, piece: &[u8]) -> PieceAction {
    let Some(toxic) = toxic else {
        return PieceAction::Forward;
    };
    let contains_word = |word: &[u8]| {
        piece
            .windows(word.len())
            .any(|window| window.eq_ignore_ascii_case(word))
    };
    let is_request = link_kind != LinkKind::Postgres && begins_request(link_kind, piece);
    match (toxic, link_kind) {
        (Toxic::ResetBefore | Toxic::Refused, _) => PieceAction::Reset,
        (Toxic::ResetAfter, _) => PieceAction::ResetOnAnswer,
        (Toxic::HalfOpen, _) => PieceAction::Discard,
        (Toxic::FakesCaptures, LinkKind::Provider) => PieceAction::FakeCapture,
        (Toxic::Doubled, LinkKind::Postgres) if contains_word(b"commit") => {
            PieceAction::ResetOnAnswer
        }
        (Toxic::AnswersError, LinkKind::Postgres) if contains_word(b"begin") => {
            PieceAction::ResetOnAnswer
        }
        (Toxic::AnswersBusy, LinkKind::Postgres) => PieceAction::TruncateAnswer,
        (Toxic::Limited, _) => PieceAction::TruncateAnswer,
        (Toxic::Doubled, _) if is_request => PieceAction::SendTwice,
        (Toxic::AnswersError, _) if is_request => PieceAction::ReplaceAnswer(SERVER_ERROR),
        (Toxic::AnswersBusy, _) if is_request => PieceAction::AnswerDirectly(BUSY),
        _ => PieceAction::Forward,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubled_toxic_on_postgres_only_drops_commit_answer() {
        let action = |piece: &[u8]| action_for(Some(Toxic::Doubled), LinkKind::Postgres, piece);
        assert_eq!(action(b"Q\0\0\0\x0bcommit\0"), PieceAction::ResetOnAnswer);
        assert_eq!(action(b"Q\0\0\0\x0abegin\0"), PieceAction::Forward);
    }

    #[test]
    fn only_http_requests_are_answered_by_proxy() {
        let asked = b"POST /api/x HTTP/1.1\r\n\r\n{}";
        assert_eq!(
            action_for(Some(Toxic::AnswersBusy), LinkKind::Provider, asked),
            PieceAction::AnswerDirectly(BUSY)
        );
        assert_eq!(
            action_for(
                Some(Toxic::AnswersBusy),
                LinkKind::Provider,
                b"the rest of a body"
            ),
            PieceAction::Forward
        );
        assert_eq!(
            action_for(None, LinkKind::Browser, asked),
            PieceAction::Forward
        );
    }
}
