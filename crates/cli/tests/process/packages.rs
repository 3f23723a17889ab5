//! `tau install` and its kin, with a registry that is a folder of files.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::support::{Done, Place, Tau};

/// Serves the files of a folder until the test ends.
pub(crate) struct Registry {
    folder: PathBuf,
    base: String,
}

impl Registry {
    pub(crate) fn start(place: &Place) -> Self {
        let folder = place.root().join("registry");
        std::fs::create_dir(&folder).expect("a folder");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let served = folder.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let folder = served.clone();
                std::thread::spawn(move || drop(stream.map(|stream| answer(stream, &folder))));
            }
        });
        Self { folder, base }
    }

    /// Its address.
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// Adds a version of a package that brings one skill.
    pub(crate) fn publish(&self, name: &str, version: &str) {
        let manifest = json!({"name": name, "version": version}).to_string();
        let skill = format!("---\nname: {name}\ndescription: from {version}\n---\n");
        let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (path, text) in [("package/package.json", &manifest), (&format!("package/skills/{name}/SKILL.md"), &skill)]
        {
            let mut header = tar::Header::new_gnu();
            header.set_mode(0o644);
            header.set_size(text.len() as u64);
            builder.append_data(&mut header, path, text.as_bytes()).expect("append");
        }
        let archive = builder.into_inner().expect("tar").finish().expect("gzip");
        let hash: String = {
            use sha1::Digest as _;
            sha1::Sha1::digest(&archive).iter().map(|byte| format!("{byte:02x}")).collect()
        };
        let file = format!("{name}-{version}.tgz");
        std::fs::write(self.folder.join(&file), archive).expect("write");
        let document = self.folder.join(name);
        let mut known: Value = std::fs::read_to_string(&document)
            .map_or_else(|_| json!({"versions": {}}), |text| serde_json::from_str(&text).expect("JSON"));
        known["versions"][version] = json!({"name": name, "version": version, "dist": {"tarball": format!("{}/{file}", self.base), "shasum": hash}});
        known["dist-tags"] = json!({"latest": version});
        std::fs::write(document, known.to_string()).expect("write");
    }
}

fn answer(mut stream: TcpStream, folder: &Path) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let path = request.split(' ').nth(1).unwrap_or_default().trim_start_matches('/').to_owned();
    let (status, body) = match std::fs::read(folder.join(path)) {
        Ok(body) => ("200 OK", body),
        Err(_) => ("404 Not Found", Vec::new()),
    };
    write!(stream, "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len())?;
    stream.write_all(&body)
}

fn with(tau: Tau, registry: &Registry) -> Tau {
    tau.env("npm_config_registry", &registry.base)
        .env("npm_config_globalconfig", "/nowhere")
        .env("npm_config_fetch_retries", "0")
}

fn settings(place: &Place) -> Value {
    serde_json::from_str(&place.read("agent/settings.json")).expect("JSON")
}

const SCRIPT: &str = r#"replies: [[{text: fine}]]"#;

#[test]
fn from_installing_to_removing() {
    let place = Place::new();
    let registry = Registry::start(&place);
    registry.publish("tool", "1.0.0");
    let tau = |args: &[&str]| with(place.tau(args), &registry).run();
    assert_eq!(tau(&["list"]), Done::ok("No packages installed.\n"));
    let done = tau(&["install", "npm:tool"]);
    assert_eq!(
        (done.code, done.stdout.as_str(), done.stderr.as_str()),
        (Some(0), "Installed npm:tool 1.0.0\n", "Fetching tool@1.0.0\n")
    );
    assert_eq!(settings(&place), json!({"packages": ["npm:tool"]}));
    let folder = place.root().join("agent/npm/node_modules/tool").display().to_string();
    assert_eq!(tau(&["list"]), Done::ok(&format!("User packages:\n  npm:tool 1.0.0\n    {folder}\n")));
    registry.publish("tool", "1.1.0");
    assert_eq!(tau(&["update"]).stdout, "Updated 1 package:\n  npm:tool 1.0.0 -> 1.1.0\n");
    assert_eq!(tau(&["update", "npm:tool"]).stdout, "npm:tool is already up to date\n");
    assert_eq!(tau(&["update"]).stdout, "Packages are already up to date\n");
    assert_eq!(tau(&["install"]), Done::ok("Everything is installed.\n"));
    assert_eq!(
        tau(&["remove", "tool"]),
        Done::failed("Error: No matching package found for tool. Did you mean npm:tool?")
    );
    assert_eq!(tau(&["uninstall", "npm:tool"]), Done::ok("Removed npm:tool\n"));
    assert_eq!(settings(&place), json!({"packages": []}));
    assert!(!Path::new(&folder).exists());
}

#[test]
fn a_project_that_was_just_cloned() {
    let (here, there) = (Place::new(), Place::new());
    let registry = Registry::start(&here);
    registry.publish("tool", "1.0.0");
    assert_eq!(with(here.tau(["install", "-l", "npm:tool"]), &registry).run().code, Some(0));
    registry.publish("tool", "2.0.0");
    for file in ["work/.pi/settings.json", "work/.pi/tau-lock.json"] {
        there.write(file, here.read(file));
    }
    // Nobody trusts it yet.
    let done = with(there.tau(["install"]), &registry).run();
    assert_eq!(done, Done::ok("Everything is installed.\n"));
    let done = with(there.tau(["install", "--approve"]), &registry).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Installed npm:tool 1.0.0\n"));
    assert!(there.root().join("work/.pi/npm/node_modules/tool/skills/tool/SKILL.md").is_file());
}

#[test]
fn what_is_missing_is_installed_at_the_start() {
    let place = Place::new();
    let registry = Registry::start(&place);
    registry.publish("tool", "1.0.0");
    place.write("agent/settings.json", r#"{"packages": ["npm:tool@^1", "npm:gone"]}"#);
    let offline = with(place.play(SCRIPT, ["-p", "x", "--offline"]), &registry).run();
    assert_eq!((offline.code, offline.stdout.as_str()), (Some(0), "fine\n"));
    let expected = "the package \"npm:tool@^1\" is not installed: the package tool is not here, and tau is offline";
    assert!(offline.stderr.contains(expected), "{}", offline.stderr);
    let done = with(place.play(SCRIPT, ["-p", "x"]), &registry).run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "fine\n"));
    assert!(done.stderr.contains("Installing npm:tool@^1\nFetching tool@1.0.0\n"), "{}", done.stderr);
    let expected = "the package \"npm:gone\" is not installed: there is no package \"gone\" in ";
    assert!(done.stderr.contains(expected), "{}", done.stderr);
    let again = with(place.play(SCRIPT, ["-p", "x", "-e", "npm:tool"]), &registry).run();
    assert!(!again.stderr.contains("npm:tool"), "{}", again.stderr);
}

/// What is only tried follows its source; what is installed stays as it is pinned.
#[test]
fn what_the_command_line_names_is_looked_for_again_at_each_start() {
    let place = Place::new();
    let registry = Registry::start(&place);
    registry.publish("tool", "1.0.0");
    registry.publish("fixed", "1.0.0");
    let run = |args: &[&str]| {
        let done = with(place.play(SCRIPT, ["-p", "x"].iter().chain(args)), &registry).run();
        assert_eq!((done.code, done.stdout.as_str()), (Some(0), "fine\n"), "{}", done.stderr);
        done.stderr
    };
    assert!(run(&["-e", "npm:tool", "-e", "npm:fixed@1.0.0"]).contains("Fetching tool@1.0.0"));
    assert_eq!(run(&["-e", "npm:tool", "-e", "npm:fixed@1.0.0"]), "");
    registry.publish("tool", "1.1.0");
    registry.publish("fixed", "1.1.0");
    assert_eq!(run(&["-e", "npm:tool", "--offline"]), "");
    assert_eq!(run(&["-e", "npm:tool", "-e", "npm:fixed@1.0.0"]), "Fetching tool@1.1.0\n");
    // A registry that is gone costs nothing but the news.
    registry.publish("tool", "1.2.0");
    let tau = place.play(SCRIPT, ["-p", "x", "-e", "npm:tool"]).env("npm_config_registry", "http://127.0.0.1:1/");
    let done = tau.env("npm_config_fetch_retries", "0").run();
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "fine\n"), "{}", done.stderr);
    assert!(done.stderr.starts_with("could not check for a newer version of npm:tool: "), "{}", done.stderr);
}

#[test]
fn processes_at_once_lose_nothing() {
    let place = Place::new();
    let registry = Registry::start(&place);
    let names = ["one", "two", "three", "four"];
    names.iter().for_each(|name| registry.publish(name, "1.0.0"));
    let start = |name: &&str| {
        let mut child = with(place.tau(["install", &format!("npm:{name}")]), &registry).spawn();
        drop(child.stdin.take());
        child
    };
    let children: Vec<_> = names.iter().map(start).collect();
    for child in children {
        let output = child.wait_with_output().expect("its end");
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(settings(&place)["packages"].as_array().map(Vec::len), Some(4));
    let lock: Value = serde_json::from_str(&place.read("agent/tau-lock.json")).expect("JSON");
    assert_eq!(lock["packages"].as_object().map(serde_json::Map::len), Some(4));
    for name in names {
        assert!(place.root().join("agent/npm/node_modules").join(name).join("package.json").is_file(), "{name}");
    }
}

#[test]
fn what_a_kill_took_away_is_back_before_anything_is_looked_for() {
    let place = Place::new();
    let registry = Registry::start(&place);
    registry.publish("tool", "1.0.0");
    assert_eq!(with(place.tau(["install", "npm:tool"]), &registry).run().code, Some(0));
    // As a kill leaves it between setting the old packages aside and putting the new ones in their place.
    let npm = place.root().join("agent/npm");
    let modules = npm.join("node_modules");
    std::fs::rename(&modules, npm.join(".node_modules.tau-old")).expect("renamed");
    let note = json!({"folder": modules, "hadFolder": true, "files": []});
    place.write("agent/npm/.tau-change.json", note.to_string());
    let done = with(place.play(SCRIPT, ["-p", "x", "--offline"]), &registry).run();
    assert_eq!(done, Done::ok("fine\n"));
    assert!(modules.join("tool/package.json").is_file());
}

/// How often an update is killed.
const KILLS: u64 = 25;

#[test]
fn a_kill_in_the_middle_leaves_the_old_packages_or_the_new_ones() {
    let place = Place::new();
    let registry = Registry::start(&place);
    let publish = |version: &str| ["tool", "tool-dep"].iter().for_each(|name| registry.publish(name, version));
    publish("1.0.0");
    for name in ["npm:tool", "npm:tool-dep"] {
        assert_eq!(with(place.tau(["install", name]), &registry).run().code, Some(0));
    }
    let read = |path: &str| serde_json::from_str::<Value>(&place.read(path)).expect("JSON");
    let version_of = |name: &str| {
        let locked = format!("node_modules/{name}");
        let on_disk = read(&format!("agent/npm/{locked}/package.json"))["version"].clone();
        assert_eq!(read("agent/tau-lock.json")["packages"][&locked]["version"], on_disk, "{name}");
        assert_eq!(read("agent/npm/package-lock.json")["packages"][&locked]["version"], on_disk, "{name}");
        on_disk.as_str().expect("a version").to_owned()
    };
    let mut finished = 0;
    for round in 1..=KILLS {
        let (old, new) = (version_of("tool"), format!("1.0.{round}"));
        publish(&new);
        let mut child = with(place.tau(["update", "npm:tool"]), &registry).spawn();
        let mut progress = BufReader::new(child.stderr.take().expect("a pipe"));
        progress.read_line(&mut String::new()).expect("a line");
        // It fetches now; the whole rest takes some milliseconds.
        std::thread::sleep(std::time::Duration::from_micros(round * round * 53));
        child.kill().expect("a process to kill");
        finished += u64::from(child.wait().expect("its end").success());

        let done = with(place.play(SCRIPT, ["-p", "x", "--offline"]), &registry).run();
        assert_eq!(done, Done::ok("fine\n"), "{round}");
        let now = version_of("tool");
        assert!(now == old || now == new, "{round}: {old} became {now}, not {new}");
        assert_eq!(version_of("tool-dep"), "1.0.0");
        let beside = std::fs::read_dir(place.root().join("agent/npm")).expect("a folder");
        let beside = beside.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
        let left: Vec<String> = beside.filter(|name| name.ends_with("tau-old") || name.contains("change")).collect();
        assert_eq!(left, [""; 0], "{round}");
    }
    assert!(finished < KILLS, "nothing was killed in the middle");
    assert_eq!(with(place.tau(["update"]), &registry).run().code, Some(0));
    assert_eq!(version_of("tool"), format!("1.0.{KILLS}"));
}

#[test]
fn arguments_that_make_no_sense() {
    let place = Place::new();
    let cases: [(&[&str], &str); 13] = [
        (&["install", ""], "an argument is empty; is a variable of a script not set?\nUsage: tau install"),
        (&["install", " "], "an argument is empty"),
        (&["remove", "", "-l"], "an argument is empty"),
        (&["update", "--extension", ""], "an argument is empty"),
        (&["config", "enable", ""], "an argument is empty"),
        (&["hooks", "-e", ""], "an argument is empty"),
        (&["install", "a", "b"], "Unexpected argument: b\nUsage: tau install"),
        (&["list", "-l"], "Unknown option: -l\nUsage: tau list"),
        (&["remove"], "remove needs a source"),
        (&["update", "self"], "tau does not update itself"),
        (&["update", "--models"], "newer lists of models are fetched by `tau models update`"),
        (&["update", "npm:x"], "No matching package found for npm:x"),
        (&["install", "npm:../x"], "npm:../x: this is no name of an npm package"),
    ];
    for (args, expected) in cases {
        let done = place.tau(args).run();
        assert_eq!(done.code, Some(1), "{args:?}");
        assert!(done.stderr.starts_with(&format!("Error: {expected}")), "{args:?}: {}", done.stderr);
    }
    let help = place.tau(["install", "--help"]).run();
    assert!(help.code == Some(0) && help.stdout.starts_with("Usage: tau install [source]"), "{}", help.stdout);
}

#[test]
fn extensions_say_whether_a_project_is_trusted() {
    let place = Place::new();
    place.write("pack/extensions/one.ts", "");
    place.write("work/.pi/settings.json", r#"{"packages": ["../../pack"]}"#);
    let lists = |answer: &str, args: &[&str]| {
        place.write("agent/extensions/judge.ts", answer);
        let done = place.tau_with_scripts(args).run();
        assert_eq!(done.code, Some(0), "{done:?}");
        let (asked, warned) = (done.stderr.contains("loaded judge"), done.stderr.contains("Warning: "));
        (done.stdout.contains("Project packages:"), asked, warned)
    };
    assert_eq!(lists("trust yes", &["list"]), (true, true, false));
    assert_eq!(lists("trust no", &["list"]), (false, true, false));
    assert_eq!(lists("trust undecided", &["list"]), (false, true, false));
    assert_eq!(lists("trust throw", &["list"]), (false, true, true));
    // Whoever says it on the command line is not asked again, and an update runs nothing of what it replaces.
    assert_eq!(lists("trust no", &["list", "--approve"]), (true, false, false));
    assert_eq!(lists("trust yes", &["list", "--no-approve"]), (false, false, false));
    assert_eq!(lists("trust yes", &["update"]), (false, false, false));

    place.write("agent/extensions/judge.ts", "trust yes");
    assert_eq!(place.tau_with_scripts(&["install", "-l", "../pack"]).run().code, Some(0));
    place.write("agent/extensions/judge.ts", "trust no");
    let refused = place.tau_with_scripts(&["install", "-l", "../pack"]).run();
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("the project is not trusted; use --approve"), "{}", refused.stderr);
    // Where nothing needs trust nobody is asked.
    let other = place.root().join("elsewhere");
    std::fs::create_dir(&other).expect("a directory");
    let done = place.tau_with_scripts(&["list"]).within(&other).run();
    assert_eq!(done, Done::ok("No packages installed.\n"));
}
