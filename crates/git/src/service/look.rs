//! One look at the repository of a folder.

use std::sync::Arc;

use super::watcher::Watched;
use super::{Found, Shared};
use crate::place::Place;
use crate::repository::open;
use crate::{Facts, GitError, Status, Stop};

/// What is kept from one look to the next.
#[derive(Default)]
pub(super) struct Looker {
    watched: Option<Watched>,
    status: Option<Status>,
}

impl Looker {
    /// Looks, and says early what is known without the status.
    pub(super) fn look(mut self, shared: &Arc<Shared>, stop: &Stop) -> (Self, Found) {
        let folder = match std::path::absolute(&shared.folder) {
            Ok(folder) => folder,
            Err(error) => {
                let failed = GitError::Folder { folder: shared.folder.clone(), why: error.to_string() };
                return (self, Found::Failed(failed));
            }
        };
        let place = Place::of(&folder);
        // Watched first, read then: a change in between is not missed.
        let watched = self.watched.take();
        self.watched = Watched::renewed(watched, shared, &folder, place.as_ref());
        let Some(place) = place else {
            self.status = None;
            return (self, Found::Nothing);
        };
        let repository = match open(&place, shared.limits) {
            Ok(repository) => repository,
            Err(error) => return (self, Found::Failed(error)),
        };
        let mut facts = repository.facts(stop);
        // A branch that was left is known at once; counting takes longer in large repositories.
        let early = Facts { status: self.status, ..facts.clone() };
        shared.publish_early(Found::Repository(Arc::new(early)));
        match repository.status(stop) {
            Ok(status) => facts.status = status,
            Err(error) => facts.problems.push(error),
        }
        self.status = facts.status;
        (self, Found::Repository(Arc::new(facts)))
    }
}
