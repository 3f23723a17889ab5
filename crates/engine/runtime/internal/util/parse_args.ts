// util.parseArgs.
import { codeTypeError, invalidArgType, invalidArgValue } from "../errors.ts";
import { validateArray, validateBoolean, validateObject, validateString, validateUnion } from "../validators.ts";

interface OptionConfig {
  type: "string" | "boolean";
  short?: string;
  multiple?: boolean;
  default?: unknown;
}

interface OptionToken {
  kind: "option";
  name: string;
  rawName: string;
  index: number;
  value: string | undefined;
  inlineValue: boolean | undefined;
}

type Token = OptionToken | { kind: "positional"; index: number; value: string } | { kind: "option-terminator"; index: number };

type Options = Record<string, OptionConfig>;

function own(options: Options, name: string): OptionConfig | undefined {
  return Object.prototype.hasOwnProperty.call(options, name) ? options[name] : undefined;
}

function nameOfShort(options: Options, short: string): string {
  for (const name of Object.keys(options)) if (options[name].short === short) return name;
  return short;
}

// What follows may be a value when it does not look like an option itself.
function isValue(arg: string | undefined): arg is string {
  return arg !== undefined && (arg === "-" || arg === "" || arg[0] !== "-");
}

function tokenize(args: string[], options: Options): Token[] {
  const tokens: Token[] = [];
  // Groups of short options are split into one entry each; all carry the index of the group.
  const queue = args.map((arg, index) => ({ arg, index }));
  let group = 0;
  while (queue.length > 0) {
    const { arg, index } = queue.shift()!;
    // Entries split off a group do not end it.
    const fromGroup = group > 0;
    if (fromGroup) group--;
    const positional = (value: string, at: number): void => {
      tokens.push({ kind: "positional", index: at, value });
    };
    const option = (name: string, rawName: string, value: string | undefined, inline: boolean): void => {
      tokens.push({ kind: "option", name, rawName, index, value, inlineValue: value === undefined ? undefined : inline });
    };
    const following = (name: string): string | undefined =>
      own(options, name)?.type === "string" && queue[0]?.arg !== undefined ? queue.shift()!.arg : undefined;
    if (arg === "--") {
      tokens.push({ kind: "option-terminator", index });
      for (const rest of queue) positional(rest.arg, rest.index);
      break;
    }
    if (/^-[^-]$/u.test(arg)) {
      const name = nameOfShort(options, arg[1]);
      option(name, arg, following(name), false);
    } else if (/^-[^-]./u.test(arg)) {
      const letters = arg.slice(1);
      const first = nameOfShort(options, letters[0]);
      if (own(options, first)?.type === "string") {
        option(first, `-${letters[0]}`, letters.slice(1), true);
        continue;
      }
      const split: string[] = [];
      for (let i = 0; i < letters.length; i++) {
        const name = nameOfShort(options, letters[i]);
        if (own(options, name)?.type !== "string" || i === letters.length - 1) split.push(`-${letters[i]}`);
        else {
          split.push(`-${letters.slice(i)}`);
          break;
        }
      }
      group = split.length;
      queue.unshift(...split.map((part) => ({ arg: part, index })));
    } else if (/^--[^=]+$/.test(arg)) {
      const name = arg.slice(2);
      option(name, arg, following(name), false);
    } else if (/^--[^=]+=/.test(arg)) {
      const at = arg.indexOf("=", 3);
      option(arg.slice(2, at), arg.slice(0, at), arg.slice(at + 1), true);
    } else positional(arg, index);
  }
  return tokens;
}

function checkOption(token: OptionToken, options: Options, allowPositionals: boolean, allowNegative: boolean): void {
  const config = own(options, token.name);
  const isNegative = allowNegative && token.name.startsWith("no-") && own(options, token.name.slice(3))?.type === "boolean";
  if (config === undefined && !isNegative) {
    const hint = allowPositionals
      ? `. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- "${token.rawName}"`
      : "";
    throw codeTypeError("ERR_PARSE_ARGS_UNKNOWN_OPTION", `Unknown option '${token.rawName}'${hint}`);
  }
  const label = config?.short ? `-${config.short}, --${token.name}` : `--${token.name}`;
  const type = isNegative ? "boolean" : config!.type;
  if (type === "string" && typeof token.value !== "string") {
    throw codeTypeError("ERR_PARSE_ARGS_INVALID_OPTION_VALUE", `Option '${label} <value>' argument missing`);
  }
  if (type === "boolean" && token.value != null) {
    throw codeTypeError("ERR_PARSE_ARGS_INVALID_OPTION_VALUE", `Option '${label}' does not take an argument`);
  }
  if (type === "string" && !token.inlineValue && !isValue(token.value)) {
    const long = token.rawName.startsWith("--");
    const usage = long ? `'${token.rawName}=-XYZ'` : `'--${token.name}=-XYZ' or '${token.rawName}-XYZ'`;
    throw codeTypeError(
      "ERR_PARSE_ARGS_INVALID_OPTION_VALUE",
      `Option '${token.rawName}' argument is ambiguous.\nDid you forget to specify the option argument for '${token.rawName}'?\nTo specify an option argument starting with a dash use ${usage}.`,
    );
  }
}

function checkConfig(options: Options): void {
  for (const [name, config] of Object.entries(options)) {
    validateObject(config, `options.${name}`);
    validateUnion(config.type, `options.${name}.type`, ["string", "boolean"]);
    if (config.short !== undefined) {
      validateString(config.short, `options.${name}.short`);
      if (config.short.length !== 1) throw invalidArgValue(`options.${name}.short`, config.short, "must be a single character");
    }
    if (config.multiple !== undefined) validateBoolean(config.multiple, `options.${name}.multiple`);
    if (config.default === undefined) continue;
    const at = `options.${name}.default`;
    if (config.multiple) {
      validateArray(config.default, at);
      (config.default as unknown[]).forEach((item, i) => {
        if (typeof item !== config.type) throw invalidArgType(`${at}[${i}]`, config.type, item);
      });
    } else if (typeof config.default !== config.type) throw invalidArgType(at, config.type, config.default);
  }
}

function mainArgs(): string[] {
  const { argv, execArgv = [] } = globalThis.process as any;
  const evaluates = execArgv.some((arg: string) => /^(-e|--eval|-p|--print)$/.test(arg));
  return argv.slice(evaluates ? 1 : 2);
}

/** `util.parseArgs`. */
export function parseArgs(config: any = {}): any {
  validateObject(config, "config");
  const args: string[] = config.args ?? mainArgs();
  const strict: boolean = config.strict ?? true;
  const allowPositionals: boolean = config.allowPositionals ?? !strict;
  const allowNegative: boolean = config.allowNegative ?? false;
  const options: Options = config.options ?? Object.create(null);
  validateArray(args, "args");
  validateBoolean(strict, "strict");
  validateBoolean(allowPositionals, "allowPositionals");
  if (config.tokens !== undefined) validateBoolean(config.tokens, "tokens");
  validateObject(options, "options");
  checkConfig(options);
  const tokens = tokenize(args.map(String), options);
  const values: Record<string, any> = Object.create(null);
  const positionals: string[] = [];
  const store = (name: string, value: unknown): void => {
    if (name === "__proto__") return;
    if (own(options, name)?.multiple) (values[name] ??= []).push(value);
    else values[name] = value;
  };
  for (const token of tokens) {
    if (token.kind === "positional") {
      if (!allowPositionals) {
        throw codeTypeError(
          "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL",
          `Unexpected argument '${token.value}'. This command does not take positional arguments`,
        );
      }
      positionals.push(token.value);
    } else if (token.kind === "option") {
      if (strict) checkOption(token, options, allowPositionals, allowNegative);
      const negative = allowNegative && token.name.startsWith("no-") && token.value === undefined;
      if (negative) {
        token.name = token.name.slice(3);
        store(token.name, false);
      } else store(token.name, token.value ?? true);
    }
  }
  for (const [name, option] of Object.entries(options)) {
    if (option.default !== undefined && values[name] === undefined) values[name] = option.default;
  }
  const result: any = { values, positionals };
  if (config.tokens) result.tokens = tokens;
  return result;
}
