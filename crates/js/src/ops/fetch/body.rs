//! Bodies on their way: streamed up as JavaScript writes them, decoded on the way down.

use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use futures_util::{Stream, StreamExt};
use tokio::io::{AsyncRead, AsyncReadExt, DuplexStream, ReadBuf};

const CHUNK: usize = 16 * 1_024;

/// The body that is written to the other end.
pub(super) fn upload(reader: DuplexStream) -> reqwest::Body {
    let chunks = futures_util::stream::unfold(reader, |mut reader| async move {
        let mut chunk = vec![0; CHUNK];
        match reader.read(&mut chunk).await {
            Ok(0) => None,
            Ok(count) => {
                chunk.truncate(count);
                Some((Ok(chunk), reader))
            }
            Err(error) => Some((Err(error), reader)),
        }
    });
    reqwest::Body::wrap_stream(chunks)
}

/// One layer of `content-encoding`.
enum Decoder {
    Gzip(MultiGzDecoder<Vec<u8>>),
    Zlib(ZlibDecoder<Vec<u8>>),
    Raw(DeflateDecoder<Vec<u8>>),
    Brotli(Box<brotli::DecompressorWriter<Vec<u8>>>),
    /// `deflate` is two formats; the first byte tells which.
    Unknown,
}

impl Decoder {
    fn named(name: &str) -> Option<Self> {
        match name.trim().to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => Some(Self::Gzip(MultiGzDecoder::new(Vec::new()))),
            "deflate" => Some(Self::Unknown),
            "br" => Some(Self::Brotli(Box::new(brotli::DecompressorWriter::new(Vec::new(), CHUNK)))),
            _ => None,
        }
    }

    /// Takes encoded bytes; gives what they come to so far.
    fn decode(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        if matches!(self, Self::Unknown) {
            let Some(first) = bytes.first() else { return Ok(Vec::new()) };
            *self = match first & 0x0f {
                8 => Self::Zlib(ZlibDecoder::new(Vec::new())),
                _ => Self::Raw(DeflateDecoder::new(Vec::new())),
            };
        }
        fn run<W: Write>(writer: &mut W, bytes: &[u8]) -> io::Result<()> {
            writer.write_all(bytes)?;
            writer.flush()
        }
        Ok(std::mem::take(match self {
            Self::Gzip(decoder) => {
                run(decoder, bytes)?;
                decoder.get_mut()
            }
            Self::Zlib(decoder) => {
                run(decoder, bytes)?;
                decoder.get_mut()
            }
            Self::Raw(decoder) => {
                run(decoder, bytes)?;
                decoder.get_mut()
            }
            Self::Brotli(decoder) => {
                run(decoder, bytes)?;
                decoder.get_mut()
            }
            Self::Unknown => return Ok(Vec::new()),
        }))
    }
}

type Chunks = Pin<Box<dyn Stream<Item = reqwest::Result<Vec<u8>>>>>;

/// The decoded body of an answer.
pub(super) struct Download {
    chunks: Chunks,
    /// In the order in which they are undone.
    decoders: Vec<Decoder>,
    ready: Vec<u8>,
    taken: usize,
}

impl Download {
    pub(super) fn new(response: reqwest::Response) -> Self {
        let encodings = response.headers().get_all("content-encoding").iter();
        let encodings: Vec<String> = encodings.filter_map(|value| value.to_str().ok().map(str::to_owned)).collect();
        let names: Vec<&str> = encodings.iter().flat_map(|list| list.split(',')).collect();
        // Undone from the outside in; one that is not known leaves everything as it came.
        let decoders: Option<Vec<Decoder>> = names.into_iter().rev().map(Decoder::named).collect();
        Self {
            chunks: Box::pin(response.bytes_stream().map(|chunk| chunk.map(|bytes| bytes.to_vec()))),
            decoders: decoders.unwrap_or_default(),
            ready: Vec::new(),
            taken: 0,
        }
    }
}

impl AsyncRead for Download {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        while this.taken == this.ready.len() {
            let Some(chunk) = ready!(this.chunks.as_mut().poll_next(context)) else { return Poll::Ready(Ok(())) };
            let mut bytes = chunk.map_err(|error| super::error::broken_body(&error))?;
            for decoder in &mut this.decoders {
                bytes = decoder.decode(&bytes)?;
            }
            this.ready = bytes;
            this.taken = 0;
        }
        let rest = &this.ready[this.taken..];
        let count = rest.len().min(buffer.remaining());
        buffer.put_slice(&rest[..count]);
        this.taken += count;
        Poll::Ready(Ok(()))
    }
}
