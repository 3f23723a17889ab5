//! A log file that stays small.

use std::fs::{DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// How many lines may wait to be written.
const WAITING: usize = 1024;
/// The most that is written of one line, in bytes.
const LONGEST: usize = 16 * 1024;

/// How long another program is waited for that puts the full file aside.
const PUT_ASIDE: Duration = Duration::from_secs(1);

/// Says where the file is; asked when there is something to write.
type Find = Box<dyn Fn() -> Option<PathBuf> + Send + Sync>;

/// A file of lines that is written by a thread of its own, which begins with the first line: nobody who logs waits for the
/// disk. Lines for which there is no room are counted, and the count is written.
///
/// A file that would grow over its limit is renamed to `<file>.1`, in the place of the one before, and begun again. Several
/// programs may write to one file. Only its owner can read it.
pub struct RotatedLog {
    most: u64,
    find: Find,
    writer: OnceLock<Option<SyncSender<Order>>>,
    lost: &'static AtomicU64,
}

enum Order {
    Line(Vec<u8>),
    /// Everything before is written when this comes back.
    Done(SyncSender<()>),
}

impl RotatedLog {
    /// A log of at most so many bytes, twice: in the file and in the one before. Does nothing yet.
    pub fn new(most: u64, find: impl Fn() -> Option<PathBuf> + Send + Sync + 'static) -> Self {
        // As long as the program: there is one log, and its thread is never waited for.
        let lost = Box::leak(Box::default());
        Self { most, find: Box::new(find), writer: OnceLock::new(), lost }
    }

    /// Writes a line with its end some time later. Never blocks.
    pub fn write(&self, line: &[u8]) {
        let line = if line.len() > LONGEST { [&line[..LONGEST], b" [cut]\n"].concat() } else { line.to_vec() };
        let sent = self.writer().is_some_and(|writer| writer.try_send(Order::Line(line)).is_ok());
        if !sent {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until everything so far is written, or for this long. For the end of the program.
    pub fn finish(&self, patience: Duration) {
        // Without a line there is no thread to wait for.
        let Some(Some(writer)) = self.writer.get() else { return };
        let (done, written) = sync_channel(1);
        if writer.try_send(Order::Done(done)).is_ok()
            && let Err(error) = written.recv_timeout(patience)
        {
            tracing::trace!(%error, "the end of the log is not written");
        }
    }

    fn writer(&self) -> Option<&SyncSender<Order>> {
        let begin = || {
            let (sender, orders) = sync_channel(WAITING);
            let mut work = Writer { path: (self.find)()?, most: self.most, lost: self.lost, open: None };
            let thread = std::thread::Builder::new().name("log".to_owned());
            thread.spawn(move || work.follow(&orders)).ok()?;
            Some(sender)
        };
        self.writer.get_or_init(begin).as_ref()
    }
}

struct Writer {
    path: PathBuf,
    most: u64,
    lost: &'static AtomicU64,
    open: Option<File>,
}

impl Writer {
    fn follow(&mut self, orders: &Receiver<Order>) {
        for order in orders {
            match order {
                Order::Line(line) => {
                    let lost = self.lost.swap(0, Ordering::Relaxed);
                    let note = (lost > 0).then(|| format!("[{lost} lines are missing here]\n").into_bytes());
                    for line in note.iter().chain([&line]) {
                        if self.append(line).is_err() {
                            // Next time the file is opened again; there is nobody to tell but the next line.
                            self.open = None;
                            self.lost.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
                Order::Done(done) => drop(done.try_send(())),
            }
        }
    }

    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        let file = match self.open.take().filter(|file| is_at(file, &self.path)) {
            Some(file) => file,
            None => open(&self.path)?,
        };
        let size = file.metadata()?.len();
        let file = if size > 0 && size + line.len() as u64 > self.most { self.rotated(file)? } else { file };
        // One call, so that lines of several programs stay whole.
        (&file).write_all(line)?;
        self.open = Some(file);
        Ok(())
    }

    /// Puts a full file aside, unless another program did.
    fn rotated(&self, full: File) -> io::Result<File> {
        let until = Instant::now() + PUT_ASIDE;
        // Another program that does it may be held up in the middle: what is written meanwhile would be too much.
        while is_at(&full, &self.path)
            && matches!(full.try_lock(), Err(TryLockError::WouldBlock))
            && Instant::now() < until
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        if full.try_lock().is_ok() && is_at(&full, &self.path) {
            let mut before = self.path.clone().into_os_string();
            before.push(".1");
            std::fs::rename(&self.path, before)?;
        }
        open(&self.path)
    }
}

/// Whether a file is still the one of this name.
fn is_at(file: &File, path: &Path) -> bool {
    let same = |one: std::fs::Metadata, other: std::fs::Metadata| one.dev() == other.dev() && one.ino() == other.ino();
    file.metadata().ok().zip(path.metadata().ok()).is_some_and(|(one, other)| same(one, other))
}

fn open(path: &Path) -> io::Result<File> {
    let open = || -> io::Result<File> {
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
        if file.metadata()?.mode() & 0o077 != 0 {
            file.set_permissions(Permissions::from_mode(0o600))?;
        }
        Ok(file)
    };
    match open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = path.parent().unwrap_or(Path::new("."));
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            open()
        }
        done => done,
    }
}

#[cfg(test)]
mod tests {
    use std::fs::read_to_string;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(600);

    #[test]
    fn nothing_is_there_before_the_first_line() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("logs/a.log");
        let asked = Arc::new(AtomicBool::new(false));
        let log = RotatedLog::new(1000, {
            let (asked, path) = (Arc::clone(&asked), path.clone());
            move || {
                asked.store(true, Ordering::SeqCst);
                Some(path.clone())
            }
        });
        log.finish(PATIENCE);
        assert!(!asked.load(Ordering::SeqCst) && !path.parent().expect("a folder").exists());
        log.write(b"one\n");
        log.finish(PATIENCE);
        assert_eq!(read_to_string(&path).expect("the log"), "one\n");
        let mode = |path: &Path| path.metadata().expect("a file").permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().expect("a folder"))), (0o600, 0o700));
    }

    #[test]
    fn a_full_file_is_put_aside_and_lines_of_several_programs_stay_whole() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("a.log");
        std::thread::scope(|scope| {
            for program in 0..4 {
                let path = path.clone();
                scope.spawn(move || {
                    let log = RotatedLog::new(1000, move || Some(path.clone()));
                    for line in 0..200 {
                        log.write(format!("program {program} line {line:03}\n").as_bytes());
                    }
                    log.finish(PATIENCE);
                });
            }
        });
        let (now, before) = (read_to_string(&path).expect("a log"), read_to_string(dir.path().join("a.log.1")));
        let before = before.expect("the one before");
        for text in [&now, &before] {
            // Each program may have looked at the size just before the others wrote.
            assert!(!text.is_empty() && text.len() <= 1000 + 3 * 21, "{}", text.len());
            assert!(text.lines().all(|line| line.len() == "program 0 line 000".len()), "{text}");
        }
        assert_eq!(std::fs::read_dir(dir.path()).expect("the folder").count(), 2);
    }

    #[test]
    fn what_cannot_be_written_is_counted_and_holds_nobody_up() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("folder/a.log");
        std::fs::write(dir.path().join("folder"), "in the way").expect("a file");
        let log = RotatedLog::new(100_000, {
            let path = path.clone();
            move || Some(path.clone())
        });
        log.write(b"lost\n");
        log.finish(PATIENCE);
        std::fs::remove_file(dir.path().join("folder")).expect("removed");
        log.write(&[b'x'; 2 * LONGEST]);
        log.finish(PATIENCE);
        let text = read_to_string(&path).expect("the log");
        let (note, line) = text.split_once('\n').expect("two lines");
        assert_eq!(note, "[1 lines are missing here]");
        assert!(line.len() < LONGEST + 10 && line.ends_with(" [cut]\n"));
    }
}
