//! Writes PDF documents: A4 pages with one embedded font, black on white, with selectable text
//! (ux.md section 5).

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
use crate::render::page::first_paint::dollars;

mod font_subset;

/// `DejaVu` Sans: Latin with all accents, Greek, Cyrillic and more. The licence file beside the
/// font allows embedding.
const FONT_FILE: &[u8] = include_bytes!("../../templates/paper/DejaVuSans.ttf");
/// Width of an A4 page in points.
pub const PAGE_WIDTH_POINTS: f32 = 595.28;
/// Height of an A4 page in points.
pub const PAGE_HEIGHT_POINTS: f32 = 841.89;
/// Page margin in points: 15 mm.
pub const PAGE_MARGIN_POINTS: f32 = 42.52;
/// Distance between two lines of a report, in points.
pub const LINE_HEIGHT_POINTS: f32 = 15.0;
/// Character that is written in place of characters for which the font has no glyph.
const MISSING_GLYPH: char = '□';
/// Smallest factor by which text is scaled down to fit a column. Text that is still too long is
/// cut.
const TEXT_SCALE_MIN: f32 = 0.8;
/// Width of the quiet zone around a QR code, in modules.
const QR_QUIET_ZONE_MODULES: usize = 4;

fn parsed_font() -> Option<&'static ParsedFont> {
    static PARSED_FONT: OnceLock<Option<ParsedFont>> = OnceLock::new();
    PARSED_FONT
        .get_or_init(|| ParsedFont::from_bytes(FONT_FILE, 0, &mut Vec::new()))
        .as_ref()
}

/// A PDF document that is written page by page.
pub struct PdfWriter {
    document: PdfDocument,
    font: &'static ParsedFont,
    font_id: FontId,
    pages: Vec<Vec<Op>>,
    /// Ids of the glyphs that the document uses so far. Only these are embedded.
    used: BTreeSet<u16>,
    /// Vertical position of the next line, in points above the lower edge of the page.
    pub y: f32,
}

impl PdfWriter {
    /// Creates an empty document. `None` means that the font cannot be read, which only a damaged
    /// build causes.
    pub fn new(title: &str) -> Option<PdfWriter> {
        let font = parsed_font()?;
        let mut document = PdfDocument::new(title);
        let font_id = document.add_font(font);
        Some(PdfWriter {
            document,
            font,
            font_id,
            pages: vec![Vec::new()],
            used: BTreeSet::new(),
            y: PAGE_HEIGHT_POINTS - PAGE_MARGIN_POINTS,
        })
    }

    /// Starts a new page.
    pub fn next_page(&mut self) {
        self.pages.push(Vec::new());
        self.y = PAGE_HEIGHT_POINTS - PAGE_MARGIN_POINTS;
    }

    fn page_operations(&mut self) -> &mut Vec<Op> {
        if self.pages.is_empty() {
            self.pages.push(Vec::new());
        }
        let last = self.pages.len() - 1;
        &mut self.pages[last]
    }

    /// Returns the width of a text at a font size, in points.
    pub fn text_width(&self, text: &str, size: f32) -> f32 {
        let unit = f32::from(self.font.units_per_em.max(1));
        let advance = |letter: char| {
            let glyph = self
                .font
                .lookup_glyph_index(letter as u32)
                .unwrap_or_default();
            f32::from(self.font.get_glyph_width(glyph).unwrap_or_default())
        };
        self.with_missing_glyphs_replaced(text)
            .chars()
            .map(advance)
            .sum::<f32>()
            * size
            / unit
    }

    /// Replaces characters without a glyph by a box and removes control characters.
    fn with_missing_glyphs_replaced(&self, text: &str) -> String {
        let has = |letter: char| {
            self.font
                .lookup_glyph_index(letter as u32)
                .is_some_and(|glyph| glyph != 0)
        };
        text.chars()
            .filter(|c| !c.is_control())
            .map(|letter| if has(letter) { letter } else { MISSING_GLYPH })
            .collect()
    }

    /// Returns the text, cut with an ellipsis if it is wider than `width` points.
    pub fn cut_to_width(&self, text: &str, size: f32, width: f32) -> String {
        if self.text_width(text, size) <= width {
            return text.to_string();
        }
        let mut beginning: String = text.to_string();
        while beginning.pop().is_some() {
            let short = format!("{}…", beginning.trim_end());
            if self.text_width(&short, size) <= width {
                return short;
            }
        }
        String::new()
    }

    /// Writes a text whose left end is at `x`, in points.
    pub fn write_text(&mut self, x: f32, y: f32, size: f32, text: &str) {
        let text = self.with_missing_glyphs_replaced(text);
        self.used.extend(
            text.chars()
                .filter_map(|letter| self.font.lookup_glyph_index(letter as u32)),
        );
        let items = vec![TextItem::Text(text)];
        let font = PdfFontHandle::External(self.font_id.clone());
        self.page_operations().extend([
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

    /// Writes a text whose right end is at `x`, in points.
    pub fn write_right_aligned(&mut self, x: f32, y: f32, size: f32, text: &str) {
        let left = x - self.text_width(text, size);
        self.write_text(left, y, size, text);
    }

    /// Writes a text whose left end is at `x`, at most `width` points wide: scaled down if
    /// necessary, then cut.
    pub fn write_text_within_width(&mut self, x: f32, y: f32, size: f32, width: f32, text: &str) {
        let size = self.font_size_fitting_width(text, size, width, TEXT_SCALE_MIN * size);
        let text = self.cut_to_width(text, size, width);
        self.write_text(x, y, size, &text);
    }

    /// Returns the largest font size up to `most` at which a text is no wider than `width`. The
    /// size is never less than `least`, even if the text is then wider.
    pub fn font_size_fitting_width(&self, text: &str, most: f32, width: f32, least: f32) -> f32 {
        (most * width / self.text_width(text, most).max(1.0)).clamp(least, most)
    }

    /// Writes one line for each sum: its name, and the amount to the right of it.
    pub fn write_labelled_sums<Name: AsRef<str>>(&mut self, sums: &[(Name, String)]) {
        for (name, amount) in sums {
            self.y -= LINE_HEIGHT_POINTS;
            let y = self.y;
            self.write_text(PAGE_MARGIN_POINTS, y, 10.0, name.as_ref());
            self.write_right_aligned(PAGE_WIDTH_POINTS / 2.0 + 60.0, y, 10.0, amount);
        }
    }

    /// Writes a text centred on the page.
    pub fn write_centred(&mut self, y: f32, size: f32, text: &str) {
        let left = (PAGE_WIDTH_POINTS - self.text_width(text, size)) / 2.0;
        self.write_text(left, y, size, text);
    }

    /// Draws a horizontal line between the margins at height `y`.
    pub fn draw_horizontal_line(&mut self, y: f32) {
        let point = |x: f32| LinePoint {
            p: Point { x: Pt(x), y: Pt(y) },
            bezier: false,
        };
        let line = Line {
            points: vec![
                point(PAGE_MARGIN_POINTS),
                point(PAGE_WIDTH_POINTS - PAGE_MARGIN_POINTS),
            ],
            is_closed: false,
        };
        self.page_operations().extend([
            Op::SetOutlineColor {
                col: Color::Greyscale(Greyscale::new(0.0, None)),
            },
            Op::SetOutlineThickness { pt: Pt(0.5) },
            Op::DrawLine { line },
        ]);
    }

    /// Draws a grey background between the margins, from `y` upwards. Text that is written
    /// afterwards appears on it.
    pub fn draw_grey_band(&mut self, y: f32, height: f32) {
        const GREY_LEVEL: f32 = 0.86;
        self.fill_rectangle(
            (
                PAGE_MARGIN_POINTS - 3.0,
                PAGE_WIDTH_POINTS - PAGE_MARGIN_POINTS + 3.0,
            ),
            y,
            height,
            Color::Greyscale(Greyscale::new(GREY_LEVEL, None)),
        );
    }

    /// Draws a coloured stripe across the page, from `y` upwards.
    pub fn draw_colour_band(&mut self, y: f32, height: f32, Colour(colour): Colour) {
        let [red, green, blue] = colour.map(|part| f32::from(part) / 255.0);
        self.fill_rectangle(
            (0.0, PAGE_WIDTH_POINTS),
            y,
            height,
            Color::Rgb(Rgb::new(red, green, blue, None)),
        );
    }

    fn fill_rectangle(&mut self, (left, right): (f32, f32), y: f32, height: f32, col: Color) {
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
        self.page_operations().extend([
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

    /// Draws a centred QR code of `text` with its quiet zone (blank border). Returns `None` when
    /// `text` is too long.
    pub fn draw_qr_code(&mut self, text: &str, top: f32, side: f32) -> Option<()> {
        let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
        let modules = code.width();
        let step = side / (modules + 2 * QR_QUIET_ZONE_MODULES) as f32;
        let left = (PAGE_WIDTH_POINTS - side) / 2.0;
        let mut rings = Vec::new();
        for (index, colour) in code.to_colors().into_iter().enumerate() {
            if colour == Module::Light {
                continue;
            }
            let x = left + (index % modules + QR_QUIET_ZONE_MODULES) as f32 * step;
            let y = top - (index / modules + QR_QUIET_ZONE_MODULES + 1) as f32 * step;
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
        self.page_operations().extend([
            Op::SetFillColor {
                col: Color::Greyscale(Greyscale::new(0.0, None)),
            },
            Op::DrawPolygon { polygon },
        ]);
        Some(())
    }

    /// Embeds only the used glyphs of the font.
    fn embed_used_glyphs(&mut self) {
        let small = font_subset::subset_font(FONT_FILE, &self.used)
            .and_then(|font| ParsedFont::from_bytes(&font, 0, &mut Vec::new()));
        if let Some(font) = small {
            self.document
                .resources
                .fonts
                .map
                .insert(self.font_id.clone(), PdfFont::new(font));
        }
    }

    /// Writes a footer and `Page n of m` on every page, and returns the file.
    pub fn finish_with_footer(mut self, footer: &str) -> Vec<u8> {
        self.write_footers(footer);
        self.finish_without_footer()
    }

    /// Returns the file without footers, for a poster.
    pub fn finish_without_footer(mut self) -> Vec<u8> {
        let pages = std::mem::take(&mut self.pages);
        self.embed_used_glyphs();
        let pages = pages
            .into_iter()
            .map(|ops| PdfPage::new(Mm(210.0), Mm(297.0), ops))
            .collect();
        self.document
            .with_pages(pages)
            .save(&PdfSaveOptions::default(), &mut Vec::new())
    }

    fn write_footers(&mut self, footer: &str) {
        let pages = std::mem::take(&mut self.pages);
        let count = pages.len();
        for (index, ops) in pages.into_iter().enumerate() {
            self.pages.push(ops);
            let page = format!("Page {} of {count}", index + 1);
            let footer = self.cut_to_width(
                footer,
                8.0,
                PAGE_WIDTH_POINTS
                    - 2.0 * PAGE_MARGIN_POINTS
                    - self.text_width(&page, 8.0)
                    - LINE_HEIGHT_POINTS,
            );
            self.write_text(PAGE_MARGIN_POINTS, PAGE_MARGIN_POINTS - 14.0, 8.0, &footer);
            self.write_right_aligned(
                PAGE_WIDTH_POINTS - PAGE_MARGIN_POINTS,
                PAGE_MARGIN_POINTS - 14.0,
                8.0,
                &page,
            );
        }
    }
}

/// Formats a decimal amount for a report: `1047.50` becomes `$1,047.50`.
pub fn money_text(decimal: &str) -> String {
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
    fn money_is_formatted_with_sign_and_separators() {
        assert_eq!(money_text("1047.50"), "$1,047.50");
        assert_eq!(money_text("-1.32"), "−$1.32");
        assert_eq!(money_text("0.00"), "$0.00");
    }

    #[test]
    fn text_is_scaled_down_before_it_is_cut() {
        let pdf = PdfWriter::new("Test").expect("the font is read");
        let width = pdf.text_width("Mudcrabs", 10.0);
        // Compare the bits of the sizes, because at a limit the size must equal the limit exactly.
        let size = |width| {
            pdf.font_size_fitting_width("Mudcrabs", 10.0, width, 8.0)
                .to_bits()
        };
        assert_eq!(size(width), 10_f32.to_bits());
        assert!(
            (pdf.font_size_fitting_width("Mudcrabs", 10.0, 0.9 * width, 8.0) - 9.0).abs() < 0.01
        );
        assert_eq!(size(0.5 * width), 8_f32.to_bits());
    }

    #[test]
    fn pdf_is_written_for_names_in_any_alphabet() {
        let mut pdf = PdfWriter::new("Test").expect("the font is read");
        assert_eq!(
            pdf.with_missing_glyphs_replaced("Ngô Bảo Châu, Ēriti Māhina, Łukasz, Ωμέγα"),
            "Ngô Bảo Châu, Ēriti Māhina, Łukasz, Ωμέγα"
        );
        assert_eq!(pdf.with_missing_glyphs_replaced("a\r\nb"), "ab");
        assert_eq!(
            pdf.with_missing_glyphs_replaced("王伟 Wei"),
            "□□ Wei",
            "told apart from nothing"
        );
        assert!(pdf.text_width("mm", 10.0) > pdf.text_width("ii", 10.0));
        assert_eq!(pdf.cut_to_width("short", 10.0, 100.0), "short");
        assert!(
            pdf.cut_to_width("a very long name indeed", 10.0, 50.0)
                .ends_with('…')
        );
        pdf.write_text(PAGE_MARGIN_POINTS, 700.0, 10.0, "Māhina");
        pdf.draw_qr_code("https://example.com/draw/1042", 600.0, 255.2)
            .expect("a code");
        pdf.next_page();
        let file = pdf.finish_with_footer("foot");
        assert!(file.starts_with(b"%PDF-"));
        assert!(file.len() < 100_000, "{}", file.len());
    }
}
