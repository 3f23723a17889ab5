//! AES in the modes without authentication: CBC, ECB and CTR, fed piece by piece.

use aes::Block;
use aes::cipher::consts::U16;
use aes::cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, InvalidLength, KeyInit, KeyIvInit,
    StreamCipher,
};

use super::openssl;
use super::transform::Transform;
use crate::ops::OpError;

const BLOCK: usize = 16;

/// Runs code generic over AES' key size for a key of that length in bytes.
macro_rules! with_aes {
    ($length:expr, $A:ident => $body:expr) => {
        match $length {
            16 => {
                type $A = aes::Aes128;
                $body
            }
            24 => {
                type $A = aes::Aes192;
                $body
            }
            _ => {
                type $A = aes::Aes256;
                $body
            }
        }
    };
}
pub(super) use with_aes;

trait Blocks {
    fn run(&mut self, blocks: &mut [Block]);
}

struct Encrypt<M>(M);
struct Decrypt<M>(M);
struct EncryptPlain<A>(A);
struct DecryptPlain<A>(A);

impl<M: BlockModeEncrypt<BlockSize = U16>> Blocks for Encrypt<M> {
    fn run(&mut self, blocks: &mut [Block]) {
        self.0.encrypt_blocks(blocks);
    }
}
impl<M: BlockModeDecrypt<BlockSize = U16>> Blocks for Decrypt<M> {
    fn run(&mut self, blocks: &mut [Block]) {
        self.0.decrypt_blocks(blocks);
    }
}
impl<A: BlockCipherEncrypt<BlockSize = U16>> Blocks for EncryptPlain<A> {
    fn run(&mut self, blocks: &mut [Block]) {
        self.0.encrypt_blocks(blocks);
    }
}
impl<A: BlockCipherDecrypt<BlockSize = U16>> Blocks for DecryptPlain<A> {
    fn run(&mut self, blocks: &mut [Block]) {
        self.0.decrypt_blocks(blocks);
    }
}

/// A mode that works on whole blocks: keeps what does not fill one, pads at the end.
struct Blockwise {
    mode: Box<dyn Blocks>,
    pending: Vec<u8>,
    padding: bool,
    decrypt: bool,
}

pub(super) fn cbc(key: &[u8], iv: &[u8], decrypt: bool) -> Result<Box<dyn Transform>, InvalidLength> {
    let mode: Box<dyn Blocks> = with_aes!(key.len(), A => if decrypt {
    Box::new(Decrypt(cbc::Decryptor::<A>::new_from_slices(key, iv)?))
    } else {
    Box::new(Encrypt(cbc::Encryptor::<A>::new_from_slices(key, iv)?))
    });
    Ok(Box::new(Blockwise { mode, pending: Vec::new(), padding: true, decrypt }))
}

pub(super) fn ecb(key: &[u8], decrypt: bool) -> Result<Box<dyn Transform>, InvalidLength> {
    let mode: Box<dyn Blocks> = with_aes!(key.len(), A => if decrypt {
    Box::new(DecryptPlain(A::new_from_slice(key)?))
    } else {
    Box::new(EncryptPlain(A::new_from_slice(key)?))
    });
    Ok(Box::new(Blockwise { mode, pending: Vec::new(), padding: true, decrypt }))
}

pub(super) fn ctr(key: &[u8], iv: &[u8]) -> Result<Box<dyn Transform>, InvalidLength> {
    Ok(with_aes!(key.len(), A => Box::new(Keystream(ctr::Ctr128BE::<A>::new_from_slices(key, iv)?))))
}

impl Transform for Blockwise {
    fn update(&mut self, data: &[u8]) -> Vec<u8> {
        self.pending.extend_from_slice(data);
        let mut whole = self.pending.len() / BLOCK * BLOCK;
        // The last block of a padded text can only be read when it is known to be the last.
        if self.decrypt && self.padding && whole == self.pending.len() {
            whole = whole.saturating_sub(BLOCK);
        }
        let rest = self.pending.split_off(whole);
        let mut out = std::mem::replace(&mut self.pending, rest);
        self.mode.run(Block::slice_as_chunks_mut(&mut out).0);
        out
    }

    fn finish(&mut self) -> Result<Vec<u8>, OpError> {
        let mut last = std::mem::take(&mut self.pending);
        if self.padding && !self.decrypt {
            let missing = BLOCK - last.len() % BLOCK;
            last.resize(last.len() + missing, u8::try_from(missing).unwrap_or(0));
        }
        if !last.len().is_multiple_of(BLOCK) || (self.padding && self.decrypt && last.is_empty()) {
            return Err(openssl("1C80006B", "Provider routines", "wrong final block length"));
        }
        self.mode.run(Block::slice_as_chunks_mut(&mut last).0);
        if self.padding && self.decrypt {
            let count = last.last().copied().map_or(0, usize::from);
            let padded = (1..=BLOCK).contains(&count) && last.ends_with(&vec![u8::try_from(count).unwrap_or(0); count]);
            if !padded {
                return Err(openssl("1C800064", "Provider routines", "bad decrypt"));
            }
            last.truncate(last.len() - count);
        }
        Ok(last)
    }

    fn set_padding(&mut self, padding: bool) {
        self.padding = padding;
    }
}

/// A mode that turns a cipher into a stream of bytes to combine with the text.
struct Keystream<C>(C);

impl<C: StreamCipher> Transform for Keystream<C> {
    fn update(&mut self, data: &[u8]) -> Vec<u8> {
        let mut out = data.to_vec();
        self.0.apply_keystream(&mut out);
        out
    }

    fn finish(&mut self) -> Result<Vec<u8>, OpError> {
        Ok(Vec::new())
    }
}
