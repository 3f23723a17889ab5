//! Where blocks begin, when most of them have never been laid out.

/// The heights of blocks, one after the other, with their sums: a Fenwick tree. Heights of blocks that were not laid out
/// are estimates.
#[derive(Debug, Default)]
pub(super) struct Heights {
    heights: Vec<usize>,
    exact: Vec<bool>,
    /// `sums[i]` is the sum of the last `i & -i` heights up to the one at `i - 1`.
    sums: Vec<usize>,
}

impl Heights {
    pub(super) fn clear(&mut self) {
        self.heights.clear();
        self.exact.clear();
        self.sums.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.heights.len()
    }

    /// Adds a block at the end, with an estimate.
    pub(super) fn push(&mut self, estimate: usize) {
        if self.sums.is_empty() {
            self.sums.push(0);
        }
        self.heights.push(estimate);
        self.exact.push(false);
        let index = self.heights.len();
        let first = index - (index & index.wrapping_neg());
        let mut sum = estimate;
        let mut child = index - 1;
        while child > first {
            sum += self.sums[child];
            child -= child & child.wrapping_neg();
        }
        self.sums.push(sum);
    }

    /// Takes the height that a block has.
    pub(super) fn set(&mut self, block: usize, height: usize) {
        self.exact[block] = true;
        let before = std::mem::replace(&mut self.heights[block], height);
        let mut index = block + 1;
        while index < self.sums.len() && before != height {
            self.sums[index] = self.sums[index] + height - before;
            index += index & index.wrapping_neg();
        }
    }

    /// Says that a block may have another height by now.
    pub(super) fn doubt(&mut self, block: usize) {
        if let Some(exact) = self.exact.get_mut(block) {
            *exact = false;
        }
    }

    /// The height of a block, if it is known.
    pub(super) fn known(&self, block: usize) -> Option<usize> {
        self.exact.get(block).copied().filter(|exact| *exact).map(|_| self.heights[block])
    }

    /// The heights of all blocks before one.
    pub(super) fn before(&self, block: usize) -> usize {
        let (mut index, mut sum) = (block.min(self.heights.len()), 0);
        while index > 0 {
            sum += self.sums[index];
            index -= index & index.wrapping_neg();
        }
        sum
    }

    /// The heights of all blocks.
    pub(super) fn total(&self) -> usize {
        self.before(self.heights.len())
    }

    /// The block in which a line is, and the line in it.
    pub(super) fn find(&self, line: usize) -> (usize, usize) {
        let (mut block, mut rest) = (0, line);
        let mut step = self.heights.len().checked_next_power_of_two().unwrap_or(0);
        while step > 0 {
            if block + step < self.sums.len() && self.sums[block + step] <= rest {
                rest -= self.sums[block + step];
                block += step;
            }
            step /= 2;
        }
        (block, rest)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sums_are_those_of_the_heights(
            heights in prop::collection::vec(0..20usize, 0..70), changes in prop::collection::vec((0..70usize, 0..30usize), 0..40)
        ) {
            let mut tree = Heights::default();
            let mut model = heights.clone();
            heights.iter().for_each(|height| tree.push(*height));
            for (block, height) in changes {
                if block < model.len() {
                    tree.set(block, height);
                    model[block] = height;
                    prop_assert_eq!(tree.known(block), Some(height));
                }
            }
            for block in 0..=model.len() {
                prop_assert_eq!(tree.before(block), model[..block].iter().sum::<usize>());
            }
            let lines: Vec<(usize, usize)> =
                model.iter().enumerate().flat_map(|(block, height)| (0..*height).map(move |line| (block, line))).collect();
            prop_assert_eq!(tree.total(), lines.len());
            for (line, place) in lines.iter().enumerate() {
                prop_assert_eq!(tree.find(line), *place);
            }
            prop_assert_eq!(tree.find(lines.len()).0, model.len());
        }
    }
}
