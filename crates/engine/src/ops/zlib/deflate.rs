//! Compression with deflate.

use flate2::{Compress, Compression, FlushCompress, Status};

use super::{Codec, Flush, Options, Wrapping, failed};
use crate::ops::OpError;

const STEP: usize = 32 << 10;

pub(super) struct Deflate {
    encoder: Compress,
    /// The checksum and the length so far, for gzip.
    gzip: Option<crc32fast::Hasher>,
    length: u32,
    level: u32,
    started: bool,
    done: bool,
}

impl Deflate {
    pub(super) fn new(wrapping: Wrapping, options: &Options) -> Self {
        let level = options.level.unwrap_or(6).min(9);
        Self {
            encoder: Compress::new(Compression::new(level), wrapping == Wrapping::Zlib),
            gzip: (wrapping == Wrapping::Gzip).then(crc32fast::Hasher::new),
            length: 0,
            level,
            started: false,
            done: false,
        }
    }

    fn header(&mut self, out: &mut Vec<u8>) {
        if self.gzip.is_some() && !self.started {
            let effort = match self.level {
                9 => 2,
                1 => 4,
                _ => 0,
            };
            // No name, no time; made on Unix.
            out.extend([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, effort, 3]);
        }
        self.started = true;
    }
}

impl Codec for Deflate {
    fn window(&self) -> usize {
        384 << 10
    }

    fn feed(&mut self, input: &[u8], flush: Flush, out: &mut Vec<u8>) -> Result<(), OpError> {
        if self.done {
            return Ok(());
        }
        self.header(out);
        if let Some(sum) = self.gzip.as_mut() {
            sum.update(input);
            #[expect(clippy::cast_possible_truncation, reason = "the format keeps the lower half")]
            let count = input.len() as u32;
            self.length = self.length.wrapping_add(count);
        }
        let mode = match flush {
            Flush::No => FlushCompress::None,
            Flush::Sync => FlushCompress::Sync,
            Flush::Full => FlushCompress::Full,
            Flush::Finish => FlushCompress::Finish,
        };
        let mut rest = input;
        loop {
            out.reserve(STEP);
            let before = self.encoder.total_in();
            let room = out.capacity() - out.len();
            let length = out.len();
            let status = self.encoder.compress_vec(rest, out, mode);
            let status = status.map_err(|error| failed("Z_STREAM_ERROR", -2, &error.to_string()))?;
            let taken = usize::try_from(self.encoder.total_in() - before).unwrap_or(0);
            rest = &rest[taken.min(rest.len())..];
            if status == Status::StreamEnd {
                self.done = true;
                if let Some(sum) = self.gzip.take() {
                    out.extend(sum.finalize().to_le_bytes());
                    out.extend(self.length.to_le_bytes());
                }
                return Ok(());
            }
            let full = out.len() - length == room;
            if rest.is_empty() && !full && mode != FlushCompress::Finish {
                return Ok(());
            }
        }
    }
}
