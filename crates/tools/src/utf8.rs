//! Decoding bytes that arrive in pieces.

/// Turns a stream of byte chunks into text. A sequence cut by a chunk border is kept until the rest
/// arrives; what is no UTF-8 becomes U+FFFD, exactly as if the whole stream had been decoded at once.
#[derive(Debug, Default)]
pub(crate) struct Utf8Stream {
    pending: [u8; 4],
    len: usize,
}

impl Utf8Stream {
    /// Decodes one chunk, passing on text piece by piece.
    pub(crate) fn push(&mut self, chunk: &[u8], mut sink: impl FnMut(&str)) {
        let mut rest = chunk;
        while self.len > 0 {
            let Some((&byte, after)) = rest.split_first() else { return };
            self.pending[self.len] = byte;
            match std::str::from_utf8(&self.pending[..=self.len]) {
                Ok(text) => {
                    sink(text);
                    self.len = 0;
                    rest = after;
                }
                Err(error) if error.error_len().is_none() => {
                    self.len += 1;
                    rest = after;
                }
                // The kept bytes are no character; the new byte starts afresh.
                Err(_) => {
                    sink("\u{FFFD}");
                    self.len = 0;
                }
            }
        }
        let mut chunks = rest.utf8_chunks().peekable();
        while let Some(piece) = chunks.next() {
            if !piece.valid().is_empty() {
                sink(piece.valid());
            }
            let invalid = piece.invalid();
            if invalid.is_empty() {
                continue;
            }
            let cut =
                chunks.peek().is_none() && std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
            if cut {
                self.pending[..invalid.len()].copy_from_slice(invalid);
                self.len = invalid.len();
            } else {
                sink("\u{FFFD}");
            }
        }
    }

    /// Ends the stream: a sequence that never became whole is one U+FFFD.
    pub(crate) fn finish(&mut self, mut sink: impl FnMut(&str)) {
        if std::mem::take(&mut self.len) > 0 {
            sink("\u{FFFD}");
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn chunks_decode_like_the_whole(
            pieces in prop::collection::vec(
                prop_oneof![
                    prop::collection::vec(any::<u8>(), 0..6),
                    "[aé漢🎉\n]{0,4}".prop_map(String::into_bytes),
                ],
                0..12,
            ),
            step in 1usize..5,
        ) {
            let bytes = pieces.concat();
            let mut decoded = String::new();
            let mut stream = Utf8Stream::default();
            for chunk in bytes.chunks(step) {
                stream.push(chunk, |text| decoded.push_str(text));
            }
            stream.finish(|text| decoded.push_str(text));
            prop_assert_eq!(decoded, String::from_utf8_lossy(&bytes).into_owned());
        }
    }
}
