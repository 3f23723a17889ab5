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
	// The folder of a project's sessions is named after the project's.
	const folder = home.root.slice(1).replaceAll("/", "-");
	const text = (value) =>
		value
			.replaceAll(home.root, "<root>")
			.replaceAll(folder, "<root>")
			.replaceAll(origin ?? "\0", "<origin>")
			.replace(SESSION_FILE, "<session>");
	const visit = (value, key, parent) => {
		if (typeof value === "string") {
			if (key === "timestamp") return "<time>";
			if (key === "id" && parent?.type === "session") return "<session id>";
			if (isEntryId(key, parent)) return idOf(value);
			return text(value);
		}
		if (typeof value === "number") {
			if (TIMES.has(key)) return "<time>";
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

/** Fields with a time, or with how long something took. */
export const TIMES = new Set(["timestamp", "durationMs", "wall_time_seconds"]);

/** The name of a session file, without its ending. */
const SESSION_FILE = /\d{4}-\d\d-\d\dT[\d-]+Z_[0-9a-f]{8}-[0-9a-f-]{27}/g;

const COST_FIELDS = new Set(["input", "output", "cacheRead", "cacheWrite", "total", "cost"]);

/** Token counts are whole numbers, so rounding them with the prices changes nothing. */
function isCost(key) {
	return COST_FIELDS.has(key);
}

/** Session and entry ids; ids of tool calls and responses come from the script and must be equal. */
function isEntryId(key, parent) {
	if (key === "entryId" || key === "leafId" || key === "sessionId") return true;
	if (key === "id" && parent?.type === "extension_ui_request") return true;
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

/**
 * Records, entries and trees without the messages of role `system`, which tau does not keep (D16 of
 * docs/differences.md). What stood behind such an entry stands behind the one before it.
 */
export function withoutSystemMessages(value) {
	const parents = new Map();
	const isSystem = (item) => item?.role === "system" || item?.message?.role === "system";
	const collect = (item) => {
		if (Array.isArray(item)) return item.forEach(collect);
		if (!item || typeof item !== "object") return;
		if (item.type === "message" && isSystem(item)) parents.set(item.id, item.parentId);
		Object.values(item).forEach(collect);
	};
	collect(value);
	const real = (id) => (parents.has(id) ? real(parents.get(id)) : id);
	const visit = (item) => {
		if (Array.isArray(item)) {
			return item.filter((element) => !isSystem(element)).flatMap((element) =>
				isSystem(element?.entry) ? visit(element.children) : [visit(element)],
			);
		}
		if (!item || typeof item !== "object") return item;
		const copy = Object.fromEntries(Object.entries(item).map(([name, inner]) => [name, visit(inner)]));
		for (const name of ["parentId", "leafId"]) if (copy[name]) copy[name] = real(copy[name]);
		return copy;
	};
	return visit(value);
}
