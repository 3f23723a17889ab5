//! Compression: deflate in its three wrappings, and Brotli.

mod brotli;
mod deflate;
mod inflate;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rquickjs::{Ctx, Function, Object};

use super::{Bytes, Charged, Json, OpError, charge};
use crate::engine::{Charge, Memory};
use crate::ops::table::{Host, Promised, ops};

ops! {
    /// Compression.
    pub static OPS: watched;

    /// Compresses or decompresses data.
    fn zlibSync(kind, options: "ZlibOptions", data) = zlib_sync, Pure;
    /// Compresses or decompresses data on another thread.
    fn zlibAsync(kind, options: "ZlibOptions", data) = zlib_async, Pure;
    /// Compresses or decompresses piece by piece.
    fn zlibStream(kind, options: "ZlibOptions") -> "ZlibStream" = zlib_stream, Pure;
    /// The checksum of data.
    fn crc32(data, initial) = crc32, Pure;
}

/// The most that one step may give: more is a bomb.
const MAX_STEP: usize = 256 << 20;

/// How much input is taken at once, in bytes: it may stand for a thousand times as much, which is counted behind it.
const PIECE: usize = 8 << 10;

/// What surrounds the deflated data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrapping {
    None,
    Zlib,
    Gzip,
    /// Zlib or gzip, told from the first bytes.
    Either,
}

/// What is to happen with the input that the codec still holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flush {
    No,
    Sync,
    Full,
    Finish,
}

/// A compressor or decompressor in the middle of its work.
trait Codec {
    /// How much it keeps of what it has seen, and of what it knows about that, in bytes.
    fn window(&self) -> usize;

    /// Takes the next piece; gives what comes out of it.
    fn feed(&mut self, input: &[u8], flush: Flush, out: &mut Vec<u8>) -> Result<(), OpError>;
}

/// `{level, quality, window, finish}`: all optional.
struct Options {
    level: Option<u32>,
    quality: u32,
    window: u32,
    text: bool,
    /// Whether the input may end anywhere.
    partial: bool,
}

impl Options {
    fn read(json: &serde_json::Value) -> Self {
        let number = |name: &str| json[name].as_u64().and_then(|number| u32::try_from(number).ok());
        let flag = |name: &str| json[name].as_bool().unwrap_or(false);
        Self {
            level: number("level"),
            quality: number("quality").unwrap_or(11).min(11),
            window: number("window").unwrap_or(22).clamp(10, 24),
            text: flag("text"),
            partial: flag("partial"),
        }
    }
}

fn codec(kind: &str, options: &serde_json::Value) -> Result<Box<dyn Codec>, OpError> {
    let options = Options::read(options);
    Ok(match kind {
        "deflate" => Box::new(deflate::Deflate::new(Wrapping::Zlib, &options)),
        "deflateRaw" => Box::new(deflate::Deflate::new(Wrapping::None, &options)),
        "gzip" => Box::new(deflate::Deflate::new(Wrapping::Gzip, &options)),
        "inflate" => Box::new(inflate::Inflate::new(Wrapping::Zlib, &options)),
        "inflateRaw" => Box::new(inflate::Inflate::new(Wrapping::None, &options)),
        "gunzip" => Box::new(inflate::Inflate::new(Wrapping::Gzip, &options)),
        "unzip" => Box::new(inflate::Inflate::new(Wrapping::Either, &options)),
        "brotliCompress" => Box::new(brotli::Compress::new(&options)),
        "brotliDecompress" => Box::new(brotli::Decompress::new(&options)),
        _ => return Err(OpError::message(format!("no codec {kind}"))),
    })
}

/// An error as zlib reports it.
fn failed(code: &str, errno: i32, message: &str) -> OpError {
    OpError { errno: Some(errno), ..OpError::new(code, message) }
}

fn too_large(limit: usize) -> OpError {
    let message = format!("Cannot create a Buffer larger than {limit} bytes");
    OpError::range_error("ERR_BUFFER_TOO_LARGE", message)
}

/// Why there is nothing.
enum Failure {
    Op(OpError),
    /// The code that waits for it is stopped.
    Stopped(rquickjs::Error),
}

impl From<OpError> for Failure {
    fn from(error: OpError) -> Self {
        Self::Op(error)
    }
}

impl Failure {
    fn throw(self, ctx: &Ctx<'_>) -> rquickjs::Error {
        match self {
            Self::Op(error) => error.throw(ctx),
            Self::Stopped(error) => error,
        }
    }
}

/// All of the data in one go; fed in pieces, so that a limit is noticed before the memory is gone. `goes_on` is asked
/// between two of them.
fn whole<E: From<OpError>>(
    kind: &str,
    options: &serde_json::Value,
    data: &[u8],
    memory: &Arc<Memory>,
    goes_on: impl Fn() -> Result<(), E>,
) -> Result<Charged<Bytes>, E> {
    let limit = options["limit"].as_u64().and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
    let mut codec = codec(kind, options)?;
    let _held = charge(memory, codec.window(), "what is kept of the data")?;
    let mut out = Vec::new();
    let mut counted = charge(memory, 0, "the data")?;
    let check = |out: &Vec<u8>, counted: &mut Charge| {
        if out.len() > limit {
            return Err(too_large(limit));
        }
        // Twice, because JavaScript gets a copy.
        counted.resize(out.capacity().saturating_mul(2)).map_err(|full| too_large(full.limit))
    };
    for piece in data.chunks(PIECE) {
        goes_on()?;
        codec.feed(piece, Flush::No, &mut out)?;
        check(&out, &mut counted)?;
    }
    codec.feed(&[], Flush::Finish, &mut out)?;
    check(&out, &mut counted)?;
    counted.resize(out.capacity()).map_err(|full| too_large(full.limit))?;
    Ok(Charged::new(Bytes(out), counted))
}

fn zlib_sync<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    kind: String,
    options: Json,
    data: Bytes,
) -> rquickjs::Result<Charged<Bytes>> {
    let goes_on = || host.go_on(&ctx).map_err(Failure::Stopped);
    whole(&kind, &options.0, &data.0, host.memory(), goes_on).map_err(|failure| failure.throw(&ctx))
}

fn zlib_async<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    kind: String,
    options: Json,
    data: Bytes,
) -> rquickjs::Result<Promised<'js, Charged<Bytes>>> {
    let memory = Arc::clone(host.memory());
    host.spawn(&ctx, async move {
        let done = tokio::task::spawn_blocking(move || whole(&kind, &options.0, &data.0, &memory, || Ok(()))).await;
        done.unwrap_or_else(|error| Err(OpError::message(error.to_string())))
    })
}

fn zlib_stream<'js>(ctx: Ctx<'js>, Host(host): Host, kind: String, options: Json) -> rquickjs::Result<Object<'js>> {
    let memory = Arc::clone(host.memory());
    let codec = codec(&kind, &options.0).and_then(|codec| {
        let held = charge(&memory, codec.window(), "what is kept of the data")?;
        Ok(RefCell::new((codec, held)))
    });
    let codec = codec.map_err(|error| error.throw(&ctx))?;
    let object = Object::new(ctx.clone())?;
    let own = Rc::clone(&host);
    let feed = move |ctx: Ctx<'js>, input: Bytes, flush: u8| {
        let flush = [Flush::No, Flush::Sync, Flush::Full, Flush::Finish][usize::from(flush.min(3))];
        let mut out = Vec::new();
        let (codec, _) = &mut *codec.borrow_mut();
        let mut feed = || {
            let mut counted = charge(&memory, 0, "the data")?;
            for piece in input.0.chunks(PIECE) {
                own.go_on(&ctx).map_err(Failure::Stopped)?;
                codec.feed(piece, Flush::No, &mut out)?;
                counted.resize(out.capacity().saturating_mul(2)).map_err(|full| too_large(full.limit))?;
            }
            Ok(codec.feed(&[], flush, &mut out)?)
        };
        feed().map_err(|failure: Failure| failure.throw(&ctx))?;
        rquickjs::Result::Ok(Bytes(out))
    };
    object.set("feed", Function::new(ctx.clone(), feed)?)?;
    Ok(object)
}

fn crc32(data: Bytes, initial: u32) -> f64 {
    let mut hasher = crc32fast::Hasher::new_with_initial(initial);
    hasher.update(&data.0);
    // Not every 32-bit number without a sign is a small integer of the engine.
    f64::from(hasher.finalize())
}
