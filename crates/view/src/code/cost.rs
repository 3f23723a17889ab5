//! How much is looked at, counted for tests.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// One more character is looked at, or one more piece begins.
#[inline]
pub(super) fn one() {
    #[cfg(test)]
    STEPS.with(|steps| steps.set(steps.get() + 1));
}

/// What `work` looks at.
#[cfg(test)]
pub(super) fn of(work: impl FnOnce()) -> usize {
    let before = STEPS.get();
    work();
    STEPS.get() - before
}
