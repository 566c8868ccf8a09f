//! Versioned legal texts (decision B-15). An acceptance stores the version and the digest of the text that was shown.

use persistence::books::TermsAgreed;
use sha2::{Digest, Sha256};

/// One text in one version.
#[derive(Clone, Copy, Debug)]
pub struct Document {
    pub kind: &'static str,
    pub version: &'static str,
    pub title: &'static str,
    pub text: &'static str,
}

/// What buyers agree to.
pub const SALE: Document = Document {
    kind: "sale",
    version: "1.0",
    title: "Terms of Sale",
    text: include_str!("../templates/terms/sale-1.0.txt"),
};

/// What clubs agree to before a draw is created (decision E-17).
pub const SERVICE: Document = Document {
    kind: "service",
    version: "1.0",
    title: "Terms of Service",
    text: include_str!("../templates/terms/service-1.0.txt"),
};

impl Document {
    /// As a buyer's consent names it.
    pub fn agreed(&self) -> TermsAgreed {
        TermsAgreed {
            version: self.version,
            sha256: Sha256::digest(self.text).into(),
        }
    }
}

pub fn document(kind: &str) -> Option<Document> {
    [SALE, SERVICE]
        .into_iter()
        .find(|document| document.kind == kind)
}

/// SHA-256 in hexadecimal.
pub fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_club_answers_for_everybody_whom_it_gives_a_login() {
        assert!(
            !SERVICE.text.contains("one login"),
            "a club's people have logins of their own (decision G-17)"
        );
        assert!(
            SERVICE
                .text
                .contains("What is done under any of these logins counts as done by the club.")
        );
    }
}
