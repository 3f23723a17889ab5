//! Traces from files.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::TraceRecord;

/// Why a line of a trace is no record.
#[derive(Debug, thiserror::Error)]
pub enum TraceReadError {
    /// The file cannot be read. Nothing more comes of it.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A line is no record that this version knows; those after it may be.
    #[error("{}:{line}: {message}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Its number, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// The last line does not end: the program that wrote it ended first, or writes it right now.
    #[error("{}:{line}: the last record is cut off", path.display())]
    CutOff {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
    },
}

/// Reads the records of a trace one by one, as [`Trace::write_to`](super::Trace::write_to) writes them. A line that is
/// none gives an error and does not end the reading.
pub struct TraceReader<R> {
    path: PathBuf,
    source: R,
    line: usize,
    text: Vec<u8>,
    ended: bool,
}

impl TraceReader<BufReader<File>> {
    /// Opens a file.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(path: &Path) -> Result<Self, TraceReadError> {
        match File::open(path) {
            Ok(file) => Ok(Self::new(path, BufReader::new(file))),
            Err(error) => Err(TraceReadError::Io { path: path.into(), error }),
        }
    }
}

impl<R: BufRead> TraceReader<R> {
    /// Reads from anywhere; `path` is what errors name.
    pub fn new(path: impl Into<PathBuf>, source: R) -> Self {
        Self { path: path.into(), source, line: 0, text: Vec::new(), ended: false }
    }

    fn read_line(&mut self) -> io::Result<Option<&[u8]>> {
        loop {
            self.text.clear();
            if self.source.read_until(b'\n', &mut self.text)? == 0 {
                return Ok(None);
            }
            self.line += 1;
            if !self.text.trim_ascii().is_empty() {
                return Ok(Some(&self.text));
            }
        }
    }
}

impl<R: BufRead> Iterator for TraceReader<R> {
    type Item = Result<TraceRecord, TraceReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let read = match self.read_line() {
            Ok(None) => return None,
            Ok(Some(line)) => {
                let cut_off = !line.ends_with(b"\n");
                serde_json::from_slice(line).map_err(|error| (error, cut_off))
            }
            Err(error) => {
                self.ended = true;
                return Some(Err(TraceReadError::Io { path: self.path.clone(), error }));
            }
        };
        let (path, line) = (|| self.path.clone(), self.line);
        Some(read.map_err(|(error, cut_off)| {
            if cut_off && error.is_eof() {
                TraceReadError::CutOff { path: path(), line }
            } else {
                // The place that the reader of JSON gives is one within the line.
                let message = error.to_string();
                let message = message.rsplit_once(" at line ").map_or(&*message, |(what, _)| what).to_owned();
                TraceReadError::Malformed { path: path(), line, message }
            }
        }))
    }
}
