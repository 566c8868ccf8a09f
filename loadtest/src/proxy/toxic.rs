//! What a line can do to those who speak over it.

use std::time::Duration;

/// One of the three lines of the house.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Line {
    Postgres,
    Provider,
    Browser,
}

impl Line {
    pub const ALL: [Line; 3] = [Line::Postgres, Line::Provider, Line::Browser];
}

/// What goes wrong on a line while it is poisoned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Toxic {
    /// Every piece comes late.
    Latency,
    /// Pieces come late by chance, and so in bursts.
    Jitter,
    /// Few bytes a second.
    Narrow,
    /// Every byte is a packet of its own, or nearly.
    Sliced,
    /// The connection ends after some bytes, in the middle of whatever they were.
    Limited,
    /// Nobody answers the door, and whoever is inside is shown it.
    Refused,
    /// The request is thrown away and the connection reset: certainly no effect.
    ResetBefore,
    /// The request goes through, and the connection is reset when the answer comes: an effect without an answer.
    ResetAfter,
    /// Both ends think that they are connected, and hear nothing.
    HalfOpen,
    /// The request goes through twice. Of Postgres: the connection is reset when it answers to a commit.
    Doubled,
    /// The request goes through, and its answer becomes a 500. Of Postgres: reset when it answers to a begin.
    AnswersError,
    /// The request is thrown away and answered with 429. Of Postgres: the answer is cut in its middle.
    AnswersBusy,
    /// A capture never reaches the provider, and the payment is said to be captured, now and whenever somebody looks. No house can
    /// bear that: it is the control's, and in no matrix.
    Lies,
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

    /// How long one piece of bytes is held up; `throw` is a fresh die.
    pub fn pause(self, bytes: usize, throw: u64) -> Duration {
        match self {
            Toxic::Latency => Duration::from_millis(150),
            Toxic::Jitter => Duration::from_millis(if throw.is_multiple_of(4) {
                throw % 600
            } else {
                0
            }),
            // 32 kB a second.
            Toxic::Narrow => Duration::from_millis(bytes as u64 / 32),
            _ => Duration::ZERO,
        }
    }
}

/// What becomes of a request on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Passes,
    /// Passes; when the first piece of its answer comes, the caller's connection is reset.
    AnswerLost,
    /// Passes; of its answer only the first bytes come through.
    AnswerCut,
    Reset,
    Swallowed,
    Twice,
    /// Passes; the caller reads this in place of its answer.
    AnsweredBy(&'static str),
    /// Does not pass; the caller reads this.
    OnlyAnsweredBy(&'static str),
    /// See [`super::lie`].
    Untrue,
}

const SERVER_ERROR: &str = "HTTP/1.1 500 Internal Server Error\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\
    connection: close\r\n\r\n{}";
const BUSY: &str = "HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\
    retry-after: 1\r\nconnection: close\r\n\r\n{}";

/// Whether the piece begins something new; otherwise it is the rest of a body.
pub fn begins_request(line: Line, piece: &[u8]) -> bool {
    line == Line::Postgres || piece.windows(9).any(|window| window == b" HTTP/1.1")
}

/// What the toxic does with a piece from the caller. A request may take several pieces; each may meet its fate.
pub fn fate(toxic: Option<Toxic>, line: Line, piece: &[u8]) -> Fate {
    let Some(toxic) = toxic else {
        return Fate::Passes;
    };
    let says = |word: &[u8]| {
        piece
            .windows(word.len())
            .any(|window| window.eq_ignore_ascii_case(word))
    };
    let is_request = line != Line::Postgres && begins_request(line, piece);
    match (toxic, line) {
        (Toxic::ResetBefore | Toxic::Refused, _) => Fate::Reset,
        (Toxic::ResetAfter, _) => Fate::AnswerLost,
        (Toxic::HalfOpen, _) => Fate::Swallowed,
        (Toxic::Lies, Line::Provider) => Fate::Untrue,
        (Toxic::Doubled, Line::Postgres) if says(b"commit") => Fate::AnswerLost,
        (Toxic::AnswersError, Line::Postgres) if says(b"begin") => Fate::AnswerLost,
        (Toxic::AnswersBusy, Line::Postgres) => Fate::AnswerCut,
        (Toxic::Limited, _) => Fate::AnswerCut,
        (Toxic::Doubled, _) if is_request => Fate::Twice,
        (Toxic::AnswersError, _) if is_request => Fate::AnsweredBy(SERVER_ERROR),
        (Toxic::AnswersBusy, _) if is_request => Fate::OnlyAnsweredBy(BUSY),
        _ => Fate::Passes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_the_line_to_postgres_only_the_commit_loses_its_answer() {
        let fate = |piece: &[u8]| fate(Some(Toxic::Doubled), Line::Postgres, piece);
        assert_eq!(fate(b"Q\0\0\0\x0bcommit\0"), Fate::AnswerLost);
        assert_eq!(fate(b"Q\0\0\0\x0abegin\0"), Fate::Passes);
    }

    #[test]
    fn only_requests_are_answered_by_the_line_itself() {
        let asked = b"POST /api/x HTTP/1.1\r\n\r\n{}";
        assert_eq!(
            fate(Some(Toxic::AnswersBusy), Line::Provider, asked),
            Fate::OnlyAnsweredBy(BUSY)
        );
        assert_eq!(
            fate(
                Some(Toxic::AnswersBusy),
                Line::Provider,
                b"the rest of a body"
            ),
            Fate::Passes
        );
        assert_eq!(fate(None, Line::Browser, asked), Fate::Passes);
    }
}
