//! What others write to standard error while the screen belongs to tau.

use std::fs::File;
use std::io::{self, Read};

use tau_sys::stdio::DivertedErrors;

use crate::told::{Teller, Told};

/// The longest line that is kept; the rest of a longer one is another line.
const LONGEST: usize = 8 << 10;

/// Reads what is written to standard error, from now on and as long as the result lives.
///
/// # Errors
/// When the system refuses.
pub(crate) fn divert(teller: &Teller) -> io::Result<DivertedErrors> {
    let (diverted, read) = tau_sys::stdio::divert_errors()?;
    let teller = teller.clone();
    std::thread::Builder::new().name("standard error".to_owned()).spawn(move || lines(read, &teller))?;
    Ok(diverted)
}

fn lines(mut read: File, teller: &Teller) {
    let (mut line, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        match read.read(&mut buffer) {
            Ok(0) => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                tracing::debug!(%error, "standard error cannot be read");
                break;
            }
            Ok(count) => {
                for byte in &buffer[..count] {
                    if *byte == b'\n' || line.len() == LONGEST {
                        tell(&std::mem::take(&mut line), teller);
                    }
                    if *byte != b'\n' {
                        line.push(*byte);
                    }
                }
                // A notification has no end of a line.
                if line.starts_with(b"\x1b]") && (line.ends_with(b"\x07") || line.ends_with(b"\x1b\\")) {
                    tell(&std::mem::take(&mut line), teller);
                }
            }
        }
    }
    tell(&line, teller);
}

fn tell(line: &[u8], teller: &Teller) {
    let line = String::from_utf8_lossy(line);
    let line = line.trim_end();
    if !line.is_empty() {
        teller.tell(Told::Stray(line.to_owned()));
    }
}
