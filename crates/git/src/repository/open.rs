//! Opening a repository so that it can name no program to run.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use gix::bstr::{BStr, ByteSlice};
use gix::open::permissions::{Attributes, Config, Environment};
use gix::open::{Options, Permissions};
use gix::sec::{Permission, Trust};

use super::Repository;
use crate::error::why;
use crate::place::Place;
use crate::{GitError, Limits};

/// Sections that are there to name programs. They are dropped in every file: what is behind them is not needed for
/// reading, and a library may learn to run it.
const SECTIONS: &[&str] = &[
    "credential",
    "difftool",
    "filter",
    "gpg",
    "guitool",
    "interactive",
    "man",
    "mergetool",
    "pager",
    "protocol",
    "sendemail",
    "sequence",
    "ssh",
    "trailer",
    "uploadpack",
    "web",
];
/// Sections that name programs where they have a name of their own.
const NAMED_SECTIONS: &[&str] = &["diff", "merge", "hook"];
/// Values that name programs.
const VALUES: &[(&str, &str)] = &[
    ("core", "alternateRefsCommand"),
    ("core", "askPass"),
    ("core", "editor"),
    ("core", "fsmonitor"),
    ("core", "gitProxy"),
    ("core", "hooksPath"),
    ("core", "pager"),
    ("core", "sshCommand"),
    ("diff", "external"),
];

/// What a repository may use and still be read here; git names them in `extensions`.
const EXTENSIONS: &[&str] = &[
    "compatobjectformat",
    "noop",
    "noop-v1",
    "objectformat",
    "partialclone",
    "preciousobjects",
    "refstorage",
    "relativeworktrees",
    "worktreeconfig",
];

/// How large an object may be that is taken into memory, in bytes. Git streams what is larger.
const LARGEST: u64 = 512 << 20;

/// See [`Repository::of`].
pub(super) fn of(folder: &Path, limits: Limits) -> Result<Option<Repository>, GitError> {
    let folder = std::path::absolute(folder)
        .map_err(|error| GitError::Folder { folder: folder.to_owned(), why: error.to_string() })?;
    Place::of(&folder).map(|place| open(&place, limits)).transpose()
}

/// Opens the repository at a place.
pub(crate) fn open(place: &Place, limits: Limits) -> Result<Repository, GitError> {
    let failed = |error: gix::Error| GitError::Open { git_dir: place.git_dir.clone(), why: why(&error) };
    let is_foreign = is_foreign(place);
    let permissions = Permissions {
        // The variables of this process may mean another repository. Only where the user's settings are is asked of them.
        env: Environment { xdg_config_home: Permission::Allow, home: Permission::Allow, ..Environment::isolated() },
        config: if limits.user_settings {
            // Another user's repository has no say in which files are read.
            Config { env: false, git_binary: false, includes: !is_foreign, ..Config::all() }
        } else {
            Config::isolated()
        },
        attributes: if limits.user_settings {
            Attributes { git_binary: false, ..Attributes::all() }
        } else {
            Attributes::isolated()
        },
    };
    // Nothing that it says is run, so its facts can be read, no matter who owns it.
    let options = Options::default().permissions(permissions).with(Trust::Full).open_path_as_is(true);
    let options = options.config_overrides([format!("gitoxide.objects.allocLimit={LARGEST}")]);
    let mut git = options.open(&place.door).map_err(failed)?.to_thread_local();
    let settings = git.config_snapshot().plumbing().clone();
    refuse_unknown(&settings, place)?;
    disarm(&mut git).map_err(failed)?;
    git.object_cache_size_if_unset(4 * 1024 * 1024);
    Ok(Repository { git, settings, limits, is_foreign })
}

/// Whether the folder of git, what leads to it or the work tree belongs to another user. For the superuser those of the user
/// who called `sudo` are no others.
fn is_foreign(place: &Place) -> bool {
    let user = rustix::process::geteuid().as_raw();
    let caller = || tau_sys::variable("SUDO_UID").and_then(|uid| uid.to_str()?.parse::<u32>().ok());
    let is_users = |path: &Path| {
        let owner = std::fs::symlink_metadata(path).map(|found| found.uid());
        owner.is_ok_and(|owner| owner == user || (user == 0 && caller() == Some(owner)))
    };
    let work_tree = place.door.parent().filter(|_| place.door.ends_with(".git"));
    ![Some(place.git_dir.as_path()), Some(&place.door), work_tree].into_iter().flatten().all(is_users)
}

/// A repository that uses what this cannot read would be read wrongly.
fn refuse_unknown(settings: &gix::config::File, place: &Place) -> Result<(), GitError> {
    let unsupported = |what: String| Err(GitError::Unsupported { git_dir: place.git_dir.clone(), what });
    if let Some(format) =
        settings.string("extensions.refStorage").filter(|format| !format.eq_ignore_ascii_case(b"files"))
    {
        return unsupported(format!("{} for its branches", shown(format.as_bstr())));
    }
    let version = settings.integer("core.repositoryFormatVersion").ok().flatten().unwrap_or_default();
    if version > 1 {
        return unsupported(format!("version {version} of git's format"));
    }
    let sections = settings.sections_by_name("extensions").into_iter().flatten();
    for name in sections.flat_map(|section| section.body().value_names().collect::<Vec<_>>()) {
        if version == 1 && !EXTENSIONS.contains(&name.to_ascii_lowercase().as_str()) {
            return unsupported(format!("the extension {}", shown(name.as_bytes().as_bstr())));
        }
    }
    Ok(())
}

fn shown(text: &BStr) -> String {
    tau_view::untrusted::plain(&text.to_str_lossy()).replace('\n', " ")
}

/// Forgets everything in the settings that names a program.
fn disarm(git: &mut gix::Repository) -> gix::Result<()> {
    let mut settings = git.config_snapshot_mut();
    let named: Vec<_> = settings
        .sections_and_ids()
        .filter(|(section, _)| {
            let name = section.header().name().to_string().to_ascii_lowercase();
            SECTIONS.contains(&name.as_str())
                || (NAMED_SECTIONS.contains(&name.as_str()) && section.header().subsection_name().is_some())
        })
        .map(|(_, id)| id)
        .collect();
    for id in named {
        settings.remove_section_by_id(id);
    }
    let ids: Vec<_> = settings.sections_and_ids().map(|(_, id)| id).collect();
    for id in ids {
        let Some(mut section) = settings.section_mut_by_id(id) else { continue };
        let name = section.section().header().name().to_string();
        for (_, value) in VALUES.iter().filter(|(of, _)| name.eq_ignore_ascii_case(of)) {
            // Each call removes one of several.
            while section.remove(value).is_some() {}
        }
    }
    settings.commit()?;
    Ok(())
}
