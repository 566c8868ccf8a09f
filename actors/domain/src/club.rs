//! A club's slug and colours.

/// Path segments no club may have (decision A-9).
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

/// Lower-case letters, digits and hyphens, 3 to 50 characters, and not reserved (B:163).
pub fn slug_is_valid(slug: &str) -> bool {
    (3..=50).contains(&slug.len())
        && slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        && !SLUGS_RESERVED.contains(&slug)
}
