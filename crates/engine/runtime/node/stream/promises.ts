/** `node:stream/promises`. */

import { finishedPromise as finished } from "../../internal/streams/finished.ts";
import { pipelinePromise as pipeline } from "../../internal/streams/pipeline.ts";

export { finished, pipeline };

export default { finished, pipeline };
