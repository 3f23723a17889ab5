//! Undoes the `content-encoding` of an answer, piece by piece as it arrives.

use std::io::{self, Write};

use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use reqwest::header::HeaderMap;

const BROTLI_BUFFER: usize = 16 * 1024;
/// The most that one piece may come to, in bytes: a few bytes can stand for gigabytes.
const MAX_STEP: usize = 64 << 20;

/// All layers of the encoding of an answer.
#[derive(Default)]
pub struct Decoder {
    /// In the order in which they are undone.
    layers: Vec<Layer>,
}

/// An encoding that nothing here undoes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownEncoding(
    /// Its name in the header.
    pub String,
);

impl Decoder {
    /// The one for the headers of an answer.
    ///
    /// # Errors
    /// When a layer is not known.
    pub fn of(headers: &HeaderMap) -> Result<Self, UnknownEncoding> {
        let values = headers.get_all(reqwest::header::CONTENT_ENCODING).iter();
        let lists: Vec<String> = values.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect();
        let names = lists.iter().flat_map(|list| list.split(',')).map(str::trim);
        let names = names.filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("identity"));
        let layers: Result<Vec<Layer>, _> = names.map(Layer::named).collect();
        let mut layers = layers?;
        layers.reverse();
        Ok(Self { layers })
    }

    /// Whether bytes stay as they are.
    pub fn is_plain(&self) -> bool {
        self.layers.is_empty()
    }

    /// What the next bytes come to, as far as that is known.
    ///
    /// # Errors
    /// When they are not in the encoding, or stand for more than anything honest.
    pub fn decode(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut bytes = bytes.to_vec();
        for layer in &mut self.layers {
            bytes = layer.decode(&bytes)?;
        }
        Ok(bytes)
    }
}

/// What a step came to.
#[derive(Default)]
struct Out(Vec<u8>);

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_STEP {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// One layer.
enum Layer {
    Gzip(MultiGzDecoder<Out>),
    Zlib(ZlibDecoder<Out>),
    Raw(DeflateDecoder<Out>),
    Brotli(Box<brotli::DecompressorWriter<Out>>),
    /// `deflate` is two formats; the first byte tells which.
    Deflate,
}

impl Layer {
    fn named(name: &str) -> Result<Self, UnknownEncoding> {
        match &*name.to_ascii_lowercase() {
            "gzip" | "x-gzip" => Ok(Self::Gzip(MultiGzDecoder::new(Out::default()))),
            "deflate" => Ok(Self::Deflate),
            "br" => Ok(Self::Brotli(Box::new(brotli::DecompressorWriter::new(Out::default(), BROTLI_BUFFER)))),
            _ => Err(UnknownEncoding(name.to_owned())),
        }
    }

    fn decode(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        fn run<W: Write>(writer: &mut W, bytes: &[u8]) -> io::Result<()> {
            writer.write_all(bytes)?;
            // What an event needs to be complete must not wait for the next one.
            writer.flush()
        }
        let Some(first) = bytes.first() else { return Ok(Vec::new()) };
        if matches!(self, Self::Deflate) {
            *self = match first & 0x0f {
                8 => Self::Zlib(ZlibDecoder::new(Out::default())),
                _ => Self::Raw(DeflateDecoder::new(Out::default())),
            };
        }
        let Out(out) = match self {
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
            Self::Deflate => return Ok(Vec::new()),
        };
        Ok(std::mem::take(out))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use reqwest::header::{CONTENT_ENCODING, HeaderValue};

    use super::*;

    const TEXT: &str = "data: {\"a\": \"ä ä ä ä ä ä ä\"}\n\ndata: [DONE]\n\n";

    fn decoder(encoding: &str) -> Result<Decoder, UnknownEncoding> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, HeaderValue::from_str(encoding).expect("a value"));
        Decoder::of(&headers)
    }

    fn encoded(encoding: &str, bytes: &[u8]) -> Vec<u8> {
        fn whole<W: Write>(mut writer: W, bytes: &[u8]) -> W {
            writer.write_all(bytes).expect("room");
            writer
        }
        let level = Compression::fast();
        match encoding {
            "gzip" => whole(GzEncoder::new(Vec::new(), level), bytes).finish().expect("room"),
            "deflate" => whole(ZlibEncoder::new(Vec::new(), level), bytes).finish().expect("room"),
            "raw" => whole(DeflateEncoder::new(Vec::new(), level), bytes).finish().expect("room"),
            _ => whole(brotli::CompressorWriter::new(Vec::new(), 4096, 1, 20), bytes).into_inner(),
        }
    }

    #[test]
    fn every_encoding_is_undone_wherever_it_is_cut() {
        let layered = encoded("gzip", &encoded("br", TEXT.as_bytes()));
        for (encoding, bytes) in [
            ("GZIP", encoded("gzip", TEXT.as_bytes())),
            ("deflate", encoded("deflate", TEXT.as_bytes())),
            ("deflate", encoded("raw", TEXT.as_bytes())),
            ("br", encoded("br", TEXT.as_bytes())),
            ("br, gzip", layered),
            ("identity", TEXT.as_bytes().to_vec()),
        ] {
            for size in [1, 3, 4096] {
                let mut decoder = decoder(encoding).expect("known");
                let pieces = bytes.chunks(size).map(|piece| decoder.decode(piece).expect("decoded"));
                let text = pieces.collect::<Vec<_>>().concat();
                assert_eq!(String::from_utf8(text).expect("text"), TEXT, "{encoding} in pieces of {size}");
            }
        }
    }

    #[test]
    fn what_is_flushed_is_there_at_once() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        let mut decoder = decoder("gzip").expect("known");
        for text in ["data: one\n\n", "data: two\n\n"] {
            encoder.write_all(text.as_bytes()).expect("room");
            encoder.flush().expect("room");
            let bytes = std::mem::take(encoder.get_mut());
            assert_eq!(decoder.decode(&bytes).expect("decoded"), text.as_bytes());
        }
    }

    #[test]
    fn what_is_unknown_or_broken_is_an_error() {
        assert_eq!(decoder("zstd").err(), Some(UnknownEncoding("zstd".to_owned())));
        assert!(decoder("gzip").expect("known").decode(b"data: plain text\n\n").is_err());
    }
}
