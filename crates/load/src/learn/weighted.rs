//! Draws by weight in constant time: Vose's alias method.

/// Items by number, each as often as its weight says.
#[derive(Clone, Debug)]
pub(crate) struct Weighted(Vec<Column>);

/// One of equally likely columns: below the threshold the column's own item, else the other.
#[derive(Clone, Copy, Debug)]
struct Column {
    threshold: u32,
    other: u32,
}

impl Weighted {
    /// Weights of items 0 to n; `None` where all are zero or there are none.
    pub(crate) fn new(weights: impl IntoIterator<Item = u64>) -> Option<Self> {
        let weights: Vec<f64> = weights.into_iter().map(|weight| weight as f64).collect();
        let total: f64 = weights.iter().sum();
        if total <= 0.0 {
            return None;
        }
        let len = weights.len() as f64;
        let mut scaled: Vec<f64> = weights.iter().map(|weight| weight * len / total).collect();
        let mut columns: Vec<Column> = (0..scaled.len())
            .map(|place| Column {
                threshold: u32::MAX,
                other: u32::try_from(place).unwrap_or(0),
            })
            .collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..scaled.len()).partition(|place| scaled.get(*place).is_some_and(|s| *s < 1.0));
        while let (Some(low), Some(high)) = (small.pop(), large.last().copied()) {
            let part = scaled.get(low).copied().unwrap_or(0.0);
            if let Some(column) = columns.get_mut(low) {
                *column = Column {
                    threshold: (part * f64::from(u32::MAX)) as u32,
                    other: u32::try_from(high).unwrap_or(0),
                };
            }
            if let Some(rest) = scaled.get_mut(high) {
                *rest -= 1.0 - part;
                if *rest < 1.0 {
                    large.pop();
                    small.push(high);
                }
            }
        }
        Some(Self(columns))
    }

    /// The first item, always.
    pub(crate) fn first() -> Self {
        Self(Vec::new())
    }

    /// The item for 64 random bits.
    pub(crate) fn pick(&self, random: u64) -> usize {
        let wide = (random >> 32) * self.0.len() as u64;
        let place = usize::try_from(wide >> 32).unwrap_or(0);
        let low = (random & u64::from(u32::MAX)) as u32;
        match self.0.get(place) {
            Some(column) if low > column.threshold => column.other as usize,
            _ => place,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn items_come_as_often_as_they_weigh() {
        let weights = [1_u64, 0, 5, 2, 92];
        let table = Weighted::new(weights).expect("weights");
        let mut random = Random::new(7);
        let mut seen = [0_u64; 5];
        for _ in 0..100_000 {
            seen[table.pick(random.next())] += 1;
        }
        for (weight, seen) in weights.iter().zip(seen) {
            assert!(seen.abs_diff(weight * 1_000) <= weight * 60 + 100, "{seen}");
        }
        assert!(Weighted::new([]).is_none() && Weighted::new([0, 0]).is_none());
    }
}
