//! How much stack the running thread has left, so that what fits is parsed where it is needed: a thread of its own for
//! each module would be a large part of what a first start takes.

use std::cell::Cell;

/// What a thread may use of its stack before [`begin`] is called, and what the system may keep of it, in bytes.
const SPARE: usize = 256 << 10;

thread_local! {
    /// The lowest address that may be used; of a thread that nobody spoke for, none.
    static END: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Says that the running thread was just started with a stack of so many bytes.
pub fn begin(size: usize) {
    END.set(here().saturating_sub(size.saturating_sub(SPARE)));
}

/// How much stack is left at least, in bytes: nothing when nobody said how much there was.
pub(super) fn left() -> usize {
    here().saturating_sub(END.get())
}

/// An address in the stack. It grows downwards on every system that tau runs on.
fn here() -> usize {
    let mark = 0_u8;
    std::hint::black_box(std::ptr::from_ref(&mark)).addr()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says what is left below more frames.
    fn left_below(frames: usize) -> usize {
        let frame = std::hint::black_box([0_u8; 1024]);
        let left = if frames == 0 { left() } else { left_below(frames - 1) };
        std::hint::black_box(frame);
        left
    }

    #[test]
    fn only_a_thread_that_was_spoken_for_has_stack_left_and_deeper_calls_have_less() {
        let size = 8 << 20;
        let thread = std::thread::Builder::new().stack_size(size).spawn(move || {
            let before = left();
            begin(size);
            (before, left(), left_below(1_000))
        });
        let (before, after, below) = thread.expect("a thread").join().expect("no panic");
        assert_eq!(before, 0);
        assert!(after > size - (1 << 20) && after <= size - SPARE, "{after}");
        assert!(below + (1_000 << 10) <= after, "{after} {below}");
    }
}
