// Models that an extension answers for with others.

/** The type of the custom entries that hold what routers remember. */
export const VIRTUAL_MODEL_STATE_ENTRY = "pi.virtual-model-state";
