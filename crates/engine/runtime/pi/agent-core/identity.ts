// How agents present themselves to providers.
import { PI_ATTRIBUTION } from "../ai/identity.ts";

/** The identity of an agent that sets none. */
export const DEFAULT_AGENT_IDENTITY = { attribution: PI_ATTRIBUTION };
