//! Money in whole cents, without floating-point numbers. Every rounding is half up.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// An amount of Australian dollars in cents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cents(pub i64);

impl Cents {
    pub const ZERO: Cents = Cents(0);

    /// Returns `self × numerator / denominator`, rounded half up (decisions D-2, D-5, D-8). `self`
    /// and `numerator` must not be negative, `denominator` must be positive. The product is
    /// computed with 128 bits, so the result cannot overflow if `numerator <= denominator`.
    #[must_use]
    pub fn fraction_rounded_half_up(self, numerator: i64, denominator: i64) -> Cents {
        debug_assert!(
            self.0 >= 0 && numerator >= 0 && denominator > 0,
            "{self:?} × {numerator} / {denominator}"
        );
        let twice = i128::from(self.0) * i128::from(numerator) * 2 + i128::from(denominator);
        Cents((twice / (i128::from(denominator) * 2)) as i64)
    }

    /// Parses an amount in dollars with at most two decimals: `5`, `5.5`, `5.00`. `None`: the text
    /// is not such an amount.
    pub fn parse(text: &str) -> Option<Cents> {
        let (whole, part) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
        let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() || whole.len() > 12 || part.len() > 2 || !digits(whole) || !digits(part)
        {
            return None;
        }
        let part = format!("{part:0<2}");
        Some(Cents(
            whole.parse::<i64>().ok()? * 100 + part.parse::<i64>().ok()?,
        ))
    }

    /// Formats the amount in dollars for the wire: `10.47` (decision D-16).
    pub fn decimal(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        format!("{sign}{}.{:02}", self.0.abs() / 100, self.0.abs() % 100)
    }
}

/// Formats the amount for people: `$10.47`.
impl fmt::Display for Cents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}${}", Cents(self.0.abs()).decimal())
    }
}

impl Add for Cents {
    type Output = Cents;
    fn add(self, other: Cents) -> Cents {
        Cents(self.0 + other.0)
    }
}

impl Sub for Cents {
    type Output = Cents;
    fn sub(self, other: Cents) -> Cents {
        Cents(self.0 - other.0)
    }
}

impl Neg for Cents {
    type Output = Cents;
    fn neg(self) -> Cents {
        Cents(-self.0)
    }
}

impl Mul<i64> for Cents {
    type Output = Cents;
    fn mul(self, count: i64) -> Cents {
        Cents(self.0 * count)
    }
}

impl AddAssign for Cents {
    fn add_assign(&mut self, other: Cents) {
        self.0 += other.0;
    }
}

impl SubAssign for Cents {
    fn sub_assign(&mut self, other: Cents) {
        self.0 -= other.0;
    }
}

impl Sum for Cents {
    fn sum<I: Iterator<Item = Cents>>(amounts: I) -> Cents {
        Cents(amounts.map(|amount| amount.0).sum())
    }
}
