// Compares two values and sorts the differences into those that
// known-differences.json declares and those that nobody declared.

import assert from "node:assert/strict";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { selfCheck } from "./agents.mjs";

const read = (name) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), "utf8")).differences;

/** What tau keeps, with ids of the document, and what it does not do yet, with the words of what is to be done. */
const [kept, open] = [read("known-differences.json"), read("open.json")];
const documentUrl = new URL("../../docs/differences.md", import.meta.url);

/**
 * Says that a row of open.json is done, with `UPDATE_OPEN` set: `run` strikes it at the end. `left` is what is still open of
 * it, such as other names. False when nothing is to be changed.
 */
export function strike(row, left) {
	if (!process.env.UPDATE_OPEN || !open.includes(row)) return false;
	appendFileSync(process.env.UPDATE_OPEN, `${JSON.stringify({ row, left })}\n`);
	return true;
}

/** Rows of the table that an assertion of this process has needed. */
const used = new Set();

/** The declared rows for one kind of comparison, for example "events". The reference has none against itself. */
function rowsFor(kind) {
	return selfCheck ? [] : [...kept, ...open].filter((row) => isIn(row, kind));
}

/** Whether a row is one of this comparison; `wire.body.*` is that of every format. */
function isIn(row, kind) {
	return row.in === kind || (row.in.endsWith(".*") && kind.startsWith(row.in.slice(0, -1)));
}

/** Whether a row counts in a run: in its own, or in each when it names none. */
function countsIn(run) {
	return (row) => row.run === undefined || row.run === run;
}

/** Every declared row: those of the document, and those that are open. */
export const allRows = { kept, open };

/** Ids of the rows in the documentation's table, or undefined while there is no such document. */
export function documentedIds() {
	if (!existsSync(documentUrl)) return undefined;
	const ids = new Set();
	for (const line of readFileSync(documentUrl, "utf8").split("\n")) {
		const cell = /^\|\s*([^|]+?)\s*\|/.exec(line)?.[1];
		if (cell) ids.add(cell.replace(/[`*]/g, ""));
	}
	return ids;
}

/**
 * Asserts that `tau` equals `reference` but for the declared differences of
 * this kind. `kind` and `run` select the rows, `what` names the comparison on failure.
 */
export function assertSame(kind, what, reference, tau, { run } = {}) {
	const rows = rowsFor(kind).filter(countsIn(run));
	const [expected, actual] = withoutDeclaredElements(kind, reference, tau, { run });
	const undeclared = diff(expected, actual).filter((difference) => {
		const row = rows.find((candidate) => candidate.path && pattern(candidate.path).test(difference.path));
		if (row) used.add(row);
		return !row;
	});
	if (undeclared.length === 0) return;
	const groups = grouped(undeclared);
	const shown = groups.slice(0, MAX_SHOWN).map(
		({ path, count, reference, tau }) => `  ${path}${count > 1 ? ` (${count} times)` : ""}\n    reference: ${reference}\n    tau:       ${tau}`,
	);
	const more = groups.length > shown.length ? `\n  … and ${groups.length - shown.length} more` : "";
	assert.fail(`${what}: ${undeclared.length} undeclared difference(s)\n${shown.join("\n")}${more}`);
}

/**
 * Runs a check of something that is compared in another way. While a row of open.json names it, the check has to fail; once
 * it passes, the row is to be struck.
 */
export async function unlessOpen(kind, run, check) {
	const row = selfCheck ? undefined : open.find((candidate) => candidate.in === kind && candidate.run === run);
	if (!row) return check();
	used.add(row);
	try {
		await check();
	} catch {
		return;
	}
	if (strike(row)) return;
	assert.fail(`this is done, so its row in open.json is to be struck: ${row.row}`);
}

/** Rows of open.json for one kind of comparison. */
export const openRows = (kind) => (selfCheck ? [] : open.filter((row) => row.in === kind));

/** Both values without the elements of lists that declared rows take out or move. */
export function withoutDeclaredElements(kind, reference, tau, { run } = {}) {
	const rows = rowsFor(kind).filter(countsIn(run));
	return moveDeclared(
		rows,
		skipDeclared(rows, "reference", dropDeclared(rows, "reference", reference)),
		skipDeclared(rows, "tau", dropDeclared(rows, "tau", tau)),
	);
}

const MAX_SHOWN = 30;

/** The same difference at several places is told once, at its first place. */
function grouped(differences) {
	const groups = new Map();
	for (const difference of differences) {
		const [reference, tau] = [show(difference.reference), show(difference.tau)];
		const key = JSON.stringify([difference.path.replace(/\d+/g, "*"), reference, tau]);
		const group = groups.get(key) ?? { path: difference.path || "(whole value)", count: 0, reference, tau };
		group.count += 1;
		groups.set(key, group);
	}
	return [...groups.values()];
}

/** Asserts that each declared row of the kind, if it `counts`, was needed: a stale row hides a later regression. */
export function assertNoStaleRows(kinds, counts = () => true) {
	const unused = kinds.flatMap(rowsFor).filter((row) => counts(row) && !used.has(row));
	const stale = unused.filter((row) => !strike(row));
	assert.deepEqual(stale, [], "declared differences that no longer exist");
}

/** Removes the elements of a list that a row says only one side has. */
function dropDeclared(rows, side, value) {
	const drops = rows.filter((row) => row.drop && (row.side ?? "reference") === side);
	const visit = (item) => {
		if (Array.isArray(item)) {
			return item.filter((element) => !drops.some((row) => matchesDrop(row, element))).map(visit);
		}
		if (item && typeof item === "object") {
			return Object.fromEntries(Object.entries(item).map(([key, inner]) => [key, visit(inner)]));
		}
		return item;
	};
	return drops.length > 0 ? visit(value) : value;
}

function matchesDrop(row, element) {
	const found = matches(row.drop, element);
	if (found) used.add(row);
	return found;
}

/** Whether an element has all of these values at these paths. */
function matches(wanted, element) {
	return Object.entries(wanted).every(([path, value]) => path.split(".").reduce((inner, key) => inner?.[key], element) === value);
}

/**
 * Leaves out the parts of a list that a row says only one side has, or that both have in another way; with `after`, the
 * first such part behind that element.
 */
function skipDeclared(rows, side, value) {
	let list = value;
	for (const row of rows.filter(({ skip }) => skip && (skip.side ?? side) === side)) {
		const after = row.skip.after ? list.findIndex((element) => matches(row.skip.after, element)) : -1;
		const from = list.findIndex((element, index) => index > after && matches(row.skip.from, element));
		const until = list.findIndex((element, index) => index > from && matches(row.skip.until, element));
		if (from < 0 || until < 0) continue;
		used.add(row);
		list = list.toSpliced(from, until - from);
	}
	return list;
}

/**
 * Takes elements out of both lists that a row says stand at another place, and compares them among themselves: each
 * list becomes one of what stayed and of what was moved. Rows that are not needed move nothing.
 */
function moveDeclared(rows, reference, tau) {
	const moves = rows.filter((row) => row.move);
	const isMoved = (element) => moves.some((row) => matches(row.move, element));
	const places = (list) => list.map((element) => moves.findIndex((row) => matches(row.move, element)));
	if (moves.length === 0 || isDeepStrictEqual(places(reference), places(tau))) return [reference, tau];
	for (const row of moves) if (tau.some((element) => matches(row.move, element))) used.add(row);
	const split = (list) => [...list.filter((element) => !isMoved(element)), ...list.filter(isMoved)];
	return [split(reference), split(tau)];
}

/** Leaves at which two values differ, with their path: `messages[0].content`. */
export function diff(reference, tau, path = "") {
	if (isDeepStrictEqual(reference, tau)) return [];
	if (Array.isArray(reference) && Array.isArray(tau)) {
		if (reference.length !== tau.length) {
			const common = firstDifference(reference, tau);
			return [
				{ path: `${path}.length`, reference: reference.length, tau: tau.length },
				...diff(reference[common], tau[common], `${path}[${common}]`),
			];
		}
		return reference.flatMap((item, index) => diff(item, tau[index], `${path}[${index}]`));
	}
	if (isObject(reference) && isObject(tau)) {
		const keys = new Set([...Object.keys(reference), ...Object.keys(tau)]);
		return [...keys].flatMap((key) => diff(reference[key], tau[key], path ? `${path}.${key}` : key));
	}
	return [{ path, reference, tau }];
}

function firstDifference(left, right) {
	let index = 0;
	while (index < left.length && isDeepStrictEqual(left[index], right[index])) index += 1;
	return index;
}

function isObject(value) {
	return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** `[*]` is any index, `*` one name, `**` any rest. */
function pattern(glob) {
	const source = glob
		.replace(/[.+^${}()|[\]\\]/g, "\\$&")
		.replaceAll("\\[*\\]", "\\[\\d+\\]")
		.replaceAll("**", "\0")
		.replaceAll("*", "[^.[]+")
		.replaceAll("\0", ".*");
	return new RegExp(`^${source}$`);
}

function show(value) {
	const json = value === undefined ? "(absent)" : JSON.stringify(value);
	return json.length > 300 ? `${json.slice(0, 300)}…` : json;
}
