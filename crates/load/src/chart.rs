//! A chart of lines, as SVG.

/// Size of a chart, in its own units.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 260.0;
/// Room for the names of the axes.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 26.0;
/// Lines across, at most.
const TICKS_MAX: f64 = 6.0;

/// A line: its name, and points of x and y. A y that is NaN is a gap.
pub struct Series {
    pub name: &'static str,
    pub points: Vec<(f64, f64)>,
}

/// Draws the series over seconds; `label` writes a value of y.
pub fn svg(series: &[Series], label: impl Fn(f64) -> String) -> String {
    let points = || series.iter().flat_map(|series| &series.points);
    let x_end = points().map(|(x, _)| *x).fold(1e-9, f64::max);
    let y_top = points()
        .map(|(_, y)| *y)
        .filter(|y| y.is_finite())
        .fold(0.0, f64::max);
    let step = tick_step(if y_top > 0.0 { y_top } else { 1.0 });
    let y_end = (y_top / step).ceil().max(1.0) * step;
    let x = |value: f64| LEFT + value / x_end * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| HEIGHT - BOTTOM - value / y_end * (HEIGHT - TOP - BOTTOM);
    let mut out =
        format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" data-end=\"{x_end}\">");
    for tick in 0..=(y_end / step).round() as u32 {
        let value = f64::from(tick) * step;
        let at = y(value);
        let text = label(value);
        out += &format!(
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text class=\"y\" x=\"{:.1}\" y=\"{:.1}\">{text}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            at + 4.0
        );
    }
    let x_step = tick_step(x_end);
    for tick in 0..=(x_end / x_step) as u32 {
        let value = f64::from(tick) * x_step;
        let (at, below) = (x(value), HEIGHT - 8.0);
        out += &format!("<text class=\"x\" x=\"{at:.1}\" y=\"{below}\">{value} s</text>");
    }
    for (number, series) in series.iter().enumerate() {
        let path = path(&series.points, &x, &y);
        out += &format!("<path class=\"line s{number}\" d=\"{path}\"/>");
    }
    out + "<line class=\"cursor\" y1=\"0\" y2=\"100%\"/></svg>"
}

/// A line through the points, broken at gaps. A point between gaps is a dot.
fn path(points: &[(f64, f64)], x: &impl Fn(f64) -> f64, y: &impl Fn(f64) -> f64) -> String {
    let mut path = String::new();
    let mut within = false;
    for (at, value) in points {
        if !value.is_finite() {
            within = false;
            continue;
        }
        let (px, py) = (x(*at), y(*value));
        path += &if within {
            format!("L{px:.1} {py:.1}")
        } else {
            format!("M{px:.1} {py:.1}h0")
        };
        within = true;
    }
    path
}

/// 1, 2 or 5 times a power of ten, so that few enough steps reach the top.
fn tick_step(top: f64) -> f64 {
    let raw = top / TICKS_MAX;
    let power = 10f64.powf(raw.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|factor| factor * power >= raw * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_few() {
        for (top, step) in [
            (1.0, 0.2),
            (6.0, 1.0),
            (7.0, 2.0),
            (99.0, 20.0),
            (3.1e6, 1e6),
        ] {
            assert!((tick_step(top) - step).abs() < 1e-9 * step, "{top}");
        }
    }

    #[test]
    fn a_gap_breaks_the_line() {
        let points = [(0.0, 1.0), (1.0, f64::NAN), (2.0, 3.0), (3.0, 4.0)];
        assert_eq!(
            path(&points, &|x| x, &|y| y),
            "M0.0 1.0h0M2.0 3.0h0L3.0 4.0"
        );
    }
}
