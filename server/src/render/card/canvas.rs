//! Rectangles and words on a picture.

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};

use crate::render::colour::Colour;

/// The house's face for headings and numerals, Latin letters only (OFL, beside it).
const FACE: &[u8] = include_bytes!("../../../assets/barlow-condensed-600.ttf");
/// Words that do not fit are set smaller down to this, then cut.
const SIZE_MIN: f32 = 26.0;

pub struct Canvas {
    width: u32,
    height: u32,
    /// Red, green, blue of each dot, row by row.
    dots: Vec<u8>,
    face: FontRef<'static>,
}

impl Canvas {
    pub fn new(width: u32, height: u32, ground: Colour) -> Canvas {
        let dots = ground.0.repeat((width * height) as usize);
        Canvas {
            width,
            height,
            dots,
            face: FontRef::try_from_slice(FACE).expect("our own font"),
        }
    }

    pub fn fill(&mut self, left: u32, top: u32, width: u32, height: u32, colour: Colour) {
        self.blend(left, top, width, height, colour, 1.0);
    }

    /// `part`: how much of the colour covers what is there, 0…1.
    pub fn blend(
        &mut self,
        left: u32,
        top: u32,
        width: u32,
        height: u32,
        colour: Colour,
        part: f32,
    ) {
        for y in top..(top + height).min(self.height) {
            for x in left..(left + width).min(self.width) {
                self.dot(x, y, colour, part);
            }
        }
    }

    fn dot(&mut self, x: u32, y: u32, colour: Colour, part: f32) {
        let at = ((y * self.width + x) * 3) as usize;
        for (dot, wanted) in self.dots[at..at + 3].iter_mut().zip(colour.0) {
            let mixed = f32::from(*dot) * (1.0 - part) + f32::from(wanted) * part;
            *dot = mixed.round() as u8;
        }
    }

    /// Writes words from `left` on the line `base`, no wider than `wide`: smaller if they must be, then cut. Answers their width.
    pub fn text(
        &mut self,
        words: &str,
        left: f32,
        base: f32,
        size: f32,
        wide: f32,
        colour: Colour,
    ) -> f32 {
        let mut size = size;
        while self.width_of(words, size) > wide && size > SIZE_MIN {
            size -= 2.0;
        }
        let mut shown = words.to_string();
        while self.width_of(&shown, size) > wide && shown.chars().count() > 1 {
            shown = shown
                .chars()
                .take(shown.chars().count() - 2)
                .collect::<String>()
                + "…";
        }
        let face = self.face.clone();
        let scaled = face.as_scaled(PxScale::from(size));
        let mut at = left;
        for letter in shown.chars() {
            let id = face.glyph_id(letter);
            if let Some(outline) =
                face.outline_glyph(id.with_scale_and_position(size, point(at, base)))
            {
                let bounds = outline.px_bounds();
                let (start_x, start_y) = (bounds.min.x as i64, bounds.min.y as i64);
                outline.draw(|x, y, part| {
                    let (x, y) = (start_x + i64::from(x), start_y + i64::from(y));
                    let inside = (0..i64::from(self.width)).contains(&x)
                        && (0..i64::from(self.height)).contains(&y);
                    if inside {
                        self.dot(x as u32, y as u32, colour, part.clamp(0.0, 1.0));
                    }
                });
            }
            at += scaled.h_advance(id);
        }
        at - left
    }

    fn width_of(&self, words: &str, size: f32) -> f32 {
        let scaled = self.face.as_scaled(PxScale::from(size));
        words
            .chars()
            .map(|letter| scaled.h_advance(self.face.glyph_id(letter)))
            .sum()
    }

    /// The house's mark: a row crossing a column, 88 dots wide.
    pub fn mark(&mut self, left: u32, top: u32, centre: Colour, arms: Colour) {
        const DOT: u32 = 24;
        const STEP: u32 = 32;
        for (column, row) in [(1, 0), (0, 1), (2, 1), (1, 2)] {
            self.fill(left + column * STEP, top + row * STEP, DOT, DOT, arms);
        }
        self.fill(left + STEP, top + STEP, DOT, DOT, centre);
    }

    pub fn png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let written = encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(&self.dots));
        written.expect("writing into memory does not fail");
        bytes
    }
}
