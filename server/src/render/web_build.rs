//! Finds the built front end, builds it when it is outdated, and serves it from memory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use thiserror::Error;

mod build;
mod files;

pub use build::{ensure_built, install_packages};
pub use files::serve;

/// The path prefix of scripts and styles in `index.html`.
pub const ASSETS_PATH_PREFIX: &str = "/assets/";

/// Why the front end could not be loaded or built.
#[derive(Debug, Error)]
pub enum WebBuildError {
    /// A tool or file is missing. The one-line text says what is missing and how to get it.
    #[error("{0}")]
    Missing(String),
    #[error("the web build failed: {0}")]
    Build(String),
    #[error("{path}: {source}", path = path.display())]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
}

impl WebBuildError {
    fn io_error(path: &Path) -> impl FnOnce(std::io::Error) -> WebBuildError {
        let path = path.to_path_buf();
        move |source| WebBuildError::Io { path, source }
    }
}

/// A built front end in memory. Requests are served without disk access, so that no path can reach
/// other files.
#[derive(Debug, Default)]
pub struct WebBuild {
    /// The `<link>` and `<script>` tags of the built `index.html`, in the order of the file.
    pub tags: WebBuildTags,
    /// CSS of the first visible content, inlined into every page.
    pub critical_css: String,
    /// CSS of the first visible content of one kind of page, inlined after `critical_css`. The key
    /// `draw` has the text of the file `critical-draw.css`.
    pub critical_css_by_part: BTreeMap<String, String>,
    /// The script chunks that a page needs besides the main script, by page name.
    pub chunks: BTreeMap<String, Vec<String>>,
    files: BTreeMap<String, WebBuildFile>,
}

/// HTML tags of the built `index.html`.
#[derive(Debug, Default)]
pub struct WebBuildTags {
    /// Icon, fonts and preloads for `<head>`.
    pub head: String,
    /// Links to style sheets that the first visible content does not need. Pages contain them after
    /// that content, so that they do not delay it.
    pub styles: String,
    pub scripts: String,
}

#[derive(Debug)]
struct WebBuildFile {
    content_type: String,
    bytes: Bytes,
    /// The file compressed with brotli; `None` if the build did not compress it.
    brotli: Option<Bytes>,
    gzip: Option<Bytes>,
}

impl WebBuild {
    /// Reads a built front end into memory.
    pub fn read(dist: &Path) -> Result<WebBuild, WebBuildError> {
        let index = dist.join("index.html");
        let html = std::fs::read_to_string(&index).map_err(|_| {
            WebBuildError::Missing(format!(
                "{} is missing: run `npm ci && npm run build` in web, or set FD_WEB_DIR",
                index.display()
            ))
        })?;
        let chunks = match std::fs::read_to_string(dist.join("routes.json")) {
            Ok(text) => serde_json::from_str(&text)
                .map_err(|e| WebBuildError::Build(format!("routes.json: {e}")))?,
            Err(_) => BTreeMap::new(),
        };
        let files = files::read_all(dist)?;
        Ok(WebBuild {
            tags: WebBuildTags::parse(&html),
            critical_css: std::fs::read_to_string(dist.join("critical.css")).unwrap_or_default(),
            critical_css_by_part: critical_css_by_part(&files),
            chunks,
            files,
        })
    }
}

fn critical_css_by_part(files: &BTreeMap<String, WebBuildFile>) -> BTreeMap<String, String> {
    let parts = files.iter().filter_map(|(name, file)| {
        let part = name.strip_prefix("critical-")?.strip_suffix(".css")?;
        let css = String::from_utf8_lossy(&file.bytes).into_owned();
        Some((part.to_string(), css))
    });
    parts.collect()
}

impl WebBuildTags {
    /// Finds the tags of `index.html` one by one, because Parcel omits `<head>` and `<body>`.
    fn parse(html: &str) -> WebBuildTags {
        let mut tags = WebBuildTags::default();
        let mut rest = html;
        while let Some(start) = rest.find('<') {
            rest = &rest[start..];
            let end = rest.find('>').map_or(rest.len(), |end| end + 1);
            let tag = &rest[..end];
            if tag.starts_with("<link") && tag.contains("stylesheet") {
                tags.styles.push_str(tag);
            } else if tag.starts_with("<link") {
                tags.head.push_str(tag);
            } else if tag.starts_with("<script") && tag.contains("src=") {
                tags.scripts.push_str(tag);
                tags.scripts.push_str("</script>");
            }
            rest = &rest[end..];
        }
        tags
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_a_minified_page_are_found() {
        let html = "<!doctype html><html lang=en-AU><meta charset=utf-8><title>x</title>\
            <link rel=icon href=/assets/a.svg><link rel=stylesheet href=/assets/b.css><div id=root></div>\
            <script type=module src=/assets/c.js></script><script>inline()</script>";
        let tags = WebBuildTags::parse(html);
        assert_eq!(tags.head, "<link rel=icon href=/assets/a.svg>");
        assert_eq!(tags.styles, "<link rel=stylesheet href=/assets/b.css>");
        assert_eq!(
            tags.scripts,
            "<script type=module src=/assets/c.js></script>"
        );
    }

    #[test]
    fn missing_build_is_reported_in_one_line() {
        let problem = WebBuild::read(Path::new("/nowhere"))
            .expect_err("nothing there")
            .to_string();
        assert!(
            problem.contains("npm run build") && !problem.contains('\n'),
            "{problem}"
        );
    }
}
