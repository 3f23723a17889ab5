//! Compression: deflate in its three wrappings, and Brotli.

mod brotli;
mod deflate;
mod inflate;

use std::cell::RefCell;
use std::rc::Rc;

use rquickjs::{Ctx, Function, Object};

use super::{Bytes, Json, OpError, Ops};

/// The most that one step may give: more is a bomb.
const MAX_STEP: usize = 256 << 20;

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

/// All of the data in one go; fed in pieces, so that a limit is noticed before the memory is gone.
fn whole(kind: &str, options: &serde_json::Value, data: &[u8]) -> Result<Bytes, OpError> {
    let limit = options["limit"].as_u64().and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
    let mut codec = codec(kind, options)?;
    let mut out = Vec::new();
    for piece in data.chunks(1 << 16) {
        codec.feed(piece, Flush::No, &mut out)?;
        if out.len() > limit {
            return Err(too_large(limit));
        }
    }
    codec.feed(&[], Flush::Finish, &mut out)?;
    if out.len() > limit { Err(too_large(limit)) } else { Ok(Bytes(out)) }
}

pub(super) fn install<'js>(ops: &Ops<'js>) -> rquickjs::Result<()> {
    let host = ops.host();
    ops.function("zlibSync", move |ctx: Ctx<'js>, kind: String, options: Json, data: Bytes| {
        host.without_deadline(|| whole(&kind, &options.0, &data.0)).map_err(|error| error.throw(&ctx))
    })?;
    let host = ops.host();
    ops.function("zlibAsync", move |ctx: Ctx<'js>, kind: String, options: Json, data: Bytes| {
        host.spawn(&ctx, async move {
            let done = tokio::task::spawn_blocking(move || whole(&kind, &options.0, &data.0)).await;
            done.unwrap_or_else(|error| Err(OpError::message(error.to_string())))
        })
    })?;
    // A stream: `feed(bytes, flush) -> bytes`, where flush is 0 no, 1 sync, 2 full, 3 finish.
    ops.function("zlibStream", |ctx: Ctx<'js>, kind: String, options: Json| -> rquickjs::Result<Object<'js>> {
        let codec = Rc::new(RefCell::new(codec(&kind, &options.0).map_err(|error| error.throw(&ctx))?));
        let object = Object::new(ctx.clone())?;
        let feed = move |ctx: Ctx<'js>, input: Bytes, flush: u8| {
            let flush = [Flush::No, Flush::Sync, Flush::Full, Flush::Finish][usize::from(flush.min(3))];
            let mut out = Vec::new();
            codec.borrow_mut().feed(&input.0, flush, &mut out).map_err(|error| error.throw(&ctx))?;
            rquickjs::Result::Ok(Bytes(out))
        };
        object.set("feed", Function::new(ctx.clone(), feed)?)?;
        Ok(object)
    })?;
    ops.function("crc32", |data: Bytes, initial: u32| {
        let mut hasher = crc32fast::Hasher::new_with_initial(initial);
        hasher.update(&data.0);
        // Not every 32-bit number without a sign is a small integer of the engine.
        f64::from(hasher.finalize())
    })
}
