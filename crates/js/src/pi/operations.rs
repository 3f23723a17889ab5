//! Operations of the built-in tools that an extension wrote in JavaScript.

use std::io::Cursor;
use std::path::Path;

use async_trait::async_trait;
use serde_json::{Value as Json, json};
use tau_tools::OpError;
use tau_tools::bash::{BashExec, BashExecError, BashOperations};
use tau_tools::edit::EditOperations;
use tau_tools::find::FindOperations;
use tau_tools::grep::GrepOperations;
use tau_tools::ls::{LsOperations, LsStat};
use tau_tools::read::{FileStream, ReadOperations};
use tau_tools::write::WriteOperations;

use super::pieces::Pieces;
use super::port::{Arg, Caller, Reply, Thrown};

/// Operations on the other side of a port.
pub(super) struct JsOperations {
    pub(super) caller: Caller,
    /// Whether the extension tells pictures from text.
    pub(super) sniffs: bool,
    /// Whether the extension hands out texts in pieces.
    pub(super) streams: bool,
}

impl From<Thrown> for OpError {
    fn from(thrown: Thrown) -> Self {
        Self { code: thrown.code, message: thrown.message }
    }
}

fn arg(path: &Path) -> Arg {
    Arg::Text(path.to_string_lossy().into_owned())
}

fn text(content: &[u8]) -> Arg {
    match std::str::from_utf8(content) {
        Ok(text) => Arg::Text(text.to_owned()),
        Err(_) => Arg::Bytes(content.to_owned()),
    }
}

impl JsOperations {
    async fn call(&self, method: &'static str, args: Vec<Arg>) -> Result<Reply, OpError> {
        Ok(self.caller.call(method, args).await?)
    }

    async fn flag(&self, method: &'static str, path: &Path) -> Result<bool, OpError> {
        Ok(matches!(self.call(method, vec![arg(path)]).await?, Reply::Json(Json::Bool(true))))
    }

    async fn bytes(&self, path: &Path) -> Result<Vec<u8>, OpError> {
        match self.call("readFile", vec![arg(path)]).await? {
            Reply::Bytes(bytes) => Ok(bytes),
            Reply::Json(Json::String(text)) => Ok(text.into_bytes()),
            Reply::Json(_) => Err(OpError::new("readFile gave neither bytes nor text")),
        }
    }

    async fn strings(&self, method: &'static str, args: Vec<Arg>) -> Result<Vec<String>, OpError> {
        match self.call(method, args).await? {
            Reply::Json(list @ Json::Array(_)) => {
                serde_json::from_value(list).map_err(|_| OpError::new(format!("{method} gave no list of texts")))
            }
            _ => Err(OpError::new(format!("{method} gave no list"))),
        }
    }
}

#[async_trait]
impl ReadOperations for JsOperations {
    async fn read_file(&self, path: &Path) -> Result<Vec<u8>, OpError> {
        self.bytes(path).await
    }

    async fn access(&self, path: &Path) -> Result<(), OpError> {
        self.call("access", vec![arg(path)]).await.map(drop)
    }

    async fn detect_image_mime_type(&self, path: &Path) -> Result<Option<String>, OpError> {
        if !self.sniffs {
            return Ok(None);
        }
        match self.call("detectImageMimeType", vec![arg(path)]).await? {
            Reply::Json(Json::String(mime_type)) if !mime_type.is_empty() => Ok(Some(mime_type)),
            _ => Ok(None),
        }
    }

    async fn open(&self, path: &Path) -> Result<FileStream, OpError> {
        if !self.streams {
            return Ok(Box::new(Cursor::new(self.bytes(path).await?)));
        }
        self.call("openStream", vec![arg(path)]).await?;
        Ok(Box::new(Pieces::new(self.caller.clone())))
    }
}

#[async_trait]
impl EditOperations for JsOperations {
    async fn read_file(&self, path: &Path) -> Result<Vec<u8>, OpError> {
        self.bytes(path).await
    }

    async fn write_file(&self, path: &Path, content: &[u8]) -> Result<(), OpError> {
        self.call("writeFile", vec![arg(path), text(content)]).await.map(drop)
    }

    async fn access(&self, path: &Path) -> Result<(), OpError> {
        self.call("access", vec![arg(path)]).await.map(drop)
    }
}

#[async_trait]
impl WriteOperations for JsOperations {
    async fn write_file(&self, path: &Path, content: &[u8]) -> Result<(), OpError> {
        self.call("writeFile", vec![arg(path), text(content)]).await.map(drop)
    }

    async fn mkdir(&self, path: &Path) -> Result<(), OpError> {
        self.call("mkdir", vec![arg(path)]).await.map(drop)
    }
}

#[async_trait]
impl GrepOperations for JsOperations {
    async fn is_directory(&self, path: &Path) -> Result<bool, OpError> {
        self.flag("isDirectory", path).await
    }
}

#[async_trait]
impl FindOperations for JsOperations {
    async fn exists(&self, path: &Path) -> bool {
        self.flag("exists", path).await.unwrap_or(false)
    }

    async fn glob(&self, pattern: &str, cwd: &Path, ignore: &[&str], limit: usize) -> Result<Vec<String>, OpError> {
        let options = Arg::Json(json!({ "ignore": ignore, "limit": limit }));
        self.strings("glob", vec![Arg::Text(pattern.to_owned()), arg(cwd), options]).await
    }
}

#[async_trait]
impl LsOperations for JsOperations {
    async fn exists(&self, path: &Path) -> bool {
        self.flag("exists", path).await.unwrap_or(false)
    }

    async fn stat(&self, path: &Path) -> Result<LsStat, OpError> {
        Ok(LsStat { is_directory: self.flag("stat", path).await? })
    }

    async fn readdir(&self, path: &Path) -> Result<Vec<String>, OpError> {
        self.strings("readdir", vec![arg(path)]).await
    }
}

#[async_trait]
impl BashOperations for JsOperations {
    async fn exec(&self, command: &str, cwd: &Path, exec: BashExec) -> Result<Option<i32>, BashExecError> {
        let options = Arg::Json(json!({ "timeout": exec.timeout, "env": exec.env }));
        let args = vec![Arg::Text(command.to_owned()), arg(cwd), options];
        let code = match self.caller.call_with_data("exec", args, Some(exec.on_data)).await {
            Ok(Reply::Json(code)) => code.as_i64(),
            Ok(Reply::Bytes(_)) => None,
            Err(thrown) => return Err(exec_error(thrown)),
        };
        Ok(code.and_then(|code| i32::try_from(code).ok()))
    }
}

/// The error's message says why a command has no exit code.
fn exec_error(thrown: Thrown) -> BashExecError {
    if thrown.message == "aborted" {
        return BashExecError::Aborted;
    }
    match thrown.message.strip_prefix("timeout:").and_then(|seconds| seconds.parse().ok()) {
        Some(seconds) => BashExecError::TimedOut(seconds),
        None => BashExecError::Failed(thrown.into()),
    }
}
