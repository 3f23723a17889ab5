//! The remotes.

use gix::bstr::ByteSlice;
use gix::remote::Direction;

use super::Repository;
use crate::Remote;
use crate::forge::{Forge, without_secrets};

impl Repository {
    /// The remotes with an address, by name.
    pub(super) fn remotes(&self) -> Vec<Remote> {
        let names = self.git.remote_names();
        names.iter().filter_map(|name| self.remote(name.as_bytes().as_bstr())).collect()
    }

    fn remote(&self, name: &gix::bstr::BStr) -> Option<Remote> {
        // As git rewrites it (`url.….insteadOf`); as it is written where a library cannot read it.
        let found = self.git.find_remote(name).ok();
        let url = found.and_then(|remote| Some(remote.url(Direction::Fetch)?.to_bstring()));
        let url = url.or_else(|| self.settings.string_by("remote", Some(name), "url"))?;
        let url = url.to_str_lossy();
        Some(Remote { name: name.to_str_lossy().into_owned(), forge: Forge::of(&url), url: without_secrets(&url) })
    }
}
