//! Versioned legal texts (decision B-15). An acceptance stores the version and digest of the text.

use persistence::stores::AgreedTerms;
use sha2::{Digest, Sha256};

/// One version of a legal text. `kind` names the text: `sale` or `service`.
#[derive(Clone, Copy, Debug)]
pub struct TermsDocument {
    pub kind: &'static str,
    pub version: &'static str,
    pub title: &'static str,
    pub text: &'static str,
}

/// The terms of sale, which buyers accept.
pub const SALE_TERMS: TermsDocument = TermsDocument {
    kind: "sale",
    version: "1.0",
    title: "Terms of Sale",
    text: include_str!("../../templates/terms/sale-1.0.txt"),
};

/// The terms of service, which clubs accept before they create a draw (decision E-17).
pub const SERVICE_TERMS: TermsDocument = TermsDocument {
    kind: "service",
    version: "1.0",
    title: "Terms of Service",
    text: include_str!("../../templates/terms/service-1.0.txt"),
};

impl TermsDocument {
    /// Returns the version and digest that are stored with a buyer's consent.
    pub fn as_agreed_terms(&self) -> AgreedTerms {
        AgreedTerms {
            version: self.version,
            sha256: Sha256::digest(self.text).into(),
        }
    }
}

/// Finds the current legal text by its kind, such as `sale`.
pub fn find_terms_document(kind: &str) -> Option<TermsDocument> {
    [SALE_TERMS, SERVICE_TERMS]
        .into_iter()
        .find(|document| document.kind == kind)
}

/// SHA-256 of a text, in hexadecimal.
pub fn sha256_hex(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_make_the_club_liable_for_all_its_logins() {
        assert!(
            !SERVICE_TERMS.text.contains("one login"),
            "each user of a club has a login (decision G-17)"
        );
        assert!(
            SERVICE_TERMS
                .text
                .contains("What is done under any of these logins counts as done by the club.")
        );
    }
}
