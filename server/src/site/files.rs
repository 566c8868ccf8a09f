//! The built files: read once, served with names that never change their meaning.

use std::collections::BTreeMap;
use std::path::Path;

use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, VARY, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::{HttpResponse, HttpResponseBuilder, http::StatusCode};
use bytes::Bytes;

use super::{File, Site, SiteError};
use crate::encoded::accepts;

/// Depth of folders in a build; a link in a circle ends here.
const DEPTH_MAX: usize = 4;

pub(super) fn read(dist: &Path) -> Result<BTreeMap<String, File>, SiteError> {
    let mut found = BTreeMap::new();
    gather(dist, "", DEPTH_MAX, &mut found)?;
    let plain: Vec<String> = found
        .keys()
        .filter(|name| !name.ends_with(".br") && !name.ends_with(".gz"))
        .cloned()
        .collect();
    let files = plain.into_iter().map(|name| {
        let file = File {
            content_type: content_type(&name),
            bytes: found[&name].clone(),
            brotli: found.get(&format!("{name}.br")).cloned(),
            gzip: found.get(&format!("{name}.gz")).cloned(),
        };
        (name, file)
    });
    Ok(files.collect())
}

fn gather(
    dir: &Path,
    prefix: &str,
    depth: usize,
    found: &mut BTreeMap<String, Bytes>,
) -> Result<(), SiteError> {
    for entry in std::fs::read_dir(dir).map_err(SiteError::io(dir))? {
        let entry = entry.map_err(SiteError::io(dir))?;
        let path = entry.path();
        let Some(name) = entry
            .file_name()
            .to_str()
            .map(|name| format!("{prefix}{name}"))
        else {
            continue;
        };
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if path.is_dir() {
            if depth > 1 {
                gather(&path, &format!("{name}/"), depth - 1, found)?;
            }
        } else {
            found.insert(
                name,
                Bytes::from(std::fs::read(&path).map_err(SiteError::io(&path))?),
            );
        }
    }
    Ok(())
}

fn content_type(name: &str) -> String {
    let guess = mime_guess::from_path(name).first_or_octet_stream();
    match guess.type_().as_str() {
        "text" => format!("{guess}; charset=utf-8"),
        _ => guess.to_string(),
    }
}

impl Site {
    /// Answers with one built file. Parcel writes a hash into every name, so a browser may keep it for ever.
    fn answer(&self, name: &str, asked: &HeaderMap) -> HttpResponse {
        let Some(file) = self.files.get(name) else {
            return HttpResponse::NotFound()
                .insert_header((CACHE_CONTROL, "no-store"))
                .finish();
        };
        let accepts = |coding: &str| accepts(asked, coding);
        let mut answer = HttpResponseBuilder::new(StatusCode::OK);
        answer.insert_header((CONTENT_TYPE, file.content_type.as_str()));
        answer.insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"));
        answer.insert_header((VARY, "Accept-Encoding"));
        answer.insert_header((
            CACHE_CONTROL,
            if hashed(name) {
                "public, max-age=31536000, immutable"
            } else {
                "no-cache"
            },
        ));
        match (&file.brotli, &file.gzip) {
            (Some(brotli), _) if accepts("br") => {
                answer.insert_header((CONTENT_ENCODING, "br"));
                answer.body(brotli.clone())
            }
            (_, Some(gzip)) if accepts("gzip") => {
                answer.insert_header((CONTENT_ENCODING, "gzip"));
                answer.body(gzip.clone())
            }
            _ => answer.body(file.bytes.clone()),
        }
    }
}

/// `GET /assets/{name}`.
pub fn serve(site: &Site, name: &str, asked: &HeaderMap) -> HttpResponse {
    site.answer(name, asked)
}

/// A name with a hash in it: `main.0a1b2c3d.js`.
fn hashed(name: &str) -> bool {
    let mut parts = name.rsplit('.');
    let is_hash = |part: &str| part.len() >= 8 && part.bytes().all(|b| b.is_ascii_hexdigit());
    parts.next().is_some() && parts.next().is_some_and(is_hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hashed_names_are_kept_for_ever() {
        assert!(hashed("main.0a1b2c3d.js"));
        assert!(hashed("barlow-condensed-600-subset.2b1c0d9e.woff2"));
        for name in [
            "index.html",
            "critical.css",
            "live.js",
            "sw.js",
            "manifest.webmanifest",
            "no-hash.subset.woff2",
        ] {
            assert!(!hashed(name), "{name}");
        }
    }

    #[test]
    fn types_are_told_with_their_character_set() {
        assert_eq!(content_type("a.css"), "text/css; charset=utf-8");
        assert!(content_type("a.js").starts_with("text/javascript"));
        assert_eq!(content_type("a.woff2"), "font/woff2");
        assert_eq!(
            content_type("manifest.webmanifest"),
            "application/manifest+json"
        );
    }

    /// A browser that kept the worker could not be rid of a wrong one.
    #[test]
    fn a_file_whose_name_stays_is_asked_for_again_every_time() {
        let file = |name: &str| File {
            content_type: content_type(name),
            bytes: Bytes::from_static(b"x"),
            brotli: None,
            gzip: None,
        };
        let names = ["sw.js", "main.0a1b2c3d.js"];
        let site = Site {
            files: names
                .map(|name| (name.to_string(), file(name)))
                .into_iter()
                .collect(),
            ..Site::default()
        };
        let kept = names.map(|name| {
            let answer = serve(&site, name, &HeaderMap::new());
            answer
                .headers()
                .get(CACHE_CONTROL)
                .and_then(|said| said.to_str().ok())
                .unwrap_or_default()
                .to_string()
        });
        assert_eq!(kept, ["no-cache", "public, max-age=31536000, immutable"]);
    }
}
