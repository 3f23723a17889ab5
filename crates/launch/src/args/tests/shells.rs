//! Completions and the man page.

use super::*;

fn subcommands() -> [Subcommand; 2] {
    [
        Subcommand {
            name: "config",
            about: "Look at settings: it's [all] here.",
            verbs: vec!["get", "set"],
            flags: vec!["--local"],
            of_runs: false,
        },
        Subcommand { name: "list", about: "List packages.", verbs: Vec::new(), flags: Vec::new(), of_runs: true },
    ]
}

fn script(shell: Shell) -> String {
    completions(shell, &subcommands(), MODES)
}

/// The lines with one of these texts.
fn lines<'a>(script: &'a str, texts: &[&str]) -> Vec<&'a str> {
    script.lines().map(str::trim).filter(|line| texts.iter().any(|text| line.contains(text))).collect()
}

/// What a real bash completes when these words are typed; `None` when there is no bash.
#[expect(clippy::disallowed_methods, reason = "the shell is what is tested")]
fn bash_completes(words: &[&str]) -> Option<Vec<String>> {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["notes.md", "a file.md", "st*r", "staar"] {
        std::fs::write(folder.path().join(name), "").expect("a file");
    }
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let asked = format!(
        "{}\nCOMP_WORDS=({})\nCOMP_CWORD={}\n_tau\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"",
        script(Shell::Bash),
        quoted.join(" "),
        words.len() - 1
    );
    let run = std::process::Command::new("bash").args(["-eu", "-c", &asked]).current_dir(folder.path()).output();
    let output = match run {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => panic!("bash: {error}"),
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    Some(text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

#[test]
fn bash_completes_flags_values_files_and_subcommands() {
    for (words, expected) in [
        (&["tau", "--thin"][..], &["--thinking"][..]),
        (&["tau", "--thinking", "m"], &["minimal", "medium", "max"]),
        (&["tau", "-p", "--mode", ""], MODES),
        (&["tau", "--no-app"], &["--no-approve"]),
        (&["tau", "--extension", "no"], &["notes.md"]),
        (&["tau", "-e", "no"], &["notes.md"]),
        (&["tau", "--extension", "a "], &["a file.md"]),
        (&["tau", "--extension", "st*"], &["st*r"]),
        (&["tau", "--mode", "=", "j"], &["json"]),
        (&["tau", "--mode", "="], MODES),
        (&["tau", "-p", "@no"], &["@notes.md"]),
        (&["tau", "--", "--th"], &[]),
        (&["tau", "list", "--thin"], &["--thinking"]),
        (&["tau", "--name", ""], &[]),
        (&["tau", "con"], &["config"]),
        (&["tau", "config", ""], &["get", "set", "--local", "--help"]),
        (&["tau", "config", "s"], &["set"]),
        (&["tau", "-x"], &["-xt"]),
    ] {
        let Some(completed) = bash_completes(words) else { return };
        assert_eq!(completed, expected, "{words:?}");
    }
}

#[test]
fn the_script_of_zsh() {
    let script = script(Shell::Zsh);
    assert!(script.starts_with("#compdef tau\n"), "{script}");
    assert_eq!(
        lines(&script, &["--mode[", "--thinking[", "-n[", "--skill[", "config:", "config)"]),
        [
            r"'config:Look at settings\: it'\''s \[all\] here.'",
            "config) compadd -- get set --local --help; _files; return ;;",
            r"'*--mode[What goes to standard output\: the last answer (text, the default) or every event as a line of JSON (json). With rpc, another program drives tau through standard input and output.]:value:(text json rpc)' \",
            r"'*--thinking[How much the model thinks.]:value:(off minimal low medium high xhigh max)' \",
            r"'*-n[Name the session.]:value: ' \",
            r"'*--skill[Load a skill from a file or a directory.]:path:_files' \",
        ]
    );
}

#[test]
fn the_script_of_fish() {
    assert_eq!(
        lines(
            &script(Shell::Fish),
            &["-l thinking", "-l name", "-l skill", "-l no-approve", "a config ", "from config'", "fish/"]
        ),
        [
            "# Completions of tau for fish. Write this to ~/.config/fish/completions/tau.fish",
            r"complete -c tau -n __fish_use_subcommand -a config -d 'Look at settings: it\'s [all] here.'",
            "complete -c tau -n '__fish_seen_subcommand_from config' -a 'get set --local --help'",
            "complete -c tau -n __tau_alone -l thinking -x -a 'off minimal low medium high xhigh max' -d 'How much the model thinks.'",
            "complete -c tau -n __tau_alone -s n -l name -x -d 'Name the session.'",
            "complete -c tau -n __tau_alone -l skill -r -F -d 'Load a skill from a file or a directory.'",
            "complete -c tau -n __tau_alone -o na -l no-approve -d 'Do not trust the files of this project for this run.'",
        ]
    );
}

#[test]
fn every_flag_is_in_every_script_and_in_the_man_page() {
    let page = man(&subcommands());
    for flag in FLAGS {
        for shell in Shell::ALL {
            let name = if shell == Shell::Fish { format!("-l {}", flag.long) } else { format!("--{}", flag.long) };
            assert!(script(shell).contains(&name), "{}: {name}", shell.name());
        }
        assert!(page.contains(&format!("\\-\\-{}", flag.long.replace('-', "\\-"))), "{}", flag.long);
    }
}

#[test]
fn the_man_page_has_its_sections_in_order() {
    let page = man(&subcommands());
    let sections: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix(".SH ")).collect();
    assert_eq!(sections, ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "SUBCOMMANDS", "ENVIRONMENT"]);
    assert!(page.starts_with(".TH TAU 1 "), "{page}");
    assert!(page.contains(".TP\n.B \\-n, \\-\\-name NAME\nName the session.\n"), "{page}");
    assert!(page.contains(".TP\n.B tau config\nLook at settings: it's [all] here.\n"), "{page}");
    // A line that begins with a dot is a request; there are no others than these.
    let requests = page.lines().filter(|line| line.starts_with('.')).map(|line| line.split(' ').next().unwrap_or(line));
    let known = [".TH", ".SH", ".SS", ".TP", ".B", ".I", ".br"];
    assert!(requests.into_iter().all(|request| known.contains(&request)), "{page}");
}
