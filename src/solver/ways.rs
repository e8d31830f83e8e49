//! The ways to choose k of n: as a table for a box, as a logarithm for the tiles without information, exactly for counts.

use num_bigint::BigUint;

/// Ways to choose k of n tiles, n up to the 8 around a witness.
pub const CHOOSE: [[f64; 9]; 9] = {
    let mut table = [[0.0; 9]; 9];
    let mut n = 0;
    while n < 9 {
        table[n][0] = 1.0;
        let mut k = 1;
        while k <= n {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
};

/// The logarithm of the ways to choose `k` of `n`; `table` keeps the logarithms of factorials from call to call.
pub(crate) fn log_choose(table: &mut Vec<f64>, n: i64, k: i64) -> f64 {
    if table.is_empty() {
        table.push(0.0);
    }
    while table.len() <= n as usize {
        table.push(table[table.len() - 1] + (table.len() as f64).ln());
    }
    table[n as usize] - table[k as usize] - table[(n - k) as usize]
}

/// The ways to choose k of n.
pub fn choose(n: u64, k: u64) -> BigUint {
    if k > n {
        return BigUint::ZERO;
    }
    let k = k.min(n - k);
    span(n - k, n) / span(0, k)
}

/// The product of the numbers above `low` up to `high`, by halves: long numbers meet long numbers.
fn span(low: u64, high: u64) -> BigUint {
    if high - low <= 8 {
        return (low + 1..=high).map(BigUint::from).product();
    }
    let middle = low + (high - low) / 2;
    span(low, middle) * span(middle, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binomials() {
        assert_eq!(choose(30, 15), BigUint::from(155_117_520u32));
        assert_eq!(choose(5, 6), BigUint::ZERO);
        assert_eq!(choose(40_000, 1), BigUint::from(40_000u32));
    }

    #[test]
    fn tables_and_logarithms_agree_with_the_exact_numbers() {
        let mut logs = Vec::new();
        for (n, row) in CHOOSE.iter().enumerate() {
            for (k, &ways) in row.iter().enumerate() {
                assert_eq!(choose(n as u64, k as u64).to_string(), ways.to_string());
                if k <= n {
                    assert!((log_choose(&mut logs, n as i64, k as i64) - ways.ln()).abs() < 1e-12);
                }
            }
        }
    }
}
