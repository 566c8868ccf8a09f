//! The faults ("toxics") of a link, and the effect of each on a piece of traffic.

use std::time::Duration;

/// Which of the three links: browser to server, server to Postgres, or server to provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkKind {
    Postgres,
    Provider,
    Browser,
}

impl LinkKind {
    pub const ALL: [LinkKind; 3] = [LinkKind::Postgres, LinkKind::Provider, LinkKind::Browser];
}

/// A fault ("toxic") of a link. It lasts until it is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Toxic {
    /// Every piece is delayed.
    Latency,
    /// Pieces are delayed at random, so that they arrive in bursts.
    Jitter,
    /// The bandwidth is limited.
    Narrow,
    /// The traffic is split into packets of a few bytes.
    Sliced,
    /// The connection ends after some bytes, at any point of a message.
    Limited,
    /// New connections are refused, and open ones are closed.
    Refused,
    /// The request is discarded and the connection is reset, so the request certainly has no
    /// effect.
    ResetBefore,
    /// The request is forwarded, and the connection is reset when its response arrives. So the
    /// request has an effect and the client gets no response.
    ResetAfter,
    /// Both ends stay connected, but no bytes are forwarded.
    HalfOpen,
    /// The request is sent twice. On the link to Postgres, the connection is reset when the
    /// response to a COMMIT arrives.
    Doubled,
    /// The request is forwarded, and the client gets a 500. On the link to Postgres, the connection
    /// is reset when the response to a BEGIN arrives.
    AnswersError,
    /// The request is discarded, and the client gets a 429. On the link to Postgres, the response
    /// is truncated.
    AnswersBusy,
    /// A capture is not forwarded. This response and all later ones report the payment as captured.
    /// No server can detect that, so it is only for the negative control.
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

    /// Returns how long a piece of `bytes` bytes is delayed. `random` must be a new random number
    /// for each piece.
    pub fn piece_delay(self, bytes: usize, random: u64) -> Duration {
        match self {
            Toxic::Latency => Duration::from_millis(150),
            Toxic::Jitter => Duration::from_millis(if random.is_multiple_of(4) {
                random % 600
            } else {
                0
            }),
            // The bandwidth is 32 kB per second.
            Toxic::Narrow => Duration::from_millis(bytes as u64 / 32),
            _ => Duration::ZERO,
        }
    }
}

/// What the proxy does with one piece of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceAction {
    Forward,
    /// Forwards the piece. Resets the client's connection when the response begins.
    ResetOnAnswer,
    /// Forwards the piece. Forwards only the first bytes of the response.
    TruncateAnswer,
    Reset,
    Discard,
    SendTwice,
    /// Forwards the piece. The client gets this text instead of the response.
    ReplaceAnswer(&'static str),
    /// Does not forward the piece. The client gets this text as the response.
    AnswerDirectly(&'static str),
    /// Fakes the capture of a payment: see [`super::false_captures`].
    FakeCapture,
}

const SERVER_ERROR_RESPONSE: &str = "HTTP/1.1 500 Internal Server Error\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\
    connection: close\r\n\r\n{}";
const TOO_MANY_REQUESTS_RESPONSE: &str = "HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\
    retry-after: 1\r\nconnection: close\r\n\r\n{}";

/// Returns whether the piece is the beginning of a request. Otherwise it continues the body of one.
pub fn begins_request(link_kind: LinkKind, piece: &[u8]) -> bool {
    link_kind == LinkKind::Postgres || piece.windows(9).any(|window| window == b" HTTP/1.1")
}

/// Returns what the proxy does with a piece from the client under this fault. A request may consist
/// of several pieces.
pub fn action_for_piece(toxic: Option<Toxic>, link_kind: LinkKind, piece: &[u8]) -> PieceAction {
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
        (Toxic::AnswersError, _) if is_request => PieceAction::ReplaceAnswer(SERVER_ERROR_RESPONSE),
        (Toxic::AnswersBusy, _) if is_request => {
            PieceAction::AnswerDirectly(TOO_MANY_REQUESTS_RESPONSE)
        }
        _ => PieceAction::Forward,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubled_toxic_on_postgres_only_drops_commit_answer() {
        let action =
            |piece: &[u8]| action_for_piece(Some(Toxic::Doubled), LinkKind::Postgres, piece);
        assert_eq!(action(b"Q\0\0\0\x0bcommit\0"), PieceAction::ResetOnAnswer);
        assert_eq!(action(b"Q\0\0\0\x0abegin\0"), PieceAction::Forward);
    }

    #[test]
    fn only_http_requests_are_answered_by_proxy() {
        let asked = b"POST /api/x HTTP/1.1\r\n\r\n{}";
        assert_eq!(
            action_for_piece(Some(Toxic::AnswersBusy), LinkKind::Provider, asked),
            PieceAction::AnswerDirectly(TOO_MANY_REQUESTS_RESPONSE)
        );
        assert_eq!(
            action_for_piece(
                Some(Toxic::AnswersBusy),
                LinkKind::Provider,
                b"the rest of a body"
            ),
            PieceAction::Forward
        );
        assert_eq!(
            action_for_piece(None, LinkKind::Browser, asked),
            PieceAction::Forward
        );
    }
}
