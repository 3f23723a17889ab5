//! Byte streams: pipes of processes, sockets, bodies. JavaScript pulls, so there is backpressure everywhere.

use std::rc::Rc;
use std::sync::Arc;

use rquickjs::Ctx;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::{Bytes, Charged, OpError, charge};
use crate::ops::table::{Host, Promised, ops};

ops! {
    /// Byte streams.
    pub static OPS: watched;

    /// Reads at most so many bytes; nothing at the end.
    fn streamRead(rid, max) = stream_read, Recorded;
    /// Writes bytes; gives how many.
    fn streamWrite(rid, bytes) = stream_write, Refused;
    /// Says that nothing more is written.
    fn streamShutdown(rid) = stream_shutdown, Refused;
    /// Closes whatever has this number.
    fn resourceClose(rid) = resource_close, Pure;
}

type Reader = Box<dyn AsyncRead + Unpin>;
type Writer = Box<dyn AsyncWrite + Unpin>;

/// A resource that can be read, written, or both.
pub struct Stream {
    reader: Mutex<Option<Reader>>,
    writer: Mutex<Option<Writer>>,
    closed: CancellationToken,
}

impl Stream {
    /// Both directions.
    pub fn new(reader: Option<Reader>, writer: Option<Writer>) -> Rc<Self> {
        Rc::new(Self { reader: Mutex::new(reader), writer: Mutex::new(writer), closed: CancellationToken::new() })
    }

    /// For reading only.
    pub fn readable(reader: impl AsyncRead + Unpin + 'static) -> Rc<Self> {
        Self::new(Some(Box::new(reader)), None)
    }

    /// For writing only.
    pub fn writable(writer: impl AsyncWrite + Unpin + 'static) -> Rc<Self> {
        Self::new(None, Some(Box::new(writer)))
    }

    /// Ends reads and writes that wait.
    pub fn close(&self) {
        self.closed.cancel();
    }

    /// The next bytes, at most `max`; `None` at the end.
    pub async fn read(&self, max: usize) -> Result<Option<Vec<u8>>, OpError> {
        let mut reader = self.reader.lock().await;
        let Some(open) = reader.as_mut() else { return Ok(None) };
        let mut buffer = vec![0; max.clamp(1, 1 << 20)];
        let count = tokio::select! {
            biased;
            () = self.closed.cancelled() => 0,
            count = open.read(&mut buffer) => match count {
                Ok(count) => count,
                // A terminal whose other side is gone.
                Err(error) if error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error()) => 0,
                Err(error) => return Err(OpError::io(&error, "read", None)),
            },
        };
        if count == 0 {
            *reader = None;
            return Ok(None);
        }
        buffer.truncate(count);
        Ok(Some(buffer))
    }

    /// Writes all bytes.
    pub async fn write(&self, bytes: &[u8]) -> Result<(), OpError> {
        let mut writer = self.writer.lock().await;
        let broken = || std::io::Error::from_raw_os_error(rustix::io::Errno::PIPE.raw_os_error());
        let Some(open) = writer.as_mut() else { return Err(OpError::io(&broken(), "write", None)) };
        let write = async {
            open.write_all(bytes).await?;
            open.flush().await
        };
        tokio::select! {
            biased;
            () = self.closed.cancelled() => Err(OpError::io(&broken(), "write", None)),
            done = write => done.map_err(|error| OpError::io(&error, "write", None)),
        }
    }

    /// Says that nothing more will be written.
    pub async fn shutdown(&self) -> Result<(), OpError> {
        let Some(mut writer) = self.writer.lock().await.take() else { return Ok(()) };
        match writer.shutdown().await {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::NotConnected => Ok(()),
            Err(error) => Err(OpError::io(&error, "shutdown", None)),
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.closed.cancel();
    }
}

fn stream_read<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    rid: u32,
    max: usize,
) -> rquickjs::Result<Promised<'js, Option<Charged<Bytes>>>> {
    let stream = host.resources().get::<Stream>(rid).map_err(|error| error.throw(&ctx))?;
    let memory = Arc::clone(host.memory());
    host.spawn(&ctx, async move {
        let Some(bytes) = stream.read(max).await? else { return Ok(None) };
        let counted = charge(&memory, bytes.len(), "what was read from the stream")?;
        Ok(Some(Charged::new(Bytes(bytes), counted)))
    })
}

fn stream_write<'js>(ctx: Ctx<'js>, Host(host): Host, rid: u32, bytes: Bytes) -> rquickjs::Result<Promised<'js, ()>> {
    let stream = host.resources().get::<Stream>(rid).map_err(|error| error.throw(&ctx))?;
    host.spawn(&ctx, async move { stream.write(&bytes.0).await })
}

fn stream_shutdown<'js>(ctx: Ctx<'js>, Host(host): Host, rid: u32) -> rquickjs::Result<Promised<'js, ()>> {
    let stream = host.resources().get::<Stream>(rid).map_err(|error| error.throw(&ctx))?;
    host.spawn(&ctx, async move { stream.shutdown().await })
}

fn resource_close(Host(host): Host, rid: u32) {
    if let Some(closed) = host.resources().close(rid)
        && let Ok(stream) = closed.downcast::<Stream>()
    {
        stream.close();
    }
}
