//! A line that lies: it asks a capture as a mere look, and says of that payment for ever after that it was captured. Both are the
//! same length as the truth, so that nobody's framing tells.

use std::collections::BTreeSet;

const CAPTURE: &str = "/capture HTTP/1.1";
const TRUTH: &str = "\"status\":\"requires_capture\"";
const UNTRUTH: &str = "\"status\":\"succeeded\"       ";

/// The payments that were lied about.
#[derive(Debug, Default)]
pub struct Lie(BTreeSet<String>);

impl Lie {
    /// What the provider is asked in place of this.
    pub fn asked(&mut self, request: &[u8]) -> Vec<u8> {
        let text = String::from_utf8_lossy(request);
        let Some((line, rest)) = text
            .split_once("\r\n")
            .filter(|(line, _)| line.ends_with(CAPTURE))
        else {
            return request.to_vec();
        };
        let path = line.trim_start_matches("POST ").trim_end_matches(CAPTURE);
        self.0.extend(path.rsplit('/').next().map(str::to_owned));
        format!("GET {path} HTTP/1.1\r\n{rest}").into_bytes()
    }

    /// What is heard in place of the provider's answer.
    pub fn heard(&self, answer: &[u8]) -> Vec<u8> {
        match std::str::from_utf8(answer) {
            Ok(text) if self.0.iter().any(|id| text.contains(id)) => {
                text.replace(TRUTH, UNTRUTH).into_bytes()
            }
            _ => answer.to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capture_becomes_a_look_and_its_answer_a_lie_of_the_same_length() {
        assert_eq!(TRUTH.len(), UNTRUTH.len());
        let mut lie = Lie::default();
        let answer = b"{\"id\":\"pi_1\",\"status\":\"requires_capture\"}";
        assert_eq!(lie.heard(answer), answer, "nobody captured it yet");
        let asked =
            lie.asked(b"POST /v1/payment_intents/pi_1/capture HTTP/1.1\r\nhost: x\r\n\r\na=b");
        assert_eq!(
            asked,
            b"GET /v1/payment_intents/pi_1 HTTP/1.1\r\nhost: x\r\n\r\na=b"
        );
        assert_eq!(
            lie.heard(answer),
            b"{\"id\":\"pi_1\",\"status\":\"succeeded\"       }"
        );
        let look = b"GET /v1/payment_intents/pi_2 HTTP/1.1\r\n\r\n";
        assert_eq!(lie.asked(look), look);
    }
}
