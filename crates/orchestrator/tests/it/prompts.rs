//! The prompt templates of the suite.

use serde_json::json;
use tau_agent::{Prompt, ToolChoice};
use tau_hooks::Mode;
use tau_tools::{ToolOutput, ToolSpec};
use tokio_util::sync::CancellationToken;

use crate::forge::{Forge, item};
use crate::world::with;

const TEMPLATES: [&str; 6] = ["implement", "scout-and-plan", "review-local", "pr-review", "release", "remember"];

/// A session in a repository on a forge, with the built-in tools, `ask_user` and these tools.
fn session(mode: Mode, tools: &[&'static str]) -> Forge {
    equipped(Forge::new(&["ask-user", "prompts"], mode), tools)
}

fn equipped(mut forge: Forge, tools: &[&'static str]) -> Forge {
    forge.world.tools = ToolChoice::default();
    for &name in tools {
        forge.world.extend(name, move |registrar| {
            let spec = ToolSpec { name: name.to_owned(), parameters: json!({"type": "object"}), ..ToolSpec::default() };
            registrar.tool(spec, |_, _| async { Ok(ToolOutput::text("done")) });
        });
    }
    forge
}

/// What a template becomes, or why it becomes nothing.
async fn expand(forge: &Forge, text: &str) -> Result<String, String> {
    let (name, arguments) = text.split_once(' ').unwrap_or((text, ""));
    let cancel = CancellationToken::new();
    let expanded = forge.world.hooks.expand_template(name, arguments, &cancel).await.expect("the template");
    expanded.map(|content| content.text).map_err(|error| error.to_string())
}

#[tokio::test]
async fn every_template_becomes_a_prompt() {
    let forge = session(Mode::Tui, &["subagent", "memory_add"]);
    let _session = forge.world.start().await;
    let shown: Vec<String> = forge
        .world
        .hooks
        .templates()
        .into_iter()
        .map(|(owner, info)| {
            assert_eq!((&*owner.path, info.path), ("builtin:prompts", format!("builtin:prompts/{}.md", info.name)));
            format!("/{} {}: {}", info.name, info.argument_hint, info.description)
        })
        .collect();
    insta::assert_snapshot!("templates", shown.join("\n"));
    for (name, text) in [
        ("implement", "implement Add a flag --json to \"the list\""),
        ("scout_and_plan", "scout-and-plan Add a flag"),
        ("review_local", "review-local"),
        ("review_local_branch", "review-local origin/main"),
        ("pr_review", "pr-review #12"),
        ("release", "release v2 --target main --draft"),
        ("release_dry_run", "release --dry-run --tag-match v1.*"),
        ("remember", "remember Tests run with `make check`"),
    ] {
        let expanded = expand(&forge, text).await.unwrap_or_else(|why| panic!("{text}: {why}"));
        insta::assert_snapshot!(name, expanded);
    }
    // Nothing of that asks the forge.
    assert_eq!(forge.called(), [""; 0]);
}

#[tokio::test]
async fn without_subagents_and_somebody_to_ask_prompts_say_so() {
    let mut world = with(&["ask-user", "prompts"], Mode::Print, json!(["Done.", "Done."]));
    world.tools = ToolChoice::default();
    let running = world.start().await;
    for name in ["implement", "scout-and-plan"] {
        running.say(&format!("/{name} Add a flag")).await;
        let asked = running.asked().pop().expect("a request");
        let (_, text) = asked.last().expect("a message");
        let first = text.lines().next().expect("a line");
        assert_eq!(first, "This session has no tool `subagent`: do all steps yourself, one after the other.");
        assert!(text.contains("nobody can be asked during this run") && !text.contains("ask_user"), "{text}");
    }
}

#[tokio::test]
async fn nothing_is_posted_or_published_where_nobody_can_say_yes() {
    let forge = equipped(Forge::new(&["prompts"], Mode::Tui), &[]);
    let _session = forge.world.start().await;
    let review = expand(&forge, "pr-review 12").await.expect("a prompt");
    assert!(review.contains("Post nothing") && !review.contains("gh pr review"), "{review}");
    let why = expand(&forge, "release v2").await.expect_err("nobody says yes");
    assert_eq!(
        why,
        "nobody can be asked here, and nothing is published without a yes; use --dry-run, or a session with the module \
         builtin:ask-user and a user interface"
    );
    let dry = expand(&forge, "release v2 --dry-run").await.expect("a prompt");
    assert!(dry.contains("This is a dry run") && !dry.contains("gh release create"), "{dry}");
}

#[tokio::test]
async fn a_fence_is_longer_than_any_in_the_argument() {
    let forge = session(Mode::Rpc, &["memory_add"]);
    let _session = forge.world.start().await;
    for name in ["implement", "scout-and-plan", "remember"] {
        let hostile = "Look: ``` out ````` $1 $ARGUMENTS {{workers}} ${@:2}";
        let expanded = expand(&forge, &format!("{name} {hostile}")).await.expect("a prompt");
        let fenced = format!("\n``````text\n{hostile}\n``````\n");
        assert_eq!(expanded.matches(&fenced).count(), 1, "{expanded}");
    }
}

#[tokio::test]
async fn what_is_missing_is_said_and_no_prompt_is_sent() {
    let forge = session(Mode::Tui, &[]);
    let running = forge.world.start().await;
    for (text, expected) in [
        ("/implement", "/implement: it needs an argument; usage: /implement TASK"),
        ("/scout-and-plan \"\"", "/scout-and-plan: it needs an argument; usage: /scout-and-plan TASK"),
        (
            "/review-local --output=x",
            "/review-local: \"--output=x\" cannot be the name of a branch or a tag; usage: /review-local [BRANCH]",
        ),
        ("/pr-review", "/pr-review: it needs an argument; usage: /pr-review NUMBER|URL"),
        (
            "/pr-review 1;id",
            "/pr-review: \"1;id\" is no pull request: give its number, or its address as \
             https://github.com/OWNER/NAME/pull/NUMBER; usage: /pr-review NUMBER|URL",
        ),
        (
            "/release --yes",
            "/release: there is no flag \"--yes\"; usage: /release [VERSION] [--dry-run] [--prerelease] [--draft] \
             [--target BRANCH] [--tag-match TAG]",
        ),
        (
            "/remember Tests are slow",
            "/remember: the tool memory_add is not active in this session; no module builtin:memory or other extension \
             brings it, so nothing can be remembered",
        ),
    ] {
        let error = running.session.prompt(Prompt::new(text)).await.expect_err(text);
        assert_eq!(error.to_string(), expected);
    }
    forge.uninstall();
    for text in ["/pr-review 12", "/release --dry-run"] {
        let error = running.session.prompt(Prompt::new(text)).await.expect_err(text).to_string();
        assert!(
            error.ends_with(": `gh` is not installed, or not on the PATH; install it from https://cli.github.com"),
            "{error}"
        );
    }
    running.activate(&["read"]);
    for text in ["/pr-review 12", "/release --dry-run", "/review-local"] {
        let error = running.session.prompt(Prompt::new(text)).await.expect_err(text).to_string();
        assert!(
            error.ends_with(": the tool bash is not active in this session; start tau with it, or add it to --tools"),
            "{error}"
        );
    }
    assert_eq!(running.asked().len(), 0);
}

#[tokio::test]
async fn a_repository_and_a_remote_are_looked_for() {
    let forge = equipped(Forge::without_repository(&["ask-user", "prompts"], Mode::Tui), &[]);
    let _session = forge.world.start().await;
    let nowhere = format!("{} is not in a git repository; start tau in one", forge.world.home.cwd().display());
    for text in ["review-local", "pr-review 12", "release --dry-run"] {
        assert_eq!(expand(&forge, text).await, Err(nowhere.clone()), "{text}");
    }
    // An address says itself where the pull request is.
    let review = expand(&forge, "pr-review https://github.com/team/app/pull/12/files").await.expect("a prompt");
    assert!(review.contains("`gh pr diff https://github.com/team/app/pull/12`"), "{review}");
    forge.git(&["init", "--quiet", "--initial-branch", "main", "."]);
    assert!(expand(&forge, "review-local").await.is_ok());
    let alone = "no remote of the repository is on a forge; add one with `git remote add origin ADDRESS`".to_owned();
    for text in ["pr-review 12", "release --dry-run"] {
        assert_eq!(expand(&forge, text).await, Err(alone.clone()), "{text}");
    }
}

#[tokio::test]
async fn the_model_gets_the_prompt_in_every_mode() {
    for mode in [Mode::Tui, Mode::Rpc, Mode::Json, Mode::Print] {
        let world = with(&["prompts"], mode, json!(["Done."]));
        let running = world.start().await;
        running.say("/implement Add a flag").await;
        let asked = running.asked();
        let (role, text) = asked[0].last().expect("a message");
        assert_eq!(role, "user");
        assert!(text.contains("```text\nAdd a flag\n```"), "{mode:?}: {text}");
    }
}

#[tokio::test]
async fn a_file_of_the_same_name_comes_first() {
    let world = with(&["prompts"], Mode::Print, json!(["Done.", "Done."]));
    world.home.write_agent("prompts/implement.md", "Mine: $ARGUMENTS");
    world.home.write(".pi/prompts/remember.md", "Ours: $1");
    let running = world.start().await;
    running.say("/implement a b").await;
    running.say("/remember a b").await;
    let asked = running.asked();
    assert_eq!(
        asked[1].iter().filter(|(role, _)| role == "user").map(|(_, text)| text.as_str()).collect::<Vec<_>>(),
        ["Mine: a b", "Ours: a"]
    );
    let names: Vec<String> =
        tau_hooks::HostView::commands(&*running.session).into_iter().map(|command| command.name).collect();
    for name in TEMPLATES {
        assert_eq!(names.iter().filter(|known| *known == name).count(), 1, "{name}: {names:?}");
    }
}

#[tokio::test]
async fn arguments_are_completed_by_the_other_module() {
    let forge = Forge::new(&["autocomplete", "prompts"], Mode::Tui);
    forge.answer("pr", &json!([item(12, "Fix the list", "OPEN")]));
    forge.git(&["tag", "v1"]);
    let _session = forge.world.start().await;
    for (command, text, expected) in [
        ("pr-review", "", "12"),
        ("review-local", "", "main"),
        ("release", "--d", "--dry-run|--draft"),
        ("release", "v", "v1"),
        ("release", "--target m", "--target main"),
        ("implement", "x", ""),
    ] {
        let found = forge.world.hooks.complete(command, text).await;
        let values: Vec<String> = found.into_iter().map(|one| one.value).collect();
        assert_eq!(values.join("|"), expected, "{command} {text}");
    }
}
