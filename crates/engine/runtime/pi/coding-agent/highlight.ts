// Code for showing. The colours of syntax are the terminal's business; here code has the colour of code.
import { theme } from "../../host/theme.ts";

/** The lines of a piece of code, coloured. */
export function highlightCode(code: string, _lang?: string): string[] {
  return code.split("\n").map((line) => theme.fg("mdCodeBlock", line));
}

const LANGUAGES = `typescript:ts,tsx javascript:js,jsx,mjs,cjs python:py ruby:rb rust:rs go:go java:java kotlin:kt
  swift:swift c:c,h cpp:cpp,cc,cxx,hpp csharp:cs php:php bash:sh,bash,zsh fish:fish powershell:ps1 sql:sql html:html,htm
  css:css scss:scss sass:sass less:less json:json yaml:yaml,yml toml:toml xml:xml markdown:md,markdown
  dockerfile:dockerfile makefile:makefile cmake:cmake lua:lua perl:perl r:r scala:scala clojure:clj elixir:ex,exs
  erlang:erl haskell:hs ocaml:ml vim:vim graphql:graphql protobuf:proto hcl:tf,hcl`;

let byExtension: Map<string, string> | undefined;

/** The language of a file, by its name; undefined when the name does not tell. */
export function getLanguageFromPath(filePath: string): string | undefined {
  if (!byExtension) {
    byExtension = new Map();
    for (const row of LANGUAGES.trim().split(/\s+/)) {
      const [language, extensions] = row.split(":");
      for (const extension of extensions.split(",")) byExtension.set(extension, language);
    }
  }
  return byExtension.get(filePath.slice(filePath.lastIndexOf(".") + 1).toLowerCase());
}
