//! Fakes captures. A capture request is changed into a read, and all later responses report that
//! payment as captured. Changed texts keep their length, so that the HTTP message stays valid.

use std::collections::BTreeSet;

const CAPTURE_PATH_END: &str = "/capture HTTP/1.1";
const REAL_STATUS: &str = "\"status\":\"requires_capture\"";
const FAKE_STATUS: &str = "\"status\":\"succeeded\"       ";

/// The ids of payments whose capture was faked.
#[derive(Debug, Default)]
pub struct FalseCaptures(BTreeSet<String>);

impl FalseCaptures {
    /// Returns the request that is forwarded in place of this one. A capture becomes a read.
    pub fn rewrite_request(&mut self, request: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(request);
        let Some((line, rest)) = text
            .split_once("\r\n")
            .filter(|(line, _)| line.ends_with(CAPTURE_PATH_END))
        else {
            return request.to_vec();
        };
        let path = line
            .trim_start_matches("POST ")
            .trim_end_matches(CAPTURE_PATH_END);
        self.0.extend(path.rsplit('/').next().map(str::to_owned));
        format!("GET {path} HTTP/1.1\r\n{rest}").into_bytes()
    }

    /// Returns the response that is forwarded in place of this one. Faked captures are reported as
    /// real.
    pub fn rewrite_answer(&self, answer: &[u8]) -> Vec<u8> {
        match std::str::from_utf8(answer) {
            Ok(text) if self.0.iter().any(|id| text.contains(id)) => {
                text.replace(REAL_STATUS, FAKE_STATUS).into_bytes()
            }
            _ => answer.to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capture_request_becomes_read_and_answer_keeps_length() {
        assert_eq!(REAL_STATUS.len(), FAKE_STATUS.len());
        let mut captures = FalseCaptures::default();
        let answer = b"{\"id\":\"pi_1\",\"status\":\"requires_capture\"}";
        assert_eq!(captures.rewrite_answer(answer), answer, "not captured yet");
        let rewritten = captures.rewrite_request(
            b"POST /v1/payment_intents/pi_1/capture HTTP/1.1\r\nhost: x\r\n\r\na=b",
        );
        assert_eq!(
            rewritten,
            b"GET /v1/payment_intents/pi_1 HTTP/1.1\r\nhost: x\r\n\r\na=b"
        );
        assert_eq!(
            captures.rewrite_answer(answer),
            b"{\"id\":\"pi_1\",\"status\":\"succeeded\"       }"
        );
        let look = b"GET /v1/payment_intents/pi_2 HTTP/1.1\r\n\r\n";
        assert_eq!(captures.rewrite_request(look), look);
    }
}
