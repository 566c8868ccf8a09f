//! Stores the secrets of mailed links as keyed hashes. If a link must be written into a mail again,
//! a sealed copy of its secret is also stored (decision M-5). Without the sealing key, the stored
//! values in a copy of the database open no link.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use uuid::Uuid;

use crate::error::Failure;
use crate::seal::Sealer;

const ORDER_TOKEN_PURPOSE: &str = "order-token";
const CLIENT_SECRET_PURPOSE: &str = "order-client-secret";
/// First byte of a keyed hash. An earlier version of the program stored plain SHA-256 hashes, which
/// are one byte shorter because they have no such byte.
const KEYED_HASH_PREFIX: u8 = 1;
/// Number of hash bytes that identify a link in the dedupe key of its mail.
const LINK_ID_BYTES: usize = 8;
const CLIENT_SECRET_FIELD: &str = "client_secret";

/// The kind of a link or cookie. It is part of the keyed hash, so a hash that is moved to a row of
/// another kind matches no link there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// The cookie of a signed-in browser.
    Session,
    /// An invitation or a password reset of a club, a club member or an operator.
    Account,
    /// A link that confirms a club's email address.
    Verification,
    /// A link that lists every order of an email address.
    Tickets,
    /// A link on which a winner claims the prize.
    Claim,
}

impl LinkKind {
    fn purpose(self) -> &'static str {
        match self {
            LinkKind::Session => "session-hash",
            LinkKind::Account => "account-link-hash",
            LinkKind::Verification => "verification-link-hash",
            LinkKind::Tickets => "ticket-link-hash",
            LinkKind::Claim => "claim-link-hash",
        }
    }
}

/// An order's token in the form in which its row stores it.
pub(crate) struct StoredToken<'a> {
    /// The token in clear text. Set only while a node with an earlier version of the program is
    /// alive, because that version finds an order only by the clear token.
    pub clear: Option<&'a str>,
    pub hash: [u8; 32],
    pub sealed: Vec<u8>,
}

/// Converts the secrets of links to their stored form and back. Stores them in clear text too while
/// a node with an earlier version of the program is alive; all clones share this flag.
#[derive(Clone)]
pub(crate) struct LinkSecrets {
    sealer: Sealer,
    serves_beside_older: Arc<AtomicBool>,
}

impl LinkSecrets {
    pub fn new(sealer: Sealer) -> LinkSecrets {
        LinkSecrets {
            sealer,
            serves_beside_older: Arc::default(),
        }
    }

    pub fn sealer(&self) -> &Sealer {
        &self.sealer
    }

    /// Sets whether a node with an earlier version of the program is alive. While one is alive,
    /// secrets are also stored in the form that the earlier version reads.
    pub fn set_older_node_alive(&self, is_older_node_alive: bool) {
        self.serves_beside_older
            .store(is_older_node_alive, Ordering::Relaxed);
    }

    fn is_older_node_alive(&self) -> bool {
        self.serves_beside_older.load(Ordering::Relaxed)
    }

    pub fn stored_token_forms<'a>(&self, order: Uuid, token: &'a str) -> StoredToken<'a> {
        StoredToken {
            clear: self.is_older_node_alive().then_some(token),
            hash: self.token_hash(token),
            sealed: self
                .sealer
                .seal(ORDER_TOKEN_PURPOSE, order, token.as_bytes()),
        }
    }

    pub fn token_hash(&self, token: &str) -> [u8; 32] {
        self.sealer.fingerprint(ORDER_TOKEN_PURPOSE, token)
    }

    /// Unseals an order's token.
    ///
    /// # Errors
    ///
    /// [`Failure::Corrupt`] when it was sealed with another key, or the row was changed.
    pub fn unseal_token(&self, order: Uuid, sealed: &[u8]) -> Result<String, Failure> {
        unseal_secret(&self.sealer, ORDER_TOKEN_PURPOSE, order, sealed)
    }

    /// Returns the two forms in which a payment's client secret is stored: sealed, and in clear
    /// text if a node with an earlier version of the program must read it.
    pub fn stored_client_secret_forms<'a>(
        &self,
        order: Uuid,
        secret: &'a str,
    ) -> (Option<&'a str>, Vec<u8>) {
        let sealed = self
            .sealer
            .seal(CLIENT_SECRET_PURPOSE, order, secret.as_bytes());
        (self.is_older_node_alive().then_some(secret), sealed)
    }

    /// Unseals a payment's client secret.
    ///
    /// # Errors
    ///
    /// [`Failure::Corrupt`] when it was sealed with another key, or the row was changed.
    pub fn unseal_client_secret(&self, order: Uuid, sealed: &[u8]) -> Result<String, Failure> {
        unseal_secret(&self.sealer, CLIENT_SECRET_PURPOSE, order, sealed)
    }

    /// Returns the hash to store for a new link, given the SHA-256 of its secret.
    pub fn link_hash(&self, kind: LinkKind, sha256: &[u8; 32]) -> Vec<u8> {
        if self.is_older_node_alive() {
            sha256.to_vec()
        } else {
            self.keyed_hash(kind, sha256)
        }
    }

    /// Returns both hashes under which a row may store a link: the keyed hash, and the plain
    /// SHA-256 hash that a row keeps until it is converted.
    pub fn link_hashes(&self, kind: LinkKind, sha256: &[u8; 32]) -> Vec<Vec<u8>> {
        vec![self.keyed_hash(kind, sha256), sha256.to_vec()]
    }

    pub fn keyed_hash(&self, kind: LinkKind, sha256: &[u8]) -> Vec<u8> {
        let mac = self
            .sealer
            .fingerprint(kind.purpose(), &hex::encode(sha256));
        [&[KEYED_HASH_PREFIX][..], &mac].concat()
    }
}

/// Returns a short id of a link, used in the dedupe key of the link's mail. It reveals nothing
/// about the link's secret.
pub(crate) fn link_id(stored_hash: &[u8]) -> String {
    let digits = stored_hash
        .strip_prefix(&[KEYED_HASH_PREFIX])
        .filter(|mac| mac.len() == 32)
        .unwrap_or(stored_hash);
    hex::encode(&digits[..LINK_ID_BYTES])
}

fn unseal_secret(
    sealer: &Sealer,
    purpose: &str,
    order: Uuid,
    sealed: &[u8],
) -> Result<String, Failure> {
    let opened = sealer.open(purpose, order, sealed)?;
    String::from_utf8(opened)
        .map_err(|_| Failure::Corrupt(format!("{purpose}:{order} is not text")))
}

/// Returns a webhook event's JSON text without any client secrets.
pub(crate) fn without_client_secrets(payload: &str) -> Cow<'_, str> {
    if !payload.contains(CLIENT_SECRET_FIELD) {
        return Cow::Borrowed(payload);
    }
    let Ok(mut event) = serde_json::from_str::<Value>(payload) else {
        return Cow::Owned("{}".to_string());
    };
    remove_client_secrets(&mut event);
    Cow::Owned(event.to_string())
}

fn remove_client_secrets(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| name != CLIENT_SECRET_FIELD);
            fields.values_mut().for_each(remove_client_secrets);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_client_secrets),
        _ => {}
    }
}

/// Hides the secret from logs.
impl fmt::Debug for LinkSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LinkSecrets(secret)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(key: u8) -> LinkSecrets {
        LinkSecrets::new(Sealer::new(&[key; 32]))
    }

    #[test]
    fn link_hash_differs_by_kind_and_key_and_from_sha256() {
        let sha256 = [3; 32];
        let stored = secrets(7).link_hash(LinkKind::Claim, &sha256);
        assert_eq!(stored, secrets(7).link_hashes(LinkKind::Claim, &sha256)[0]);
        assert_ne!(stored, secrets(8).link_hash(LinkKind::Claim, &sha256));
        assert_ne!(stored, secrets(7).link_hash(LinkKind::Account, &sha256));
        assert_ne!(stored[1..], sha256);
        assert_eq!(link_id(&stored), hex::encode(&stored[1..9]));
        assert_eq!(
            link_id(&[KEYED_HASH_PREFIX; 32]),
            "0101010101010101",
            "a plain hash may begin with the format byte"
        );
    }

    #[test]
    fn clear_text_is_written_only_while_older_nodes_run() {
        let (secrets, order, sha256) = (secrets(7), Uuid::from_u128(1), [3; 32]);
        let clear = |secrets: &LinkSecrets| {
            secrets
                .stored_token_forms(order, "token")
                .clear
                .map(str::to_string)
        };
        assert_eq!(
            (
                clear(&secrets),
                secrets.stored_client_secret_forms(order, "secret").0
            ),
            (None, None)
        );
        secrets.set_older_node_alive(true);
        assert_eq!(clear(&secrets).as_deref(), Some("token"));
        assert_eq!(
            secrets.stored_client_secret_forms(order, "secret").0,
            Some("secret")
        );
        assert_eq!(secrets.link_hash(LinkKind::Session, &sha256), sha256);
    }

    #[test]
    fn sealed_token_opens_only_for_its_order_and_key() {
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let sealed = secrets(7).stored_token_forms(one, "token").sealed;
        assert_eq!(
            secrets(7).unseal_token(one, &sealed).as_deref(),
            Ok("token")
        );
        assert!(secrets(7).unseal_token(other, &sealed).is_err());
        assert!(secrets(8).unseal_token(one, &sealed).is_err());
        assert!(secrets(7).unseal_client_secret(one, &sealed).is_err());
    }

    #[test]
    fn client_secrets_are_removed_from_events_at_any_depth() {
        let event = r#"{"id":"evt_1","data":{"object":{"client_secret":"a","error":{"list":[{"client_secret":"b"}]}}}}"#;
        let stored = without_client_secrets(event);
        assert_eq!(
            stored,
            r#"{"data":{"object":{"error":{"list":[{}]}}},"id":"evt_1"}"#
        );
        assert_eq!(
            without_client_secrets("{\"id\": 1}"),
            "{\"id\": 1}",
            "nothing to remove: unchanged to the byte"
        );
        assert_eq!(
            without_client_secrets("client_secret="),
            "{}",
            "what cannot be read is not kept"
        );
    }
}
