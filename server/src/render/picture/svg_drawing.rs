//! Converts an SVG drawing to pixels. The checks and the renderer use the same parsed tree, so that
//! no element escapes the checks.

use std::sync::Arc;

use resvg::usvg::roxmltree::{Document, Node, NodeType, ParsingOptions};
use resvg::usvg::{Options, Tree, fontdb};
use resvg::{tiny_skia, usvg};

/// Longest side of the rasterised drawing, in pixels.
const DRAWING_SIDE_PIXELS: f32 = 512.0;
/// Maximum nesting depth of elements, because `usvg` and `resvg` recurse once for each level.
const NESTING_DEPTH_MAX: usize = 50;
const ELEMENTS_MAX: usize = 2000;
/// Maximum number of XML nodes in a drawing: elements, texts and comments together.
const NODES_MAX: u32 = 10_000;
/// Names of refused SVG elements. Each causes much work with little text, or loads an external
/// file.
const REFUSED_ELEMENTS: [&str; 6] = ["filter", "mask", "pattern", "use", "image", "feImage"];
/// Names of refused CSS properties. They can have the effect of a refused element: `filter:
/// blur(50px)` needs no `filter` element.
const REFUSED_PROPERTIES: [&str; 2] = ["filter", "mask"];
/// The font that replaces every font family in a drawing. No system font is read.
const DRAWING_FONT: &[u8] = include_bytes!("../../../assets/barlow-condensed-600.ttf");

/// Why an SVG drawing is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SvgRefusal {
    /// The file is not XML, or has more than [`NODES_MAX`] nodes.
    Unreadable,
    EntityDeclaration,
    TooDeep,
    TooManyElements,
    Element,
    Property,
    ExternalReference,
}

/// Renders the drawing as PNG; `None` if it is refused or cannot be drawn.
pub fn rasterise_to_png(svg: &str) -> Option<Vec<u8>> {
    let document = parse_safe_svg(svg).ok()?;
    let mut options = Options {
        fontdb: font_database(),
        ..Options::default()
    };
    options.font_resolver.select_font =
        Box::new(|_, fonts| fonts.faces().next().map(|face| face.id));
    // `check_svg_node` refuses image elements. As a second defence, let an image address load
    // nothing.
    options.image_href_resolver.resolve_string = Box::new(|_, _| None);
    options.image_href_resolver.resolve_data = Box::new(|_, _, _| None);
    let tree = Tree::from_xmltree(&document, &options).ok()?;
    render_pixmap(&tree)?.encode_png().ok()
}

fn render_pixmap(tree: &usvg::Tree) -> Option<tiny_skia::Pixmap> {
    let size = tree.size();
    let scale = DRAWING_SIDE_PIXELS / size.width().max(size.height());
    if !scale.is_finite() || scale <= 0.0 {
        return None;
    }
    let side = |length: f32| (length * scale).round().max(1.0) as u32;
    let mut canvas = tiny_skia::Pixmap::new(side(size.width()), side(size.height()))?;
    resvg::render(
        tree,
        tiny_skia::Transform::from_scale(scale, scale),
        &mut canvas.as_mut(),
    );
    Some(canvas)
}

fn font_database() -> Arc<fontdb::Database> {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(DRAWING_FONT.to_vec());
    Arc::new(fonts)
}

/// Parses and checks a drawing. `roxmltree` parses nested elements in a loop, so depth costs no
/// stack here.
fn parse_safe_svg(svg: &str) -> Result<Document<'_>, SvgRefusal> {
    if declares_entities(svg) {
        return Err(SvgRefusal::EntityDeclaration);
    }
    // Allow a document type declaration, because common editors write one. The parser does not load
    // the URLs in it.
    let options = ParsingOptions {
        allow_dtd: true,
        nodes_limit: NODES_MAX,
        ..ParsingOptions::default()
    };
    let document =
        Document::parse_with_options(svg, options).map_err(|_| SvgRefusal::Unreadable)?;
    // The nesting depth of each node by node id. A parent has a smaller id than its children.
    let mut depths: Vec<usize> = Vec::new();
    let mut elements = 0;
    for node in document.descendants() {
        let depth = node
            .parent()
            .map_or(0, |parent| depths[parent.id().get_usize()] + 1);
        depths.push(depth);
        if node.is_element() {
            elements += 1;
        }
        if depth > NESTING_DEPTH_MAX {
            return Err(SvgRefusal::TooDeep);
        }
        if elements > ELEMENTS_MAX {
            return Err(SvgRefusal::TooManyElements);
        }
        check_svg_node(node)?;
    }
    Ok(document)
}

/// Whether the SVG document declares entities in its text. External declarations are never read.
fn declares_entities(svg: &str) -> bool {
    let subset = svg
        .find("<!DOCTYPE")
        .map(|start| &svg[start..])
        .and_then(|rest| rest.split('>').next());
    svg.contains("<!ENTITY") || subset.is_some_and(|declaration| declaration.contains('['))
}

fn check_svg_node(node: Node<'_, '_>) -> Result<(), SvgRefusal> {
    if node.node_type() == NodeType::PI {
        let is_style_sheet = node
            .pi()
            .is_some_and(|instruction| instruction.target == "xml-stylesheet");
        return if is_style_sheet {
            Err(SvgRefusal::ExternalReference)
        } else {
            Ok(())
        };
    }
    if REFUSED_ELEMENTS.contains(&node.tag_name().name()) {
        return Err(SvgRefusal::Element);
    }
    for attribute in node.attributes() {
        let (name, value) = (attribute.name(), attribute.value());
        if name == "href" && !value.trim_start().starts_with('#') {
            return Err(SvgRefusal::ExternalReference);
        }
        check_property(name, value)?;
        check_url_references(value)?;
        if name == "style" {
            check_style(value)?;
        }
    }
    let is_style = node.is_text()
        && node
            .parent()
            .is_some_and(|parent| parent.tag_name().name() == "style");
    if is_style {
        check_style(node.text().unwrap_or_default())
    } else {
        Ok(())
    }
}

fn check_property(name: &str, value: &str) -> Result<(), SvgRefusal> {
    let is_refused = REFUSED_PROPERTIES
        .iter()
        .any(|refused| name.eq_ignore_ascii_case(refused));
    if is_refused && value.trim() != "none" {
        Err(SvgRefusal::Property)
    } else {
        Ok(())
    }
}

fn check_style(css: &str) -> Result<(), SvgRefusal> {
    if css.to_ascii_lowercase().contains("@import") {
        return Err(SvgRefusal::ExternalReference);
    }
    for declaration in css.split([';', '{', '}']) {
        if let Some((name, value)) = declaration.split_once(':') {
            // Remove a CSS comment before the property's name.
            let name = name
                .trim()
                .rsplit(|c: char| c.is_whitespace() || c == '/')
                .next()
                .unwrap_or_default();
            check_property(name, value)?;
        }
    }
    check_url_references(css)
}

/// Refuses a value in which a `url(…)` refers to anything but an element of the same document.
fn check_url_references(value: &str) -> Result<(), SvgRefusal> {
    // Most values contain no address, so return early.
    if !value.contains('(') {
        return Ok(());
    }
    let lower = value.to_ascii_lowercase();
    let is_own = |rest: &str| {
        rest.trim_start_matches(['"', '\'', ' ', '\t', '\r', '\n'])
            .starts_with('#')
    };
    if lower.split("url(").skip(1).all(is_own) {
        Ok(())
    } else {
        Err(SvgRefusal::ExternalReference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(inner: &str) -> String {
        format!(r#"<svg xmlns="http://www.w3.org/2000/svg" width="100" height="40">{inner}</svg>"#)
    }

    fn refusal_of_svg(inner: &str) -> Option<SvgRefusal> {
        parse_safe_svg(&svg(inner)).err()
    }

    fn rendered_pixels(inner: &str) -> Vec<u8> {
        let document = svg(inner);
        let png = rasterise_to_png(&document).expect("a picture");
        image::load_from_memory(&png)
            .expect("a picture")
            .to_rgba8()
            .into_raw()
    }

    #[test]
    fn svg_nested_over_fifty_levels_is_refused() {
        let nested = |levels: usize| format!("{}{}", "<g>".repeat(levels), "</g>".repeat(levels));
        // The `svg` element itself is the first level.
        assert_eq!(refusal_of_svg(&nested(NESTING_DEPTH_MAX - 1)), None);
        assert_eq!(
            refusal_of_svg(&nested(NESTING_DEPTH_MAX)),
            Some(SvgRefusal::TooDeep)
        );
        assert_eq!(refusal_of_svg(&nested(2000)), Some(SvgRefusal::TooDeep));
    }

    #[test]
    fn svg_with_over_two_thousand_elements_is_refused() {
        assert_eq!(refusal_of_svg(&"<g/>\n".repeat(ELEMENTS_MAX - 1)), None);
        assert_eq!(
            refusal_of_svg(&"<g/>\n".repeat(ELEMENTS_MAX)),
            Some(SvgRefusal::TooManyElements)
        );
        assert_eq!(
            refusal_of_svg(&"<g/>".repeat(200_000)),
            Some(SvgRefusal::Unreadable)
        );
    }

    #[test]
    fn costly_elements_and_properties_are_refused() {
        for element in REFUSED_ELEMENTS {
            assert_eq!(
                refusal_of_svg(&format!("<defs><{element} id='a'/></defs>")),
                Some(SvgRefusal::Element),
                "{element}"
            );
        }
        for inner in [
            "<rect filter='blur(9)'/>",
            "<rect style='fill:red; FILTER : blur(9px)'/>",
            "<rect mask='url(#m)'/>",
            "<style>rect{fill:red}g{/*x*/filter:blur(9px)}</style>",
            "<style><![CDATA[ g { mask: url(#m) } ]]></style>",
        ] {
            assert_eq!(refusal_of_svg(inner), Some(SvgRefusal::Property), "{inner}");
        }
        for inner in [
            "<rect filter='none' style='mask:none;fill:red'/>",
            "<style>rect { fill: blue }</style>",
        ] {
            assert_eq!(refusal_of_svg(inner), None, "{inner}");
        }
    }

    #[test]
    fn external_references_are_refused() {
        for inner in [
            "<a href='https://example.com/'/>",
            "<linearGradient xmlns:x='http://www.w3.org/1999/xlink' x:href='file:///etc/passwd'/>",
            "<rect fill='url(https://example.com/x)'/>",
            "<rect style='fill: URL( \"x.svg#a\" )'/>",
            "<style>@import 'x.css';</style>",
            "<style>@font-face { src: url(x.woff) }</style>",
            "<?xml-stylesheet href='x.css'?>",
        ] {
            assert_eq!(
                refusal_of_svg(inner),
                Some(SvgRefusal::ExternalReference),
                "{inner}"
            );
        }
        let own =
            "<linearGradient id='a'/><linearGradient id='b' href='#a'/><rect fill=\"url( '#b')\"/>";
        assert_eq!(refusal_of_svg(own), None);
    }

    #[test]
    fn entity_declarations_are_refused_and_a_plain_doctype_is_not() {
        let start = r#"<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd""#;
        assert!(parse_safe_svg(&format!("{start}>{}", svg(""))).is_ok());
        let declared = format!("{start} [<!ENTITY a \"b\">]>{}", svg(""));
        assert_eq!(
            parse_safe_svg(&declared).err(),
            Some(SvgRefusal::EntityDeclaration)
        );
        let empty = format!("{start} []>{}", svg(""));
        assert_eq!(
            parse_safe_svg(&empty).err(),
            Some(SvgRefusal::EntityDeclaration)
        );
    }

    #[test]
    fn svg_text_always_uses_the_built_in_font() {
        let text = |family: &str| {
            rendered_pixels(&format!(
                "<text x='5' y='30' font-size='30' {family}>Sharks</text>"
            ))
        };
        let own = text("font-family='Barlow Condensed'");
        let inked = own.chunks_exact(4).filter(|pixel| pixel[3] > 0).count();
        assert!(inked > 1000, "{inked} pixels are inked");
        for family in [
            "",
            "font-family='Arial'",
            "font-family='monospace'",
            "font-family='No Such Font' font-weight='100'",
        ] {
            assert!(text(family) == own, "{family} is drawn with another font");
        }
        let other_word = rendered_pixels("<text x='5' y='30' font-size='30'>Tigers</text>");
        assert!(other_word != own, "each letter has its own shape");
    }
}
