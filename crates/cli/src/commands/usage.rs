//! The table of subcommands.

use super::command::Command;
use super::{auth, config, doctor, hooks, models, packages, policy, shell};

/// All of them.
pub(crate) static COMMANDS: &[Command] = &[
    Command {
        name: "install",
        alias: None,
        usage: "tau install [source] [-l] [--offline] [--approve|--no-approve]",
        about: "Install a package and name it in the settings; without a source, everything that the settings name.",
        more: "\
Sources:
  npm:name, npm:@scope/name@^1.2      a package of the registry that .npmrc names
  git:github.com/user/repo@v1         a repository, at a branch, a tag or a commit
  https://… , ssh://… , git:git@…     the same by its address
  ./path                              a file or a folder, which stays where it is
",
        takes_local: true,
        asks_extensions: true,
        most_words: 1,
        verbs: &[],
        flags: &[],
        also: &[],
        refused: None,
        run: |context, options| Box::pin(packages::install(context, options)),
    },
    Command {
        name: "remove",
        alias: Some("uninstall"),
        usage: "tau remove <source> [-l] [--approve|--no-approve]",
        about: "Remove a package from the settings, and its files.",
        more: "",
        takes_local: true,
        asks_extensions: true,
        most_words: 1,
        verbs: &[],
        flags: &[],
        also: &[],
        refused: None,
        run: |context, options| Box::pin(packages::remove(context, options)),
    },
    Command {
        name: "update",
        alias: None,
        usage: "tau update [source] [--offline] [--approve|--no-approve]",
        about: "Bring one package, or all, to the newest version that their sources allow.",
        more: "",
        takes_local: false,
        asks_extensions: false,
        most_words: 1,
        verbs: &[],
        flags: &[],
        also: &["--extensions", "--all", "--extension"],
        refused: None,
        run: |context, options| Box::pin(packages::update(context, options)),
    },
    Command {
        name: "list",
        alias: None,
        usage: "tau list [--approve|--no-approve]",
        about: "List the packages of the settings.",
        more: "",
        takes_local: false,
        asks_extensions: true,
        most_words: 0,
        verbs: &[],
        flags: &[],
        also: &[],
        refused: None,
        run: |context, options| Box::pin(packages::list(context, options)),
    },
    Command {
        name: "hooks",
        alias: None,
        usage: "tau hooks [list] [--json] [-e PATH] [--hook PATH] [--approve|--no-approve]",
        about: "List every extension and hook with its dialect, where it comes from and what it handles, and what is not used and why.",
        more: "\
It loads them as a session would, so what a module does while it is loaded happens; no handler is called.

  --json              As JSON
  -e, --extension     Load this one too, as a run with the same flag does
  --hook              The same for a hook
",
        takes_local: false,
        asks_extensions: true,
        most_words: 1,
        verbs: &["list"],
        flags: &[],
        also: &["--json", "--extension", "--hook"],
        refused: None,
        run: |context, options| Box::pin(hooks::hooks(context, options)),
    },
    Command {
        name: "doctor",
        alias: None,
        usage: "tau doctor [--json] [--approve|--no-approve]",
        about: "Check models, settings, keys, the terminal, the clipboard and extensions, and say how to fix what is wrong.",
        more: "\
It loads extensions as a session would and runs their checks. The exit code is 1 when something does not work.

  --json              As JSON
",
        takes_local: false,
        asks_extensions: true,
        most_words: 0,
        verbs: &[],
        flags: &[("--json", false)],
        also: &[],
        refused: None,
        run: |context, options| Box::pin(doctor::doctor(context, options)),
    },
    Command {
        name: "config",
        alias: None,
        usage: "tau config [resources|list|get|set|unset|why|enable|disable|schema] […] [-l] [--approve|--no-approve]",
        about: "Look at settings and change them; switch extensions, skills, prompt templates and themes on and off.",
        more: "\
\x20 tau config, tau config resources    what there is, and whether it is used
  tau config enable NAME              use it; NAME is a path, the end of one, a name, or a package
  tau config disable NAME             do not use it
  tau config list                     every setting: what is set first, each with its value, where it is from, and its guard
  tau config get KEY                  the value that counts, as JSON
  tau config set KEY VALUE            VALUE is JSON, or a text
  tau config unset KEY                remove it
  tau config why KEY [flags]          what each file says, and which value applies with these flags
  tau config schema                   the JSON Schema of a settings file

A key is written with dots (retry.maxRetries), or as a JSON list of names.
",
        takes_local: true,
        asks_extensions: true,
        most_words: 3,
        verbs: &config::VERB_NAMES,
        flags: &[],
        also: &[],
        refused: None,
        run: |context, options| Box::pin(config::config(context, options)),
    },
    Command {
        name: "auth",
        alias: None,
        usage: AUTH_USAGE,
        about: "Log in or out, print a credential for another program, or check that one is available.",
        more: "\
\x20 tau auth login PROVIDER             log in with an account where that is possible, else store an API key
  tau auth logout PROVIDER            remove what is stored; variables and models.json stay as they are
  tau auth status                     list the providers that there is a credential for, and where it comes from
  tau auth import FILE                take API keys over from an auth.json or a file of variables, after a question
  tau auth print-api-key              print the API key
  tau auth print-bearer-token         print the token of a login, renewed if it has expired
  tau auth check                      print ready, not_ready or invalid, and exit with 0, 1 or 2

  --provider NAME     The provider, for the commands that print and for check
  --model PATTERN     The provider of this model
  --api-key           Store an API key, also where an account would do
  --no-browser        Open no browser; sign in with a code on another device where that is possible
  --min-expiry TIME   How long a token must be good for: 500ms, 90s, 30m, 1h
  --json              The result of check or status as JSON
  --yes               Take over everything that import finds, without a question
  --credentials       The credential with the result of check
  --no-refresh        Renew nothing for check
",
        takes_local: false,
        asks_extensions: false,
        most_words: 2,
        verbs: &["login", "logout", "status", "import", "print-api-key", "print-bearer-token", "check"],
        flags: &[
            ("--provider", true),
            ("--model", true),
            ("--min-expiry", true),
            ("--api-key", false),
            ("--no-browser", false),
            ("--json", false),
            ("--credentials", false),
            ("--no-refresh", false),
            ("--yes", false),
        ],
        also: &[],
        refused: None,
        run: |context, options| Box::pin(auth::auth(context, options, command("auth"))),
    },
    Command {
        name: "models",
        alias: None,
        usage: "tau models [search] [--all] [--json] [-e PATH] [--approve|--no-approve], tau models update [address or file] [--force]",
        about: "List the models that can be asked, or read a newer list of names, prices and limits.",
        more: "\
\x20 tau models gpt mini                 the models with all these words in provider, id or name
  tau models update                   read the public list of models.dev and say what changed
  tau models update FILE              the same from a file, or from another address

  --all               The models of providers without a credential too
  --json              The models as JSON
  -e, --extension     List the models of this extension too, as a run with the same flag does
  --hook              The same for a hook
  --force             Take over lists that lost most of their models, too

What is read is kept in tau/catalogue.json in the agent folder. Addresses and keys stay as they are. Nothing is
read without this command.
",
        takes_local: false,
        asks_extensions: false,
        most_words: 12,
        verbs: &["update"],
        flags: &[("--all", false), ("--json", false), ("--force", false)],
        also: &["--extension", "--hook"],
        refused: None,
        run: |context, options| Box::pin(models::models(context, options, command("models"))),
    },
    policy::COMMAND,
    Command {
        name: "completions",
        alias: None,
        usage: "tau completions bash|zsh|fish",
        about: "Print a script that makes a shell complete the arguments of tau.",
        more: "\
\x20 bash    source <(tau completions bash), in ~/.bashrc
  zsh     tau completions zsh > FOLDER/_tau, for a folder of $fpath
  fish    tau completions fish > ~/.config/fish/completions/tau.fish

Flags of extensions are not part of it.
",
        takes_local: false,
        asks_extensions: false,
        most_words: 1,
        verbs: &["bash", "zsh", "fish"],
        flags: &[],
        also: &[],
        refused: None,
        run: |_, options| Box::pin(async { shell::print_completions(options, COMMANDS) }),
    },
    Command {
        name: "man",
        alias: None,
        usage: "tau man",
        about: "Print the man page of tau, in roff.",
        more: "\
\x20 tau man | man -l -                        read it
  tau man > ~/.local/share/man/man1/tau.1   install it
",
        takes_local: false,
        asks_extensions: false,
        most_words: 0,
        verbs: &[],
        flags: &[],
        also: &[],
        refused: None,
        run: |_, _| Box::pin(async { shell::print_man(COMMANDS) }),
    },
    Command {
        name: "mcp",
        alias: None,
        usage: MCP_USAGE,
        about: "Manage MCP servers: programs and addresses of the web whose tools a session can call.",
        more: "\
\x20 tau mcp add NAME [--env N=V] [--cwd DIR] -- PROGRAM [ARGS]  add a server that is a program
  tau mcp add NAME --url URL [--header N=V]      add a server of the web
      --bearer-token-env-var NAME                send the token in a variable
      --oauth-client-id ID, --oauth-client-secret S, --oauth-callback-port PORT,
      --oauth-client-name NAME, --oauth-client-registration auto|dcr
      --exposure codemode|deferred|direct|hidden how its tools are reached
      --description TEXT                         what it offers, for the model
  tau mcp remove NAME                            remove a server
  tau mcp list [--json]                          connect all servers and show what they have
  tau mcp login NAME [--timeout SECONDS]         sign in with the browser
  tau mcp logout NAME                            forget the login
",
        takes_local: true,
        asks_extensions: false,
        most_words: 2,
        verbs: &["add", "remove", "list", "login", "logout"],
        flags: &[],
        also: &super::mcp::args::NAMES,
        refused: None,
        run: |context, options| Box::pin(super::mcp::mcp(context, options, command("mcp"))),
    },
];

const MCP_USAGE: &str = "tau mcp add NAME [FLAGS] -- PROGRAM [ARGS] | --url URL, tau mcp remove NAME, tau mcp list [--json], \
                         tau mcp login|logout NAME";

const AUTH_USAGE: &str = "tau auth login|logout PROVIDER, tau auth status, tau auth import FILE, tau auth print-api-key|print-bearer-token|check \
                          --provider NAME|--model PATTERN […]";

/// The row of that name; the first row when there is none, which the table's own test rules out.
fn command(name: &str) -> &'static Command {
    COMMANDS.iter().find(|command| command.name == name).unwrap_or(&COMMANDS[0])
}
