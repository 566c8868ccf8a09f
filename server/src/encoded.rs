//! Bytes that many read, and the same made smaller, once, for browsers that take them so.

use std::io::Write;
use std::sync::OnceLock;

use actix_web::http::header::{ACCEPT_ENCODING, HeaderMap};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

/// What fits into one packet arrives no sooner when it is smaller. In bytes.
const LEAST: usize = 1_200;
/// What is larger would keep everybody else waiting while it is made smaller, again after each sale. In bytes.
const MOST: usize = 128 * 1024;

#[derive(Debug)]
pub struct Encoded {
    plain: Bytes,
    effort: Compression,
    gzip: OnceLock<Bytes>,
}

impl Encoded {
    /// `effort`: what changes with each sale is worth less than what changes ten times a second at most.
    pub fn new(plain: impl Into<Bytes>, effort: Compression) -> Encoded {
        Encoded {
            plain: plain.into(),
            effort,
            gzip: OnceLock::new(),
        }
    }

    pub fn plain(&self) -> &Bytes {
        &self.plain
    }

    /// As gzip; `None` for a browser that does not take it, and where it is not worth it. The first to ask has it made.
    pub fn smaller(&self, asked: &HeaderMap) -> Option<Bytes> {
        let wanted = (LEAST..=MOST).contains(&self.plain.len()) && accepts(asked, "gzip");
        wanted.then(|| self.gzip.get_or_init(|| self.gzip()).clone())
    }

    fn gzip(&self) -> Bytes {
        let mut encoder = GzEncoder::new(Vec::new(), self.effort);
        let written = encoder.write_all(&self.plain);
        written
            .and_then(|()| encoder.finish())
            .expect("writing into memory does not fail")
            .into()
    }
}

/// Whether a browser takes answers in a coding: it names it, and not as what it refuses (RFC 9110, section 12.5.3).
pub fn accepts(asked: &HeaderMap, coding: &str) -> bool {
    let offered = asked
        .get(ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    offered.split(',').any(|part| {
        let (name, weight) = part.split_once(';').unwrap_or((part, ""));
        let is_refused = weight
            .trim()
            .strip_prefix("q=")
            .is_some_and(|weight| weight.parse() == Ok(0.0));
        name.trim() == coding && !is_refused
    })
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use actix_web::http::header::HeaderValue;
    use flate2::read::GzDecoder;

    use super::*;

    fn asked(codings: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(codings))])
    }

    #[test]
    fn what_is_made_smaller_is_made_once_and_says_the_same() {
        let page = "169 tickets, 169 pairs. ".repeat(100);
        let encoded = Encoded::new(page.clone(), Compression::fast());
        let once = encoded
            .smaller(&asked("gzip, deflate, br, zstd"))
            .expect("it is taken");
        let again = encoded
            .smaller(&asked("br;q=1.0, gzip;q=0.5"))
            .expect("it is taken");
        assert_eq!(once.as_ptr(), again.as_ptr(), "the same bytes");
        assert!(once.len() < page.len() / 10);
        let mut said = String::new();
        GzDecoder::new(&once[..])
            .read_to_string(&mut said)
            .expect("gzip");
        assert_eq!(said, page);
    }

    #[test]
    fn nobody_is_sent_what_they_do_not_take() {
        let encoded = Encoded::new("169 tickets, 169 pairs. ".repeat(100), Compression::fast());
        for codings in [
            "",
            "br",
            "gzip;q=0",
            "br, gzip; q=0.000",
            "identity",
            "xgzip",
        ] {
            assert_eq!(encoded.smaller(&asked(codings)), None, "{codings:?}");
        }
        assert_eq!(encoded.smaller(&HeaderMap::new()), None);
    }

    #[test]
    fn what_is_short_is_left_as_it_is_and_so_is_what_would_keep_others_waiting() {
        let is_made_smaller = |bytes| {
            Encoded::new("a".repeat(bytes), Compression::fast())
                .smaller(&asked("gzip"))
                .is_some()
        };
        assert!(!is_made_smaller(LEAST - 1) && is_made_smaller(LEAST));
        assert!(is_made_smaller(MOST) && !is_made_smaller(MOST + 1));
    }
}
