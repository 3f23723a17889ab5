// Commands in the user's shell, and programs without one.
import { type ExecOutput, ops } from "tau:ops";
import { maxBufferOf } from "../../internal/max_buffer.ts";
import { answered } from "./port.ts";

/** Runs commands on this machine, as the bash tool does. */
export function createLocalBashOperations(options: any = {}): any {
  return {
    exec(command: string, cwd: string, { onData, signal, timeout, env }: any): Promise<{ exitCode: number | null }> {
      return answered(
        { data: (bytes: Uint8Array) => onData(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) },
        signal,
        async (port) => ({
          exitCode: (await ops.piBash(port, { command, cwd, timeout, env: env && { ...env }, shell: options.shellPath })) ?? null,
        }),
      );
    },
  };
}

/** The shell that commands run in, and the arguments before a command. */
export function getShellConfig(customShellPath?: string): { shell: string; args: string[] } {
  return { shell: ops.piFindShell(customShellPath), args: ["-c"] };
}

/**
 * Runs a program without a shell and collects its output, at most `options.maxBuffer` bytes of both streams. Rejects for
 * a wrong limit only: a program that could not be started has exit code 1 and says why on standard error.
 */
export async function execCommand(command: string, args: string[], cwd?: string, options: any = {}): Promise<ExecOutput> {
  const { signal, timeout, cwd: own = cwd } = options ?? {};
  const maxBuffer = maxBufferOf(options);
  return answered({}, signal, (port) =>
    ops.piExec(port, { program: command, args: [...args], cwd: own, timeout, maxBuffer }),
  );
}

const SESSION_VARIABLES = ["PI_SESSION_ID", "PI_SESSION_FILE", "PI_PROVIDER", "PI_MODEL", "PI_REASONING_LEVEL"];

/** The environment of a command of the bash tool, with what `ctx` tells of the session. */
export function commandEnvironment(ctx: any, expose: boolean): Record<string, string> {
  const env: any = ops.envAll();
  for (const name of SESSION_VARIABLES) delete env[name];
  if (!expose || !ctx) return env;
  const known: [string, () => unknown][] = [
    ["PI_SESSION_ID", () => ctx.sessionManager?.getSessionId()],
    ["PI_SESSION_FILE", () => ctx.sessionManager?.getSessionFile()],
    ["PI_PROVIDER", () => ctx.model?.provider],
    ["PI_MODEL", () => ctx.model?.id],
    ["PI_REASONING_LEVEL", () => ctx.thinkingLevel],
  ];
  for (const [name, get] of known) {
    const value = get();
    if (typeof value === "string" && value) env[name] = value;
  }
  env.AI_AGENT = "pi";
  return env;
}
