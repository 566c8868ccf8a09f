//! Paper: A4 pages with one embedded font, black on white, the text selectable (ux.md section 5).

use std::collections::BTreeSet;
use std::sync::OnceLock;

use domain::Cents;
use printpdf::{
    Color, FontId, Greyscale, Line, LinePoint, Mm, Op, PaintMode, ParsedFont, PdfDocument, PdfFont,
    PdfFontHandle, PdfPage, PdfSaveOptions, Point, Polygon, PolygonRing, Pt, Rgb, TextItem,
    WindingOrder,
};
use qrcode::{Color as Module, EcLevel, QrCode};

use crate::render::colour::Colour;
use crate::render::page::face::dollars;

mod letters;

/// DejaVu Sans: Latin with every accent, Greek, Cyrillic and more; free to embed (its licence is beside it).
const FONT: &[u8] = include_bytes!("../../templates/paper/DejaVuSans.ttf");
pub const WIDTH: f32 = 595.28;
pub const HEIGHT: f32 = 841.89;
/// 15 mm.
pub const MARGIN: f32 = 42.52;
/// From one line of a report to the next.
pub const LINE: f32 = 15.0;
/// What the font has no shape for.
const UNKNOWN: char = '□';
/// A word in a column is set so much smaller before it is cut.
const SMALLER: f32 = 0.8;
/// Modules of white around a code.
const QUIET: usize = 4;

fn font() -> Option<&'static ParsedFont> {
    static PARSED: OnceLock<Option<ParsedFont>> = OnceLock::new();
    PARSED
        .get_or_init(|| ParsedFont::from_bytes(FONT, 0, &mut Vec::new()))
        .as_ref()
}

/// A document being written, page by page.
pub struct Paper {
    document: PdfDocument,
    font: &'static ParsedFont,
    font_id: FontId,
    pages: Vec<Vec<Op>>,
    /// Glyphs that are drawn somewhere.
    used: BTreeSet<u16>,
    /// Height above the lower edge at which the next line stands.
    pub y: f32,
}

impl Paper {
    /// `None`: the font cannot be read, which only a damaged build brings about.
    pub fn new(title: &str) -> Option<Paper> {
        let font = font()?;
        let mut document = PdfDocument::new(title);
        let font_id = document.add_font(font);
        Some(Paper {
            document,
            font,
            font_id,
            pages: vec![Vec::new()],
            used: BTreeSet::new(),
            y: HEIGHT - MARGIN,
        })
    }

    pub fn next_page(&mut self) {
        self.pages.push(Vec::new());
        self.y = HEIGHT - MARGIN;
    }

    fn ops(&mut self) -> &mut Vec<Op> {
        if self.pages.is_empty() {
            self.pages.push(Vec::new());
        }
        let last = self.pages.len() - 1;
        &mut self.pages[last]
    }

    /// How wide a text is at a size, in points.
    pub fn width(&self, text: &str, size: f32) -> f32 {
        let unit = f32::from(self.font.units_per_em.max(1));
        let advance = |letter: char| {
            let glyph = self
                .font
                .lookup_glyph_index(letter as u32)
                .unwrap_or_default();
            f32::from(self.font.get_glyph_width(glyph).unwrap_or_default())
        };
        self.shown(text).chars().map(advance).sum::<f32>() * size / unit
    }

    /// Only letters the font has a shape for; the rest is told apart as a box.
    fn shown(&self, text: &str) -> String {
        let has = |letter: char| {
            self.font
                .lookup_glyph_index(letter as u32)
                .is_some_and(|glyph| glyph != 0)
        };
        text.chars()
            .filter(|c| !c.is_control())
            .map(|letter| if has(letter) { letter } else { UNKNOWN })
            .collect()
    }

    /// The beginning of a text that fits, with an ellipsis where something is left out.
    pub fn fitting(&self, text: &str, size: f32, width: f32) -> String {
        if self.width(text, size) <= width {
            return text.to_string();
        }
        let mut kept: String = text.to_string();
        while kept.pop().is_some() {
            let short = format!("{}…", kept.trim_end());
            if self.width(&short, size) <= width {
                return short;
            }
        }
        String::new()
    }

    /// A text whose left end stands at `x`.
    pub fn text(&mut self, x: f32, y: f32, size: f32, text: &str) {
        let text = self.shown(text);
        self.used.extend(
            text.chars()
                .filter_map(|letter| self.font.lookup_glyph_index(letter as u32)),
        );
        let items = vec![TextItem::Text(text)];
        let font = PdfFontHandle::External(self.font_id.clone());
        self.ops().extend([
            Op::StartTextSection,
            Op::SetFillColor {
                col: Color::Greyscale(Greyscale::new(0.0, None)),
            },
            Op::SetFont {
                font,
                size: Pt(size),
            },
            Op::SetTextCursor {
                pos: Point { x: Pt(x), y: Pt(y) },
            },
            Op::ShowText { items },
            Op::EndTextSection,
        ]);
    }

    /// A text whose right end stands at `x`.
    pub fn text_right(&mut self, x: f32, y: f32, size: f32, text: &str) {
        let left = x - self.width(text, size);
        self.text(left, y, size, text);
    }

    /// A text whose left end stands at `x`, at most so wide: smaller if it must be, then cut.
    pub fn text_within(&mut self, x: f32, y: f32, size: f32, width: f32, text: &str) {
        let size = self.size_within(text, size, width, SMALLER * size);
        let text = self.fitting(text, size, width);
        self.text(x, y, size, &text);
    }

    /// The largest size up to `most` at which a text is no wider than `width`, but not below `least`.
    pub fn size_within(&self, text: &str, most: f32, width: f32, least: f32) -> f32 {
        (most * width / self.width(text, most).max(1.0)).clamp(least, most)
    }

    /// A line for each sum: its name, and the amount to the right of it.
    pub fn sums<Name: AsRef<str>>(&mut self, sums: &[(Name, String)]) {
        for (name, amount) in sums {
            self.y -= LINE;
            let y = self.y;
            self.text(MARGIN, y, 10.0, name.as_ref());
            self.text_right(WIDTH / 2.0 + 60.0, y, 10.0, amount);
        }
    }

    pub fn text_centred(&mut self, y: f32, size: f32, text: &str) {
        let left = (WIDTH - self.width(text, size)) / 2.0;
        self.text(left, y, size, text);
    }

    /// A line from margin to margin.
    pub fn rule(&mut self, y: f32) {
        let point = |x: f32| LinePoint {
            p: Point { x: Pt(x), y: Pt(y) },
            bezier: false,
        };
        let line = Line {
            points: vec![point(MARGIN), point(WIDTH - MARGIN)],
            is_closed: false,
        };
        self.ops().extend([
            Op::SetOutlineColor {
                col: Color::Greyscale(Greyscale::new(0.0, None)),
            },
            Op::SetOutlineThickness { pt: Pt(0.5) },
            Op::DrawLine { line },
        ]);
    }

    /// A grey ground from margin to margin, for the words that come after it: one line of the height from `y` up.
    pub fn ground(&mut self, y: f32, height: f32) {
        const GREY: f32 = 0.86;
        self.fill(
            (MARGIN - 3.0, WIDTH - MARGIN + 3.0),
            y,
            height,
            Color::Greyscale(Greyscale::new(GREY, None)),
        );
    }

    /// A stripe from edge to edge, of the height from `y` up.
    pub fn stripe(&mut self, y: f32, height: f32, Colour(colour): Colour) {
        let [red, green, blue] = colour.map(|part| f32::from(part) / 255.0);
        self.fill(
            (0.0, WIDTH),
            y,
            height,
            Color::Rgb(Rgb::new(red, green, blue, None)),
        );
    }

    fn fill(&mut self, (left, right): (f32, f32), y: f32, height: f32, col: Color) {
        let corner = |x: f32, y: f32| LinePoint {
            p: Point { x: Pt(x), y: Pt(y) },
            bezier: false,
        };
        let points = vec![
            corner(left, y),
            corner(right, y),
            corner(right, y + height),
            corner(left, y + height),
        ];
        let rings = vec![PolygonRing { points }];
        self.ops().extend([
            Op::SetFillColor { col },
            Op::DrawPolygon {
                polygon: Polygon {
                    rings,
                    mode: PaintMode::Fill,
                    winding_order: WindingOrder::NonZero,
                },
            },
        ]);
    }

    /// A QR code of a side with its quiet zone, centred; `None` when the text is too long for one.
    pub fn code(&mut self, text: &str, top: f32, side: f32) -> Option<()> {
        let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
        let modules = code.width();
        let step = side / (modules + 2 * QUIET) as f32;
        let left = (WIDTH - side) / 2.0;
        let mut rings = Vec::new();
        for (place, colour) in code.to_colors().into_iter().enumerate() {
            if colour == Module::Light {
                continue;
            }
            let x = left + (place % modules + QUIET) as f32 * step;
            let y = top - (place / modules + QUIET + 1) as f32 * step;
            let corner = |dx: f32, dy: f32| LinePoint {
                p: Point {
                    x: Pt(x + dx),
                    y: Pt(y + dy),
                },
                bezier: false,
            };
            let points = vec![
                corner(0.0, 0.0),
                corner(step, 0.0),
                corner(step, step),
                corner(0.0, step),
            ];
            rings.push(PolygonRing { points });
        }
        let polygon = Polygon {
            rings,
            mode: PaintMode::Fill,
            winding_order: WindingOrder::NonZero,
        };
        self.ops().extend([
            Op::SetFillColor {
                col: Color::Greyscale(Greyscale::new(0.0, None)),
            },
            Op::DrawPolygon { polygon },
        ]);
        Some(())
    }

    /// Of the font, only the letters that are on the pages.
    fn embed_little(&mut self) {
        let small = letters::only(FONT, &self.used)
            .and_then(|font| ParsedFont::from_bytes(&font, 0, &mut Vec::new()));
        if let Some(font) = small {
            self.document
                .resources
                .fonts
                .map
                .insert(self.font_id.clone(), PdfFont::new(font));
        }
    }

    /// Writes `page n of m` and a line of its own on every page, and gives the file.
    pub fn finish(mut self, foot: &str) -> Vec<u8> {
        self.number_pages(foot);
        self.finish_bare()
    }

    /// The file, with nothing at the foot: what hangs on a wall is no document.
    pub fn finish_bare(mut self) -> Vec<u8> {
        let pages = std::mem::take(&mut self.pages);
        self.embed_little();
        let pages = pages
            .into_iter()
            .map(|ops| PdfPage::new(Mm(210.0), Mm(297.0), ops))
            .collect();
        self.document
            .with_pages(pages)
            .save(&PdfSaveOptions::default(), &mut Vec::new())
    }

    fn number_pages(&mut self, foot: &str) {
        let pages = std::mem::take(&mut self.pages);
        let count = pages.len();
        for (place, ops) in pages.into_iter().enumerate() {
            self.pages.push(ops);
            let page = format!("Page {} of {count}", place + 1);
            let foot = self.fitting(
                foot,
                8.0,
                WIDTH - 2.0 * MARGIN - self.width(&page, 8.0) - LINE,
            );
            self.text(MARGIN, MARGIN - 14.0, 8.0, &foot);
            self.text_right(WIDTH - MARGIN, MARGIN - 14.0, 8.0, &page);
        }
    }
}

/// `$1,047.50`, from the decimal that a table has.
pub fn money(decimal: &str) -> String {
    let (sign, amount) = decimal
        .strip_prefix('-')
        .map_or(("", decimal), |amount| ("−", amount));
    Cents::parse(amount).map_or_else(
        || decimal.to_string(),
        |amount| format!("{sign}{}", dollars(amount)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_on_paper_says_what_it_is() {
        assert_eq!(money("1047.50"), "$1,047.50");
        assert_eq!(money("-1.32"), "−$1.32");
        assert_eq!(money("0.00"), "$0.00");
    }

    #[test]
    fn a_word_is_set_smaller_before_it_is_cut() {
        let paper = Paper::new("Test").expect("the font is read");
        let width = paper.width("Mudcrabs", 10.0);
        assert_eq!(paper.size_within("Mudcrabs", 10.0, width, 8.0), 10.0);
        assert!((paper.size_within("Mudcrabs", 10.0, 0.9 * width, 8.0) - 9.0).abs() < 0.01);
        assert_eq!(paper.size_within("Mudcrabs", 10.0, 0.5 * width, 8.0), 8.0);
    }

    #[test]
    fn a_page_is_written_whatever_the_name() {
        let mut paper = Paper::new("Test").expect("the font is read");
        assert_eq!(
            paper.shown("Ngô Bảo Châu, Ēriti Māhina, Łukasz, Ωμέγα"),
            "Ngô Bảo Châu, Ēriti Māhina, Łukasz, Ωμέγα"
        );
        assert_eq!(paper.shown("a\r\nb"), "ab");
        assert_eq!(paper.shown("王伟 Wei"), "□□ Wei", "told apart from nothing");
        assert!(paper.width("mm", 10.0) > paper.width("ii", 10.0));
        assert_eq!(paper.fitting("short", 10.0, 100.0), "short");
        assert!(
            paper
                .fitting("a very long name indeed", 10.0, 50.0)
                .ends_with('…')
        );
        paper.text(MARGIN, 700.0, 10.0, "Māhina");
        paper
            .code("https://example.com/draw/1042", 600.0, 255.2)
            .expect("a code");
        paper.next_page();
        let file = paper.finish("foot");
        assert!(file.starts_with(b"%PDF-"));
        assert!(file.len() < 100_000, "{}", file.len());
    }
}
