//! Decompression of deflated data.

use flate2::{Decompress, FlushDecompress, Status};

use super::{Codec, Flush, MAX_STEP, Options, Wrapping, failed, too_large};
use crate::ops::OpError;

const STEP: usize = 32 << 10;

#[derive(PartialEq, Eq)]
enum Part {
    Header,
    Body,
    Trailer,
    Done,
}

pub(super) struct Inflate {
    decoder: Decompress,
    wrapping: Wrapping,
    part: Part,
    /// Input that was not understood yet.
    held: Vec<u8>,
    sum: crc32fast::Hasher,
    length: u32,
    /// Whole gzip members so far: there may be several in a row.
    members: usize,
    partial: bool,
}

impl Inflate {
    pub(super) fn new(wrapping: Wrapping, options: &Options) -> Self {
        let framed = matches!(wrapping, Wrapping::Gzip | Wrapping::Either);
        Self {
            decoder: Decompress::new(wrapping == Wrapping::Zlib),
            wrapping,
            part: if framed { Part::Header } else { Part::Body },
            held: Vec::new(),
            sum: crc32fast::Hasher::new(),
            length: 0,
            members: 0,
            partial: options.partial,
        }
    }

    /// Reads a gzip header; whether it was all there.
    fn header(&mut self) -> Result<bool, OpError> {
        if self.wrapping == Wrapping::Either {
            match self.held.first() {
                None => return Ok(false),
                Some(0x1f) => self.wrapping = Wrapping::Gzip,
                Some(_) => {
                    self.wrapping = Wrapping::Zlib;
                    self.decoder = Decompress::new(true);
                    self.part = Part::Body;
                    return Ok(true);
                }
            }
        }
        let Some(length) = header_length(&self.held)? else { return Ok(false) };
        self.held.drain(..length);
        self.part = Part::Body;
        Ok(true)
    }

    /// Decompresses; whether it came to the end of the data.
    fn body(&mut self, out: &mut Vec<u8>) -> Result<bool, OpError> {
        let start = out.len();
        let mut taken = 0;
        let ended = loop {
            out.reserve(STEP);
            let (before, length) = (self.decoder.total_in(), out.len());
            let status = self.decoder.decompress_vec(&self.held[taken..], out, FlushDecompress::None);
            let status = status.map_err(|_| match self.decoder.total_in() {
                0..=2 if self.wrapping == Wrapping::Zlib => failed("Z_DATA_ERROR", -3, "incorrect header check"),
                _ => failed("Z_DATA_ERROR", -3, "invalid compressed data"),
            })?;
            let count = usize::try_from(self.decoder.total_in() - before).unwrap_or(0);
            taken += count;
            if out.len() - start > MAX_STEP {
                return Err(too_large(MAX_STEP));
            }
            if status == Status::StreamEnd {
                break true;
            }
            if count == 0 && out.len() == length {
                break false;
            }
        };
        self.held.drain(..taken);
        if self.wrapping == Wrapping::Gzip {
            self.sum.update(&out[start..]);
            #[expect(clippy::cast_possible_truncation, reason = "the format keeps the lower half")]
            let count = (out.len() - start) as u32;
            self.length = self.length.wrapping_add(count);
        }
        if ended {
            self.part = if self.wrapping == Wrapping::Gzip { Part::Trailer } else { Part::Done };
        }
        Ok(ended)
    }

    /// Checks what follows the data of a gzip member; whether it was all there.
    fn trailer(&mut self) -> Result<bool, OpError> {
        let Some((sum, length)) = self.held.split_at_checked(8).map(|(trailer, _)| trailer.split_at(4)) else {
            return Ok(false);
        };
        let expected = std::mem::take(&mut self.sum).finalize().to_le_bytes();
        if sum != expected {
            return Err(failed("Z_DATA_ERROR", -3, "incorrect data check"));
        }
        if length != self.length.to_le_bytes() {
            return Err(failed("Z_DATA_ERROR", -3, "incorrect length check"));
        }
        self.held.drain(..8);
        self.members += 1;
        self.length = 0;
        self.decoder = Decompress::new(false);
        self.part = Part::Header;
        Ok(true)
    }
}

/// How long a gzip header is; none when more of it has to come.
fn header_length(bytes: &[u8]) -> Result<Option<usize>, OpError> {
    let magic = [0x1f, 0x8b, 8];
    if bytes.iter().zip(magic).any(|(byte, expected)| *byte != expected) {
        return Err(failed("Z_DATA_ERROR", -3, "incorrect header check"));
    }
    let Some(flags) = bytes.get(3) else { return Ok(None) };
    let mut at = 10;
    if flags & 4 != 0 {
        let Some(length) = bytes.get(at..at + 2) else { return Ok(None) };
        at += 2 + usize::from(length[0]) + usize::from(length[1]) * 256;
    }
    // A name and a comment, each with a zero behind it.
    for flag in [8, 16] {
        if flags & flag != 0 {
            let Some(end) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == 0)) else {
                return Ok(None);
            };
            at += end + 1;
        }
    }
    if flags & 2 != 0 {
        at += 2;
    }
    Ok((bytes.len() >= at).then_some(at))
}

impl Codec for Inflate {
    fn window(&self) -> usize {
        64 << 10
    }

    fn feed(&mut self, input: &[u8], flush: Flush, out: &mut Vec<u8>) -> Result<(), OpError> {
        self.held.extend_from_slice(input);
        loop {
            let more = match self.part {
                // Zeros behind a member fill a block of whatever it was stored on.
                Part::Header if self.members > 0 && self.held.first() == Some(&0) => {
                    self.part = Part::Done;
                    true
                }
                Part::Header => self.header()?,
                Part::Body => self.body(out)?,
                Part::Trailer => self.trailer()?,
                Part::Done => {
                    self.held.clear();
                    false
                }
            };
            if !more {
                break;
            }
        }
        let between = self.part == Part::Header && self.members > 0 && self.held.is_empty();
        if flush == Flush::Finish && !self.partial && self.part != Part::Done && !between {
            return Err(failed("Z_BUF_ERROR", -5, "unexpected end of file"));
        }
        Ok(())
    }
}
