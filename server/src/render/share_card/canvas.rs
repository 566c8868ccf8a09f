//! A pixel buffer with functions to draw rectangles and text.

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};

use crate::render::colour::Colour;

/// The product's font for headings and numerals, which has Latin letters only. Its licence (OFL) is
/// in the font's folder.
const HEADING_FONT: &[u8] = include_bytes!("../../../assets/barlow-condensed-600.ttf");
/// Smallest font size in pixels to which text is reduced to fit. Text that is still too long is
/// cut.
const FONT_SIZE_PIXELS_MIN: f32 = 26.0;

/// A picture in memory to draw on.
pub struct Canvas {
    width: u32,
    height: u32,
    /// Red, green and blue of each pixel, row by row.
    pixels: Vec<u8>,
    face: FontRef<'static>,
}

impl Canvas {
    pub fn new(width: u32, height: u32, ground: Colour) -> Canvas {
        let pixels = ground.0.repeat((width * height) as usize);
        Canvas {
            width,
            height,
            pixels,
            face: FontRef::try_from_slice(HEADING_FONT).expect("our own font"),
        }
    }

    /// Fills a rectangle, given in pixels, with a colour.
    pub fn fill_rectangle(&mut self, left: u32, top: u32, width: u32, height: u32, colour: Colour) {
        let right = (left + width).min(self.width);
        if left >= right {
            return;
        }
        let row = colour.0.repeat((right - left) as usize);
        for y in top..(top + height).min(self.height) {
            let at = ((y * self.width + left) * 3) as usize;
            self.pixels[at..at + row.len()].copy_from_slice(&row);
        }
    }

    /// Fills the whole picture with a gradient from top to bottom.
    pub fn fill_gradient(&mut self, top: Colour, bottom: Colour) {
        for y in 0..self.height {
            let colour = top.mixed(bottom, y as f32 / self.height as f32);
            self.fill_rectangle(0, y, self.width, 1, colour);
        }
    }

    /// Fills a ticket: a rounded rectangle with a notch in the middle of its left and right edge.
    pub fn fill_ticket(&mut self, left: f32, top: f32, [width, height]: [f32; 2], colour: Colour) {
        let radius = (height * 0.16).min(24.0);
        let notch = (height * 0.13).min(26.0);
        // Only the two ends have curves. The middle is a rectangle, which is filled much faster.
        let end = radius.max(notch).ceil() + 1.0;
        let (middle, middle_width) = ((left + end).ceil(), (width - 2.0 * end).floor());
        self.fill_rectangle(
            middle as u32,
            top as u32,
            middle_width as u32,
            height as u32,
            colour,
        );
        let is_inside = |x: f32, y: f32| {
            let from_edge = x.min(width - x);
            let from_side = y.min(height - y);
            let (dx, dy) = (radius - from_edge, radius - from_side);
            let outside_corner = dx > 0.0 && dy > 0.0 && dx.hypot(dy) > radius;
            !outside_corner && from_edge.hypot(y - height / 2.0) > notch
        };
        self.fill_shape(left, top, [middle - left, height], colour, is_inside);
        let after = middle + middle_width;
        self.fill_shape(
            after,
            top,
            [left + width - after, height],
            colour,
            |x, y| is_inside(x + after - left, y),
        );
    }

    /// Fills a shield that is as wide as high.
    pub fn fill_shield(&mut self, left: f32, top: f32, side: f32, colour: Colour) {
        // The outline of the boards' shield, as parts of the side (`board.css`).
        const OUTLINE: [(f32, f32); 8] = [
            (0.0, 0.08),
            (0.5, 0.0),
            (1.0, 0.08),
            (1.0, 0.58),
            (0.82, 0.84),
            (0.5, 1.0),
            (0.18, 0.84),
            (0.0, 0.58),
        ];
        self.fill_shape(left, top, [side, side], colour, |x, y| {
            let (x, y) = (x / side, y / side);
            // A point is inside if it lies on the same side of each edge.
            (0..OUTLINE.len()).all(|at| {
                let (ax, ay) = OUTLINE[at];
                let (bx, by) = OUTLINE[(at + 1) % OUTLINE.len()];
                (bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0.0
            })
        });
    }

    /// Fills a shape inside a rectangle. `is_inside` gets a point relative to the rectangle's
    /// corner. Each pixel has the part of nine points that are inside.
    fn fill_shape(
        &mut self,
        left: f32,
        top: f32,
        [width, height]: [f32; 2],
        colour: Colour,
        is_inside: impl Fn(f32, f32) -> bool,
    ) {
        const OFFSETS: [f32; 3] = [1.0 / 6.0, 0.5, 5.0 / 6.0];
        let last_x = ((left + width).ceil() as u32).min(self.width);
        let last_y = ((top + height).ceil() as u32).min(self.height);
        for y in top.floor() as u32..last_y {
            for x in left.floor() as u32..last_x {
                let inside = OFFSETS
                    .iter()
                    .flat_map(|dy| OFFSETS.iter().map(move |dx| (dx, dy)))
                    .filter(|(dx, dy)| {
                        let (px, py) = (x as f32 + *dx - left, y as f32 + *dy - top);
                        (0.0..=width).contains(&px)
                            && (0.0..=height).contains(&py)
                            && is_inside(px, py)
                    })
                    .count();
                if inside > 0 {
                    self.blend_pixel(x, y, colour, inside as f32 / 9.0);
                }
            }
        }
    }

    /// Draws a picture file into a square, scaled to fit. Returns `false` if it cannot be decoded.
    /// The file must be one that this server has encoded.
    pub fn draw_picture(&mut self, file: &[u8], left: u32, top: u32, side: u32) -> bool {
        let Ok(picture) = image::load_from_memory(file) else {
            return false;
        };
        let picture = picture.thumbnail(side, side).to_rgba8();
        let (dx, dy) = ((side - picture.width()) / 2, (side - picture.height()) / 2);
        for (x, y, pixel) in picture.enumerate_pixels() {
            let (x, y) = (left + dx + x, top + dy + y);
            if x < self.width && y < self.height {
                let [red, green, blue, alpha] = pixel.0;
                self.blend_pixel(x, y, Colour([red, green, blue]), f32::from(alpha) / 255.0);
            }
        }
        true
    }

    fn blend_pixel(&mut self, x: u32, y: u32, colour: Colour, part: f32) {
        let at = ((y * self.width + x) * 3) as usize;
        for (pixel, wanted) in self.pixels[at..at + 3].iter_mut().zip(colour.0) {
            let mixed = f32::from(*pixel) * (1.0 - part) + f32::from(wanted) * part;
            *pixel = mixed.round() as u8;
        }
    }

    /// Draws text from `left` on the baseline `base`. Text wider than `wide` pixels is drawn
    /// smaller, and cut if it still does not fit. Returns the drawn width.
    pub fn draw_text(
        &mut self,
        words: &str,
        left: f32,
        base: f32,
        size: f32,
        wide: f32,
        colour: Colour,
    ) -> f32 {
        let mut size = size;
        while self.text_width(words, size) > wide && size > FONT_SIZE_PIXELS_MIN {
            size -= 2.0;
        }
        let mut visible = words.to_string();
        while self.text_width(&visible, size) > wide && visible.chars().count() > 1 {
            visible = visible
                .chars()
                .take(visible.chars().count() - 2)
                .collect::<String>()
                + "…";
        }
        let face = self.face.clone();
        let scaled = face.as_scaled(PxScale::from(size));
        let mut at = left;
        for letter in visible.chars() {
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
                        self.blend_pixel(x as u32, y as u32, colour, part.clamp(0.0, 1.0));
                    }
                });
            }
            at += scaled.h_advance(id);
        }
        at - left
    }

    /// Returns the width of a text in pixels.
    pub fn text_width(&self, words: &str, size: f32) -> f32 {
        let scaled = self.face.as_scaled(PxScale::from(size));
        words
            .chars()
            .map(|letter| scaled.h_advance(self.face.glyph_id(letter)))
            .sum()
    }

    /// Draws text as [`Canvas::draw_text`] does, with its middle at `middle`.
    pub fn draw_centred_text(
        &mut self,
        words: &str,
        middle: f32,
        base: f32,
        size: f32,
        wide: f32,
        colour: Colour,
    ) {
        let mut fitted = size;
        while self.text_width(words, fitted) > wide && fitted > FONT_SIZE_PIXELS_MIN {
            fitted -= 2.0;
        }
        let width = self.text_width(words, fitted).min(wide);
        self.draw_text(words, middle - width / 2.0, base, fitted, wide, colour);
    }

    /// Draws the product's logo, a row of cells that crosses a column, 88 pixels wide.
    pub fn draw_logo(&mut self, left: u32, top: u32, centre: Colour, arms: Colour) {
        const CELL_PIXELS: u32 = 24;
        const CELL_STEP_PIXELS: u32 = 32;
        for (column, row) in [(1, 0), (0, 1), (2, 1), (1, 2)] {
            self.fill_rectangle(
                left + column * CELL_STEP_PIXELS,
                top + row * CELL_STEP_PIXELS,
                CELL_PIXELS,
                CELL_PIXELS,
                arms,
            );
        }
        self.fill_rectangle(
            left + CELL_STEP_PIXELS,
            top + CELL_STEP_PIXELS,
            CELL_PIXELS,
            CELL_PIXELS,
            centre,
        );
    }

    /// Encodes the picture as PNG.
    pub fn encode_png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let result = encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(&self.pixels));
        result.expect("writing into memory does not fail");
        bytes
    }
}
