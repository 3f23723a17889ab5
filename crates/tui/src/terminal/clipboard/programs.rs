//! The programs for the clipboard, as data.

use super::Environment;

/// A program that copies what it reads.
#[derive(Debug)]
pub(super) struct Copier {
    pub(super) name: &'static str,
    pub(super) args: &'static [&'static str],
    /// It takes text as Windows has it.
    pub(super) utf16: bool,
    works: fn(&Environment) -> bool,
}

const COPIERS: &[Copier] = &[
    Copier { name: "pbcopy", args: &[], utf16: false, works: |at| at.macos },
    Copier { name: "termux-clipboard-set", args: &[], utf16: false, works: |at| at.termux },
    Copier { name: "wl-copy", args: &[], utf16: false, works: |at| at.wayland },
    Copier { name: "xclip", args: &["-selection", "clipboard"], utf16: false, works: |at| at.x11 },
    Copier { name: "xsel", args: &["--clipboard", "--input"], utf16: false, works: |at| at.x11 },
    // It reads UTF-16 when that begins with its mark, and else in the code page of the console.
    Copier { name: "clip.exe", args: &[], utf16: true, works: |at| at.wsl },
    // It sends it to its own terminal, and keeps it.
    Copier { name: "tmux", args: &["load-buffer", "-w", "-"], utf16: false, works: |at| at.tmux },
];

impl Copier {
    /// Those that may be there, the best first.
    pub(super) fn of(environment: &Environment) -> impl Iterator<Item = &'static Self> {
        COPIERS.iter().filter(|copier| (copier.works)(environment))
    }
}

/// Stands for the type of an image in the arguments of a program.
pub(super) const TYPE: &str = "{type}";

/// A program that writes what the clipboard holds.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) name: &'static str,
    pub(super) text: &'static [&'static str],
    /// What lists the types of what it holds; `None` when it knows no images.
    pub(super) types: Option<&'static [&'static str]>,
    /// What writes an image.
    pub(super) image: &'static [&'static str],
    /// Its lines end as those of Windows.
    pub(super) windows: bool,
    works: fn(&Environment) -> bool,
}

const READERS: &[Reader] = &[
    Reader { name: "pbpaste", text: &[], types: None, image: &[], windows: false, works: |at| at.macos },
    Reader { name: "termux-clipboard-get", text: &[], types: None, image: &[], windows: false, works: |at| at.termux },
    Reader {
        name: "wl-paste",
        text: &["--no-newline", "--type", "text"],
        types: Some(&["--list-types"]),
        image: &["--type", TYPE, "--no-newline"],
        windows: false,
        works: |at| at.wayland,
    },
    Reader {
        name: "xclip",
        text: &["-selection", "clipboard", "-out"],
        types: Some(&["-selection", "clipboard", "-t", "TARGETS", "-o"]),
        image: &["-selection", "clipboard", "-t", TYPE, "-o"],
        windows: false,
        works: |at| at.x11,
    },
    Reader {
        name: "xsel",
        text: &["--clipboard", "--output"],
        types: None,
        image: &[],
        windows: false,
        works: |at| at.x11,
    },
    Reader {
        name: "powershell.exe",
        text: &[
            "-NoProfile",
            "-NonInteractive",
            "-Command",
            "[Console]::OutputEncoding = [Text.Encoding]::UTF8; [Console]::Out.Write((Get-Clipboard -Raw))",
        ],
        types: Some(&[
            "-NoProfile",
            "-NonInteractive",
            "-Command",
            "Add-Type -AssemblyName System.Windows.Forms; \
             if ([System.Windows.Forms.Clipboard]::ContainsImage()) { 'image/png' }",
        ]),
        image: &[
            "-NoProfile",
            "-NonInteractive",
            "-Command",
            "Add-Type -AssemblyName System.Windows.Forms; Add-Type -AssemblyName System.Drawing; \
             $image = [System.Windows.Forms.Clipboard]::GetImage(); \
             if ($image) { $file = New-Object IO.MemoryStream; \
             $image.Save($file, [System.Drawing.Imaging.ImageFormat]::Png); \
             $bytes = $file.ToArray(); [Console]::OpenStandardOutput().Write($bytes, 0, $bytes.Length) }",
        ],
        windows: true,
        works: |at| at.wsl,
    },
];

impl Reader {
    /// Those that may be there, the best first.
    pub(super) fn of(environment: &Environment) -> impl Iterator<Item = &'static Self> {
        READERS.iter().filter(|reader| (reader.works)(environment))
    }
}

/// The best of the types that a program lists for an image: one that models take, else any.
pub(super) fn preferred(types: &str) -> Option<&str> {
    let types = || types.lines().map(str::trim).filter(|line| !line.is_empty());
    let base = |line: &str| line.split(';').next().unwrap_or(line).trim().to_ascii_lowercase();
    let known = ["image/png", "image/jpeg", "image/webp", "image/gif"];
    known
        .iter()
        .find_map(|wanted| types().find(|line| base(line) == *wanted))
        .or_else(|| types().find(|line| base(line).starts_with("image/")))
}
