//! Redirections: what a command reads, and where its output stays.

use brush_parser::ast::{
    IoFileRedirectKind, IoFileRedirectTarget, IoRedirect, ProcessSubstitutionKind, RedirectList, SubshellCommand, Word,
};
use std::path::PathBuf;
use std::rc::Rc;

use super::outcome::Outcome;
use super::state::{State, Written, concatenated, unknown_of};
use super::{Context, Shell};
use crate::argument::Arg;
use crate::invocation::{Redirect, RedirectKind, Stdin, Via};
use crate::text::{Source, Text};

/// Where the output of a command goes.
#[derive(Debug, Clone, Default)]
pub(super) enum Sink {
    /// To whatever reads it.
    #[default]
    Through,
    /// Into a file, if it is known which.
    File(Option<PathBuf>),
    /// Somewhere among others: what arrives is unknown.
    Mixed,
}

/// What redirections made of a state.
pub(super) struct Redirected {
    pub redirects: Vec<Redirect>,
    pub sink: Sink,
    /// Whether what goes to the error output arrives where the output went.
    pub has_errors: bool,
}

impl Shell<'_> {
    /// Runs something behind redirections.
    pub(super) fn redirected(
        &mut self,
        list: Option<&RedirectList>,
        state: Rc<State>,
        context: &Context,
        run: impl FnOnce(&mut Self, Rc<State>) -> Outcome,
    ) -> Outcome {
        let all = Self::redirects_of(list);
        if all.is_empty() {
            return run(self, state);
        }
        let mut inner = State::clone(&state);
        let Redirected { redirects, sink, .. } = self.redirects(&mut inner, all, context);
        for redirect in redirects {
            // A group has no program of its own that a rule could look at: the redirection is what it does.
            self.note_redirect(redirect, &inner, context);
        }
        let ended = run(self, Rc::new(inner));
        self.sunk(ended, &sink, &state)
    }

    /// Takes redirections into account: for the input, and for files that they empty.
    pub(super) fn redirects(&mut self, state: &mut State, all: &[IoRedirect], context: &Context) -> Redirected {
        let mut done = Redirected { redirects: Vec::new(), sink: Sink::Through, has_errors: false };
        for redirect in all {
            match redirect {
                IoRedirect::HereDocument(fd, document) => {
                    let text = if document.requires_expansion {
                        self.here_document(state, &document.doc.value, context)
                    } else {
                        Text::new(document.doc.value.clone())
                    };
                    if fd.unwrap_or_default() == 0 {
                        state.stdin = Stdin::Text(text);
                    } else {
                        state.write(descriptor(fd.unwrap_or_default()), Written::Text(text));
                    }
                }
                IoRedirect::HereString(fd, word) => {
                    let mut text = self.string(state, word, context);
                    text.append(&Text::from("\n"));
                    if fd.unwrap_or_default() == 0 {
                        state.stdin = Stdin::Text(text);
                    } else {
                        state.write(descriptor(fd.unwrap_or_default()), Written::Text(text));
                    }
                }
                IoRedirect::OutputAndError(word, appends) => {
                    let kind = if *appends { RedirectKind::Append } else { RedirectKind::Write };
                    self.redirect(state, 1, kind, word, context, &mut done);
                }
                IoRedirect::File(fd, kind, target) => self.redirect_to(state, *fd, kind, target, context, &mut done),
            }
        }
        done
    }

    fn redirect_to(
        &mut self,
        state: &mut State,
        fd: Option<i32>,
        kind: &IoFileRedirectKind,
        target: &IoFileRedirectTarget,
        context: &Context,
        done: &mut Redirected,
    ) {
        let (kind, is_copy) = match kind {
            IoFileRedirectKind::Read => (RedirectKind::Read, false),
            IoFileRedirectKind::Write | IoFileRedirectKind::Clobber => (RedirectKind::Write, false),
            IoFileRedirectKind::Append => (RedirectKind::Append, false),
            IoFileRedirectKind::ReadAndWrite => (RedirectKind::ReadWrite, false),
            IoFileRedirectKind::DuplicateInput => (RedirectKind::Read, true),
            IoFileRedirectKind::DuplicateOutput => (RedirectKind::Write, true),
        };
        let default = i32::from(matches!(kind, RedirectKind::Write | RedirectKind::Append));
        let fd = fd.unwrap_or(default);
        match target {
            IoFileRedirectTarget::Filename(word) => self.redirect(state, fd, kind, word, context, done),
            IoFileRedirectTarget::Fd(from) => Self::copied(state, fd, Some(*from), done),
            IoFileRedirectTarget::Duplicate(word) => {
                let text = self.string(state, word, context);
                match text.known().map(|text| text.trim_end_matches('-').parse::<i32>()) {
                    Some(Ok(from)) => Self::copied(state, fd, Some(from), done),
                    // `>& file` is both outputs into a file.
                    Some(Err(_)) if is_copy && text.known() != Some("-") => {
                        self.redirect(state, fd, kind, word, context, done);
                    }
                    Some(Err(_)) => {}
                    None => Self::copied(state, fd, None, done),
                }
            }
            IoFileRedirectTarget::ProcessSubstitution(which, body) => {
                let argument = self.process(state, which, body, context);
                if fd == 0 {
                    state.stdin = Stdin::Text(self.content(state, &argument.text).unwrap_or_default());
                } else if fd == 1 {
                    done.sink = Sink::File(None);
                }
            }
        }
    }

    /// One descriptor becomes another one.
    fn copied(state: &mut State, fd: i32, from: Option<i32>, done: &mut Redirected) {
        match (fd, from) {
            (0, Some(0)) => {}
            (0, from) => {
                let known = from.and_then(|from| state.files.get(&descriptor(from)).cloned());
                state.stdin = Stdin::Text(match known {
                    Some(Written::Text(text)) => text,
                    _ => Text::unknown(Source::Local),
                });
            }
            (1, Some(1)) => {}
            (1, _) => done.sink = Sink::Mixed,
            (2, Some(1)) if matches!(done.sink, Sink::Through) => done.has_errors = true,
            _ => {}
        }
    }

    fn redirect(
        &mut self,
        state: &mut State,
        fd: i32,
        kind: RedirectKind,
        word: &Word,
        context: &Context,
        done: &mut Redirected,
    ) {
        let site = word.loc.as_ref().map_or(context.site, |loc| context.site(loc.start.index, loc.end.index));
        let text = self.string(state, word, context);
        let path = text.known().and_then(|text| self.path(state, text));
        match kind {
            RedirectKind::Read | RedirectKind::ReadWrite if fd == 0 => {
                state.stdin = Stdin::Text(self.content(state, &text).unwrap_or_else(|| Text::unknown(Source::Local)));
            }
            RedirectKind::Read | RedirectKind::ReadWrite => {
                let content = self.content(state, &text).unwrap_or_else(|| Text::unknown(Source::Local));
                state.write(descriptor(fd), Written::Text(content));
            }
            RedirectKind::Write | RedirectKind::Append => {
                if let Some(path) = &path {
                    let before = match kind {
                        RedirectKind::Append => self.content(state, &text).unwrap_or_default(),
                        _ => Text::default(),
                    };
                    state.write(path.clone(), Written::Text(before));
                }
                if fd == 1 && done.has_errors {
                    done.sink = Sink::Mixed;
                } else if fd == 1 {
                    done.sink = Sink::File(path);
                }
            }
        }
        let target = Arg { text, is_many: false, site, is_exact: false };
        done.redirects.push(Redirect { fd: u32::try_from(fd).unwrap_or(u32::MAX), kind, target });
    }

    /// Puts an output where it goes.
    pub(super) fn sunk(&mut self, ended: Outcome, sink: &Sink, before: &Rc<State>) -> Outcome {
        // The input of what comes next is what it was.
        let restored = |state: &Rc<State>| State { stdin: before.stdin.clone(), ..State::clone(state) };
        let output = match sink {
            Sink::Through => ended.output.clone(),
            Sink::Mixed if ended.output.pieces().is_empty() => Text::default(),
            Sink::Mixed => unknown_of(&[&ended.output]),
            Sink::File(..) => Text::default(),
        };
        let put = |state: &Rc<State>| {
            let mut state = restored(state);
            if let Sink::File(Some(path)) = sink {
                let text = match state.files.get(path) {
                    Some(Written::Text(text)) => concatenated(text, &ended.output),
                    _ => ended.output.clone(),
                };
                state.write(path.clone(), Written::Text(text));
            }
            Rc::new(state)
        };
        Outcome { ok: ended.ok.iter().map(put).collect(), failed: ended.failed.iter().map(put).collect(), output }
    }

    /// `<(…)`: a name of a file with the output in it.
    pub(super) fn process(
        &mut self,
        state: &mut State,
        which: &ProcessSubstitutionKind,
        body: &SubshellCommand,
        context: &Context,
    ) -> Arg {
        let site = context.site(body.loc.start.index, body.loc.end.index);
        let inner = context.through(Via::Substitution);
        let start = match which {
            ProcessSubstitutionKind::Read => state.clone(),
            ProcessSubstitutionKind::Write => {
                State { stdin: Stdin::Text(Text::unknown(Source::Local)), ..state.clone() }
            }
        };
        let ended = self.subshell(&body.list, Rc::new(start), &inner);
        let output = ended.output.clone();
        for end in ended.all() {
            *state = state.after_subshell(&end);
        }
        let path = descriptor(1_000 + i32::try_from(self.steps).unwrap_or_default());
        let text = Text::new(path.display().to_string());
        state.write(path, Written::Text(output));
        Arg { text, is_many: false, site, is_exact: false }
    }
}

/// The name of a descriptor as a file.
pub(super) fn descriptor(fd: i32) -> PathBuf {
    PathBuf::from(format!("/dev/fd/{fd}"))
}
