//! Generates files that are small but take much time or memory to decode. The effort grows with the
//! length.

use std::io::Cursor;

use image::{ImageFormat, RgbImage};

/// The way in which a file attacks the decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostileFileKind {
    NestedGroups,
    NestedDrawings,
    Elements,
    BlurredRectangles,
    BlurProperties,
    PatternsInPatterns,
    UsesInUses,
    GradientChain,
    ClipPathChain,
    Markers,
    LongPath,
    Arcs,
    TinyDashes,
    Attributes,
    Selectors,
    Letters,
    Spans,
    Layers,
    EntityBomb,
    EmbeddedImages,
    Comments,
    PngOfOneColour,
    PngThatClaims,
    PngProfile,
    JpegThatClaims,
    JpegScans,
    Truncated,
    Mutated,
    RandomBytes,
}

pub const HOSTILE_FILE_KINDS: [HostileFileKind; 29] = [
    HostileFileKind::NestedGroups,
    HostileFileKind::NestedDrawings,
    HostileFileKind::Elements,
    HostileFileKind::BlurredRectangles,
    HostileFileKind::BlurProperties,
    HostileFileKind::PatternsInPatterns,
    HostileFileKind::UsesInUses,
    HostileFileKind::GradientChain,
    HostileFileKind::ClipPathChain,
    HostileFileKind::Markers,
    HostileFileKind::LongPath,
    HostileFileKind::Arcs,
    HostileFileKind::TinyDashes,
    HostileFileKind::Attributes,
    HostileFileKind::Selectors,
    HostileFileKind::Letters,
    HostileFileKind::Spans,
    HostileFileKind::Layers,
    HostileFileKind::EntityBomb,
    HostileFileKind::EmbeddedImages,
    HostileFileKind::Comments,
    HostileFileKind::PngOfOneColour,
    HostileFileKind::PngThatClaims,
    HostileFileKind::PngProfile,
    HostileFileKind::JpegThatClaims,
    HostileFileKind::JpegScans,
    HostileFileKind::Truncated,
    HostileFileKind::Mutated,
    HostileFileKind::RandomBytes,
];

/// Maximum length of a generated chain of references. The SVG check refuses more than 2,000
/// elements.
const SVG_REFERENCE_CHAIN_LENGTH_MAX: usize = 900;

/// Returns a file of this kind with at most about `length` bytes. Only some kinds depend on `seed`.
pub fn generate_hostile_file(kind: HostileFileKind, length: usize, seed: u64) -> Vec<u8> {
    match kind {
        HostileFileKind::NestedGroups => nested_elements("g", length / 7).into_bytes(),
        HostileFileKind::NestedDrawings => nested_elements("svg", length / 11).into_bytes(),
        HostileFileKind::PngOfOneColour => png(
            picture_side_pixels(length, 5600),
            picture_side_pixels(length, 5600),
        ),
        HostileFileKind::PngThatClaims => overwrite_png_header(
            png(8, 8),
            16,
            &[seed as u32 | 1, (seed >> 32) as u32 | 1]
                .map(u32::to_be_bytes)
                .concat(),
        ),
        HostileFileKind::PngProfile => png_with_profile(length),
        HostileFileKind::JpegThatClaims => jpeg_with_claimed_size(7000, 4500),
        HostileFileKind::JpegScans => jpeg_with_many_scans(length),
        HostileFileKind::Truncated => valid_picture(seed)
            .into_iter()
            .take(length.min(seed as usize % 3000))
            .collect(),
        HostileFileKind::Mutated => mutate_bytes(valid_picture(seed), seed),
        HostileFileKind::RandomBytes => random_bytes(seed).take(length).collect(),
        _ => hostile_svg(kind, length).into_bytes(),
    }
}

/// Repeats `unit` as often as it fits into `length` bytes.
fn repeat_to_length(unit: &str, length: usize) -> String {
    unit.repeat(length / unit.len())
}

fn repeat_numbered(count: usize, unit: impl Fn(usize) -> String) -> String {
    (0..count).map(unit).collect()
}

pub fn svg_document(inner: &str) -> String {
    format!(r#"<svg xmlns="http://www.w3.org/2000/svg" width="512" height="512">{inner}</svg>"#)
}

pub fn nested_elements(tag: &str, count: usize) -> String {
    svg_document(&format!(
        "{}{}",
        format!("<{tag}>").repeat(count),
        format!("</{tag}>").repeat(count)
    ))
}

pub fn blurred_rectangles(count: usize) -> String {
    let rectangle = "<rect width='512' height='512' filter='url(#f)'/>";
    svg_document(&format!(
        "<filter id='f'><feGaussianBlur stdDeviation='90'/></filter>{}",
        rectangle.repeat(count)
    ))
}

fn hostile_svg(kind: HostileFileKind, length: usize) -> String {
    let count = length / 100;
    match kind {
        HostileFileKind::Elements => svg_document(&repeat_to_length(
            "<rect width='512' height='512' fill-opacity='.1'/>",
            length,
        )),
        HostileFileKind::BlurredRectangles => blurred_rectangles(count),
        HostileFileKind::BlurProperties => svg_document(&repeat_to_length(
            "<rect width='512' height='512' style='filter:blur(90px)'/>",
            length,
        )),
        HostileFileKind::PatternsInPatterns => svg_document(&repeat_numbered(count, |n| {
            format!(
                "<pattern id='p{n}' width='.01' height='.01'><rect width='9' height='9' fill='url(#p{})'/></pattern>",
                n + 1
            )
        })),
        HostileFileKind::UsesInUses => svg_document(&repeat_numbered(count, |n| {
            format!(
                "<g id='g{n}'><use href='#g{}'/><use href='#g{}'/></g>",
                n + 1,
                n + 1
            )
        })),
        HostileFileKind::GradientChain => {
            let chain = repeat_numbered(count.min(SVG_REFERENCE_CHAIN_LENGTH_MAX), |n| {
                format!("<linearGradient id='g{n}' href='#g{}'/>", n + 1)
            });
            svg_document(&format!(
                "{chain}<rect width='512' height='512' fill='url(#g0)'/>"
            ))
        }
        HostileFileKind::ClipPathChain => {
            let clip = |n| {
                format!(
                    "<clipPath id='c{n}' clip-path='url(#c{})'><rect width='512' height='512'/></clipPath>",
                    n + 1
                )
            };
            let rectangle = "<rect width='512' height='512' clip-path='url(#c0)'/>";
            svg_document(&format!(
                "{}{}",
                repeat_numbered(count.min(SVG_REFERENCE_CHAIN_LENGTH_MAX), clip),
                rectangle.repeat(90)
            ))
        }
        HostileFileKind::Markers => {
            let marker =
                "<marker id='m' markerWidth='512' markerHeight='512'><circle r='512'/></marker>";
            svg_document(&format!(
                "{marker}<path marker-mid='url(#m)' d='M0 0{}'/>",
                repeat_to_length("L9 9L0 512", length)
            ))
        }
        HostileFileKind::LongPath => svg_document(&format!(
            "<path stroke='red' stroke-width='99' d='M0 0{}'/>",
            repeat_to_length("L9 512L500 0", length)
        )),
        HostileFileKind::Arcs => svg_document(&format!(
            "<path stroke='red' d='M0 0{}'/>",
            repeat_to_length("A9 500 45 1 0 512 512A500 9 45 1 1 0 0", length)
        )),
        HostileFileKind::TinyDashes => {
            let line = "<path stroke='red' stroke-width='9' stroke-dasharray='.0001' d='M0 0L512 512L0 512L512 0'/>";
            svg_document(&line.repeat((length / line.len()).min(1900)))
        }
        HostileFileKind::Attributes => svg_document(&format!(
            "<rect {}/>",
            repeat_numbered(length / 12, |n| format!("a{n}='x' "))
        )),
        HostileFileKind::Selectors => {
            let rules = repeat_to_length("g g g > rect:first-child + rect{fill:red}", length);
            svg_document(&format!(
                "<style>{rules}</style>{}",
                "<g><g><g><rect/><rect/></g></g></g>".repeat(350)
            ))
        }
        HostileFileKind::Letters => svg_document(&format!(
            "<text font-size='300' stroke='red'>{}</text>",
            repeat_to_length("Wi\u{301}ljkß", length)
        )),
        HostileFileKind::Spans => {
            let span = format!(
                "<tspan dx='1 2 3' rotate='9'>{}</tspan>",
                "W".repeat(length / 2000)
            );
            svg_document(&format!("<text>{}</text>", span.repeat(1900)))
        }
        HostileFileKind::Layers => {
            let open = "<g opacity='.5'><rect width='512' height='512'/>".repeat(45);
            svg_document(&format!("{open}{}", "</g>".repeat(45)).repeat(length / 2000 % 21 + 1))
        }
        HostileFileKind::EntityBomb => {
            let entities = repeat_numbered(count, |n| {
                format!("<!ENTITY e{} \"{}\">", n + 1, format!("&e{n};").repeat(9))
            });
            format!(
                "<?xml version='1.0'?><!DOCTYPE svg [<!ENTITY e0 'ha'>{entities}]>{}",
                svg_document(&format!("<text>&e{count};</text>"))
            )
        }
        HostileFileKind::EmbeddedImages => svg_document(&repeat_to_length(
            "<image width='512' height='512' href='data:image/svg+xml,&lt;svg/&gt;'/>",
            length,
        )),
        _ => svg_document(&format!("<!--{}-->", " ".repeat(length))),
    }
}

fn picture_side_pixels(length: usize, most: usize) -> u32 {
    (most.min(length / 100 + 1)) as u32
}

fn encode_picture(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    RgbImage::from_fn(width, height, |x, _| image::Rgb([x as u8, 0, 0]))
        .write_to(&mut bytes, format)
        .expect("encoded");
    bytes.into_inner()
}

pub fn png(width: u32, height: u32) -> Vec<u8> {
    encode_picture(width, height, ImageFormat::Png)
}

/// Overwrites bytes of a PNG's header chunk at an offset, and corrects the chunk's checksum.
fn overwrite_png_header(mut png: Vec<u8>, at: usize, bytes: &[u8]) -> Vec<u8> {
    png[at..at + bytes.len()].copy_from_slice(bytes);
    let checksum = crc32(&png[12..29]);
    png[29..33].copy_from_slice(&checksum.to_be_bytes());
    png
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 {
                (crc >> 1) ^ 0xEDB8_8320
            } else {
                crc >> 1
            }
        })
    };
    !bytes.iter().fold(!0, step)
}

/// Returns a PNG with a colour profile that is a thousand times larger after decompression.
fn png_with_profile(length: usize) -> Vec<u8> {
    let zeros = vec![0; (length * 500).min(100_000_000)];
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, &zeros).expect("packed");
    let body = [b"iCCPx\0\0".as_slice(), &packed.finish().expect("packed")].concat();
    let length = (body.len() - 4) as u32;
    let chunk = [
        length.to_be_bytes().as_slice(),
        &body,
        &crc32(&body).to_be_bytes(),
    ]
    .concat();
    let mut picture = png(8, 8);
    picture.splice(33..33, chunk);
    picture
}

/// Returns a small JPEG whose header states this width and height.
fn jpeg_with_claimed_size(width: u16, height: u16) -> Vec<u8> {
    let mut bytes = encode_picture(16, 16, ImageFormat::Jpeg);
    let frame = bytes
        .windows(2)
        .position(|marker| marker == [0xff, 0xc0])
        .expect("a frame");
    bytes[frame + 5..frame + 7].copy_from_slice(&height.to_be_bytes());
    bytes[frame + 7..frame + 9].copy_from_slice(&width.to_be_bytes());
    bytes
}

/// Returns a progressive JPEG of 7,000 × 4,500 pixels. It has thousands of short scans, each over
/// the whole picture.
fn jpeg_with_many_scans(length: usize) -> Vec<u8> {
    let mut bytes = b"\xff\xd8\xff\xdb\x00\x43\x00".to_vec();
    bytes.extend([1; 64]);
    let (height, width) = (4500_u16.to_be_bytes(), 7000_u16.to_be_bytes());
    bytes.extend(
        [
            b"\xff\xc2\x00\x0b\x08".as_slice(),
            &height,
            &width,
            b"\x01\x01\x11\x00",
        ]
        .concat(),
    );
    // Huffman tables with a single code of one bit. The AC symbol ends the band of 16,384 blocks.
    // The DC symbol means "no difference".
    for (class, symbol) in [(0x00, 0x00), (0x10, 0xe0)] {
        bytes.extend([0xff, 0xc4, 0x00, 0x14, class, 1]);
        bytes.extend([0; 15]);
        bytes.push(symbol);
    }
    let scan = [
        b"\xff\xda\x00\x08\x01\x01\x00\x01\x3f\x00".as_slice(),
        &[0; 70],
    ]
    .concat();
    bytes.extend(scan.repeat(length / scan.len()));
    bytes.extend(b"\xff\xd9");
    bytes
}

fn valid_picture(seed: u64) -> Vec<u8> {
    match seed % 3 {
        0 => encode_picture(200, 100, ImageFormat::Png),
        1 => encode_picture(200, 100, ImageFormat::Jpeg),
        _ => svg_document(
            "<g fill='red'><path d='M0 0L9 9Z'/><text y='50' style='fill:blue'>Sharks</text></g>",
        )
        .into_bytes(),
    }
}

fn mutate_bytes(mut bytes: Vec<u8>, seed: u64) -> Vec<u8> {
    let mut random = random_bytes(seed);
    for _ in 0..=seed % 9 {
        let place = random
            .by_ref()
            .take(3)
            .fold(0, |place, byte| place << 8 | usize::from(byte))
            % bytes.len();
        bytes[place] = random.next().unwrap_or_default();
    }
    bytes
}

fn random_bytes(seed: u64) -> impl Iterator<Item = u8> {
    let step = |state: &u64| {
        Some(
            state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407),
        )
    };
    std::iter::successors(Some(seed | 1), step)
        .skip(1)
        .map(|state| (state >> 56) as u8)
}
