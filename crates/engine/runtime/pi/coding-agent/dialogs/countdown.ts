// The time that a dialog waits for an answer.

/** What of the screen is used. */
export type Screen = { requestRender?: () => void } | undefined;

/** Counts seconds down, and says when they are over. */
export class Countdown {
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(milliseconds: number, screen: Screen, tick: (seconds: number) => void, expire: () => void) {
    let left = Math.ceil(milliseconds / 1000);
    tick(left);
    this.#timer = setInterval(() => {
      left--;
      tick(left);
      screen?.requestRender?.();
      if (left > 0) return;
      this.stop();
      expire();
    }, 1000);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
