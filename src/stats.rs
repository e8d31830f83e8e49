//! Win rates with their intervals, and whether two of them differ.

use serde::Serialize;

/// The standard normal quantile of a 95% interval.
const Z95: f64 = 1.959_963_984_540_054;

/// Wins among games that were played to their end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WinRate {
    /// Games won.
    pub wins: u64,
    /// Games played to their end.
    pub games: u64,
}

impl WinRate {
    /// The rate of these outcomes.
    pub fn of(outcomes: impl IntoIterator<Item = bool>) -> Self {
        outcomes
            .into_iter()
            .fold(Self::default(), |rate, won| Self { wins: rate.wins + u64::from(won), games: rate.games + 1 })
    }

    /// Wins among all games, 0..1; 0 without games.
    pub fn rate(self) -> f64 {
        if self.games == 0 { 0.0 } else { self.wins as f64 / self.games as f64 }
    }

    /// Wilson's 95% interval of the rate. It stays within 0..1 and holds for few games and for rates near 0 and 1,
    /// where the usual interval does not (E. B. Wilson, 1927). Without games nothing is known: 0..1.
    pub fn ci95(self) -> [f64; 2] {
        if self.games == 0 {
            return [0.0, 1.0];
        }
        let (n, p, z2) = (self.games as f64, self.rate(), Z95 * Z95);
        let middle = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = Z95 / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
        // Rounding must not push the interval past the rate itself.
        [(middle - half).clamp(0.0, p), (middle + half).clamp(p, 1.0)]
    }
}

/// How much one rate lies above another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// First rate minus second rate, -1..1.
    pub difference: f64,
    /// Its 95% interval.
    pub ci95: [f64; 2],
    /// The chance of a difference this large or larger, either way, if the players were equally good.
    pub p_value: f64,
}

/// Two rates of different boards: the two-proportion test (normal approximation, pooled variance for the p-value and
/// Newcombe's interval, which is made of the two Wilson intervals). Without games on one side nothing is known.
pub fn compare(first: WinRate, second: WinRate) -> Difference {
    if first.games == 0 || second.games == 0 {
        return Difference { difference: 0.0, ci95: [-1.0, 1.0], p_value: 1.0 };
    }
    let (p1, p2) = (first.rate(), second.rate());
    let ([low1, high1], [low2, high2]) = (first.ci95(), second.ci95());
    let pooled = (first.wins + second.wins) as f64 / (first.games + second.games) as f64;
    let deviation = (pooled * (1.0 - pooled) * (1.0 / first.games as f64 + 1.0 / second.games as f64)).sqrt();
    let p_value = if deviation == 0.0 { 1.0 } else { two_sided((p1 - p2) / deviation) };
    let below = (p1 - low1).hypot(high2 - p2);
    let above = (high1 - p1).hypot(p2 - low2);
    Difference { difference: p1 - p2, ci95: [p1 - p2 - below, p1 - p2 + above], p_value }
}

/// Two players on the same boards, game by game (the shorter list decides how many): McNemar's test. Only the boards
/// that one of them won and the other lost say anything; exact binomial p-value up to 1,000 of those, normal above.
pub fn compare_paired(first: &[bool], second: &[bool]) -> Difference {
    let games = first.len().min(second.len());
    if games == 0 {
        return Difference { difference: 0.0, ci95: [-1.0, 1.0], p_value: 1.0 };
    }
    let only = |a: &[bool], b: &[bool]| a.iter().zip(b).filter(|&(&a, &b)| a && !b).count() as f64;
    let (n, b, c) = (games as f64, only(first, second), only(second, first));
    let difference = (b - c) / n;
    let deviation = ((b + c) / n - difference * difference).max(0.0).sqrt() / n.sqrt();
    let p_value =
        if b + c <= 1000.0 { sign_test(b.min(c) as u32, (b + c) as u32) } else { two_sided((b - c) / (b + c).sqrt()) };
    Difference { difference, ci95: [difference - Z95 * deviation, difference + Z95 * deviation], p_value }
}

/// The same for a number a game instead of an outcome (expected wins): the mean of the differences with its normal
/// interval.
pub fn compare_means(first: &[f64], second: &[f64]) -> Difference {
    let differences = first.iter().zip(second).map(|(first, second)| first - second);
    let Some((mean, ci95)) = mean_ci95(differences) else {
        return Difference { difference: 0.0, ci95: [-1.0, 1.0], p_value: 1.0 };
    };
    let deviation = (ci95[1] - mean) / Z95;
    let p_value = if mean == 0.0 { 1.0 } else { two_sided(mean / deviation) };
    Difference { difference: mean, ci95, p_value }
}

/// The mean of some numbers with its normal 95% interval; nothing for fewer than two.
pub fn mean_ci95(values: impl IntoIterator<Item = f64>) -> Option<(f64, [f64; 2])> {
    let mut count = 0.0f64;
    let (mean, variance) = mean_and_variance(values.into_iter().inspect(|_| count += 1.0))?;
    let half = Z95 * (variance / count).sqrt();
    Some((mean, [mean - half, mean + half]))
}

/// Mean and variance (n - 1) of the wins in consecutive sets of `set` games, as Pedersen and Studholme report them;
/// a last set that is not full is left out. Without two full sets there is no variance.
pub fn sets_of(outcomes: &[bool], set: usize) -> Option<(f64, f64)> {
    mean_and_variance(outcomes.chunks_exact(set.max(1)).map(|set| WinRate::of(set.iter().copied()).wins as f64))
}

/// Mean and variance (n - 1) of some numbers; nothing for fewer than two.
pub fn mean_and_variance(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    // Welford's method: one pass, no cancellation.
    let (count, mean, squares) = values.into_iter().fold((0.0, 0.0, 0.0), |(count, mean, squares), value| {
        let away = value - mean;
        let mean = mean + away / (count + 1.0);
        (count + 1.0, mean, squares + away * (value - mean))
    });
    (count >= 2.0).then(|| (mean, squares / (count - 1.0)))
}

/// The chance that `n` tosses of a coin are as one-sided as `fewer` of one kind, or more so.
fn sign_test(fewer: u32, n: u32) -> f64 {
    // In logarithms: 2^-1000 is near the end of what f64 can hold.
    let mut term = -f64::from(n) * std::f64::consts::LN_2;
    let mut sum = term.exp();
    for k in 0..fewer {
        term += (f64::from(n - k) / f64::from(k + 1)).ln();
        sum += term.exp();
    }
    (2.0 * sum).min(1.0)
}

/// The chance that a standard normal number is at least as far from 0 as `z`.
fn two_sided(z: f64) -> f64 {
    complementary_error(z.abs() / std::f64::consts::SQRT_2)
}

/// erfc for x >= 0: its power series near 0, its continued fraction beyond (Abramowitz & Stegun 7.1.6 and 7.1.14).
fn complementary_error(x: f64) -> f64 {
    let gauss = (-x * x).exp() / std::f64::consts::PI.sqrt();
    if x < 2.5 {
        let (mut term, mut sum, mut n) = (x, x, 0.0);
        while term > sum * 1e-17 {
            n += 1.0;
            term *= 2.0 * x * x / (2.0 * n + 1.0);
            sum += term;
        }
        1.0 - 2.0 * gauss * sum
    } else {
        // 60 levels are exact to 1e-15 from 2.5 on.
        gauss / (1..=60).rev().fold(x, |below, k| x + f64::from(k) / 2.0 / below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() < within, "{found} is not {expected}");
    }

    #[test]
    fn wilson_intervals_of_the_textbooks() {
        // Newcombe 1998, table I, method 3.
        for (wins, games, low, high) in
            [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
        {
            let [l, h] = WinRate { wins, games }.ci95();
            near(l, low, 1e-4);
            near(h, high, 1e-4);
        }
        assert_eq!(WinRate::default().ci95(), [0.0, 1.0]);
        assert_eq!(WinRate { wins: 7, games: 7 }.ci95()[1], 1.0);
    }

    #[test]
    fn differences_of_independent_rates_of_the_textbooks() {
        // Newcombe 1998 (differences), table II, method 10: 56/70 against 48/80.
        let found = compare(WinRate { wins: 56, games: 70 }, WinRate { wins: 48, games: 80 });
        near(found.difference, 0.2, 1e-12);
        near(found.ci95[0], 0.0524, 1e-4);
        near(found.ci95[1], 0.3339, 1e-4);
        // z = 0.2 / sqrt(104/150 * 46/150 * (1/70 + 1/80)) = 2.650
        near(found.p_value, 0.00804, 1e-4);
    }

    #[test]
    fn paired_games_count_only_where_they_differ() {
        // 3 won by the first alone, 12 by the second alone, 40 by both: 2 * P(X <= 3 of 15) = 2 * 576 / 32768.
        let first = [vec![true; 3], vec![false; 12], vec![true; 40]].concat();
        let second = [vec![false; 3], vec![true; 12], vec![true; 40]].concat();
        let found = compare_paired(&first, &second);
        near(found.p_value, 2.0 * 576.0 / 32768.0, 1e-12);
        near(found.difference, -9.0 / 55.0, 1e-12);
        assert_eq!(compare_paired(&first, &first).p_value, 1.0);
    }

    #[test]
    fn means_are_compared_by_their_differences() {
        // Differences 1, 0, 2, 1: mean 1, variance 2/3, standard error sqrt(1/6).
        let found = compare_means(&[3.0, 1.0, 4.0, 2.0], &[2.0, 1.0, 2.0, 1.0]);
        near(found.difference, 1.0, 1e-12);
        near(found.ci95[1] - 1.0, Z95 * (1.0f64 / 6.0).sqrt(), 1e-12);
        near(found.p_value, two_sided(6.0f64.sqrt()), 1e-12);
        assert_eq!(compare_means(&[1.0, 2.0], &[1.0, 2.0]).p_value, 1.0);
    }

    #[test]
    fn the_normal_tail() {
        for (z, tail) in
            [(0.0, 1.0), (1.0, 0.317_310_507_863), (Z95, 0.05), (4.0, 6.334_248_367e-5), (6.0, 1.973_175e-9)]
        {
            near(two_sided(z) / tail, 1.0, 1e-6);
        }
        near(sign_test(500, 1000), 1.0, 1e-9);
    }

    #[test]
    fn variance_over_sets() {
        let outcomes = [true, true, true, false, false, false, true];
        // Sets of two: 2, 1 and 0 wins; the seventh game is left out.
        assert_eq!(sets_of(&outcomes, 2), Some((1.0, 1.0)));
        assert_eq!(sets_of(&outcomes, 7), None);
    }
}
