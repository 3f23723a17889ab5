//! MessagePack, as much of it as msgpack-RPC has: all of it. Nothing that is read can take more memory than a few times what
//! was sent, nor more of the stack than a fixed depth.

use std::fmt;

/// Most bytes of a message.
pub(super) const LARGEST: usize = 4 << 20;
/// How deep lists and maps may nest.
const DEEPEST: usize = 32;
/// How much of a value is shown, in characters.
const SHOWN: usize = 300;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Nil,
    Bool(bool),
    /// A whole number that is not negative.
    Count(u64),
    /// A negative number.
    Negative(i64),
    Float(f64),
    /// Text; what Neovim and the file system call text need not be UTF-8.
    Text(Vec<u8>),
    Bytes(Vec<u8>),
    Array(Vec<Value>),
    Map(Vec<(Value, Value)>),
    /// Something of a type that only programs know which agreed on it.
    Extension(i8, Vec<u8>),
}

/// What is wrong with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Wrong {
    #[error("the byte {0:#04x} begins no value")]
    Byte(u8),
    #[error("values nest more than {DEEPEST} levels deep")]
    Deep,
    #[error("a message has more than {LARGEST} bytes")]
    Long,
}

impl Value {
    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.as_bytes().to_vec())
    }

    /// The number, if it is one that counts something.
    pub(super) fn as_count(&self) -> Option<u64> {
        match self {
            Self::Count(count) => Some(*count),
            _ => None,
        }
    }
}

/// For people: text as it is, everything else in the form of a debugger. Long values are cut.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            other => format!("{other:?}"),
        };
        match text.char_indices().nth(SHOWN) {
            Some((end, _)) => write!(f, "{}…", &text[..end]),
            None => f.write_str(&text),
        }
    }
}

/// The bytes of a value.
pub(super) fn encode(value: &Value) -> Result<Vec<u8>, Wrong> {
    let mut bytes = Vec::new();
    write(value, &mut bytes)?;
    if bytes.len() > LARGEST { Err(Wrong::Long) } else { Ok(bytes) }
}

fn write(value: &Value, to: &mut Vec<u8>) -> Result<(), Wrong> {
    match value {
        Value::Nil => to.push(0xc0),
        Value::Bool(is_true) => to.push(0xc2 + u8::from(*is_true)),
        Value::Count(count) => match (u8::try_from(*count), u16::try_from(*count), u32::try_from(*count)) {
            (Ok(byte @ 0..=0x7f), ..) => to.push(byte),
            (Ok(byte), ..) => to.extend([0xcc, byte]),
            (_, Ok(two), _) => put(to, 0xcd, &two.to_be_bytes()),
            (.., Ok(four)) => put(to, 0xce, &four.to_be_bytes()),
            _ => put(to, 0xcf, &count.to_be_bytes()),
        },
        Value::Negative(number) => match (i8::try_from(*number), i16::try_from(*number), i32::try_from(*number)) {
            (Ok(byte @ -32..=-1), ..) => to.push(byte.to_be_bytes()[0]),
            (Ok(byte), ..) => put(to, 0xd0, &byte.to_be_bytes()),
            (_, Ok(two), _) => put(to, 0xd1, &two.to_be_bytes()),
            (.., Ok(four)) => put(to, 0xd2, &four.to_be_bytes()),
            _ => put(to, 0xd3, &number.to_be_bytes()),
        },
        Value::Float(float) => put(to, 0xcb, &float.to_be_bytes()),
        Value::Text(bytes) => {
            head(to, bytes.len(), (0xa0, 32), [Some(0xd9), Some(0xda), Some(0xdb)])?;
            to.extend_from_slice(bytes);
        }
        Value::Bytes(bytes) => {
            head(to, bytes.len(), (0, 0), [Some(0xc4), Some(0xc5), Some(0xc6)])?;
            to.extend_from_slice(bytes);
        }
        Value::Array(values) => {
            head(to, values.len(), (0x90, 16), [None, Some(0xdc), Some(0xdd)])?;
            values.iter().try_for_each(|value| write(value, to))?;
        }
        Value::Map(pairs) => {
            head(to, pairs.len(), (0x80, 16), [None, Some(0xde), Some(0xdf)])?;
            for (key, value) in pairs {
                write(key, to)?;
                write(value, to)?;
            }
        }
        Value::Extension(kind, bytes) => {
            match bytes.len() {
                1 => to.push(0xd4),
                2 => to.push(0xd5),
                4 => to.push(0xd6),
                8 => to.push(0xd7),
                16 => to.push(0xd8),
                length => head(to, length, (0, 0), [Some(0xc7), Some(0xc8), Some(0xc9)])?,
            }
            to.push(kind.to_be_bytes()[0]);
            to.extend_from_slice(bytes);
        }
    }
    Ok(())
}

fn put(to: &mut Vec<u8>, mark: u8, bytes: &[u8]) {
    to.push(mark);
    to.extend_from_slice(bytes);
}

/// A length: within the mark where it is shorter than `short.1`, else behind the mark for one, two or four bytes.
fn head(to: &mut Vec<u8>, length: usize, short: (u8, usize), marks: [Option<u8>; 3]) -> Result<(), Wrong> {
    let length = u32::try_from(length).map_err(|_| Wrong::Long)?;
    match (u8::try_from(length), u16::try_from(length), marks) {
        (Ok(byte), ..) if usize::from(byte) < short.1 => to.push(short.0 | byte),
        (Ok(byte), _, [Some(mark), ..]) => to.extend([mark, byte]),
        (_, Ok(two), [_, Some(mark), _]) => put(to, mark, &two.to_be_bytes()),
        (.., [.., Some(mark)]) => put(to, mark, &length.to_be_bytes()),
        (.., [.., None]) => return Err(Wrong::Long),
    }
    Ok(())
}

/// The value at the beginning of some bytes, and how many it takes; `None` when they are not all there yet.
pub(super) fn decode(bytes: &[u8]) -> Result<Option<(Value, usize)>, Wrong> {
    let mut reader = Reader { bytes, at: 0 };
    match reader.value(0) {
        Ok(value) => Ok(Some((value, reader.at))),
        Err(Stop::More) if bytes.len() > LARGEST => Err(Wrong::Long),
        Err(Stop::More) => Ok(None),
        Err(Stop::Wrong(wrong)) => Err(wrong),
    }
}

enum Stop {
    More,
    Wrong(Wrong),
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], Stop> {
        let taken = self.bytes.get(self.at..self.at + length).ok_or(Stop::More)?;
        self.at += length;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Stop> {
        self.take(N)?.try_into().map_err(|_| Stop::More)
    }

    fn number(&mut self, size: u8) -> Result<u64, Stop> {
        Ok(match size {
            1 => u64::from(u8::from_be_bytes(self.array()?)),
            2 => u64::from(u16::from_be_bytes(self.array()?)),
            4 => u64::from(u32::from_be_bytes(self.array()?)),
            _ => u64::from_be_bytes(self.array()?),
        })
    }

    /// A length of so many bytes.
    fn length(&mut self, size: u8) -> Result<usize, Stop> {
        let length = usize::try_from(self.number(size)?).ok();
        length.filter(|length| *length <= LARGEST).ok_or(Stop::Wrong(Wrong::Long))
    }

    fn signed(&mut self, size: u8) -> Result<Value, Stop> {
        let number = match size {
            1 => i64::from(i8::from_be_bytes(self.array()?)),
            2 => i64::from(i16::from_be_bytes(self.array()?)),
            4 => i64::from(i32::from_be_bytes(self.array()?)),
            _ => i64::from_be_bytes(self.array()?),
        };
        Ok(u64::try_from(number).map_or(Value::Negative(number), Value::Count))
    }

    fn value(&mut self, depth: usize) -> Result<Value, Stop> {
        let [mark] = self.array()?;
        Ok(match mark {
            0x00..=0x7f => Value::Count(u64::from(mark)),
            0x80..=0x8f => self.map(usize::from(mark & 0x0f), depth)?,
            0x90..=0x9f => self.list(usize::from(mark & 0x0f), depth)?,
            0xa0..=0xbf => Value::Text(self.take(usize::from(mark & 0x1f))?.to_vec()),
            0xc0 => Value::Nil,
            0xc1 => return Err(Stop::Wrong(Wrong::Byte(mark))),
            0xc2 | 0xc3 => Value::Bool(mark == 0xc3),
            0xc4..=0xc6 => {
                let length = self.length(1 << (mark - 0xc4))?;
                Value::Bytes(self.take(length)?.to_vec())
            }
            0xc7..=0xc9 => {
                let length = self.length(1 << (mark - 0xc7))?;
                self.extension(length)?
            }
            0xca => Value::Float(f64::from(f32::from_be_bytes(self.array()?))),
            0xcb => Value::Float(f64::from_be_bytes(self.array()?)),
            0xcc..=0xcf => Value::Count(self.number(1 << (mark - 0xcc))?),
            0xd0..=0xd3 => self.signed(1 << (mark - 0xd0))?,
            0xd4..=0xd8 => self.extension(1 << (mark - 0xd4))?,
            0xd9..=0xdb => {
                let length = self.length(1 << (mark - 0xd9))?;
                Value::Text(self.take(length)?.to_vec())
            }
            0xdc | 0xdd => {
                let length = self.length(2 << (mark - 0xdc))?;
                self.list(length, depth)?
            }
            0xde | 0xdf => {
                let length = self.length(2 << (mark - 0xde))?;
                self.map(length, depth)?
            }
            0xe0..=0xff => Value::Negative(i64::from(i8::from_be_bytes([mark]))),
        })
    }

    fn extension(&mut self, length: usize) -> Result<Value, Stop> {
        let kind = i8::from_be_bytes(self.array()?);
        Ok(Value::Extension(kind, self.take(length)?.to_vec()))
    }

    /// What holds so many values goes one level deeper. Each of them has at least a byte.
    fn deeper(&self, count: usize, depth: usize) -> Result<usize, Stop> {
        match depth + 1 {
            deeper if deeper > DEEPEST => Err(Stop::Wrong(Wrong::Deep)),
            _ if count > self.bytes.len() - self.at => Err(Stop::More),
            deeper => Ok(deeper),
        }
    }

    fn list(&mut self, count: usize, depth: usize) -> Result<Value, Stop> {
        let depth = self.deeper(count, depth)?;
        (0..count).map(|_| self.value(depth)).collect::<Result<_, _>>().map(Value::Array)
    }

    fn map(&mut self, count: usize, depth: usize) -> Result<Value, Stop> {
        let depth = self.deeper(count, depth)?;
        (0..count).map(|_| Ok((self.value(depth)?, self.value(depth)?))).collect::<Result<_, _>>().map(Value::Map)
    }
}

#[cfg(test)]
mod tests;
