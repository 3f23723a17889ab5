//! The authenticated ciphers, AES-GCM and ChaCha20-Poly1305, fed piece by piece as Node feeds them.

use aes::cipher::{Array, BlockCipherEncrypt, InvalidLength, KeyInit, KeyIvInit, StreamCipher, StreamCipherSeek};
use chacha20::ChaCha20;
use ghash::GHash;
use ghash::universal_hash::UniversalHash;
use poly1305::Poly1305;
use subtle::ConstantTimeEq;

use super::modes::with_aes;
use super::transform::Transform;
use crate::ops::OpError;

/// The bytes that both hashes work on at a time.
const BLOCK: usize = 16;
/// The longest tag.
const TAG: usize = 16;

/// The keyed hash over associated data and ciphertext.
enum Mac {
    Gcm(GHash),
    Poly(Box<Poly1305>),
}

impl Mac {
    fn blocks(&mut self, data: &[u8]) {
        match self {
            Self::Gcm(mac) => mac.update_padded(data),
            Self::Poly(mac) => mac.update_padded(data),
        }
    }

    fn finish(self, data: u64, text: u64) -> [u8; TAG] {
        let mut lengths = [0; BLOCK];
        match self {
            Self::Gcm(mut mac) => {
                lengths[..8].copy_from_slice(&(data * 8).to_be_bytes());
                lengths[8..].copy_from_slice(&(text * 8).to_be_bytes());
                mac.update_padded(&lengths);
                mac.finalize().into()
            }
            Self::Poly(mut mac) => {
                lengths[..8].copy_from_slice(&data.to_le_bytes());
                lengths[8..].copy_from_slice(&text.to_le_bytes());
                mac.update_padded(&lengths);
                mac.finalize().into()
            }
        }
    }
}

struct Aead {
    stream: Box<dyn StreamCipher>,
    mac: Option<Mac>,
    /// Combined with the hash to give the tag.
    mask: [u8; TAG],
    /// What does not fill a block of the hash yet.
    pending: Vec<u8>,
    data: u64,
    text: u64,
    tag: Vec<u8>,
    length: usize,
    decrypt: bool,
}

pub(super) fn gcm(key: &[u8], iv: &[u8], decrypt: bool, length: usize) -> Result<Box<dyn Transform>, InvalidLength> {
    with_aes!(key.len(), A => {
        let cipher = A::new_from_slice(key)?;
        let mut hash_key = Array::default();
        cipher.encrypt_block(&mut hash_key);
        let mac = GHash::new(&hash_key);
        let mut counter = [0; BLOCK];
        if iv.len() == 12 {
            counter[..12].copy_from_slice(iv);
            counter[BLOCK - 1] = 1;
        } else {
            let mut hash = mac.clone();
            hash.update_padded(iv);
            let mut bits = [0; BLOCK];
            bits[8..].copy_from_slice(&(iv.len() as u64 * 8).to_be_bytes());
            hash.update_padded(&bits);
            counter = hash.finalize().into();
        }
        // The first block of the keystream hides the tag; the text starts with the second.
        let mut stream = ctr::Ctr32BE::<A>::new_from_slices(key, &counter)?;
        let mut mask = [0; TAG];
        stream.apply_keystream(&mut mask);
        Ok(Box::new(Aead::new(Box::new(stream), Mac::Gcm(mac), mask, decrypt, length)))
    })
}

pub(super) fn chacha(key: &[u8], iv: &[u8], decrypt: bool, length: usize) -> Result<Box<dyn Transform>, InvalidLength> {
    let mut nonce = [0; 12];
    let start = nonce.len().checked_sub(iv.len()).ok_or(InvalidLength)?;
    nonce[start..].copy_from_slice(iv);
    let mut stream = ChaCha20::new_from_slices(key, &nonce)?;
    let mut hash_key = [0; 32];
    stream.apply_keystream(&mut hash_key);
    stream.try_seek(64_u32).map_err(|_| InvalidLength)?;
    let mac = Poly1305::new_from_slice(&hash_key)?;
    Ok(Box::new(Aead::new(Box::new(stream), Mac::Poly(Box::new(mac)), [0; TAG], decrypt, length)))
}

impl Aead {
    fn new(stream: Box<dyn StreamCipher>, mac: Mac, mask: [u8; TAG], decrypt: bool, length: usize) -> Self {
        let (pending, tag) = (Vec::new(), Vec::new());
        Self { stream, mac: Some(mac), mask, pending, data: 0, text: 0, tag, length, decrypt }
    }

    fn hash(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
        let whole = self.pending.len() / BLOCK * BLOCK;
        if let Some(mac) = self.mac.as_mut() {
            mac.blocks(&self.pending[..whole]);
        }
        self.pending.drain(..whole);
    }

    /// Fills the last block with zeros.
    fn pad(&mut self) {
        let rest = std::mem::take(&mut self.pending);
        if let Some(mac) = self.mac.as_mut().filter(|_| !rest.is_empty()) {
            mac.blocks(&rest);
        }
    }
}

impl Transform for Aead {
    fn add_data(&mut self, data: &[u8]) {
        self.data += data.len() as u64;
        self.hash(data);
    }

    fn update(&mut self, data: &[u8]) -> Vec<u8> {
        if self.text == 0 {
            self.pad();
        }
        self.text += data.len() as u64;
        let mut out = data.to_vec();
        self.stream.apply_keystream(&mut out);
        // The hash covers the ciphertext, whichever side that is.
        if self.decrypt {
            self.hash(data)
        } else {
            self.hash(&out)
        }
        out
    }

    fn finish(&mut self) -> Result<Vec<u8>, OpError> {
        self.pad();
        let failed = || OpError::message("Unsupported state or unable to authenticate data");
        let mut tag = self.mac.take().ok_or_else(failed)?.finish(self.data, self.text);
        tag.iter_mut().zip(self.mask).for_each(|(byte, mask)| *byte ^= mask);
        if !self.decrypt {
            self.tag = tag[..self.length.min(TAG)].to_vec();
            return Ok(Vec::new());
        }
        // A tag may be cut, but has to be there; how much of it is right takes no longer to tell.
        let expected = &tag[..self.tag.len().min(TAG)];
        if !self.tag.is_empty() && bool::from(expected.ct_eq(&self.tag)) { Ok(Vec::new()) } else { Err(failed()) }
    }

    fn tag(&self) -> Vec<u8> {
        self.tag.clone()
    }

    fn set_tag(&mut self, tag: Vec<u8>) {
        self.tag = tag;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether an empty text without a key of its own passes with this tag.
    fn passes(tag: &[u8]) -> bool {
        let mut cipher = match gcm(&[0; 16], &[0; 12], true, TAG) {
            Ok(cipher) => cipher,
            Err(_) => panic!("lengths that fit"),
        };
        cipher.set_tag(tag.to_vec());
        cipher.finish().is_ok()
    }

    #[test]
    fn a_tag_passes_when_all_of_it_is_right_and_there_is_no_more_of_it() {
        // The first test case of the specification of GCM.
        let tag: [u8; TAG] = 0x58e2_fcce_fa7e_3061_367f_1d57_a4e7_455a_u128.to_be_bytes();
        assert!(passes(&tag));
        assert!(passes(&tag[..12]), "a cut tag is shorter, and all of it is right");
        assert!(!passes(&[]));
        assert!(!passes(&[&tag[..], &[0]].concat()));
        for at in 0..TAG {
            let mut wrong = tag;
            wrong[at] ^= 1;
            assert!(!passes(&wrong), "byte {at}");
        }
    }
}
