// By which rules a runner works: those of the original hooks, or those of oh-my-pi.

export type Rules = {
  /** How long a handler of an event other than `tool_call` may take, in milliseconds. */
  timeout?: number;
  /** What a dialog gives that nobody answers. */
  closed: null | undefined;
  /** Whether handlers get a copy of the input of a tool. */
  copiesInput: boolean;
  /** Whether handlers of `tool_result` are told of tools that failed. */
  tellsFailures: boolean;
};

/** The rules of the original hooks. */
export function originalRules(timeout = 30_000): Rules {
  return { timeout, closed: null, copiesInput: false, tellsFailures: false };
}

/** The rules of oh-my-pi. */
export const OH_MY_PI: Rules = { closed: undefined, copiesInput: true, tellsFailures: true };

/** Events whose handlers decide something: the last who does counts, and `cancel` ends the round where it may. */
const DECIDED = new Map<string, { cancels: boolean }>([
  ["branch", { cancels: false }],
  ["tool_result", { cancels: false }],
  ["session.compacting", { cancels: false }],
  ["session_before_switch", { cancels: true }],
  ["session_before_branch", { cancels: true }],
  ["session_before_compact", { cancels: true }],
  ["session_before_tree", { cancels: true }],
]);

/** Takes in what handlers of an event say. */
export class Decision {
  result: any;
  stopped = false;
  #rule: { cancels: boolean } | undefined;

  constructor(event: string) {
    this.#rule = DECIDED.get(event);
  }

  take(said: any): void {
    if (!this.#rule || !said) return;
    this.result = said;
    this.stopped = this.#rule.cancels && said.cancel === true;
  }
}
