//! Brotli.

use std::io::Write;

use brotli::enc::BrotliEncoderParams;
use brotli::enc::backward_references::BrotliEncoderMode;
use brotli::{CompressorWriter, DecompressorWriter};

use super::{Codec, Flush, Options, failed, too_large};
use crate::ops::OpError;

const BUFFER: usize = 32 << 10;

/// The most that one step may give, in bytes: a few bytes of input may stand for any number.
const MAX_STEP: usize = 64 << 20;

/// Where output goes; refuses more than one step may give.
#[derive(Default)]
struct Sink(Vec<u8>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_STEP {
            return Err(std::io::ErrorKind::OutOfMemory.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

pub(super) struct Compress {
    writer: Option<CompressorWriter<Sink>>,
    window: usize,
}

impl Compress {
    pub(super) fn new(options: &Options) -> Self {
        let params = BrotliEncoderParams {
            quality: options.quality.try_into().unwrap_or(11),
            lgwin: options.window.try_into().unwrap_or(22),
            mode: if options.text {
                BrotliEncoderMode::BROTLI_MODE_TEXT
            } else {
                BrotliEncoderMode::BROTLI_MODE_GENERIC
            },
            ..BrotliEncoderParams::default()
        };
        let writer = CompressorWriter::with_params(Sink::default(), BUFFER, &params);
        // The data, and tables over it.
        Self { writer: Some(writer), window: 4 << options.window }
    }
}

impl Codec for Compress {
    fn window(&self) -> usize {
        self.window
    }

    fn feed(&mut self, input: &[u8], flush: Flush, out: &mut Vec<u8>) -> Result<(), OpError> {
        let error = |error: std::io::Error| failed("ERR_BROTLI_COMPRESSION_FAILED", -2, &error.to_string());
        let Some(mut writer) = self.writer.take() else { return Ok(()) };
        writer.write_all(input).map_err(error)?;
        match flush {
            Flush::Finish => {
                out.append(&mut writer.into_inner().0);
                return Ok(());
            }
            Flush::Sync | Flush::Full => writer.flush().map_err(error)?,
            Flush::No => {}
        }
        out.append(&mut writer.get_mut().0);
        self.writer = Some(writer);
        Ok(())
    }
}

pub(super) struct Decompress {
    writer: DecompressorWriter<Sink>,
    partial: bool,
}

impl Decompress {
    pub(super) fn new(options: &Options) -> Self {
        Self { writer: DecompressorWriter::new(Sink::default(), BUFFER), partial: options.partial }
    }
}

impl Codec for Decompress {
    fn window(&self) -> usize {
        // What the data asks for; this is the most.
        16 << 20
    }

    fn feed(&mut self, input: &[u8], flush: Flush, out: &mut Vec<u8>) -> Result<(), OpError> {
        let invalid = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::OutOfMemory => too_large(MAX_STEP),
            _ => failed("ERR__ERROR_FORMAT_PADDING_1", -2, "Decompression failed"),
        };
        self.writer.write_all(input).map_err(invalid)?;
        let closed = if flush == Flush::Finish { self.writer.close() } else { Ok(()) };
        out.append(&mut self.writer.get_mut().0);
        match closed {
            Err(error) if error.kind() == std::io::ErrorKind::OutOfMemory => Err(too_large(MAX_STEP)),
            Err(_) if !self.partial => Err(failed("Z_BUF_ERROR", -5, "unexpected end of file")),
            _ => Ok(()),
        }
    }
}
