/** The `navigator` global, as Node has it. */

import { ops } from "tau:ops";

const PLATFORMS: Record<string, string> = { linux: "Linux", darwin: "Mac" };
const ARCHITECTURES: Record<string, string> = { x64: "x86_64", arm64: ops.platform === "darwin" ? "Intel" : "aarch64" };

/** What the program knows of its machine. */
export class Navigator {
  get hardwareConcurrency(): number {
    return ops.osCpus().length || 1;
  }
  get language(): string {
    return "en-US";
  }
  get languages(): readonly string[] {
    return Object.freeze(["en-US"]);
  }
  get platform(): string {
    if (ops.platform === "darwin") return "MacIntel";
    return `${PLATFORMS[ops.platform] ?? ops.platform} ${ARCHITECTURES[ops.arch] ?? ops.arch}`;
  }
  get userAgent(): string {
    return "Node.js/22";
  }
}

export const navigator = new Navigator();
