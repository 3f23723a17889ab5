//! `@file` arguments: what they become in the first prompt.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tau_ai::{ContentBlock, ImageBlock, JsonMap};

use super::finish::FileArg;

/// The largest file that is attached, in bytes: far more than any model reads, and nothing that would fill the memory.
pub const MAX_ATTACHED: u64 = 128 << 20;

/// As much of a file, in bytes, as is looked at to tell whether it is text.
const BEGINNING: usize = 8 << 10;

/// What the `@file` arguments add to the first prompt.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Attached {
    /// Goes in front of the prompt.
    pub text: String,
    /// Image blocks, in order.
    pub images: Vec<ContentBlock>,
}

/// What a file is to a model.
#[derive(Debug, Clone, PartialEq)]
pub enum FileContent {
    /// Text, or what passes for it.
    Text,
    /// An image, ready to be sent, with notes for the model (about a changed size, say).
    Image {
        /// The image.
        block: ImageBlock,
        /// Notes, a line each.
        notes: Vec<String>,
    },
    /// What cannot be sent; the text says why.
    Omitted(String),
}

impl FileContent {
    /// Text, unless the bytes are none: then a note for the model that such a file is there.
    pub fn of(bytes: &[u8]) -> Self {
        if is_binary(bytes) {
            Self::Omitted(format!("[Binary file of {} bytes, not shown.]", bytes.len()))
        } else {
            Self::Text
        }
    }
}

/// Whether bytes are certainly no text in UTF-8 or one of the older encodings: such text has no byte 0.
pub fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(BEGINNING)].contains(&0)
}

/// An `@file` argument that cannot be used. Ends the program with exit code 1.
#[derive(Debug, thiserror::Error)]
pub enum FileArgError {
    /// There is no such file.
    #[error("File not found: {}", path.display())]
    NotFound {
        /// The absolute path.
        path: PathBuf,
    },
    /// The file has more than a prompt can hold.
    #[error("Could not read file {}: it has more than {} MB, the most that can be attached", path.display(), MAX_ATTACHED >> 20)]
    TooLarge {
        /// The absolute path.
        path: PathBuf,
    },
    /// The file is there but cannot be read.
    #[error("Could not read file {}: {source}", path.display())]
    Unreadable {
        /// The absolute path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Reads the files. `resolve` makes a path absolute ([`resolve_path`] will do); `examine` says what bytes
/// are, and prepares images ([`attach_as_is`] sends them unchanged). Empty files are skipped.
///
/// # Errors
/// At the first file that is missing or cannot be read.
pub fn process_file_args(
    files: &[FileArg],
    resolve: impl Fn(&str) -> PathBuf,
    mut examine: impl FnMut(&Path, &[u8]) -> FileContent,
) -> Result<Attached, FileArgError> {
    let mut attached = Attached::default();
    for file in files {
        let path = resolve(&file.path);
        let bytes = read(&path)?;
        if bytes.is_empty() {
            continue;
        }
        let body = match examine(&path, &bytes) {
            FileContent::Text => {
                let text = String::from_utf8_lossy(&bytes);
                format!("\n{}\n", text.strip_prefix('\u{feff}').unwrap_or(&text))
            }
            FileContent::Image { block, notes } => {
                attached.images.push(ContentBlock::Image(block));
                notes.join("\n")
            }
            FileContent::Omitted(reason) => reason,
        };
        attached.text.push_str(&format!("<file name=\"{}\">{body}</file>\n", path.display()));
    }
    Ok(attached)
}

/// Reads a file that may be without end, such as a device.
fn read(path: &Path) -> Result<Vec<u8>, FileArgError> {
    let mut bytes = Vec::new();
    // A byte more than is allowed shows that there are too many.
    let read = File::open(path).and_then(|file| file.take(MAX_ATTACHED + 1).read_to_end(&mut bytes));
    read.map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => FileArgError::NotFound { path: path.to_owned() },
        _ => FileArgError::Unreadable { path: path.to_owned(), source },
    })?;
    if bytes.len() as u64 > MAX_ATTACHED {
        return Err(FileArgError::TooLarge { path: path.to_owned() });
    }
    Ok(bytes)
}

/// An absolute path: `~` is the home directory, anything relative starts at `cwd`; `.` and `..` are resolved
/// in the text, without asking the file system.
pub fn resolve_path(text: &str, cwd: &Path) -> PathBuf {
    let expanded = match text.strip_prefix('~').map(|rest| (rest, std::env::home_dir())) {
        Some(("", Some(home))) => home,
        Some((rest, Some(home))) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => PathBuf::from(text),
    };
    let mut path = PathBuf::new();
    for component in cwd.join(expanded).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                path.pop();
            }
            other => path.push(other),
        }
    }
    path
}

/// Recognises PNG, JPEG, GIF and WebP by their first bytes and sends them as they are.
pub fn attach_as_is(_: &Path, bytes: &[u8]) -> FileContent {
    let mime_type = match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => "image/gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        _ => return FileContent::of(bytes),
    };
    let block = ImageBlock { data: STANDARD.encode(bytes), mime_type: mime_type.to_owned(), extra: JsonMap::new() };
    FileContent::Image { block, notes: Vec::new() }
}
