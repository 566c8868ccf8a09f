//! Reads the built files into memory and serves them.

use std::collections::BTreeMap;
use std::path::Path;

use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, VARY, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::{HttpResponse, HttpResponseBuilder, http::StatusCode};
use bytes::Bytes;

use super::{WebBuild, WebBuildError, WebBuildFile};
use crate::api::compressible_body::accepts_coding;

/// Maximum depth of folders in a built front end. The limit also ends the search if links form a
/// cycle.
const FOLDER_DEPTH_MAX: usize = 4;

/// Reads all files of a built front end into memory. Hidden files are left out.
pub(super) fn read_all(dist: &Path) -> Result<BTreeMap<String, WebBuildFile>, WebBuildError> {
    let mut found = BTreeMap::new();
    collect_files(dist, "", FOLDER_DEPTH_MAX, &mut found)?;
    let plain: Vec<String> = found
        .keys()
        .filter(|name| !name.ends_with(".br") && !name.ends_with(".gz"))
        .cloned()
        .collect();
    let files = plain.into_iter().map(|name| {
        let file = WebBuildFile {
            content_type: content_type(&name),
            bytes: found[&name].clone(),
            brotli: found.get(&format!("{name}.br")).cloned(),
            gzip: found.get(&format!("{name}.gz")).cloned(),
        };
        (name, file)
    });
    Ok(files.collect())
}

fn collect_files(
    dir: &Path,
    prefix: &str,
    depth: usize,
    found: &mut BTreeMap<String, Bytes>,
) -> Result<(), WebBuildError> {
    for entry in std::fs::read_dir(dir).map_err(WebBuildError::io_error(dir))? {
        let entry = entry.map_err(WebBuildError::io_error(dir))?;
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
                collect_files(&path, &format!("{name}/"), depth - 1, found)?;
            }
        } else {
            found.insert(
                name,
                Bytes::from(std::fs::read(&path).map_err(WebBuildError::io_error(&path))?),
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

impl WebBuild {
    /// Builds the response with one built file. A file with a content hash in its name may be
    /// cached forever.
    fn response(&self, name: &str, headers: &HeaderMap) -> HttpResponse {
        let Some(file) = self.files.get(name) else {
            return HttpResponse::NotFound()
                .insert_header((CACHE_CONTROL, "no-store"))
                .finish();
        };
        let accepts = |coding: &str| accepts_coding(headers, coding);
        let mut response = HttpResponseBuilder::new(StatusCode::OK);
        response.insert_header((CONTENT_TYPE, file.content_type.as_str()));
        response.insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"));
        response.insert_header((VARY, "Accept-Encoding"));
        response.insert_header((
            CACHE_CONTROL,
            if has_content_hash(name) {
                "public, max-age=31536000, immutable"
            } else {
                "no-cache"
            },
        ));
        match (&file.brotli, &file.gzip) {
            (Some(brotli), _) if accepts("br") => {
                response.insert_header((CONTENT_ENCODING, "br"));
                response.body(brotli.clone())
            }
            (_, Some(gzip)) if accepts("gzip") => {
                response.insert_header((CONTENT_ENCODING, "gzip"));
                response.body(gzip.clone())
            }
            _ => response.body(file.bytes.clone()),
        }
    }
}

/// Handles `GET /assets/{name}`.
pub fn serve(site: &WebBuild, name: &str, headers: &HeaderMap) -> HttpResponse {
    site.response(name, headers)
}

/// Whether a name contains a content hash: `main.0a1b2c3d.js`.
fn has_content_hash(name: &str) -> bool {
    let mut parts = name.rsplit('.');
    let is_hash = |part: &str| part.len() >= 8 && part.bytes().all(|b| b.is_ascii_hexdigit());
    parts.next().is_some() && parts.next().is_some_and(is_hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hashed_names_are_cached_forever() {
        assert!(has_content_hash("main.0a1b2c3d.js"));
        assert!(has_content_hash(
            "barlow-condensed-600-subset.2b1c0d9e.woff2"
        ));
        for name in [
            "index.html",
            "critical.css",
            "live.js",
            "sw.js",
            "manifest.webmanifest",
            "no-hash.subset.woff2",
        ] {
            assert!(!has_content_hash(name), "{name}");
        }
    }

    #[test]
    fn text_types_name_their_character_set() {
        assert_eq!(content_type("a.css"), "text/css; charset=utf-8");
        assert!(content_type("a.js").starts_with("text/javascript"));
        assert_eq!(content_type("a.woff2"), "font/woff2");
        assert_eq!(
            content_type("manifest.webmanifest"),
            "application/manifest+json"
        );
    }

    /// A browser must revalidate the service worker, because otherwise it could not replace a
    /// broken one.
    #[test]
    fn file_with_a_stable_name_is_revalidated() {
        let file = |name: &str| WebBuildFile {
            content_type: content_type(name),
            bytes: Bytes::from_static(b"x"),
            brotli: None,
            gzip: None,
        };
        let names = ["sw.js", "main.0a1b2c3d.js"];
        let site = WebBuild {
            files: names
                .map(|name| (name.to_string(), file(name)))
                .into_iter()
                .collect(),
            ..WebBuild::default()
        };
        let cache_headers = names.map(|name| {
            let response = serve(&site, name, &HeaderMap::new());
            response
                .headers()
                .get(CACHE_CONTROL)
                .and_then(|value| value.to_str().ok())
                .unwrap_or_default()
                .to_string()
        });
        assert_eq!(
            cache_headers,
            ["no-cache", "public, max-age=31536000, immutable"]
        );
    }
}
