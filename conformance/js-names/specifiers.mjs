// The modules whose names are compared, with the packages that publish them (folders below node_modules). What the
// reference gives to extensions comes from inside it.
const SECOND = "@earendil-works";
const FIRST = "first-generation/node_modules/@mariozechner";

/** Modules that the reference does not give to extensions: its loader looks for them beside the extension. */
export const NOT_IN_REFERENCE = ["pi-agent-core/node"];

/** Specifier of an extension → modules that have been published under it. */
export const SPECIFIERS = {
  "pi-coding-agent": [`${SECOND}/pi-coding-agent/dist/index.js`, "first-generation/dist/index.js"],
  "pi-ai": [`${SECOND}/pi-ai/dist/index.js`, `${SECOND}/pi-ai/dist/compat.js`, `${FIRST}/pi-ai/dist/index.js`],
  "pi-ai/oauth": [`${SECOND}/pi-ai/dist/oauth.js`, `${FIRST}/pi-ai/dist/oauth.js`],
  "pi-ai/compat": [`${SECOND}/pi-ai/dist/compat.js`],
  "pi-ai/models": [],
  "pi-ai/providers/all": [`${SECOND}/pi-ai/dist/providers/all.js`],
  "pi-ai/bedrock-provider": [`${SECOND}/pi-ai/dist/bedrock-provider.js`, `${FIRST}/pi-ai/dist/bedrock-provider.js`],
  "pi-agent-core": [`${SECOND}/pi-agent-core/dist/index.js`, `${FIRST}/pi-agent-core/dist/index.js`],
  "pi-agent-core/node": [`${SECOND}/pi-agent-core/dist/node.js`],
  "pi-tui": [`${SECOND}/pi-tui/dist/index.js`, `${FIRST}/pi-tui/dist/index.js`],
};
