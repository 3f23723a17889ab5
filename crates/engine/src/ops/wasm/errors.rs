//! What goes wrong in the interpreter, and what JavaScript sees of it.

use rquickjs::Ctx;
use wasmi::errors::{ErrorKind, InstantiationError, MemoryError, TableError};
use wasmi::{Error, TrapCode};

use super::super::OpError;

/// What the runtime makes a `WebAssembly.CompileError` of.
pub(super) const COMPILE: &str = "WASM_COMPILE";
/// What the runtime makes a `WebAssembly.LinkError` of.
pub(super) const LINK: &str = "WASM_LINK";
/// What the runtime makes a `WebAssembly.RuntimeError` of.
pub(super) const RUNTIME: &str = "WASM_RUNTIME";
/// What the runtime makes a `RangeError` of.
pub(super) const RANGE: &str = "WASM_RANGE";

/// Why work with the store failed.
pub(super) enum Failed {
    /// An error for JavaScript.
    Op(OpError),
    /// An error of the interpreter.
    Wasm(Error),
    /// Something that was thrown already.
    Thrown(rquickjs::Error),
}

impl Failed {
    pub(super) fn throw(self, ctx: &Ctx<'_>) -> rquickjs::Error {
        match self {
            Self::Op(error) => error.throw(ctx),
            Self::Wasm(error) => failure(&error).throw(ctx),
            Self::Thrown(error) => error,
        }
    }
}

impl From<OpError> for Failed {
    fn from(error: OpError) -> Self {
        Self::Op(error)
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Wasm(error)
    }
}

impl From<rquickjs::Error> for Failed {
    fn from(error: rquickjs::Error) -> Self {
        Self::Thrown(error)
    }
}

/// What JavaScript sees of an error of the interpreter.
pub(super) fn failure(error: &Error) -> OpError {
    let trapped = |code| match code {
        TrapCode::UnreachableCodeReached => "unreachable",
        TrapCode::MemoryOutOfBounds => "memory access out of bounds",
        TrapCode::TableOutOfBounds => "table index is out of bounds",
        TrapCode::IndirectCallToNull | TrapCode::BadSignature => "null function or function signature mismatch",
        TrapCode::IntegerDivisionByZero => "divide by zero",
        TrapCode::IntegerOverflow => "divide result unrepresentable",
        TrapCode::BadConversionToInteger => "float unrepresentable in integer range",
        other => other.trap_message(),
    };
    match error.kind() {
        ErrorKind::TrapCode(TrapCode::StackOverflow) => OpError::new(RANGE, "Maximum call stack size exceeded"),
        ErrorKind::TrapCode(code) => OpError::new(RUNTIME, trapped(*code)),
        ErrorKind::Memory(error) | ErrorKind::Instantiation(InstantiationError::FailedToInstantiateMemory(error)) => {
            memory_failure(error)
        }
        ErrorKind::Table(error) | ErrorKind::Instantiation(InstantiationError::FailedToInstantiateTable(error)) => {
            table_failure(error)
        }
        ErrorKind::Instantiation(
            error @ (InstantiationError::TooManyInstances
            | InstantiationError::TooManyMemories
            | InstantiationError::TooManyTables),
        ) => OpError::new(RANGE, error.to_string()),
        ErrorKind::Instantiation(InstantiationError::ElementSegmentDoesNotFit { .. }) => {
            OpError::new(RUNTIME, "table initializer is out of bounds")
        }
        ErrorKind::Instantiation(error) => OpError::new(LINK, error.to_string()),
        ErrorKind::Read(_) | ErrorKind::Wasm(_) | ErrorKind::Translation(_) | ErrorKind::UserLimits(_) => {
            OpError::new(COMPILE, error.to_string())
        }
        _ => OpError::new(RUNTIME, error.to_string()),
    }
}

/// What JavaScript sees of an error about a memory.
pub(super) fn memory_failure(error: &MemoryError) -> OpError {
    match error {
        MemoryError::OutOfBoundsAccess => OpError::new(RUNTIME, "data segment is out of bounds"),
        _ => OpError::new(RANGE, format!("could not allocate memory: {error}")),
    }
}

/// What JavaScript sees of an error about a table.
pub(super) fn table_failure(error: &TableError) -> OpError {
    match error {
        TableError::InitOutOfBounds => OpError::new(RUNTIME, "table initializer is out of bounds"),
        _ => OpError::new(RANGE, format!("could not make the table as large: {error}")),
    }
}
