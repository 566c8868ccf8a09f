//! A TrueType font with the outlines of some glyphs only: what a page says is embedded, not the whole alphabet. Glyphs keep
//! their numbers, so that whatever was measured with the whole font fits the small one.

use std::collections::BTreeSet;

/// What a page needs to draw by glyph number; kerning, ligatures and names of glyphs stay behind.
const KEPT: [&[u8; 4]; 10] = [
    b"OS/2", b"cmap", b"cvt ", b"fpgm", b"glyf", b"head", b"hhea", b"hmtx", b"loca", b"maxp",
];
/// `post` without names, 32 bytes: version 3.
const POST_VERSION: [u8; 4] = [0, 3, 0, 0];
const POST_BYTES: usize = 32;
/// Where `head` says how `loca` counts.
const LOCA_FORMAT: usize = 50;
/// Where `head` keeps the sum of the whole file.
const FILE_SUM: usize = 8;
const FILE_SUM_MAGIC: u32 = 0xb1b0_afba;

/// `None`: this is no TrueType font with outlines.
pub fn only(font: &[u8], used: &BTreeSet<u16>) -> Option<Vec<u8>> {
    let (glyf, loca, head) = (
        table(font, b"glyf")?,
        table(font, b"loca")?,
        table(font, b"head")?,
    );
    let long = short(head, LOCA_FORMAT)? == 1;
    let place = |glyph: usize| match long {
        true => word(loca, glyph * 4).map(|at| at as usize),
        false => short(loca, glyph * 2).map(|at| usize::from(at) * 2),
    };
    let outline = |glyph: u16| glyf.get(place(glyph.into())?..place(usize::from(glyph) + 1)?);
    let wanted = with_parts(used, outline);
    let count = usize::from(short(table(font, b"maxp")?, 4)?);
    let (mut outlines, mut places) = (Vec::new(), Vec::with_capacity((count + 1) * 4));
    for glyph in 0..count {
        places.extend_from_slice(&u32::try_from(outlines.len()).ok()?.to_be_bytes());
        let glyph = u16::try_from(glyph).ok()?;
        if wanted.contains(&glyph) {
            outlines.extend_from_slice(outline(glyph)?);
            outlines.resize(outlines.len().next_multiple_of(4), 0);
        }
    }
    places.extend_from_slice(&u32::try_from(outlines.len()).ok()?.to_be_bytes());
    let mut head = head.to_vec();
    head.get_mut(LOCA_FORMAT..LOCA_FORMAT + 2)?
        .copy_from_slice(&[0, 1]);
    head.get_mut(FILE_SUM..FILE_SUM + 4)?.fill(0);
    let mut post = table(font, b"post")?.get(..POST_BYTES)?.to_vec();
    post[..4].copy_from_slice(&POST_VERSION);
    let mut tables: Vec<([u8; 4], Vec<u8>)> = Vec::new();
    for name in KEPT {
        let bytes = match name {
            b"glyf" => std::mem::take(&mut outlines),
            b"head" => std::mem::take(&mut head),
            b"loca" => std::mem::take(&mut places),
            _ => table(font, name)?.to_vec(),
        };
        tables.push((*name, bytes));
    }
    tables.push((*b"post", post));
    tables.push((*b"prep", table(font, b"prep")?.to_vec()));
    written(tables)
}

/// The glyphs, and the parts that glyphs of several parts are made of; the first one, which stands for a missing glyph, too.
fn with_parts<'a>(
    used: &BTreeSet<u16>,
    outline: impl Fn(u16) -> Option<&'a [u8]>,
) -> BTreeSet<u16> {
    const ARGUMENTS_ARE_WORDS: u16 = 0x1;
    const SCALE: u16 = 0x8;
    const MORE: u16 = 0x20;
    const TWO_SCALES: u16 = 0x40;
    const FOUR_SCALES: u16 = 0x80;
    let mut wanted = BTreeSet::new();
    let mut open: Vec<u16> = used.iter().copied().chain([0]).collect();
    while let Some(glyph) = open.pop() {
        if !wanted.insert(glyph) {
            continue;
        }
        let Some(outline) =
            outline(glyph).filter(|outline| short(outline, 0).is_some_and(|n| n >= 0x8000))
        else {
            continue;
        };
        let mut at = 10;
        while let Some((flags, part)) = short(outline, at).zip(short(outline, at + 2)) {
            open.push(part);
            at += if flags & ARGUMENTS_ARE_WORDS == 0 {
                6
            } else {
                8
            };
            at += [(SCALE, 2), (TWO_SCALES, 4), (FOUR_SCALES, 8)]
                .iter()
                .filter(|(bit, _)| flags & bit != 0)
                .map(|(_, bytes)| bytes)
                .sum::<usize>();
            if flags & MORE == 0 {
                break;
            }
        }
    }
    wanted
}

fn written(tables: Vec<([u8; 4], Vec<u8>)>) -> Option<Vec<u8>> {
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
            sum(bytes),
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
    let whole = FILE_SUM_MAGIC.wrapping_sub(sum(&file));
    let place = head_at? + FILE_SUM;
    file.get_mut(place..place + 4)?
        .copy_from_slice(&whole.to_be_bytes());
    Some(file)
}

fn sum(bytes: &[u8]) -> u32 {
    bytes.chunks(4).fold(0, |sum, chunk| {
        let mut four = [0; 4];
        four[..chunk.len()].copy_from_slice(chunk);
        sum.wrapping_add(u32::from_be_bytes(four))
    })
}

fn table<'a>(font: &'a [u8], name: &[u8; 4]) -> Option<&'a [u8]> {
    let entries = font
        .get(12..)?
        .chunks_exact(16)
        .take(short(font, 4)?.into());
    let entry = entries.into_iter().find(|entry| entry.starts_with(name))?;
    let (at, length) = (word(entry, 8)? as usize, word(entry, 12)? as usize);
    font.get(at..at.checked_add(length)?)
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_letters_weigh_little_and_keep_their_parts() {
        let font = super::super::FONT;
        let whole =
            printpdf::ParsedFont::from_bytes(font, 0, &mut Vec::new()).expect("the font is read");
        let used: BTreeSet<u16> = "Zoë Nguyễn"
            .chars()
            .filter_map(|letter| whole.lookup_glyph_index(letter as u32))
            .collect();
        let small = only(font, &used).expect("a font");
        assert!(
            small.len() < 100_000,
            "{} of {} bytes",
            small.len(),
            font.len()
        );
        assert_eq!(sum(&small), FILE_SUM_MAGIC, "the file's own sum is right");
        let glyf = table(&small, b"glyf").expect("outlines");
        let loca = table(&small, b"loca").expect("places");
        let length = |letter: char| {
            let glyph = usize::from(whole.lookup_glyph_index(letter as u32).expect("a glyph"));
            word(loca, glyph * 4 + 4).expect("a place") - word(loca, glyph * 4).expect("a place")
        };
        assert!(!glyf.is_empty() && length('Z') > 0 && length('ễ') > 0);
        assert!(length('e') > 0, "a letter with accents is made of others");
        assert_eq!(length('W'), 0, "nobody wrote a W");
        let again =
            printpdf::ParsedFont::from_bytes(&small, 0, &mut Vec::new()).expect("it is a font");
        assert_eq!(
            again.lookup_glyph_index('Z' as u32),
            whole.lookup_glyph_index('Z' as u32)
        );
        assert!(only(b"no font", &used).is_none());
    }
}
