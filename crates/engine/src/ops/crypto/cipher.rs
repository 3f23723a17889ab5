//! Symmetric ciphers: which there are, and the object that JavaScript feeds.

use std::cell::RefCell;
use std::rc::Rc;

use rquickjs::{Ctx, Function, Object};

use super::transform::Transform;
use super::{aead, modes};
use crate::ops::table::{Host, ops};
use crate::ops::{Bytes, OpError, OpHost};

ops! {
    /// Symmetric ciphers.
    pub static OPS: watched;

    /// A text under way: `{update(bytes), final(), setAutoPadding(on), setAAD(bytes), getAuthTag(), setAuthTag(bytes)}`.
    fn cryptoCipher(name, key, iv, decrypt, tag) -> "{ update(bytes: Uint8Array): Uint8Array; final(): Uint8Array; setAutoPadding(on: boolean): void; setAAD(bytes: Uint8Array): void; getAuthTag(): Uint8Array; setAuthTag(bytes: Uint8Array): void }" = crypto_cipher, Pure;
}

/// `aes-256-gcm` and so on; the key's length in bytes and the mode.
fn parse(name: &str) -> Option<(usize, &str)> {
    if name == "chacha20-poly1305" {
        return Some((32, "chacha"));
    }
    let (bits, mode) = name.strip_prefix("aes-")?.split_once('-')?;
    let length = match bits {
        "128" => 16,
        "192" => 24,
        "256" => 32,
        _ => return None,
    };
    Some((length, mode))
}

fn start(name: &str, key: &[u8], iv: &[u8], decrypt: bool, tag: usize) -> Result<Box<dyn Transform>, OpError> {
    let unknown = || OpError::new("ERR_CRYPTO_UNKNOWN_CIPHER", "Unknown cipher");
    let (length, mode) = parse(name).ok_or_else(unknown)?;
    if key.len() != length {
        return Err(OpError::range_error("ERR_CRYPTO_INVALID_KEYLEN", "Invalid key length"));
    }
    let invalid_iv = || OpError::type_error("ERR_CRYPTO_INVALID_IV", "Invalid initialization vector");
    let good_iv = match mode {
        "cbc" | "ctr" => iv.len() == 16,
        "ecb" => iv.is_empty(),
        "gcm" => !iv.is_empty(),
        "chacha" => (1..=12).contains(&iv.len()),
        _ => return Err(unknown()),
    };
    if !good_iv {
        return Err(invalid_iv());
    }
    let cipher = match mode {
        "cbc" => modes::cbc(key, iv, decrypt),
        "ctr" => modes::ctr(key, iv),
        "ecb" => modes::ecb(key, decrypt),
        "gcm" => aead::gcm(key, iv, decrypt, tag),
        _ => aead::chacha(key, iv, decrypt, tag),
    };
    cipher.map_err(|_| invalid_iv())
}

/// How much is taken at once, in bytes, before it is asked whether there is time for more.
const PIECE: usize = 1 << 20;

fn object<'js>(ctx: &Ctx<'js>, host: &Rc<OpHost>, cipher: Box<dyn Transform>) -> rquickjs::Result<Object<'js>> {
    let cipher = Rc::new(RefCell::new(cipher));
    let object = Object::new(ctx.clone())?;
    let (owner, own) = (Rc::clone(&cipher), Rc::clone(host));
    let update = move |ctx: Ctx<'js>, data: Bytes| -> rquickjs::Result<Bytes> {
        let cipher = &mut *owner.borrow_mut();
        if data.0.len() <= PIECE {
            return Ok(Bytes(cipher.update(&data.0)));
        }
        let mut out = Vec::new();
        for piece in data.0.chunks(PIECE) {
            own.go_on(&ctx)?;
            out.extend(cipher.update(piece));
        }
        Ok(Bytes(out))
    };
    object.set("update", Function::new(ctx.clone(), update)?)?;
    let owner = Rc::clone(&cipher);
    let finish = move |ctx: Ctx<'js>| owner.borrow_mut().finish().map(Bytes).map_err(|error| error.throw(&ctx));
    object.set("final", Function::new(ctx.clone(), finish)?)?;
    let owner = Rc::clone(&cipher);
    object.set("setAutoPadding", Function::new(ctx.clone(), move |on: bool| owner.borrow_mut().set_padding(on))?)?;
    let owner = Rc::clone(&cipher);
    object.set("setAAD", Function::new(ctx.clone(), move |data: Bytes| owner.borrow_mut().add_data(&data.0))?)?;
    let owner = Rc::clone(&cipher);
    object.set("getAuthTag", Function::new(ctx.clone(), move || Bytes(owner.borrow().tag()))?)?;
    object.set("setAuthTag", Function::new(ctx.clone(), move |tag: Bytes| cipher.borrow_mut().set_tag(tag.0))?)?;
    Ok(object)
}

fn crypto_cipher<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    name: String,
    key: Bytes,
    iv: Bytes,
    decrypt: bool,
    tag: usize,
) -> rquickjs::Result<Object<'js>> {
    let cipher = start(&name, &key.0, &iv.0, decrypt, tag).map_err(|error| error.throw(&ctx))?;
    object(&ctx, &host, cipher)
}
