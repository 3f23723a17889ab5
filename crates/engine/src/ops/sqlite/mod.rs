//! Databases of SQLite, for `node:sqlite`.
//!
//! A statement is its text: the connection keeps those that are compiled.

mod cell;
mod failure;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::Duration;

use rquickjs::{Array, BigInt, Ctx, IntoJs, Object, Value};
use rusqlite::config::DbConfig;
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::limits::Limit;
use rusqlite::types::Value as Cell;
use rusqlite::{Batch, Connection, OpenFlags, Statement};

use super::{Json, List, OpError, OpHost};
use crate::ops::table::{Host, ops};
use failure::Failure;

ops! {
    /// Databases of SQLite, for `node.
    pub static OPS: watched;

    /// Opens a database; gives its number.
    fn sqliteOpen(path, options: "SqliteOptions") = sqlite_open, Refused;
    /// Closes a database.
    fn sqliteClose(rid) = sqlite_close, Pure;
    /// Runs statements.
    fn sqliteExec(rid, sql) = sqlite_exec, Refused;
    /// The names of the parameters, the first one's first; nothing for those without one.
    fn sqlitePrepare(rid, sql) = sqlite_prepare, Pure;
    /// Runs a statement that gives no rows.
    fn sqliteRun(rid, sql, values, big) -> "[lastInsertRowid: number | bigint, changes: number | bigint]" = sqlite_run, Refused;
    /// Runs a statement; gives its rows.
    fn sqliteRows(rid, sql, values, form: "SqliteForm") -> "unknown[]" = sqlite_rows, Refused;
    /// The columns of a statement.
    fn sqliteColumns(rid, sql) -> "SqliteColumn[]" = sqlite_columns, Pure;
    /// A statement with its values in it.
    fn sqliteExpanded(rid, sql, values) = sqlite_expanded, Pure;
    /// Whether a transaction is open.
    fn sqliteInTransaction(rid) = sqlite_in_transaction, Pure;
    /// The file of a database.
    fn sqliteLocation(rid, name) = sqlite_location, Pure;
}

/// The largest text, blob or row in bytes: what is larger is a bomb.
const MAX_LENGTH: i32 = 256 << 20;

/// How many statements stay compiled.
const KEPT: usize = 64;

/// The longest wait for a lock in milliseconds: nothing else of the engine runs meanwhile.
const LONGEST_WAIT: u64 = 5_000;

/// How many steps of a statement there are between two looks at the clock.
const STRIDE: i32 = 4096;

/// An open database.
struct Database(Connection);

impl Database {
    /// `options`: `{readOnly, foreignKeys, doubleQuotes, timeout}`, the last one in milliseconds.
    fn open(path: &str, options: &serde_json::Value, host: &OpHost) -> Result<Self, Failure> {
        let is = |name: &str| options[name].as_bool().unwrap_or(false);
        let access = if is("readOnly") {
            OpenFlags::SQLITE_OPEN_READ_ONLY
        } else {
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE
        };
        // In memory, temporary, or a URI; all else is a file of the engine's working directory.
        let path = match path {
            ":memory:" | "" => path.into(),
            uri if uri.starts_with("file:") => uri.into(),
            file => host.resolve(file),
        };
        let mut connection = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_URI)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, is("foreignKeys"))?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, is("doubleQuotes"))?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, is("doubleQuotes"))?;
        let wait = options["timeout"].as_f64().map_or(0, |wait| wait as u64).min(LONGEST_WAIT);
        connection.busy_timeout(Duration::from_millis(wait))?;
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_LENGTH)?;
        // Of all databases of the program together, those in memory too: the library only knows this limit.
        connection.pragma_update(None, "hard_heap_limit", i64::try_from(host.memory().limit()).unwrap_or(i64::MAX))?;
        connection.set_prepared_statement_cache_capacity(KEPT);
        // A statement may run for ever, as a program may.
        let limits = std::sync::Arc::clone(host.limits());
        connection.progress_handler(STRIDE, Some(move || limits.is_late()))?;
        Ok(Self(connection))
    }

    /// Does something with the first statement of a text; what stands behind it is not looked at.
    fn with<T>(&self, sql: &str, work: impl FnOnce(&mut Statement<'_>) -> Result<T, Failure>) -> Result<T, Failure> {
        let done = || match self.0.prepare_cached(sql) {
            Ok(mut statement) => work(&mut statement),
            Err(rusqlite::Error::MultipleStatement) => match Batch::new(&self.0, sql).next()? {
                Some(mut statement) => work(&mut statement),
                None => Err(rusqlite::Error::MultipleStatement.into()),
            },
            Err(error) => Err(error.into()),
        };
        // The library panics at names that are no UTF-8, and a file may have any.
        catch_unwind(AssertUnwindSafe(done))
            .unwrap_or_else(|_| Err(OpError::message("the database has a name that is no text").into()))
    }

    /// As [`Database::with`], with the values of the parameters, the first one's first.
    fn bound<T>(
        &self,
        sql: &str,
        values: &[Cell],
        work: impl FnOnce(&mut Statement<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.with(sql, |statement| {
            let places = statement.parameter_count().max(values.len());
            for place in 0..places {
                statement.raw_bind_parameter(place + 1, values.get(place).unwrap_or(&Cell::Null))?;
            }
            work(statement)
        })
    }

    fn in_transaction(&self) -> bool {
        !self.0.is_autocommit()
    }

    /// The file of a database, by its name within the connection; nothing for one in memory.
    fn location(&self, name: &str) -> Result<Option<String>, Failure> {
        self.with("SELECT file FROM pragma_database_list WHERE name = ?1", |statement| {
            let mut rows = statement.query([name])?;
            let file: Option<String> = rows.next()?.map(|row| row.get(0)).transpose()?.flatten();
            Ok(file.filter(|file| !file.is_empty()))
        })
    }
}

/// How rows come.
struct Form {
    /// Whole numbers as `BigInt`.
    big: bool,
    /// Arrays instead of objects.
    arrays: bool,
    /// The first one only.
    one: bool,
}

impl Form {
    fn read(json: &serde_json::Value) -> Self {
        let is = |name: &str| json[name].as_bool().unwrap_or(false);
        Self { big: is("big"), arrays: is("arrays"), one: is("one") }
    }
}

/// The rows of a statement.
fn rows<'js>(ctx: &Ctx<'js>, statement: &mut Statement<'_>, form: &Form) -> Result<Array<'js>, Failure> {
    let mut names = Vec::new();
    for name in statement.column_names() {
        names.push(rquickjs::String::from_str(ctx.clone(), name)?);
    }
    let found = Array::new(ctx.clone())?;
    let mut cursor = statement.raw_query();
    let mut count = 0;
    while let Some(row) = cursor.next()? {
        let cell = |place| cell::to_js(ctx, row.get_ref(place)?, form.big);
        if form.arrays {
            let array = Array::new(ctx.clone())?;
            for place in 0..names.len() {
                array.set(place, cell(place)?)?;
            }
            found.set(count, array)?;
        } else {
            let object = Object::new(ctx.clone())?;
            object.set_prototype(None)?;
            for (place, name) in names.iter().enumerate() {
                object.set(name.clone(), cell(place)?)?;
            }
            found.set(count, object)?;
        }
        count += 1;
        if form.one {
            break;
        }
    }
    Ok(found)
}

/// Where the columns of a statement come from: `{column, database, name, table, type}`, as Node orders them.
fn columns<'js>(ctx: &Ctx<'js>, statement: &Statement<'_>) -> Result<Vec<Object<'js>>, Failure> {
    let types = statement.columns().map(|column| column.decl_type().map(str::to_owned));
    let columns = statement.columns_with_metadata().zip(types.collect::<Vec<_>>());
    let described = columns.map(|(column, kind)| {
        let object = Object::new(ctx.clone())?;
        object.set_prototype(None)?;
        // `null` for what is not there: `None` would be `undefined`.
        let text = |value: Option<&str>| match value {
            Some(text) => text.into_js(ctx),
            None => Ok(Value::new_null(ctx.clone())),
        };
        object.set("column", text(column.origin_name())?)?;
        object.set("database", text(column.database_name())?)?;
        object.set("name", column.name())?;
        object.set("table", text(column.table_name())?)?;
        object.set("type", text(kind.as_deref())?)?;
        Ok(object)
    });
    described.collect()
}

/// What a statement changed: how many rows, and the number of the last one it added.
fn outcome<'js>(ctx: &Ctx<'js>, database: &Database, big: bool) -> Result<Vec<Value<'js>>, Failure> {
    let changes = i64::try_from(database.0.changes()).unwrap_or(i64::MAX);
    let number = |number: i64| {
        if big {
            return BigInt::from_i64(ctx.clone(), number).map(BigInt::into_value);
        }
        // As in Node, whose numbers these are, precision may be lost.
        (number as f64).into_js(ctx)
    };
    Ok(vec![number(database.0.last_insert_rowid())?, number(changes)?])
}

fn sqlite_open<'js>(ctx: Ctx<'js>, Host(host): Host, path: String, options: Json) -> rquickjs::Result<u32> {
    let database = Database::open(&path, &options.0, &host).map_err(|failure| failure.throw(&ctx))?;
    rquickjs::Result::Ok(host.resources().add(Rc::new(database)))
}

fn sqlite_close(Host(host): Host, rid: u32) {
    drop(host.resources().close(rid));
}

/// The open database of a number.
fn database(ctx: &Ctx<'_>, host: &OpHost, rid: u32) -> rquickjs::Result<Rc<Database>> {
    let closed = |_| OpError::new("ERR_INVALID_STATE", "database is not open").throw(ctx);
    host.resources().get(rid).map_err(closed)
}

fn sqlite_exec<'js>(ctx: Ctx<'js>, Host(host): Host, rid: u32, sql: String) -> rquickjs::Result<()> {
    let done = database(&ctx, &host, rid)?.0.execute_batch(&sql);
    done.map_err(|error| Failure::from(error).throw(&ctx))
}

fn sqlite_prepare<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    rid: u32,
    sql: String,
) -> rquickjs::Result<List<Option<String>>> {
    let names = database(&ctx, &host, rid)?.with(&sql, |statement| {
        let name = |place| statement.parameter_name(place).map(str::to_owned);
        Ok((1..=statement.parameter_count()).map(name).collect())
    });
    names.map(List).map_err(|failure| failure.throw(&ctx))
}

fn sqlite_run<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    rid: u32,
    sql: String,
    values: Vec<Value<'js>>,
    big: bool,
) -> rquickjs::Result<List<Value<'js>>> {
    let database = database(&ctx, &host, rid)?;
    let values = cell::all(&ctx, values)?;
    let done = database.bound(&sql, &values, |statement| {
        let mut rows = statement.raw_query();
        while rows.next()?.is_some() {}
        outcome(&ctx, &database, big)
    });
    done.map(List).map_err(|failure| failure.throw(&ctx))
}

fn sqlite_rows<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    rid: u32,
    sql: String,
    values: Vec<Value<'js>>,
    form: Json,
) -> rquickjs::Result<Array<'js>> {
    let (database, form) = (database(&ctx, &host, rid)?, Form::read(&form.0));
    let values = cell::all(&ctx, values)?;
    let found = database.bound(&sql, &values, |statement| rows(&ctx, statement, &form));
    found.map_err(|failure| failure.throw(&ctx))
}

fn sqlite_columns<'js>(ctx: Ctx<'js>, Host(host): Host, rid: u32, sql: String) -> rquickjs::Result<List<Object<'js>>> {
    let found = database(&ctx, &host, rid)?.with(&sql, |statement| columns(&ctx, statement));
    found.map(List).map_err(|failure| failure.throw(&ctx))
}

fn sqlite_expanded<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    rid: u32,
    sql: String,
    values: Vec<Value<'js>>,
) -> rquickjs::Result<Option<String>> {
    let values = cell::all(&ctx, values)?;
    let text = database(&ctx, &host, rid)?.bound(&sql, &values, |statement| Ok(statement.expanded_sql()));
    text.map_err(|failure| failure.throw(&ctx))
}

fn sqlite_in_transaction<'js>(ctx: Ctx<'js>, Host(host): Host, rid: u32) -> rquickjs::Result<bool> {
    Ok(database(&ctx, &host, rid)?.in_transaction())
}

fn sqlite_location<'js>(ctx: Ctx<'js>, Host(host): Host, rid: u32, name: String) -> rquickjs::Result<Option<String>> {
    database(&ctx, &host, rid)?.location(&name).map_err(|failure| failure.throw(&ctx))
}
