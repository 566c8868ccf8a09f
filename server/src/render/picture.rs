//! Re-encodes uploaded pictures: decoded, scaled down and encoded again, so that only the pixels of
//! the file are stored. An SVG drawing becomes a raster picture without scripts, links or external
//! addresses (decisions B-12, G-8, G-9).
//!
//! [`reencode`] runs in a child process with resource limits, which [`crate::render::renderer`]
//! starts.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageFormat, ImageReader, Limits};

mod svg_drawing;

/// Longest side of a decoded picture, in pixels.
const DECODED_SIDE_PIXELS_MAX: u32 = 8000;
/// Maximum number of pixels of a decoded picture. Phones take photographs of 12 to 24 million
/// pixels. Larger pictures cost too much processor time.
const DECODED_PIXELS_MAX: u64 = 32_000_000;
/// Longest side of a stored picture, in pixels.
const STORED_SIDE_PIXELS_MAX: u32 = 1600;
/// Maximum memory that the decoder of a picture may use, in bytes.
const DECODER_MEMORY_BYTES_MAX: u64 = 256 * 1024 * 1024;
const JPEG_QUALITY: u8 = 88;

/// The type of a picture file, detected by its first bytes. File name and declared type are
/// ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureType {
    Png,
    Jpeg,
    Svg,
}

/// A re-encoded picture for storage.
pub struct Picture {
    /// The file name extension: `png` or `jpg`.
    pub ending: &'static str,
    pub bytes: Vec<u8>,
}

/// Detects the type of a file; `None` if it is not an accepted picture.
pub fn detect_type(bytes: &[u8]) -> Option<PictureType> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Some(PictureType::Png);
    }
    if bytes.starts_with(b"\xff\xd8\xff") {
        return Some(PictureType::Jpeg);
    }
    let text = std::str::from_utf8(bytes)
        .ok()?
        .trim_start_matches('\u{feff}')
        .trim_start();
    let is_drawing = text.starts_with("<svg")
        || (text.starts_with("<?xml") || text.starts_with("<!--")) && text.contains("<svg");
    is_drawing.then_some(PictureType::Svg)
}

/// Re-encodes a picture. `None` if the file cannot be decoded as its type, or the picture is too
/// large. If a decoder panics, only the child process ends.
pub fn reencode(bytes: &[u8]) -> Option<Picture> {
    match detect_type(bytes)? {
        PictureType::Svg => Some(Picture {
            ending: "png",
            bytes: svg_drawing::rasterise_to_png(std::str::from_utf8(bytes).ok()?)?,
        }),
        PictureType::Png => encode(&decode(bytes, ImageFormat::Png)?, ImageFormat::Png),
        PictureType::Jpeg => encode(&decode(bytes, ImageFormat::Jpeg)?, ImageFormat::Jpeg),
    }
}

fn decode(bytes: &[u8], format: ImageFormat) -> Option<DynamicImage> {
    let (width, height) = ImageReader::with_format(Cursor::new(bytes), format)
        .into_dimensions()
        .ok()?;
    if u64::from(width) * u64::from(height) > DECODED_PIXELS_MAX {
        return None;
    }
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(DECODED_SIDE_PIXELS_MAX);
    limits.max_image_height = Some(DECODED_SIDE_PIXELS_MAX);
    limits.max_alloc = Some(DECODER_MEMORY_BYTES_MAX);
    reader.limits(limits);
    let picture = reader.decode().ok()?;
    let large = picture.width().max(picture.height()) > STORED_SIDE_PIXELS_MAX;
    Some(if large {
        picture.thumbnail(STORED_SIDE_PIXELS_MAX, STORED_SIDE_PIXELS_MAX)
    } else {
        picture
    })
}

fn encode(picture: &DynamicImage, format: ImageFormat) -> Option<Picture> {
    let mut bytes = Vec::new();
    if format == ImageFormat::Png {
        picture
            .write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png)
            .ok()?;
        Some(Picture {
            ending: "png",
            bytes,
        })
    } else {
        let plain = picture.to_rgb8();
        JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY)
            .encode_image(&plain)
            .ok()?;
        Some(Picture {
            ending: "jpg",
            bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SVG_DRAWING: &[u8] =
        br#"<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20" onload="alert(1)">
        <script>alert(2)</script>
        <rect width="40" height="20" fill="red"/></svg>"#;

    #[test]
    fn svg_is_rasterised_without_its_script() {
        let picture = reencode(SVG_DRAWING).expect("drawn");
        assert_eq!(
            (picture.ending, detect_type(&picture.bytes)),
            ("png", Some(PictureType::Png))
        );
        assert!(!picture.bytes.windows(5).any(|window| window == b"alert"));
        let redecoded = decode(&picture.bytes, ImageFormat::Png).expect("a picture");
        assert_eq!((redecoded.width(), redecoded.height()), (512, 256));
    }

    #[test]
    fn svg_with_an_external_image_is_refused() {
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
            reencode(svg.as_bytes())
        };
        let asks = drawing(&format!(
            r#"<image href="{}" width="9" height="9"/>"#,
            secret.display()
        ));
        std::fs::remove_file(&secret).expect("removed");
        assert!(asks.is_none(), "a drawing with an outside image is refused");
        assert!(drawing("").is_some());
    }

    #[test]
    fn photograph_loses_its_metadata() {
        let mut jpeg = Vec::new();
        JpegEncoder::new(&mut jpeg)
            .encode_image(&image::RgbImage::new(2000, 10))
            .expect("encoded");
        // A JPEG comment segment with a location, which must not survive.
        let comment = b"\xff\xfe\x00\x0eGPS -27.4,153";
        jpeg.splice(2..2, comment.iter().copied());
        let picture = reencode(&jpeg).expect("made anew");
        assert_eq!(picture.ending, "jpg");
        assert!(!picture.bytes.windows(3).any(|window| window == b"GPS"));
        assert_eq!(
            decode(&picture.bytes, ImageFormat::Jpeg).map(|picture| picture.width()),
            Some(1600)
        );
    }

    #[test]
    fn file_that_only_claims_to_be_a_picture_is_refused() {
        for bad in [
            &b"GIF89a"[..],
            b"\x89PNG\r\n\x1a\nnothing",
            b"\xff\xd8\xff",
            b"<html><svg></svg></html>",
            b"",
        ] {
            assert!(reencode(bad).is_none(), "{bad:?}");
        }
    }
}
