// What is left out of the comparison of requests, and why. Differences of single formats are rows of
// `../known-differences.json` and `../open.json` instead, with ids of docs/differences.md.

/** Headers that are not compared. */
const IGNORED = {
	host: "the server's address, another in each run",
	"content-length": "follows from the body",
	accept: "the vendors' SDKs ask for JSON and get a stream; tau asks for the stream",
	connection: "transport",
	"accept-encoding": "transport",
	"accept-language": "set by Node's fetch",
	"sec-fetch-mode": "set by Node's fetch",
	"content-encoding": "whether the body is packed for the way",
	"transfer-encoding": "transport",
	"user-agent": "each program names itself",
	"x-amz-user-agent": "each program names itself",
	"x-goog-api-client": "names the vendor's SDK, which tau does not use",
	"anthropic-dangerous-direct-browser-access": "a consent that the vendor's SDK asks of its callers",
	"amz-sdk-invocation-id": "a number that the vendor's SDK draws",
	"amz-sdk-request": "a counter of the vendor's SDK",
	"x-amz-date": "a time",
	"x-amz-content-sha256": "follows from the body",
};

/** Families of such headers. */
const IGNORED_PREFIXES = { "x-stainless-": "statistics of the vendor's SDKs" };

/** Values of which a part is not the same in two runs. */
const SHORTENED = {
	// Who signs for what is compared; the signature follows from the body and the time.
	authorization: (value) => (value.startsWith("AWS4-HMAC-SHA256") ? value.replace(/\/\d{8}\//, "/<date>/").replace(/, *SignedHeaders=.*/, "") : value),
	"content-type": (value) => value.replace(/; *charset=utf-8/i, ""),
};

/** The line of a request and those of its headers that have a meaning for the provider. */
export function headOf({ method, path, query, headers }) {
	const kept = Object.entries(headers).filter(([name]) => !(name in IGNORED) && !Object.keys(IGNORED_PREFIXES).some((prefix) => name.startsWith(prefix)));
	return {
		method,
		// A colon may be written either way.
		path: path.replaceAll("%3A", ":"),
		query,
		headers: Object.fromEntries(kept.map(([name, value]) => [name, SHORTENED[name]?.(value) ?? value])),
	};
}


/** How each program begins its system prompt (N1 of docs/differences.md). */
const PROMPTS = /^You are (a coding assistant running inside pi|tau, a coding agent)/;

/** A body without the words that are each program's own: the system prompt, and descriptions of tools (N1 and N2). */
export function bodyOf({ body }) {
	const visit = (value, inTools) => {
		if (typeof value === "string") return PROMPTS.test(value) ? "<system prompt>" : value;
		if (Array.isArray(value)) return value.map((item) => visit(item, inTools));
		if (value === null || typeof value !== "object") return value;
		return Object.fromEntries(
			Object.entries(value).map(([name, inner]) => {
				if (inTools && name === "description" && typeof inner === "string") return [name, "<description>"];
				return [name, visit(inner, inTools || name === "tools")];
			}),
		);
	};
	return visit(body, false);
}
