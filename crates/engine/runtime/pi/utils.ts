// `pi-utils`: of oh-my-pi's package of helpers those that hooks take from it.
import { lazyExports } from "./exports.ts";

lazyExports(
  "tau:pi/utils.ts",
  {
    "utils/values.ts": "isRecord asRecord toError isFsError hasFsCode isEnoent isEacces isEisdir isEnotdir isEexist isEnotempty",
    "utils/aborting.ts": "AbortError untilAborted once",
    "utils/logger.ts": "logger",
    "coding-agent/frontmatter.ts": "parseFrontmatter",
  },
  "procmgr ptree postmortem prompt TempDir $which formatDuration formatNumber formatBytes truncate sanitizeText",
);
