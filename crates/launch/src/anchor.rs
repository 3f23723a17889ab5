//! The command line in another directory than the one it was typed in.

use std::path::PathBuf;

use tau_agent::settings::Environment;

use crate::args::Parsed;

/// Makes the paths of the command line absolute: they lead to where they led in the directory of `env`.
pub(crate) fn anchored(mut parsed: Parsed, env: &Environment) -> Parsed {
    let args = &mut parsed.args;
    let resolve = |path: &mut PathBuf| *path = env.resolve(&path.to_string_lossy(), &env.cwd);
    args.skills.iter_mut().chain(&mut args.prompt_templates).for_each(resolve);
    args.script.iter_mut().chain(&mut args.session_dir).chain(&mut args.trace).for_each(resolve);
    // These may be a path, or something else.
    let resolve = |text: &mut String| {
        let path = env.resolve(text, &env.cwd);
        if !text.is_empty() && path.exists() {
            *text = path.display().to_string();
        }
    };
    args.extensions.iter_mut().chain(&mut args.system_prompt).chain(&mut args.append_system_prompt).for_each(resolve);
    parsed
}
