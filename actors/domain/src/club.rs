//! A club's slug: its path segment in the public addresses.

/// Path segments that the site uses itself, so no club may use them as its slug (decision A-9).
pub const SLUGS_RESERVED: [&str; 15] = [
    "admin",
    "super-admin",
    "api",
    "club",
    "draw",
    "checkout",
    "cart",
    "w",
    "widgets",
    "bundle",
    "specials",
    "offer",
    "assets",
    "health",
    "login",
];

/// Whether a slug is valid: lower-case letters, digits and hyphens, 3 to 50 characters, not
/// reserved (B:163).
pub fn slug_is_valid(slug: &str) -> bool {
    (3..=50).contains(&slug.len())
        && slug
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        && !SLUGS_RESERVED.contains(&slug)
}

/// Makes a slug from a club's name: its letters and digits, with one hyphen in place of any other
/// characters (decision H-1). The slug is short enough to append a suffix such as `-2`. The caller
/// checks whether another club already has the slug.
pub fn slug_from_name(name: &str) -> String {
    const SLUG_LENGTH_MAX: usize = 46;
    let mut slug = String::new();
    for letter in name.chars().flat_map(char::to_lowercase) {
        match letter {
            'a'..='z' | '0'..='9' => slug.push(letter),
            // Apostrophes are dropped: they do not separate words.
            '\'' | '’' => {}
            _ if slug.ends_with('-') || slug.is_empty() => {}
            _ => slug.push('-'),
        }
    }
    slug.truncate(SLUG_LENGTH_MAX);
    let slug = slug.trim_end_matches('-');
    match slug.len() {
        0 => "club-page".to_string(),
        _ if slug_is_valid(slug) => slug.to_string(),
        _ => format!("{slug}-club"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slug_from_name_is_valid_and_not_reserved() {
        let examples = [
            ("Brisbane Broncos RLFC", "brisbane-broncos-rlfc"),
            ("  St. Mary's -- Saints!  ", "st-marys-saints"),
            ("Manly–Warringah", "manly-warringah"),
            ("Admin", "admin-club"),
            ("AB", "ab-club"),
            ("橄榄球", "club-page"),
            ("", "club-page"),
        ];
        for (name, slug) in examples {
            assert_eq!(slug_from_name(name), slug, "{name}");
            assert!(slug_is_valid(slug), "{slug}");
        }
        assert_eq!(slug_from_name(&"x".repeat(80)).len(), 46);
        assert!(slug_is_valid(&format!(
            "{}-999",
            slug_from_name(&"ab ".repeat(40))
        )));
    }
}
