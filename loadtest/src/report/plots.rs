//! Plots as SVG text: lines over time, and cumulative distributions.

use anyhow::{Result, anyhow};
use plotters::prelude::*;

use crate::latency::nearest_rank;

/// A series of points with its name.
pub type PlotSeries = (String, Vec<(f64, f64)>);

const PLOT_SIZE: (u32, u32) = (900, 340);
/// Height of one entry of the legend, in pixels.
const LEGEND_ENTRY_HEIGHT: u32 = 20;
const COLOURS: [RGBColor; 8] = [
    RGBColor(29, 78, 216),
    RGBColor(5, 150, 105),
    RGBColor(220, 38, 38),
    RGBColor(217, 119, 6),
    RGBColor(124, 58, 237),
    RGBColor(14, 116, 144),
    RGBColor(190, 24, 93),
    RGBColor(75, 85, 99),
];

/// Plots several series over common axes, which start at zero. Returns `None` if there are no
/// points.
pub fn line_plot(
    title: &str,
    x_name: &str,
    y_name: &str,
    lines: &[PlotSeries],
) -> Result<Option<String>> {
    let points = || lines.iter().flat_map(|(_, points)| points.iter());
    let most = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max).max(1.0) * 1.03;
    let (x_most, y_most) = (
        most(&mut points().map(|p| p.0)),
        most(&mut points().map(|p| p.1)),
    );
    if points().next().is_none() {
        return Ok(None);
    }
    let mut svg = String::new();
    draw_plot(&mut svg, (title, x_name, y_name), (x_most, y_most), lines)
        .map_err(|why| anyhow!("drawing {title}: {why}"))?;
    Ok(Some(svg))
}

fn draw_plot(
    svg: &mut String,
    (title, x_name, y_name): (&str, &str, &str),
    (x_most, y_most): (f64, f64),
    lines: &[PlotSeries],
) -> Result<(), Box<dyn std::error::Error>> {
    let named: &[PlotSeries] = if lines.len() > 1 { lines } else { &[] };
    let height = PLOT_SIZE.1 + LEGEND_ENTRY_HEIGHT * named.len() as u32;
    let area = SVGBackend::with_string(svg, (PLOT_SIZE.0, height)).into_drawing_area();
    area.fill(&WHITE)?;
    let (plot, names) = area.split_vertically(PLOT_SIZE.1);
    let mut chart = ChartBuilder::on(&plot)
        .caption(title, ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(38)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..x_most, 0.0..y_most)?;
    chart
        .configure_mesh()
        .x_desc(x_name)
        .y_desc(y_name)
        .light_line_style(RGBColor(243, 244, 246))
        .draw()?;
    for ((_, points), colour) in lines.iter().zip(COLOURS.iter().cycle()) {
        chart.draw_series(LineSeries::new(
            points.iter().copied(),
            colour.stroke_width(2),
        ))?;
    }
    // The legend is below the plot, because inside it could cover a line.
    for (index, ((name, _), colour)) in named.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let y = LEGEND_ENTRY_HEIGHT as i32 * index as i32;
        names.draw(&PathElement::new(
            [(70, y + 8), (92, y + 8)],
            colour.stroke_width(2),
        ))?;
        names.draw(&Text::new(name.as_str(), (100, y), ("sans-serif", 14)))?;
    }
    area.present()?;
    Ok(())
}

/// Returns the cumulative distribution of a sample as points, one for each percent. The last is
/// 99.9 percent.
pub fn cumulative_series(name: &str, mut sample: Vec<f64>) -> PlotSeries {
    sample.sort_by(f64::total_cmp);
    if sample.is_empty() {
        return (name.to_owned(), Vec::new());
    }
    let percents = (1..=99).map(f64::from).chain([99.5, 99.9]);
    (
        name.to_owned(),
        percents
            .map(|percent| (nearest_rank(&sample, percent), percent))
            .collect(),
    )
}

/// Returns at most `most` points of a long series: the first, the last, and some in between at
/// equal distances.
pub fn thin_points(points: Vec<(f64, f64)>, most: usize) -> Vec<(f64, f64)> {
    if points.len() <= most || most < 2 {
        return points;
    }
    (0..most)
        .map(|index| points[index * (points.len() - 1) / (most - 1)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plot_is_svg_with_labels() {
        let two = [
            ("draw 1001".to_owned(), vec![(0.0, 0.0), (5.0, 169.0)]),
            ("draw 1002".to_owned(), vec![(1.0, 3.0)]),
        ];
        let svg = line_plot("Sold over time", "seconds", "tickets", &two)
            .unwrap()
            .unwrap();
        assert!(
            svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"),
            "{svg}"
        );
        for word in [
            "Sold over time",
            "seconds",
            "tickets",
            "draw 1001",
            "draw 1002",
            "<polyline",
        ] {
            assert!(svg.contains(word), "{word} is missing");
        }
    }

    #[test]
    fn no_points_give_no_plot() {
        assert_eq!(
            line_plot("x", "y", "z", &[("empty".to_owned(), Vec::new())]).unwrap(),
            None
        );
    }

    #[test]
    fn cumulative_series_is_monotonic() {
        let (_, points) = cumulative_series("x", vec![30.0, 10.0, 20.0]);
        assert_eq!(
            (points.first().copied(), points.last().copied()),
            (Some((10.0, 1.0)), Some((30.0, 99.9)))
        );
        assert!(
            points
                .windows(2)
                .all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 < pair[1].1)
        );
        assert!(cumulative_series("x", Vec::new()).1.is_empty());
    }

    #[test]
    fn thinning_keeps_first_and_last_point() {
        let long: Vec<(f64, f64)> = (0..1000).map(|n| (f64::from(n), 1.0)).collect();
        let thin = thin_points(long, 100);
        assert_eq!((thin.len(), thin[0].0, thin[99].0), (100, 0.0, 999.0));
    }
}
