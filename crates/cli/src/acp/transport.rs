//! Lines in, lines out.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::{Sink, Stream, sink, stream};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader, Stdout};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The longest message that is taken, in bytes. Pictures are sent as text, so it is long.
const LONGEST: usize = 64 << 20;

/// How many updates may be on their way to a client that does not read.
const MOST_UNDER_WAY: usize = 64;

/// The lines of a reader. One that cannot be read stands as a text that is no message, so that it is answered with an
/// error and nothing else happens.
pub(super) fn incoming(
    reader: impl AsyncRead + Unpin + Send + 'static,
) -> impl Stream<Item = io::Result<String>> + Send + 'static {
    stream::unfold(BufReader::new(reader), async |mut reader| {
        loop {
            match line(&mut reader, LONGEST).await {
                Ok(Some(line)) if line.trim().is_empty() => {}
                Ok(Some(line)) => return Some((Ok(line), reader)),
                Ok(None) => return None,
                Err(error) => return Some((Err(error), reader)),
            }
        }
    })
}

async fn line(reader: &mut BufReader<impl AsyncRead + Unpin>, longest: usize) -> io::Result<Option<String>> {
    let (mut bytes, mut too_long, mut any) = (Vec::new(), false, false);
    loop {
        let read = reader.fill_buf().await?;
        if read.is_empty() && !any {
            return Ok(None);
        }
        let end = read.iter().position(|byte| *byte == b'\n');
        let part = &read[..end.unwrap_or(read.len())];
        any = true;
        match bytes.len() + part.len() > longest {
            true => (too_long, bytes) = (true, Vec::new()),
            false if !too_long => bytes.extend_from_slice(part),
            false => {}
        }
        let (used, over) = (end.map_or(part.len(), |end| end + 1), end.is_some() || read.is_empty());
        reader.consume(used);
        if over {
            break;
        }
    }
    if too_long {
        return Ok(Some(format!("<a line of more than {longest} bytes>")));
    }
    Ok(Some(String::from_utf8(bytes).unwrap_or_else(|_| "<a line that is not UTF-8>".to_owned())))
}

/// Standard output.
pub(super) fn outgoing(wire: Arc<Wire>) -> impl Sink<String, Error = io::Error> + Send + 'static {
    sink::unfold((tokio::io::stdout(), wire), async |(mut out, wire), mut line: String| {
        line.push('\n');
        match write(&mut out, &line).await {
            // A client that went away is no failure: there is nobody left to work for.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => wire.gone.cancel(),
            done => done?,
        }
        wire.wrote();
        Ok((out, wire))
    })
}

async fn write(out: &mut Stdout, line: &str) -> io::Result<()> {
    out.write_all(line.as_bytes()).await?;
    out.flush().await
}

/// How much is on its way to the client.
#[derive(Default)]
pub(super) struct Wire {
    under_way: AtomicUsize,
    wrote: Notify,
    gone: CancellationToken,
}

impl Wire {
    /// An update was handed over.
    pub(super) fn sent(&self) {
        self.under_way.fetch_add(1, Ordering::AcqRel);
    }

    /// A line is written. Answers are not counted when they are handed over, so there may be more lines than updates: then
    /// a few more updates may be under way.
    fn wrote(&self) {
        let _ = self.under_way.fetch_update(Ordering::AcqRel, Ordering::Acquire, |count| Some(count.saturating_sub(1)));
        self.wrote.notify_waiters();
    }

    /// Waits until the client has read enough, or is gone.
    pub(super) async fn room(&self) {
        loop {
            let mut wrote = std::pin::pin!(self.wrote.notified());
            wrote.as_mut().enable();
            if self.under_way.load(Ordering::Acquire) < MOST_UNDER_WAY || self.gone.is_cancelled() {
                return;
            }
            tokio::select! {
                () = wrote => {}
                () = self.gone.cancelled() => return,
            }
        }
    }

    /// Fires when nothing reaches the client any more.
    pub(super) fn gone(&self) -> &CancellationToken {
        &self.gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines_of(bytes: &[u8], longest: usize) -> Vec<String> {
        let mut reader = BufReader::with_capacity(4, bytes);
        let mut lines = Vec::new();
        while let Some(line) = line(&mut reader, longest).await.expect("readable") {
            lines.push(line);
        }
        lines
    }

    #[tokio::test]
    async fn lines_end_with_a_newline_or_with_the_input() {
        assert_eq!(lines_of(b"one\n\ntwo three\r\nhalf", 100).await, ["one", "", "two three\r", "half"]);
        assert_eq!(lines_of(b"", 100).await, Vec::<String>::new());
    }

    #[tokio::test]
    async fn what_cannot_be_read_is_one_line_that_is_no_message() {
        assert_eq!(
            lines_of(b"123456789\n12345\n\xff\xfe\nok\n123456", 5).await,
            [
                "<a line of more than 5 bytes>",
                "12345",
                "<a line that is not UTF-8>",
                "ok",
                "<a line of more than 5 bytes>"
            ]
        );
    }

    #[tokio::test]
    async fn updates_wait_while_nothing_is_written() {
        let wire = Wire::default();
        for _ in 0..MOST_UNDER_WAY {
            wire.room().await;
            wire.sent();
        }
        assert!(futures_util::poll!(std::pin::pin!(wire.room())).is_pending());
        wire.wrote();
        wire.room().await;
        wire.sent();
        wire.gone().cancel();
        wire.room().await;
    }
}
