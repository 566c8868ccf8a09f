//! A response body with a gzip version that is compressed once, at the first request for it.

use std::io::Write;
use std::sync::OnceLock;

use actix_web::http::header::{ACCEPT_ENCODING, HeaderMap};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

/// Smallest body that is compressed, in bytes. A smaller body fits into one network packet, so
/// compressing it gains nothing.
const GZIP_BYTES_MIN: usize = 1_200;
/// Largest body that is compressed, in bytes. Compressing a larger body would block the worker
/// thread too long, each time a sale changes the body.
const GZIP_BYTES_MAX: usize = 128 * 1024;

/// A response body, and its gzip version once a client has asked for it.
#[derive(Debug)]
pub struct CompressibleBody {
    plain: Bytes,
    effort: Compression,
    gzip: OnceLock<Bytes>,
}

impl CompressibleBody {
    /// Wraps a body. `effort` is the gzip level: lower for a body that changes with each sale.
    pub fn new(plain: impl Into<Bytes>, effort: Compression) -> CompressibleBody {
        CompressibleBody {
            plain: plain.into(),
            effort,
            gzip: OnceLock::new(),
        }
    }

    /// Returns the uncompressed body.
    pub fn plain(&self) -> &Bytes {
        &self.plain
    }

    /// Returns the gzip version of the body. `None` when the client does not accept gzip, or the
    /// body is smaller than `GZIP_BYTES_MIN` or larger than `GZIP_BYTES_MAX`.
    pub fn gzip_if_accepted(&self, request_headers: &HeaderMap) -> Option<Bytes> {
        let is_worth_it = (GZIP_BYTES_MIN..=GZIP_BYTES_MAX).contains(&self.plain.len())
            && accepts_coding(request_headers, "gzip");
        is_worth_it.then(|| self.gzip.get_or_init(|| self.gzip()).clone())
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

/// Whether a client accepts a content coding such as `gzip`: `Accept-Encoding` lists the coding,
/// not with `q=0` (RFC 9110, section 12.5.3).
pub fn accepts_coding(request_headers: &HeaderMap, coding: &str) -> bool {
    let offered = request_headers
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

    fn request_headers(codings: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(codings))])
    }

    #[test]
    fn gzip_version_is_made_once_and_has_the_same_content() {
        let page = "169 tickets, 169 pairs. ".repeat(100);
        let encoded = CompressibleBody::new(page.clone(), Compression::fast());
        let once = encoded
            .gzip_if_accepted(&request_headers("gzip, deflate, br, zstd"))
            .expect("gzip is accepted");
        let again = encoded
            .gzip_if_accepted(&request_headers("br;q=1.0, gzip;q=0.5"))
            .expect("gzip is accepted");
        assert_eq!(once.as_ptr(), again.as_ptr(), "the same bytes");
        assert!(once.len() < page.len() / 10);
        let mut decoded = String::new();
        GzDecoder::new(&once[..])
            .read_to_string(&mut decoded)
            .expect("gzip");
        assert_eq!(decoded, page);
    }

    #[test]
    fn client_without_gzip_gets_the_plain_body() {
        let encoded =
            CompressibleBody::new("169 tickets, 169 pairs. ".repeat(100), Compression::fast());
        for codings in [
            "",
            "br",
            "gzip;q=0",
            "br, gzip; q=0.000",
            "identity",
            "xgzip",
        ] {
            assert_eq!(
                encoded.gzip_if_accepted(&request_headers(codings)),
                None,
                "{codings:?}"
            );
        }
        assert_eq!(encoded.gzip_if_accepted(&HeaderMap::new()), None);
    }

    #[test]
    fn only_medium_sized_bodies_are_compressed() {
        let is_compressed = |bytes| {
            CompressibleBody::new("a".repeat(bytes), Compression::fast())
                .gzip_if_accepted(&request_headers("gzip"))
                .is_some()
        };
        assert!(!is_compressed(GZIP_BYTES_MIN - 1) && is_compressed(GZIP_BYTES_MIN));
        assert!(is_compressed(GZIP_BYTES_MAX) && !is_compressed(GZIP_BYTES_MAX + 1));
    }
}
