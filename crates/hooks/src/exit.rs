//! The exit code that extensions want the program to end with.

use parking_lot::Mutex;

/// What extensions said about the end of the program.
#[derive(Debug, Default)]
pub struct Exit(Mutex<Wanted>);

#[derive(Debug, Default, Clone, Copy)]
struct Wanted {
    asked: Option<i32>,
    otherwise: Option<i32>,
    ending: bool,
}

impl Exit {
    /// An extension ended the program with this code; the first one counts.
    pub fn ask(&self, code: i32) {
        self.0.lock().asked.get_or_insert(code);
    }

    /// Says whether extensions are being told that they end: then any of them may ask, else only a command may.
    pub fn set_ending(&self, ending: bool) {
        self.0.lock().ending = ending;
    }

    /// See [`Exit::set_ending`].
    pub fn is_ending(&self) -> bool {
        self.0.lock().ending
    }

    /// The code to end with when nothing else went wrong; `None` takes it back.
    pub fn set_otherwise(&self, code: Option<i32>) {
        self.0.lock().otherwise = code;
    }

    /// The code to end with when the program itself would end with `own`.
    pub fn code(&self, own: u8) -> u8 {
        let wanted = *self.0.lock();
        let code = match own {
            0 => wanted.asked.or(wanted.otherwise),
            _ => wanted.asked,
        };
        // The system keeps the lowest byte.
        code.map_or(own, |code| code.to_le_bytes()[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asking_beats_a_failure_and_a_wish_does_not() {
        let exit = Exit::default();
        assert_eq!((exit.code(0), exit.code(1)), (0, 1));
        exit.set_otherwise(Some(7));
        assert_eq!((exit.code(0), exit.code(1)), (7, 1));
        exit.ask(-1);
        exit.ask(3);
        assert_eq!((exit.code(0), exit.code(1)), (255, 255));
    }
}
