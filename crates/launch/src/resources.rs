//! What the command line says about tools and resources, in the agent's terms.

use std::path::PathBuf;

use tau_agent::ToolChoice;
use tau_agent::resources::LoadOptions;

use crate::args::Args;

pub(crate) fn load_options(args: &Args) -> LoadOptions {
    let texts = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect();
    LoadOptions {
        no_context_files: args.no_context_files,
        no_skills: args.no_skills,
        no_prompt_templates: args.no_prompt_templates,
        no_themes: args.no_themes,
        skill_paths: texts(&args.skills),
        prompt_template_paths: texts(&args.prompt_templates),
        theme_paths: texts(&args.themes),
        use_theme: args.use_theme.clone(),
        system_prompt: args.system_prompt.clone(),
        append_system_prompt: args.append_system_prompt.clone(),
        ..LoadOptions::default()
    }
}

pub(crate) fn tool_choice(args: &Args) -> ToolChoice {
    ToolChoice {
        only: args.tools.only.clone(),
        edits: args.tools.edits.clone(),
        exclude: args.tools.exclude.clone(),
        no_builtin: args.tools.no_builtin,
        none: args.tools.none,
        // The demonstration looks around with a tool that is not active otherwise.
        also: if args.demo { vec!["ls".to_owned()] } else { Vec::new() },
    }
}
