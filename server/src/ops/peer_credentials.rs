//! Authentication between nodes. A caller proves with a pass, a short encrypted message for this
//! node with the current time, that it has the shared sealing key. Bodies are encrypted with the
//! same key, because orders contain names and addresses, and the network between nodes may be
//! tapped.

use domain::Timestamp;
use persistence::Sealer;
use persistence::nodes::InstanceId;

/// Name of the HTTP header that carries the pass. The pass is a short-lived proof that the caller
/// has the sealing key.
pub const NODE_PASS_HEADER: &str = "x-node-pass";
/// Validity of a pass in milliseconds, before and after its issue time, because clocks of nodes may
/// differ.
const NODE_PASS_LIFETIME_MS: u64 = 60_000;

const SEALING_PURPOSE_PASS: &str = "node-pass";
const SEALING_PURPOSE_BODY: &str = "node-words";

/// Authenticates and encrypts messages between nodes with the shared sealing key.
#[derive(Clone, Debug)]
pub struct PeerCredentials {
    sealer: Sealer,
    me: InstanceId,
}

impl PeerCredentials {
    pub fn new(sealer: Sealer, me: InstanceId) -> PeerCredentials {
        PeerCredentials { sealer, me }
    }

    /// Returns this node's instance id, for which the other node encrypts its answer.
    pub fn own_id(&self) -> uuid::Uuid {
        uuid::Uuid::from_u128(self.me.0)
    }

    /// Creates a pass, the authentication header for a call to another node, valid from now.
    pub fn issue_node_pass(&self, to: InstanceId, now: Timestamp) -> String {
        hex::encode(
            self.sealer
                .seal(SEALING_PURPOSE_PASS, to, &now.0.to_be_bytes()),
        )
    }

    /// Whether a pass was created for this node and has not expired.
    pub fn accepts_node_pass(&self, pass: &str, now: Timestamp) -> bool {
        let sealed = hex::decode(pass).unwrap_or_default();
        let issued = self
            .sealer
            .open(SEALING_PURPOSE_PASS, self.me, &sealed)
            .ok()
            .and_then(|bytes| bytes.try_into().ok());
        issued.is_some_and(|at| now.0.abs_diff(i64::from_be_bytes(at)) <= NODE_PASS_LIFETIME_MS)
    }

    /// Encrypts a message for the other node.
    pub fn seal(&self, to: InstanceId, message: &[u8]) -> Vec<u8> {
        self.sealer.seal(SEALING_PURPOSE_BODY, to, message)
    }

    /// Decrypts a message for this node; `None` when it is not authentic.
    pub fn open(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        self.sealer.open(SEALING_PURPOSE_BODY, self.me, sealed).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_900_000_000_000);

    fn credentials(key: u8, me: u128) -> PeerCredentials {
        PeerCredentials::new(Sealer::new(&[key; 32]), InstanceId(me))
    }

    #[test]
    fn pass_is_valid_for_one_node_key_and_minute() {
        let (one, other) = (credentials(7, 1), credentials(7, 2));
        let issued = one.issue_node_pass(InstanceId(2), NOW);
        assert!(
            other.accepts_node_pass(&issued, NOW)
                && other.accepts_node_pass(&issued, NOW.plus_ms(60_000))
        );
        assert!(
            !other.accepts_node_pass(&issued, NOW.plus_ms(60_001)),
            "it is old"
        );
        assert!(
            !one.accepts_node_pass(&issued, NOW),
            "it is for another node"
        );
        assert!(
            !credentials(8, 2).accepts_node_pass(&issued, NOW),
            "that node has another key"
        );
        for wrong in ["", "zz", "00", &issued[2..]] {
            assert!(!other.accepts_node_pass(wrong, NOW), "{wrong}");
        }
    }

    #[test]
    fn sealed_message_opens_only_at_its_recipient() {
        let (one, other) = (credentials(7, 1), credentials(7, 2));
        let sealed = one.seal(InstanceId(2), b"Alice");
        assert_eq!(other.open(&sealed).as_deref(), Some(&b"Alice"[..]));
        assert_eq!(one.open(&sealed), None);
        assert!(!sealed.windows(5).any(|window| window == b"Alice"));
    }
}
