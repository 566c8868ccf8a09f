//! Pictures from outside, made anew: decoded, bounded, and encoded by us, so that nothing else in the file survives. A drawing
//! (SVG) becomes a picture: no script, no link, no outside address is left (decisions B-12, G-8, G-9).

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageFormat, ImageReader, Limits};
use resvg::{tiny_skia, usvg};

/// Longest side of a decoded picture, in pixels.
const SIDE_MAX: u32 = 8000;
/// Longest side of a stored one.
const SIDE_KEPT: u32 = 1600;
/// Longest side a drawing is drawn at.
const DRAWN: f32 = 512.0;
/// Memory a decoder may take.
const MEMORY_MAX: u64 = 256 * 1024 * 1024;
const QUALITY: u8 = 88;

/// What the first bytes say a file is; its name and its sender are not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Png,
    Jpeg,
    Svg,
}

/// A picture as we store it.
pub struct Picture {
    /// `png` or `jpg`.
    pub ending: &'static str,
    pub bytes: Vec<u8>,
}

pub fn kind(bytes: &[u8]) -> Option<Kind> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Some(Kind::Png);
    }
    if bytes.starts_with(b"\xff\xd8\xff") {
        return Some(Kind::Jpeg);
    }
    let text = std::str::from_utf8(bytes)
        .ok()?
        .trim_start_matches('\u{feff}')
        .trim_start();
    let is_drawing = text.starts_with("<svg")
        || (text.starts_with("<?xml") || text.starts_with("<!--")) && text.contains("<svg");
    is_drawing.then_some(Kind::Svg)
}

/// `None`: it is not what it says, too large to be taken, or so odd that a decoder of somebody else's stumbles over it.
pub fn made_anew(bytes: &[u8]) -> Option<Picture> {
    let kind = kind(bytes)?;
    let made = || match kind {
        Kind::Svg => drawn(bytes),
        Kind::Png => encoded(&decoded(bytes, ImageFormat::Png)?, ImageFormat::Png),
        Kind::Jpeg => encoded(&decoded(bytes, ImageFormat::Jpeg)?, ImageFormat::Jpeg),
    };
    // A blur of a thousand million pixels overflows inside `resvg`: that is the drawing's fault, not a failure of ours.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(made))
        .ok()
        .flatten()
}

fn decoded(bytes: &[u8], format: ImageFormat) -> Option<DynamicImage> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(SIDE_MAX);
    limits.max_image_height = Some(SIDE_MAX);
    limits.max_alloc = Some(MEMORY_MAX);
    reader.limits(limits);
    let picture = reader.decode().ok()?;
    let large = picture.width().max(picture.height()) > SIDE_KEPT;
    Some(if large {
        picture.thumbnail(SIDE_KEPT, SIDE_KEPT)
    } else {
        picture
    })
}

fn encoded(picture: &DynamicImage, format: ImageFormat) -> Option<Picture> {
    let mut bytes = Vec::new();
    match format {
        ImageFormat::Png => {
            picture
                .write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png)
                .ok()?;
            Some(Picture {
                ending: "png",
                bytes,
            })
        }
        _ => {
            let plain = picture.to_rgb8();
            JpegEncoder::new_with_quality(&mut bytes, QUALITY)
                .encode_image(&plain)
                .ok()?;
            Some(Picture {
                ending: "jpg",
                bytes,
            })
        }
    }
}

fn drawn(bytes: &[u8]) -> Option<Picture> {
    let mut options = usvg::Options::default();
    // No file of ours and no address of anybody's is looked at.
    options.image_href_resolver.resolve_string = Box::new(|_, _| None);
    let tree = usvg::Tree::from_data(bytes, &options).ok()?;
    let size = tree.size();
    let scale = DRAWN / size.width().max(size.height());
    if !scale.is_finite() || scale <= 0.0 {
        return None;
    }
    let side = |length: f32| (length * scale).round().max(1.0) as u32;
    let mut canvas = tiny_skia::Pixmap::new(side(size.width()), side(size.height()))?;
    resvg::render(
        &tree,
        tiny_skia::Transform::from_scale(scale, scale),
        &mut canvas.as_mut(),
    );
    let bytes = canvas.encode_png().ok()?;
    Some(Picture {
        ending: "png",
        bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWING: &[u8] =
        br#"<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20" onload="alert(1)">
        <script>alert(2)</script><image href="/etc/passwd" width="5" height="5"/>
        <rect width="40" height="20" fill="red"/></svg>"#;

    #[test]
    fn a_drawing_becomes_a_picture_without_its_script() {
        let picture = made_anew(DRAWING).expect("drawn");
        assert_eq!(
            (picture.ending, kind(&picture.bytes)),
            ("png", Some(Kind::Png))
        );
        assert!(!picture.bytes.windows(5).any(|window| window == b"alert"));
        let again = decoded(&picture.bytes, ImageFormat::Png).expect("a picture");
        assert_eq!((again.width(), again.height()), (512, 256));
    }

    #[test]
    fn a_drawing_shows_no_picture_of_this_machine() {
        let secret = std::env::temp_dir().join(format!(
            "football-doubles-picture-{}.svg",
            std::process::id()
        ));
        let blue = r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="blue"/></svg>"#;
        std::fs::write(&secret, blue).expect("written");
        let drawing = |inside: &str| {
            let svg = format!(
                r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">{inside}</svg>"#
            );
            made_anew(svg.as_bytes()).expect("drawn").bytes
        };
        let asks = drawing(&format!(
            r#"<image href="{}" width="9" height="9"/>"#,
            secret.display()
        ));
        std::fs::remove_file(&secret).expect("removed");
        assert_eq!(asks, drawing(""));
    }

    #[test]
    fn a_photograph_loses_everything_but_its_picture() {
        let mut jpeg = Vec::new();
        JpegEncoder::new(&mut jpeg)
            .encode_image(&image::RgbImage::new(2000, 10))
            .expect("encoded");
        // A comment segment, as cameras write their place into.
        let comment = b"\xff\xfe\x00\x0eGPS -27.4,153";
        jpeg.splice(2..2, comment.iter().copied());
        let picture = made_anew(&jpeg).expect("made anew");
        assert_eq!(picture.ending, "jpg");
        assert!(!picture.bytes.windows(3).any(|window| window == b"GPS"));
        assert_eq!(
            decoded(&picture.bytes, ImageFormat::Jpeg).map(|picture| picture.width()),
            Some(1600)
        );
    }

    #[test]
    fn what_only_says_that_it_is_a_picture_is_refused() {
        for bad in [
            &b"GIF89a"[..],
            b"\x89PNG\r\n\x1a\nnothing",
            b"\xff\xd8\xff",
            b"<html><svg></svg></html>",
            b"",
        ] {
            assert!(made_anew(bad).is_none(), "{bad:?}");
        }
    }
}
