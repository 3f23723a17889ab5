// Random values that are the same for the same number, so that a failure can be repeated.

/** Functions that draw from the sequence that begins with `seed`. */
export function randomFrom(seed) {
	let state = seed >>> 0;
	const next = () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
	const below = (count) => Math.floor(next() * count);
	const one = (list) => list[below(list.length)];
	const word = () => one(["alpha", "Öl und \"Salz\"", "日本", "a.b", "", "\\n\n\ttab", "𝕏👩‍👩‍👧", "__proto"]) + below(100);
	/** Any JSON value, some levels deep. */
	const value = (depth = 2) => {
		const kind = below(depth > 0 ? 7 : 5);
		if (kind === 0) return null;
		if (kind === 1) return next() < 0.5;
		if (kind === 2) return one([0, -1, 1.5, 1e21, 2 ** 53, below(1000)]);
		if (kind < 5) return word();
		if (kind === 5) return Array.from({ length: below(4) }, () => value(depth - 1));
		return Object.fromEntries(Array.from({ length: below(4) }, () => [word(), value(depth - 1)]));
	};
	/** The list in another order. */
	const shuffled = (list) => list.map((item) => [next(), item]).sort(([left], [right]) => left - right).map(([, item]) => item);
	return { next, below, one, word, value, shuffled };
}
