//! A registry on the loopback interface, and a place to install to.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode, header};
use base64::Engine as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use sha2::{Digest, Sha512};
use tau_packages::{Access, LOCK_FILE, PackageError, Place, Report, Source, Store, Wish};
use tempfile::TempDir;
use tokio::net::TcpListener;

/// What a server answers.
#[derive(Clone)]
pub enum Reply {
    Bytes(Vec<u8>),
    /// Fewer bytes than were announced.
    Half(Vec<u8>),
    Redirect(String),
    Status(u16),
}

/// A request that came.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    pub path: String,
    pub authorization: Option<String>,
}

#[derive(Default)]
struct Shared {
    replies: HashMap<String, Vec<Reply>>,
    packuments: BTreeMap<String, Value>,
    seen: Vec<Seen>,
}

pub struct Registry {
    pub base: String,
    shared: Arc<Mutex<Shared>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Registry {
    pub async fn start() -> Self {
        Self::serving("http", |listener, app| tokio::spawn(async move { drop(axum::serve(listener, app).await) })).await
    }

    /// A registry behind any kind of listener.
    pub async fn serving(scheme: &str, serve: impl FnOnce(TcpListener, Router) -> tokio::task::JoinHandle<()>) -> Self {
        let shared = Arc::new(Mutex::new(Shared::default()));
        let app = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let base = format!("{scheme}://{}", listener.local_addr().expect("an address"));
        Self { base, shared, task: serve(listener, app) }
    }

    /// Adds a version with `package.json` and further files.
    pub fn publish(&self, manifest: Value, files: &[(&str, &str)]) {
        let text = manifest.to_string();
        let all: Vec<_> = [("package/package.json", text.as_str())].into_iter().chain(files.iter().copied()).collect();
        self.publish_archive(manifest, archive(&all));
    }

    /// Adds a version with an archive of any content.
    pub fn publish_archive(&self, manifest: Value, archive: Vec<u8>) {
        let (name, version) = (text(&manifest, "name"), text(&manifest, "version"));
        let short = name.rsplit('/').next().expect("a name").to_owned();
        let path = format!("/{name}/-/{short}-{version}.tgz");
        let mut entry = manifest;
        entry["dist"] = json!({"tarball": format!("{}{path}", self.base), "integrity": sha512(&archive)});
        self.reply(&path, [Reply::Bytes(archive)]);
        let mut shared = self.shared.lock().expect("lock");
        let document = shared
            .packuments
            .entry(name.clone())
            .or_insert_with(|| json!({"name": name, "dist-tags": {}, "versions": {}}));
        document["dist-tags"]["latest"] = version.clone().into();
        document["versions"][version] = entry;
    }

    /// Changes what the registry says of a package.
    pub fn edit(&self, name: &str, change: impl FnOnce(&mut Value)) {
        change(self.shared.lock().expect("lock").packuments.get_mut(name).expect("a package"));
    }

    /// What a path is answered with, one after another; the last one stays.
    pub fn reply<const N: usize>(&self, path: &str, replies: [Reply; N]) {
        self.shared.lock().expect("lock").replies.insert(path.to_owned(), replies.to_vec());
    }

    /// Serves the files of a folder.
    pub fn serve(&self, prefix: &str, folder: &Path) {
        for entry in fs::read_dir(folder).expect("folder") {
            let path = entry.expect("entry").path();
            let name = format!("{prefix}/{}", path.file_name().expect("name").to_string_lossy());
            if path.is_dir() {
                self.serve(&name, &path)
            } else {
                self.reply(&name, [Reply::Bytes(fs::read(&path).expect("file"))])
            }
        }
    }

    pub fn seen(&self) -> Vec<Seen> {
        std::mem::take(&mut self.shared.lock().expect("lock").seen)
    }
}

async fn answer(State(shared): State<Arc<Mutex<Shared>>>, request: Request) -> Response<Body> {
    // A proxy is asked for whole addresses; which host it was does not matter here.
    let path = request.uri().path().to_owned();
    let authorization =
        request.headers().get(header::AUTHORIZATION).map(|value| value.to_str().expect("text").to_owned());
    let mut shared = shared.lock().expect("lock");
    shared.seen.push(Seen { path: path.clone(), authorization });
    let reply = shared.replies.get_mut(&path).and_then(|replies| match replies.len() {
        0 => None,
        1 => replies.first().cloned(),
        _ => Some(replies.remove(0)),
    });
    let reply = reply.or_else(|| {
        let name = path.trim_start_matches('/').replace("%2f", "/");
        shared.packuments.get(&name).map(|document| Reply::Bytes(document.to_string().into_bytes()))
    });
    let respond = Response::builder();
    let response = match reply {
        None => respond.status(StatusCode::NOT_FOUND).body(Body::from("{}")),
        Some(Reply::Bytes(bytes)) => respond.body(Body::from(bytes)),
        Some(Reply::Status(status)) => respond.status(status).body(Body::from("secret-echo")),
        Some(Reply::Redirect(to)) => respond.status(302).header(header::LOCATION, to).body(Body::empty()),
        Some(Reply::Half(bytes)) => {
            let length = bytes.len();
            let half = bytes[..length / 2].to_vec();
            let stream = futures_util::stream::iter([Ok::<_, std::io::Error>(half)]);
            respond.header(header::CONTENT_LENGTH, length).body(Body::from_stream(stream))
        }
    };
    response.expect("a response")
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().expect(key).to_owned()
}

pub fn sha512(bytes: &[u8]) -> String {
    format!("sha512-{}", base64::engine::general_purpose::STANDARD.encode(Sha512::digest(bytes)))
}

pub fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, content) in files {
        let mut header = tar::Header::new_gnu();
        // The library refuses paths that some of these tests are about.
        header.as_gnu_mut().expect("GNU").name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_mode(0o644);
        header.set_size(content.len() as u64);
        header.set_cksum();
        builder.append(&header, content.as_bytes()).expect("append");
    }
    builder.into_inner().expect("tar").finish().expect("gzip")
}

/// A user with an agent folder.
pub struct Home {
    pub dir: TempDir,
    pub vars: BTreeMap<String, String>,
    pub offline: bool,
    pub shared_lock: bool,
}

impl Home {
    pub fn new(registry: &Registry) -> Self {
        let vars = [
            ("npm_config_globalconfig", "/nowhere".to_owned()),
            ("npm_config_registry", registry.base.clone()),
            ("npm_config_fetch_retry_mintimeout", "1".to_owned()),
            ("PATH", std::env::var("PATH").unwrap_or_default()),
            ("GIT_CONFIG_GLOBAL", "/dev/null".to_owned()),
        ];
        Self {
            dir: tempfile::tempdir().expect("temp dir"),
            vars: vars.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            offline: false,
            shared_lock: false,
        }
    }

    pub fn npmrc(&self, text: &str) {
        fs::write(self.dir.path().join(".npmrc"), text).expect("write");
    }

    pub fn agent(&self) -> PathBuf {
        self.dir.path().join("agent")
    }

    pub fn store(&self) -> Store {
        let agent = self.agent();
        let place = Place {
            npm: agent.join("npm"),
            git: agent.join("git"),
            lock: agent.join(LOCK_FILE),
            shared_lock: self.shared_lock,
        };
        let access = Access {
            home: self.dir.path().to_path_buf(),
            vars: self.vars.clone(),
            npmrc: Vec::new(),
            offline: self.offline,
            progress: Arc::new(|_| ()),
        };
        Store::new(place, access)
    }

    pub async fn install(&self, source: &str) -> Result<Report, PackageError> {
        self.store().install(&Source::parse(source), Wish::Newest).await
    }

    pub async fn restore(&self, source: &str) -> Result<Report, PackageError> {
        self.store().install(&Source::parse(source), Wish::Pinned).await
    }

    pub async fn remove(&self, source: &str) -> Result<Report, PackageError> {
        self.store().remove(&Source::parse(source)).await
    }

    /// Everything below the agent folder: the versions of packages, the names of other files.
    pub fn tree(&self) -> Vec<String> {
        let mut found = Vec::new();
        list(&self.agent(), "", &mut found);
        found.retain(|line| !line.contains(".git/"));
        found
    }

    pub fn json(&self, file: &str) -> Value {
        let text = fs::read_to_string(self.agent().join(file)).expect(file);
        serde_json::from_str(&text).expect("JSON")
    }
}

fn list(folder: &Path, prefix: &str, found: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("entry").path()).collect();
    paths.sort();
    for path in paths {
        let name = format!("{prefix}{}", path.file_name().expect("name").to_string_lossy());
        if path.is_symlink() {
            found.push(format!("{name} -> {}", fs::read_link(&path).expect("link").display()));
        } else if path.is_dir() {
            list(&path, &format!("{name}/"), found);
        } else if name.ends_with("/package.json") && name.contains("node_modules") {
            let text = fs::read_to_string(&path).expect("text");
            let manifest: Value = serde_json::from_str(&text).expect("JSON");
            found.push(format!("{} = {}", name.trim_end_matches("/package.json"), manifest["version"]));
        } else {
            found.push(name);
        }
    }
}
