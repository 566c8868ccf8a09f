//! Subsets a TrueType font to the outlines of some glyphs, so that a PDF embeds only the letters it
//! uses. Glyph ids stay the same, so widths measured with the whole font remain valid.

use std::collections::BTreeSet;

/// The TrueType tables that are needed to draw by glyph id. Kerning, ligatures and glyph names are
/// left out.
const REQUIRED_FONT_TABLES: [&[u8; 4]; 10] = [
    b"OS/2", b"cmap", b"cvt ", b"fpgm", b"glyf", b"head", b"hhea", b"hmtx", b"loca", b"maxp",
];
/// Version number 3 of the `post` table, which has no glyph names.
const POST_TABLE_VERSION: [u8; 4] = [0, 3, 0, 0];
const POST_TABLE_BYTES: usize = 32;
/// Byte offset in the `head` table of the field for the format of the `loca` table.
const LOCA_FORMAT_OFFSET: usize = 50;
/// Byte offset in the `head` table of the field for the checksum of the whole font file.
const HEAD_CHECKSUM_OFFSET: usize = 8;
const CHECKSUM_MAGIC: u32 = 0xb1b0_afba;

/// Returns the font with the outlines of only the used glyphs. `None` if `font` is not a TrueType
/// font with outlines.
pub fn subset_font(font: &[u8], used: &BTreeSet<u16>) -> Option<Vec<u8>> {
    let (glyf, loca, head) = (
        font_table(font, *b"glyf")?,
        font_table(font, *b"loca")?,
        font_table(font, *b"head")?,
    );
    let long = read_u16(head, LOCA_FORMAT_OFFSET)? == 1;
    let offset = |glyph: usize| {
        if long {
            read_u32(loca, glyph * 4).map(|at| at as usize)
        } else {
            read_u16(loca, glyph * 2).map(|at| usize::from(at) * 2)
        }
    };
    let outline = |glyph: u16| glyf.get(offset(glyph.into())?..offset(usize::from(glyph) + 1)?);
    let needed = with_component_glyphs(used, outline);
    let count = usize::from(read_u16(font_table(font, *b"maxp")?, 4)?);
    let (mut outlines, mut offsets) = (Vec::new(), Vec::with_capacity((count + 1) * 4));
    for glyph in 0..count {
        offsets.extend_from_slice(&u32::try_from(outlines.len()).ok()?.to_be_bytes());
        let glyph = u16::try_from(glyph).ok()?;
        if needed.contains(&glyph) {
            outlines.extend_from_slice(outline(glyph)?);
            outlines.resize(outlines.len().next_multiple_of(4), 0);
        }
    }
    offsets.extend_from_slice(&u32::try_from(outlines.len()).ok()?.to_be_bytes());
    let mut head = head.to_vec();
    head.get_mut(LOCA_FORMAT_OFFSET..LOCA_FORMAT_OFFSET + 2)?
        .copy_from_slice(&[0, 1]);
    head.get_mut(HEAD_CHECKSUM_OFFSET..HEAD_CHECKSUM_OFFSET + 4)?
        .fill(0);
    let mut post = font_table(font, *b"post")?
        .get(..POST_TABLE_BYTES)?
        .to_vec();
    post[..4].copy_from_slice(&POST_TABLE_VERSION);
    let mut tables: Vec<([u8; 4], Vec<u8>)> = Vec::new();
    for name in REQUIRED_FONT_TABLES {
        let bytes = match name {
            b"glyf" => std::mem::take(&mut outlines),
            b"head" => std::mem::take(&mut head),
            b"loca" => std::mem::take(&mut offsets),
            _ => font_table(font, *name)?.to_vec(),
        };
        tables.push((*name, bytes));
    }
    tables.push((*b"post", post));
    tables.push((*b"prep", font_table(font, *b"prep")?.to_vec()));
    assemble_font(tables)
}

/// Returns the used glyphs together with the components of composite glyphs, and with glyph 0,
/// which is shown for a missing glyph.
fn with_component_glyphs<'a>(
    used: &BTreeSet<u16>,
    outline: impl Fn(u16) -> Option<&'a [u8]>,
) -> BTreeSet<u16> {
    const ARGUMENTS_ARE_WORDS: u16 = 0x1;
    const HAS_SCALE: u16 = 0x8;
    const HAS_MORE_COMPONENTS: u16 = 0x20;
    const HAS_TWO_SCALES: u16 = 0x40;
    const HAS_FOUR_SCALES: u16 = 0x80;
    let mut needed = BTreeSet::new();
    let mut pending: Vec<u16> = used.iter().copied().chain([0]).collect();
    while let Some(glyph) = pending.pop() {
        if !needed.insert(glyph) {
            continue;
        }
        let Some(outline) =
            outline(glyph).filter(|outline| read_u16(outline, 0).is_some_and(|n| n >= 0x8000))
        else {
            continue;
        };
        let mut at = 10;
        while let Some((flags, part)) = read_u16(outline, at).zip(read_u16(outline, at + 2)) {
            pending.push(part);
            at += if flags & ARGUMENTS_ARE_WORDS == 0 {
                6
            } else {
                8
            };
            at += [(HAS_SCALE, 2), (HAS_TWO_SCALES, 4), (HAS_FOUR_SCALES, 8)]
                .iter()
                .filter(|(bit, _)| flags & bit != 0)
                .map(|(_, bytes)| bytes)
                .sum::<usize>();
            if flags & HAS_MORE_COMPONENTS == 0 {
                break;
            }
        }
    }
    needed
}

fn assemble_font(tables: Vec<([u8; 4], Vec<u8>)>) -> Option<Vec<u8>> {
    let count = u16::try_from(tables.len()).ok()?;
    let power = count.ilog2();
    let range = (1u16 << power) * 16;
    let mut file = vec![0, 1, 0, 0];
    for number in [count, range, u16::try_from(power).ok()?, count * 16 - range] {
        file.extend_from_slice(&number.to_be_bytes());
    }
    let mut at = 12 + 16 * usize::from(count);
    let mut head_at = None;
    for (name, bytes) in &tables {
        if name == b"head" {
            head_at = Some(at);
        }
        file.extend_from_slice(name);
        for number in [
            checksum(bytes),
            u32::try_from(at).ok()?,
            u32::try_from(bytes.len()).ok()?,
        ] {
            file.extend_from_slice(&number.to_be_bytes());
        }
        at += bytes.len().next_multiple_of(4);
    }
    for (_, bytes) in &tables {
        file.extend_from_slice(bytes);
        file.resize(file.len().next_multiple_of(4), 0);
    }
    let font_checksum = CHECKSUM_MAGIC.wrapping_sub(checksum(&file));
    let offset = head_at? + HEAD_CHECKSUM_OFFSET;
    file.get_mut(offset..offset + 4)?
        .copy_from_slice(&font_checksum.to_be_bytes());
    Some(file)
}

fn checksum(bytes: &[u8]) -> u32 {
    bytes.chunks(4).fold(0, |checksum, chunk| {
        let mut four = [0; 4];
        four[..chunk.len()].copy_from_slice(chunk);
        checksum.wrapping_add(u32::from_be_bytes(four))
    })
}

fn font_table(font: &[u8], name: [u8; 4]) -> Option<&[u8]> {
    let entries = font
        .get(12..)?
        .chunks_exact(16)
        .take(read_u16(font, 4)?.into());
    let entry = entries.into_iter().find(|entry| entry.starts_with(&name))?;
    let (at, length) = (read_u32(entry, 8)? as usize, read_u32(entry, 12)? as usize);
    font.get(at..at.checked_add(length)?)
}

fn read_u16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subset_is_small_and_keeps_composite_glyphs() {
        let font = super::super::FONT_FILE;
        let font_checksum =
            printpdf::ParsedFont::from_bytes(font, 0, &mut Vec::new()).expect("the font is read");
        let used: BTreeSet<u16> = "Zoë Nguyễn"
            .chars()
            .filter_map(|letter| font_checksum.lookup_glyph_index(letter as u32))
            .collect();
        let small = subset_font(font, &used).expect("a font");
        assert!(
            small.len() < 100_000,
            "{} of {} bytes",
            small.len(),
            font.len()
        );
        assert_eq!(
            checksum(&small),
            CHECKSUM_MAGIC,
            "the checksum of the file is correct"
        );
        let glyf = font_table(&small, *b"glyf").expect("outlines");
        let loca = font_table(&small, *b"loca").expect("places");
        let length = |letter: char| {
            let glyph = usize::from(
                font_checksum
                    .lookup_glyph_index(letter as u32)
                    .expect("a glyph"),
            );
            read_u32(loca, glyph * 4 + 4).expect("a place")
                - read_u32(loca, glyph * 4).expect("a place")
        };
        assert!(!glyf.is_empty() && length('Z') > 0 && length('ễ') > 0);
        assert!(length('e') > 0, "a letter with accents is made of others");
        assert_eq!(length('W'), 0, "unused letters have no outline");
        let reparsed =
            printpdf::ParsedFont::from_bytes(&small, 0, &mut Vec::new()).expect("it is a font");
        assert_eq!(
            reparsed.lookup_glyph_index('Z' as u32),
            font_checksum.lookup_glyph_index('Z' as u32)
        );
        assert!(subset_font(b"no font", &used).is_none());
    }
}
