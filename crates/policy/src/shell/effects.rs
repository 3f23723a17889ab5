//! What programs do to files, as far as scripts can be among them.

use super::state::{State, Written};
use super::{Shell, builtin, files};
use crate::argument::Arg;
use crate::invocation::Stdin;
use crate::programs::remote;
use crate::text::{Source, Text};

impl Shell<'_> {
    /// What programs do to files, as far as scripts can be among them.
    pub(super) fn file_effects(&mut self, name: &str, arguments: &[Arg], state: &mut State) {
        let rest = arguments.get(1..).unwrap_or_default();
        let operands: Vec<&Arg> =
            rest.iter().filter(|argument| argument.known().is_none_or(|text| !text.starts_with('-'))).collect();
        let path =
            |shell: &Self, state: &State, argument: &Arg| argument.known().and_then(|text| shell.path(state, text));
        match name {
            "cp" | "mv" | "ln" | "install" | "gcp" | "gmv" | "gln" | "link" => {
                let [sources @ .., target] = operands.as_slice() else { return };
                let Some(target) = path(self, state, target) else { return };
                for source in sources {
                    let content = self.run_content(state, &source.text);
                    let own = source.known().and_then(|text| text.rsplit('/').next()).unwrap_or_default().to_owned();
                    let written = match content {
                        files::Content::Text(text, _) => Written::Text(text),
                        files::Content::Program(program) => Written::Program(program),
                        files::Content::Other => {
                            if source.text.is_unknown() {
                                Written::Text(Text::unknown(Source::Local))
                            } else {
                                Written::Program(Text::new(own.clone()))
                            }
                        }
                    };
                    state.write(target.join(&own), written.clone());
                    if sources.len() == 1 {
                        state.write(target.clone(), written);
                    }
                }
            }
            "tee" => {
                let Stdin::Text(text) = state.stdin.clone() else { return };
                for operand in operands {
                    if let Some(path) = path(self, state, operand) {
                        state.write(path, Written::Text(text.clone()));
                    }
                }
            }
            "mkdir" | "gmkdir" => {
                for operand in operands {
                    if let Some(path) = path(self, state, operand) {
                        builtin::made(state, path);
                    }
                }
            }
            "rm" | "unlink" => {
                for operand in operands {
                    if let Some(path) = path(self, state, operand) {
                        state.write(path, Written::Nothing);
                    }
                }
            }
            "sed" | "gsed" | "perl" | "patch" | "truncate" | "ed" | "ex" => {
                // The script that it changed is unknown now.
                for operand in operands {
                    if let Some(path) = path(self, state, operand)
                        && state.files.contains_key(&path)
                    {
                        state.write(path, Written::Text(Text::unknown(Source::Local)));
                    }
                }
            }
            "dd" => {
                for operand in rest {
                    let Some(name) = operand.text.known().and_then(|text| text.strip_prefix("of=")) else { continue };
                    if let Some(path) = self.path(state, name) {
                        state.write(path, Written::Text(Text::unknown(Source::Local)));
                    }
                }
            }
            _ => self.fetched(name, rest, state),
        }
    }

    /// Files that were fetched.
    pub(super) fn fetched(&mut self, name: &str, rest: &[Arg], state: &mut State) {
        let Some(row) = remote::of(name) else { return };
        let mut names: Vec<Text> = Vec::new();
        let mut by_address = row.writes;
        for (index, argument) in rest.iter().enumerate() {
            let Some(text) = argument.text.known() else { continue };
            for option in row.file {
                let is_letter = !option.starts_with("--");
                match text.strip_prefix(option) {
                    Some("") => names.extend(rest.get(index + 1).map(|next| next.text.clone())),
                    Some(value) if value.starts_with('=') => names.push(Text::from(&value[1..])),
                    Some(value) if is_letter => names.push(Text::from(value)),
                    _ => {}
                }
            }
            // Letters stand together: `-fsSLo file`, `-fsSLO`.
            let is_cluster = text.starts_with('-') && !text.starts_with("--") && text.len() > 2;
            if is_cluster {
                let last = text.chars().last().map(|letter| format!("-{letter}")).unwrap_or_default();
                if row.file.contains(&last.as_str()) {
                    names.extend(rest.get(index + 1).map(|next| next.text.clone()));
                }
                by_address |= row.named.iter().any(|option| option.len() == 2 && text.contains(&option[1..]));
            }
            by_address |= row.named.contains(&text);
        }
        if by_address && names.is_empty() {
            let of_address = |argument: &Arg| {
                let known = argument.text.pattern()?;
                let path = known.split(['?', '#']).next()?.trim_end_matches('/').rsplit('/').next()?.to_owned();
                (known.contains('/') || known.contains('.')).then(|| Text::new(path))
            };
            names.extend(rest.iter().filter_map(of_address));
        }
        for name in names {
            if let Some(path) = name.known().filter(|name| *name != "-").and_then(|name| self.path(state, name)) {
                state.write(path, Written::Text(Text::unknown(Source::Remote)));
            }
        }
    }
}
