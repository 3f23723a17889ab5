//! Hashes of content, in the notation of Subresource Integrity.

use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha384, Sha512};

/// What content must hash to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Integrity {
    kind: Kind,
    /// The hashes that fit, in Base64.
    any_of: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Sha1, Self::Sha256, Self::Sha384, Self::Sha512];

    fn name(self) -> &'static str {
        match self {
            Self::Sha1 => "sha1",
            Self::Sha256 => "sha256",
            Self::Sha384 => "sha384",
            Self::Sha512 => "sha512",
        }
    }
}

impl Integrity {
    /// Reads `sha512-…`, several with spaces between them; only those of the strongest kind count.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut best: Option<Self> = None;
        for part in text.split_whitespace() {
            let Some((name, rest)) = part.split_once('-') else { continue };
            let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.name() == name) else { continue };
            let hash = rest.split('?').next().unwrap_or_default().to_owned();
            match &mut best {
                Some(known) if known.kind == kind => known.any_of.push(hash),
                Some(known) if known.kind > kind => {}
                _ => best = Some(Self { kind, any_of: vec![hash] }),
            }
        }
        best
    }

    /// From the hexadecimal SHA-1 of older registries.
    pub(crate) fn from_shasum(hex: &str) -> Option<Self> {
        if hex.len() != 40 {
            return None;
        }
        let bytes: Option<Vec<u8>> =
            (0..40).step_by(2).map(|at| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok()).collect();
        Some(Self { kind: Kind::Sha1, any_of: vec![BASE64.encode(bytes?)] })
    }

    /// Whether content with these hashes is what is wanted; else the hash that it has.
    pub(crate) fn check(&self, hashes: &Hashes) -> Result<(), String> {
        let found = hashes.of(self.kind);
        if self.any_of.contains(found) { Ok(()) } else { Err(format!("{}-{found}", self.kind.name())) }
    }

    /// The notation.
    pub(crate) fn text(&self) -> String {
        let each: Vec<String> = self.any_of.iter().map(|hash| format!("{}-{hash}", self.kind.name())).collect();
        each.join(" ")
    }
}

/// The hashes of some content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hashes([String; 4]);

impl Hashes {
    fn of(&self, kind: Kind) -> &String {
        &self.0[kind as usize]
    }

    /// What a lock file notes.
    pub(crate) fn strongest(&self) -> String {
        format!("sha512-{}", self.of(Kind::Sha512))
    }

    #[cfg(test)]
    fn of_reader(mut reader: impl io::Read) -> io::Result<Self> {
        let mut hasher = Hasher::default();
        io::copy(&mut reader, &mut hasher)?;
        Ok(hasher.finish())
    }
}

/// Hashes what is written to it.
#[derive(Default)]
pub(crate) struct Hasher {
    sha1: Sha1,
    sha256: Sha256,
    sha384: Sha384,
    sha512: Sha512,
}

impl Hasher {
    pub(crate) fn finish(self) -> Hashes {
        Hashes([
            BASE64.encode(self.sha1.finalize()),
            BASE64.encode(self.sha256.finalize()),
            BASE64.encode(self.sha384.finalize()),
            BASE64.encode(self.sha512.finalize()),
        ])
    }
}

impl Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sha1.update(bytes);
        self.sha256.update(bytes);
        self.sha384.update(bytes);
        self.sha512.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_kind_counts() {
        let hashes = Hashes::of_reader(&b"abc"[..]).expect("reads memory");
        let right = hashes.strongest();
        let sha1 = "sha1-qZk+NkcGgWq6PiVxeFDCbJzQ2J0=";
        let cases = [
            (right.clone(), true),
            (format!("{sha1} {right}"), true),
            (sha1.to_owned(), true),
            (format!("{sha1} sha512-AAAA"), false),
            (format!("sha512-AAAA {right}?x"), true),
            ("sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=".to_owned(), true),
        ];
        for (text, fits) in cases {
            let integrity = Integrity::parse(&text).expect(&text);
            assert_eq!(integrity.check(&hashes).is_ok(), fits, "{text}");
        }
        let shasum = Integrity::from_shasum("a9993e364706816aba3e25717850c26c9cd0d89d").expect("hexadecimal");
        assert_eq!(shasum.text(), sha1);
        assert_eq!(shasum.check(&hashes), Ok(()));
        assert_eq!([Integrity::parse("md5-x"), Integrity::parse(""), Integrity::from_shasum("zz")], [None, None, None]);
    }
}
