//! The topics that a socket can subscribe to.

use std::fmt;

use domain::DrawId;

/// A topic that a socket can subscribe to, written as `draw:1042`, `draws`, `public`, `ops` or
/// `order:<token>`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    Draw(DrawId),
    /// The draws of the public lists: on sale, awaiting a result, and recent results.
    Draws,
    /// Maintenance mode and the build version.
    Public,
    /// The operator's console. It requires a fully signed-in operator.
    Ops,
    /// One buyer's order. The token grants access (decision B-9).
    Order(String),
}

impl Topic {
    /// Parses a topic from text such as `draw:1042`. `None` if the text is invalid.
    pub fn parse(text: &str) -> Option<Topic> {
        match text.trim().split_once(':') {
            None if text.trim() == "draws" => Some(Topic::Draws),
            None if text.trim() == "public" => Some(Topic::Public),
            None if text.trim() == "ops" => Some(Topic::Ops),
            Some(("draw", number)) => number
                .parse()
                .ok()
                .map(|number| Topic::Draw(DrawId(number))),
            Some(("order", token))
                if token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit()) =>
            {
                Some(Topic::Order(token.to_lowercase()))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Topic::Draw(draw) => write!(f, "draw:{draw}"),
            Topic::Draws => f.write_str("draws"),
            Topic::Public => f.write_str("public"),
            Topic::Ops => f.write_str("ops"),
            Topic::Order(token) => write!(f, "order:{token}"),
        }
    }
}

/// Parses a comma-separated list of topics. Invalid topics are left out.
pub fn parse_topics(list: &str) -> Vec<Topic> {
    list.split(',').filter_map(Topic::parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topic_text_round_trips() {
        let token = "0123456789abcdef0123456789abcdef";
        for text in [
            "draw:1042",
            "draws",
            "public",
            "ops",
            &format!("order:{token}"),
        ] {
            assert_eq!(Topic::parse(text).expect("a topic").to_string(), text);
        }
        for text in [
            "",
            "draw:",
            "draw:x",
            "order:short",
            "admin:anomalies",
            "draw",
            "order:../../../../../../etc/passwd..",
        ] {
            assert_eq!(Topic::parse(text), None, "{text}");
        }
        assert_eq!(parse_topics("draws, nonsense,draw:1042").len(), 2);
    }
}
