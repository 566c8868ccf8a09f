//! Who may knock at a node's door: whoever can seal something for this very node at about this time. What is said there is
//! sealed the same way, because orders have names and addresses in them and the net between nodes may have listeners.

use domain::Timestamp;
use persistence::Sealer;
use persistence::nodes::Boot;

/// The header a pass stands in.
pub const PASS: &str = "x-node-pass";
/// A pass is good for so long, and clocks may differ by as much.
const GOOD_MS: u64 = 60_000;

const PURPOSE_PASS: &str = "node-pass";
const PURPOSE_WORDS: &str = "node-words";

/// This node's key to other nodes, and its lock.
#[derive(Clone, Debug)]
pub struct Pass {
    sealer: Sealer,
    me: Boot,
}

impl Pass {
    pub fn new(sealer: Sealer, me: Boot) -> Pass {
        Pass { sealer, me }
    }

    /// Who we are, for the answer.
    pub fn me(&self) -> uuid::Uuid {
        uuid::Uuid::from_u128(self.me.0)
    }

    /// For one other node, now.
    pub fn issue(&self, to: Boot, now: Timestamp) -> String {
        hex::encode(self.sealer.seal(PURPOSE_PASS, to, &now.0.to_be_bytes()))
    }

    /// Whether a pass was issued for this node, lately.
    pub fn admits(&self, pass: &str, now: Timestamp) -> bool {
        let sealed = hex::decode(pass).unwrap_or_default();
        let issued = self
            .sealer
            .open(PURPOSE_PASS, self.me, &sealed)
            .ok()
            .and_then(|bytes| bytes.try_into().ok());
        issued.is_some_and(|at| now.0.abs_diff(i64::from_be_bytes(at)) <= GOOD_MS)
    }

    /// Words that only the other node can read.
    pub fn seal(&self, to: Boot, words: &[u8]) -> Vec<u8> {
        self.sealer.seal(PURPOSE_WORDS, to, words)
    }

    /// Words for this node.
    pub fn open(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        self.sealer.open(PURPOSE_WORDS, self.me, sealed).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_900_000_000_000);

    fn pass(key: u8, me: u128) -> Pass {
        Pass::new(Sealer::new(&[key; 32]), Boot(me))
    }

    #[test]
    fn a_pass_is_for_one_node_with_our_key_and_for_a_minute() {
        let (one, other) = (pass(7, 1), pass(7, 2));
        let issued = one.issue(Boot(2), NOW);
        assert!(other.admits(&issued, NOW) && other.admits(&issued, NOW.plus_ms(60_000)));
        assert!(!other.admits(&issued, NOW.plus_ms(60_001)), "it is old");
        assert!(!one.admits(&issued, NOW), "it is for another node");
        assert!(
            !pass(8, 2).admits(&issued, NOW),
            "that node has another key"
        );
        for wrong in ["", "zz", "00", &issued[2..]] {
            assert!(!other.admits(wrong, NOW), "{wrong}");
        }
    }

    #[test]
    fn words_are_read_by_whom_they_are_for() {
        let (one, other) = (pass(7, 1), pass(7, 2));
        let sealed = one.seal(Boot(2), b"Alice");
        assert_eq!(other.open(&sealed).as_deref(), Some(&b"Alice"[..]));
        assert_eq!(one.open(&sealed), None);
        assert!(!sealed.windows(5).any(|window| window == b"Alice"));
    }
}
