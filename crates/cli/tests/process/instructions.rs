//! What the model is told: system prompt, context files, skills, templates, thinking.

use crate::support::{Done, Place};

/// Checks a request and answers.
fn expecting(expect: &str) -> String {
    format!("replies: [[{{expect: {{{expect}}}}}, {{text: fine}}]]")
}

fn fine(place: &Place, expect: &str, args: &[&str]) {
    assert_eq!(place.play(&expecting(expect), args).run(), Done::ok("fine\n"), "{expect}");
}

#[test]
fn the_system_prompt_is_replaced_and_appended_to() {
    let place = Place::new();
    place.write("work/more.md", "More from a file.");
    fine(&place, "system_contains: be an oracle", &["--system-prompt", "be an oracle", "-p", "x"]);
    fine(&place, "system_contains: More from a file.", &["--append-system-prompt", "more.md", "-p", "x"]);
    fine(
        &place,
        "system_contains: [be an oracle, One more thing, More from a file.]",
        &[
            "--system-prompt",
            "be an oracle",
            "--append-system-prompt",
            "One more thing",
            "--append-system-prompt",
            "more.md",
            "-p",
            "x",
        ],
    );
    fine(&place, "system_contains: You are", &["-p", "x"]);
    fine(&place, "system_not_contains: You are", &["--system-prompt", "", "-p", "x"]);
}

#[test]
fn context_files_are_part_of_the_prompt_unless_left_out() {
    let place = Place::new();
    place.write("agent/AGENTS.md", "Rule for everything.");
    place.write("work/AGENTS.md", "Rule of the project.");
    fine(&place, "system_contains: [Rule for everything., Rule of the project.]", &["-p", "x"]);
    fine(&place, "system_not_contains: [Rule for, Rule of]", &["--no-context-files", "-p", "x"]);
}

#[test]
fn skills_are_found_given_and_left_out() {
    let place = Place::new();
    place.write("agent/skills/brew/SKILL.md", "---\nname: brew\ndescription: Makes tea\n---\nBoil water first.\n");
    let given =
        place.write("work/extra/pour/SKILL.md", "---\nname: pour\ndescription: Pours tea\n---\nMind the hand.\n");
    let given = given.parent().expect("a parent").display().to_string();
    fine(&place, "system_contains: Makes tea, system_not_contains: Pours tea", &["-p", "x"]);
    fine(&place, "system_contains: [Makes tea, Pours tea]", &["--skill", &given, "-p", "x"]);
    let both = ["--no-skills", "--skill", &given, "-p", "x"];
    fine(&place, "system_contains: Pours tea, system_not_contains: Makes tea", &both);
    fine(&place, "last_user_contains: [Boil water first., for two]", &["-p", "/skill:brew for two"]);
}

#[test]
fn templates_are_found_given_and_left_out() {
    let place = Place::new();
    place.write("agent/prompts/greet.md", "Greet $1 and $2.");
    let given = place.write("work/leave.md", "Say goodbye to $1.").display().to_string();
    fine(&place, "last_user: Greet Ann and Bob.", &["-p", "/greet Ann Bob"]);
    fine(&place, "last_user: Say goodbye to Ann.", &["--prompt-template", &given, "-p", "/leave Ann"]);
    fine(&place, "last_user: /greet Ann", &["--no-prompt-templates", "-p", "/greet Ann"]);
    let both = ["--no-prompt-templates", "--prompt-template", &given, "-p", "/leave Ann"];
    fine(&place, "last_user: Say goodbye to Ann.", &both);
}

#[test]
fn the_thinking_level_is_what_the_model_can_do() {
    let place = Place::new();
    let level = |reasoning: bool, args: &[&str]| {
        let script = format!("model: {{id: m, reasoning: {reasoning}}}\nreplies: []");
        place.play(&script, args.iter().chain(&["--no-session", "-p", "/thinking"])).run().stdout
    };
    assert_eq!(level(true, &[]), "Thinking: medium (available: off, minimal, low, medium, high)\n");
    assert_eq!(level(true, &["--thinking", "low"]), "Thinking: low (available: off, minimal, low, medium, high)\n");
    assert_eq!(level(true, &["--thinking", "max"]), "Thinking: high (available: off, minimal, low, medium, high)\n");
    assert_eq!(level(false, &["--thinking", "high"]), "Thinking: off (available: off)\n");
}
