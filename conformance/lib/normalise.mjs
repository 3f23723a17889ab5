// Removes from recorded values what cannot be the same in two runs: ids,
// times, directories, ports. Everything else is left for the comparison.

/**
 * A function that replaces the run's own directory and server address in
 * every string of a value, and numbers entry ids by first appearance.
 */
export function normaliser(home, origin) {
	const ids = new Map();
	const idOf = (id) => {
		if (!ids.has(id)) ids.set(id, `<id ${ids.size + 1}>`);
		return ids.get(id);
	};
	const text = (value) => value.replaceAll(home.root, "<root>").replaceAll(origin ?? "\0", "<origin>");
	const visit = (value, key, parent) => {
		if (typeof value === "string") {
			if (key === "timestamp") return "<time>";
			if (isEntryId(key, parent)) return idOf(value);
			return text(value);
		}
		if (typeof value === "number") {
			if (key === "timestamp") return "<time>";
			return parent && isCost(key) ? Number(value.toFixed(12)) : value;
		}
		if (Array.isArray(value)) return value.map((item) => visit(item));
		if (value && typeof value === "object") {
			return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, visit(item, name, value)]));
		}
		return value;
	};
	return (value) => visit(value);
}

const COST_FIELDS = new Set(["input", "output", "cacheRead", "cacheWrite", "total"]);

/** Token counts are whole numbers, so rounding them with the prices changes nothing. */
function isCost(key) {
	return COST_FIELDS.has(key);
}

/** Session and entry ids; ids of tool calls and responses come from the script and must be equal. */
function isEntryId(key, parent) {
	if (key === "parentId" || key === "targetId" || key === "firstKeptEntryId" || key === "fromId") return true;
	return key === "id" && typeof parent?.type === "string" && "timestamp" in parent;
}

/**
 * Progress of a running tool arrives in pieces that depend on the scheduler:
 * of the updates of one call only the first and the last are kept.
 */
export function firstAndLastUpdates(events) {
	const isUpdate = (event) => event.type === "tool_execution_update";
	return events.filter((event, index) => {
		if (!isUpdate(event)) return true;
		const same = (other) => isUpdate(other) && other.toolCallId === event.toolCallId;
		return !events.slice(0, index).some(same) || !events.slice(index + 1).some(same);
	});
}
