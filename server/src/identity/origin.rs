//! Whose page made a browser send an unsafe request: judged by what the browser itself says.

/// What a request says of where it comes from.
#[derive(Clone, Copy, Debug)]
pub struct Signs<'a> {
    /// `Sec-Fetch-Site`.
    pub site: Option<&'a str>,
    /// `Origin`.
    pub origin: Option<&'a str>,
    /// `Host`.
    pub host: Option<&'a str>,
    pub public_url: &'a str,
    /// It carries a login cookie.
    pub signed_in: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Ours,
    Foreign,
}

/// A browser names the origin of every unsafe request. Something that names none is no browser: it may act, but never with
/// somebody's login.
pub fn judge(signs: &Signs<'_>) -> Verdict {
    let site_is_foreign = signs
        .site
        .is_some_and(|site| !matches!(site, "same-origin" | "none"));
    let origin_is_foreign = signs.origin.is_some_and(|origin| !is_own(origin, signs));
    let nothing_said = signs.site.is_none() && signs.origin.is_none();
    if site_is_foreign || origin_is_foreign || (nothing_said && signs.signed_in) {
        Verdict::Foreign
    } else {
        Verdict::Ours
    }
}

fn is_own(origin: &str, signs: &Signs<'_>) -> bool {
    let authority = origin.split_once("://").map(|(_, authority)| authority);
    origin == signs.public_url || (authority.is_some() && authority == signs.host)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Signs<'_> = Signs {
        site: None,
        origin: None,
        host: Some("fd.test"),
        public_url: "https://fd.test",
        signed_in: false,
    };

    #[test]
    fn our_own_pages_are_believed() {
        assert_eq!(
            judge(&Signs {
                site: Some("same-origin"),
                signed_in: true,
                ..NONE
            }),
            Verdict::Ours
        );
        assert_eq!(
            judge(&Signs {
                origin: Some("https://fd.test"),
                signed_in: true,
                ..NONE
            }),
            Verdict::Ours
        );
        assert_eq!(
            judge(&Signs {
                origin: Some("http://fd.test"),
                ..NONE
            }),
            Verdict::Ours,
            "behind a proxy"
        );
    }

    #[test]
    fn other_sites_are_not() {
        for site in ["cross-site", "same-site", "unreadable"] {
            assert_eq!(
                judge(&Signs {
                    site: Some(site),
                    ..NONE
                }),
                Verdict::Foreign
            );
        }
        for origin in ["https://evil.test", "null", "https://fd.test.evil.test", ""] {
            assert_eq!(
                judge(&Signs {
                    origin: Some(origin),
                    ..NONE
                }),
                Verdict::Foreign
            );
        }
        let contradiction = Signs {
            site: Some("same-origin"),
            origin: Some("https://evil.test"),
            ..NONE
        };
        assert_eq!(judge(&contradiction), Verdict::Foreign);
    }

    #[test]
    fn who_names_no_origin_acts_without_a_login_only() {
        assert_eq!(judge(&NONE), Verdict::Ours);
        assert_eq!(
            judge(&Signs {
                signed_in: true,
                ..NONE
            }),
            Verdict::Foreign
        );
    }
}
