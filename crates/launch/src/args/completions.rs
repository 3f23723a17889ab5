//! What shells complete, made of the tables of flags and subcommands. Flags of extensions are not known here.

use std::fmt::Write as _;

use super::flags::{FLAGS, Flag, Takes};

/// A shell that completions can be made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    /// GNU bash.
    Bash,
    /// zsh.
    Zsh,
    /// fish.
    Fish,
}

impl Shell {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Bash, Self::Zsh, Self::Fish];

    /// The name of the program.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Fish => "fish",
        }
    }

    /// The shell of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shell| shell.name() == name)
    }
}

/// A subcommand, as far as completions and the man page know it.
#[derive(Debug, Clone)]
pub struct Subcommand {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// Words that may follow it.
    pub verbs: Vec<&'static str>,
    /// Flags of its own, with their dashes.
    pub flags: Vec<&'static str>,
    /// Whether it takes the flags of a run too.
    pub of_runs: bool,
}

/// What may follow a flag.
enum Follows {
    /// Nothing.
    Nothing,
    /// One of these words.
    Words(Vec<&'static str>),
    /// A path.
    Path,
    /// Something that nobody can guess.
    Anything,
}

/// A flag, or its opposite, as it is typed.
struct Typed {
    long: &'static str,
    short: Option<&'static str>,
    follows: Follows,
    doc: &'static str,
}

/// The script of a shell that completes the arguments of `tau`; `modes` are the values of `--mode`.
pub fn completions(shell: Shell, subcommands: &[Subcommand], modes: &[&'static str]) -> String {
    let flags = typed(modes);
    match shell {
        Shell::Bash => bash(&flags, subcommands),
        Shell::Zsh => zsh(&flags, subcommands),
        Shell::Fish => fish(&flags, subcommands),
    }
}

fn typed(modes: &[&'static str]) -> Vec<Typed> {
    let mut all = Vec::new();
    for flag in FLAGS {
        all.push(Typed { long: flag.long, short: flag.short, follows: follows(flag, modes), doc: flag.doc });
        let opposite =
            |not: super::Negation| Typed { long: not.long, short: not.short, follows: Follows::Nothing, doc: not.doc };
        all.extend(flag.negation.map(opposite));
    }
    all
}

fn follows(flag: &Flag, modes: &[&'static str]) -> Follows {
    let (Takes::Value(name, _) | Takes::Optional(name, _)) = flag.takes else { return Follows::Nothing };
    match flag.choices.list(modes) {
        Some(words) => Follows::Words(words),
        None if ["FILE", "DIR", "PATH", "PATH|ID"].contains(&name) => Follows::Path,
        None => Follows::Anything,
    }
}

/// `-m|--model`, or with spaces between the names.
fn names(flag: &Typed, between: &str) -> String {
    let short = flag.short.map(|short| format!("-{short}{between}")).unwrap_or_default();
    format!("{short}--{}", flag.long)
}

/// What may follow a subcommand, with spaces between.
fn words_of(subcommand: &Subcommand, flags: &[Typed]) -> String {
    let own = subcommand.verbs.iter().chain(&subcommand.flags).chain(&["--help"]).map(|word| (*word).to_owned());
    let of_runs = flags.iter().filter(|_| subcommand.of_runs).map(|flag| names(flag, " "));
    own.chain(of_runs).collect::<Vec<_>>().join(" ")
}

fn bash(flags: &[Typed], subcommands: &[Subcommand]) -> String {
    let mut cases = String::new();
    for flag in flags {
        let words = match &flag.follows {
            Follows::Nothing => continue,
            Follows::Words(words) => format!("COMPREPLY=($(compgen -W '{}' -- \"$cur\"))", words.join(" ")),
            Follows::Path => "_tau_files \"$cur\"".to_owned(),
            Follows::Anything => "_tau_option +o default".to_owned(),
        };
        let _ = writeln!(cases, "        {}) {words}; return ;;", names(flag, "|"));
    }
    let mut own = String::new();
    for subcommand in subcommands {
        let _ = writeln!(own, "        {}) words='{}' ;;", subcommand.name, words_of(subcommand, flags));
    }
    let all: Vec<String> = flags.iter().map(|flag| names(flag, " ")).collect();
    let subcommands: Vec<&str> = subcommands.iter().map(|subcommand| subcommand.name).collect();
    format!(
        "\
# Completions of tau for bash. In ~/.bashrc: source <(tau completions bash)
# Sets an option of the completion that is under way; older versions have none.
_tau_option() {{
    compopt \"$@\" 2>/dev/null || :
}}
# Completes the names of files that begin with $1, behind $2.
_tau_files() {{
    local name
    _tau_option -o filenames
    while IFS= read -r name; do
        COMPREPLY+=(\"${{2-}}$name\")
    done < <(compgen -f -- \"$1\")
}}
_tau() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words at
    COMPREPLY=()
    # The words of --flag=value are three.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $previous == = ]]; then
        previous=${{COMP_WORDS[COMP_CWORD-2]}}
    fi
    for ((at = 1; at < COMP_CWORD; at++)); do
        [[ ${{COMP_WORDS[at]}} == -- ]] && return
    done
    if [[ $cur == @* ]]; then
        _tau_files \"${{cur#@}}\" @
        return
    fi
    case $previous in
{cases}    esac
    words='{}'
    case ${{COMP_WORDS[1]}} in
{own}    esac
    if ((COMP_CWORD == 1)); then
        words='{} {}'
    fi
    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))
}}
complete -o default -F _tau tau
",
        all.join(" "),
        subcommands.join(" "),
        all.join(" "),
    )
}

fn zsh(flags: &[Typed], subcommands: &[Subcommand]) -> String {
    // What stands in brackets and between colons must not end them.
    let plain = |text: &str| text.replace('\'', "'\\''").replace('[', "\\[").replace(']', "\\]").replace(':', "\\:");
    let mut lines = String::new();
    for flag in flags {
        let action = match &flag.follows {
            Follows::Nothing => String::new(),
            Follows::Words(words) => format!(":value:({})", words.join(" ")),
            Follows::Path => ":path:_files".to_owned(),
            Follows::Anything => ":value: ".to_owned(),
        };
        for name in names(flag, " ").split(' ') {
            let _ = writeln!(lines, "        '*{name}[{}]{action}' \\", plain(flag.doc));
        }
    }
    let (mut described, mut own) = (String::new(), String::new());
    for subcommand in subcommands {
        let _ = writeln!(described, "        '{}:{}'", subcommand.name, plain(subcommand.about));
        let words = words_of(subcommand, flags);
        let _ = writeln!(own, "        {}) compadd -- {words}; _files; return ;;", subcommand.name);
    }
    format!(
        "\
#compdef tau
# Completions of tau for zsh. Write this to a file _tau in a folder of $fpath.
_tau() {{
    local -a subcommands=(
{described}    )
    case ${{words[2]}} in
{own}    esac
    ((CURRENT == 2)) && _describe subcommand subcommands
    _arguments -S \\
{lines}        '*:file:_files'
}}
_tau \"$@\"
"
    )
}

fn fish(flags: &[Typed], subcommands: &[Subcommand]) -> String {
    let plain = |text: &str| text.replace('\\', "\\\\").replace('\'', "\\'");
    let mut text = "# Completions of tau for fish. Write this to ~/.config/fish/completions/tau.fish\n".to_owned();
    // Subcommands have flags of their own.
    let names: Vec<&str> = subcommands.iter().map(|subcommand| subcommand.name).collect();
    let names = names.join(" ");
    let _ = writeln!(text, "function __tau_alone\n    not __fish_seen_subcommand_from {names}\nend");
    for subcommand in subcommands {
        let Subcommand { name, about, .. } = subcommand;
        let _ = writeln!(text, "complete -c tau -n __fish_use_subcommand -a {name} -d '{}'", plain(about));
        let words = words_of(subcommand, flags);
        let _ = writeln!(text, "complete -c tau -n '__fish_seen_subcommand_from {name}' -a '{words}'");
    }
    for flag in flags {
        let value = match &flag.follows {
            Follows::Nothing => String::new(),
            Follows::Words(words) => format!(" -x -a '{}'", words.join(" ")),
            Follows::Path => " -r -F".to_owned(),
            Follows::Anything => " -x".to_owned(),
        };
        // A short name may have several letters, which fish calls old.
        let short =
            flag.short.map(|short| if short.len() == 1 { format!(" -s {short}") } else { format!(" -o {short}") });
        let _ = writeln!(
            text,
            "complete -c tau -n __tau_alone{} -l {}{value} -d '{}'",
            short.unwrap_or_default(),
            flag.long,
            plain(flag.doc)
        );
    }
    text
}
