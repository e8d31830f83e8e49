//! The number of explanations as an exact integer.

use super::constraints::Constraints;
use super::count::Counter;
use super::ways::choose;
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// The explanations of all components together, with the ways to lay the remaining mines on the rest.
///
/// A component that can hold m mines in w(m) ways is the polynomial of w(m) x^m; a tile of which nothing is known is
/// 1 + x; the answer is one coefficient of the product of all. Powers of 1 + x in the components are taken out and
/// counted as further such tiles, and equal components are multiplied by squaring: a board one tile high comes down to a
/// single binomial coefficient, however long it is.
pub fn total(constraints: &Constraints, counter: &Counter) -> BigUint {
    let mut free = u64::from(constraints.rest);
    let mut shift = 0u64;
    let mut factor = BigUint::from(1u32);
    let mut distinct: BTreeMap<Vec<BigUint>, u64> = BTreeMap::new();
    for component in 0..counter.components.len() {
        let mut ways = counter.exact_ways(component);
        if ways.is_empty() {
            return BigUint::ZERO;
        }
        shift += u64::from(counter.components[component].fewest);
        while let Some(quotient) = divide_by_one_plus_x(&ways) {
            ways = quotient;
            free += 1;
        }
        *distinct.entry(ways).or_default() += 1;
    }
    let mut product = vec![BigUint::from(1u32)];
    for (ways, times) in distinct {
        match ways.as_slice() {
            [single] => factor *= single.pow(times as u32),
            _ => product = multiply(&product, &power(ways, times)),
        }
    }
    let sum = match constraints.mines_left {
        None => product.iter().sum::<BigUint>() << free,
        Some(mines) => weigh(&product, free, mines - shift as i64),
    };
    sum * factor
}

/// The sum of `product[m]` times the ways to choose `mines - m` of `free`.
fn weigh(product: &[BigUint], free: u64, mines: i64) -> BigUint {
    let mut sum = BigUint::ZERO;
    let Some(last) = (product.len() as i64 - 1).min(mines).try_into().ok() else { return sum };
    let last: usize = last;
    let fewest = (mines - last as i64) as u64;
    let mut ways = choose(free, fewest);
    for (chosen, term) in (fewest..free + 1).zip(product[..=last].iter().rev()) {
        sum += term * &ways;
        ways = ways * (free - chosen) / (chosen + 1);
    }
    sum
}

fn divide_by_one_plus_x(terms: &[BigUint]) -> Option<Vec<BigUint>> {
    let mut quotient: Vec<BigUint> = Vec::with_capacity(terms.len());
    for term in &terms[..terms.len().checked_sub(1).filter(|&last| last > 0)?] {
        let before = quotient.last();
        let next = before.map_or(Some(term.clone()), |before| (term >= before).then(|| term - before))?;
        quotient.push(next);
    }
    (quotient.last() == terms.last()).then_some(quotient)
}

fn multiply(a: &[BigUint], b: &[BigUint]) -> Vec<BigUint> {
    let mut product = vec![BigUint::ZERO; a.len() + b.len() - 1];
    for (i, left) in a.iter().enumerate() {
        for (j, right) in b.iter().enumerate() {
            product[i + j] += left * right;
        }
    }
    product
}

fn power(base: Vec<BigUint>, times: u64) -> Vec<BigUint> {
    let mut result = vec![BigUint::from(1u32)];
    for bit in (0..64 - times.leading_zeros()).rev() {
        result = multiply(&result, &result);
        if times >> bit & 1 == 1 {
            result = multiply(&result, &base);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_plus_x_is_taken_out() {
        let big = |terms: &[u32]| terms.iter().map(|&term| BigUint::from(term)).collect::<Vec<_>>();
        assert_eq!(divide_by_one_plus_x(&big(&[1, 3, 3, 1])), Some(big(&[1, 2, 1])));
        assert_eq!(divide_by_one_plus_x(&big(&[1, 3, 4])), None);
        assert_eq!(divide_by_one_plus_x(&big(&[2])), None);
        assert_eq!(power(big(&[1, 1]), 5), big(&[1, 5, 10, 10, 5, 1]));
    }
}
