//! Authentication between nodes. A caller must be able to seal a message for this node at about
//! this time. Bodies are sealed in the same way, because orders contain names and addresses, and
//! the network between nodes may be tapped.

use domain::Timestamp;
use persistence::Sealer;
use persistence::nodes::InstanceId;

/// The header that carries the pass.
pub const PASS: &str = "x-node-pass";
/// Validity of a pass in milliseconds. It also allows for clocks that differ.
const VALID_MS: u64 = 60_000;

const PURPOSE_PASS: &str = "node-pass";
const PURPOSE_BODY: &str = "node-words";

/// Issues, checks and seals messages between nodes with the shared sealing key.
#[derive(Clone, Debug)]
pub struct PeerCredentials {
    sealer: Sealer,
    me: InstanceId,
}

impl PeerCredentials {
    pub fn new(sealer: Sealer, me: InstanceId) -> PeerCredentials {
        PeerCredentials { sealer, me }
    }

    /// This node's instance id, for the answer.
    pub fn me(&self) -> uuid::Uuid {
        uuid::Uuid::from_u128(self.me.0)
    }

    /// Issues a pass for another node, valid from now.
    pub fn issue(&self, to: InstanceId, now: Timestamp) -> String {
        hex::encode(self.sealer.seal(PURPOSE_PASS, to, &now.0.to_be_bytes()))
    }

    /// Whether a pass was issued for this node recently.
    pub fn admits(&self, pass: &str, now: Timestamp) -> bool {
        let sealed = hex::decode(pass).unwrap_or_default();
        let issued = self
            .sealer
            .open(PURPOSE_PASS, self.me, &sealed)
            .ok()
            .and_then(|bytes| bytes.try_into().ok());
        issued.is_some_and(|at| now.0.abs_diff(i64::from_be_bytes(at)) <= VALID_MS)
    }

    /// Seals a message that only the other node can read.
    pub fn seal(&self, to: InstanceId, message: &[u8]) -> Vec<u8> {
        self.sealer.seal(PURPOSE_BODY, to, message)
    }

    /// Opens a message for this node.
    pub fn open(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        self.sealer.open(PURPOSE_BODY, self.me, sealed).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_900_000_000_000);

    fn pass(key: u8, me: u128) -> PeerCredentials {
        PeerCredentials::new(Sealer::new(&[key; 32]), InstanceId(me))
    }

    #[test]
    fn pass_is_valid_for_one_node_key_and_minute() {
        let (one, other) = (pass(7, 1), pass(7, 2));
        let issued = one.issue(InstanceId(2), NOW);
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
    fn sealed_message_opens_only_at_its_recipient() {
        let (one, other) = (pass(7, 1), pass(7, 2));
        let sealed = one.seal(InstanceId(2), b"Alice");
        assert_eq!(other.open(&sealed).as_deref(), Some(&b"Alice"[..]));
        assert_eq!(one.open(&sealed), None);
        assert!(!sealed.windows(5).any(|window| window == b"Alice"));
    }
}
