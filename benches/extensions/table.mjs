// The rows that are printed in the end: both programs, how they compare, and whether a goal is held.

export class Table {
	#rows = [["", "reference", "tau", "ratio", "goal", "held"]];

	/**
	 * `values` are what the programs took: { reference, tau }, each with `median` and `least`; `unit` shows a number.
	 * The goal is `times` (so many times less than the reference) and, or, `below` (a number); at least as good as the
	 * reference is always a goal where there is one: some things it cannot do. `other` is another build of tau, which
	 * should take at most half as much again.
	 */
	compare(what, { reference, tau, other }, unit, { times = 1, below = Infinity } = {}) {
		const ratio = reference ? reference.median / tau.median : Infinity;
		const goal = [times > 1 ? `${times}×` : "≥ 1×", below < Infinity ? `< ${unit(below)}` : ""].filter(Boolean).join(", ");
		const range = ({ median, least }) => (least === median ? unit(median) : `${unit(median)} (least ${unit(least)})`);
		const shown = (values) => (values ? range(values) : "cannot");
		const held = ratio >= times && tau.median < below;
		this.#rows.push([what, shown(reference), shown(tau), reference ? `${ratio.toFixed(ratio < 10 ? 2 : 0)}×` : "", goal, held ? "yes" : "NO"]);
		if (!other) return;
		const more = other.median / tau.median;
		this.#rows.push(["  the other build", "", shown(other), `${more.toFixed(2)} of tau`, "≤ 1.5", more <= 1.5 ? "yes" : "NO"]);
	}

	print() {
		const widths = this.#rows[0].map((_, column) => Math.max(...this.#rows.map((row) => row[column].length)));
		console.log();
		for (const row of this.#rows) console.log(row.map((cell, column) => cell.padEnd(widths[column])).join("  ").trimEnd());
	}
}

export const milliseconds = (value) => `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ms`;
export const microseconds = (value) => `${value.toFixed(2)} µs`;
export const megabytes = (value) => `${(value / 1e6).toFixed(1)} MB`;

/** The middle one and the smallest of some numbers. */
export function summary(values) {
	const sorted = values.toSorted((a, b) => a - b);
	return { median: sorted[sorted.length >> 1], least: sorted[0] };
}
