// A headless Chromium, and what its screenshots show.

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inflateSync } from "node:zlib";
import { findProgram } from "./programs.mjs";

/** The browser's command. Installs it where it is missing; `{ reason }` where that cannot be done. */
export const findBrowser = () => findProgram("Chromium", ["chromium", "chromium-browser", "google-chrome"], "--version");

/** What the browser makes of a file: its document after scripts ran, and a picture of it. */
export async function open(command, file) {
	const profile = mkdtempSync(join(tmpdir(), "conformance-browser-"));
	const picture = join(profile, "page.png");
	const flags = [
		"--headless",
		"--no-sandbox",
		"--disable-gpu",
		"--disable-dev-shm-usage",
		"--no-first-run",
		"--hide-scrollbars",
		"--window-size=1200,1600",
		`--user-data-dir=${profile}`,
	];
	const run = (...more) =>
		new Promise((resolve, reject) => {
			const args = [...flags, ...more, pathToFileURL(file).href];
			execFile(command, args, { maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
				if (error) reject(new Error(`${error.message}\n${stderr}`));
				else resolve({ stdout, stderr });
			});
		});
	try {
		const { stdout } = await run("--dump-dom");
		await run(`--screenshot=${picture}`);
		return { dom: stdout, colours: colours(readFileSync(picture)) };
	} finally {
		rmSync(profile, { recursive: true, force: true });
	}
}

/** How often each colour stands in a PNG of 8 bits a channel, as browsers write them. */
export function colours(png) {
	const parts = [];
	let width, height, channels;
	for (let at = 8; at < png.length; ) {
		const length = png.readUInt32BE(at);
		const data = png.subarray(at + 8, at + 8 + length);
		const type = png.toString("latin1", at + 4, at + 8);
		if (type === "IHDR") {
			[width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
			channels = { 2: 3, 6: 4 }[data[9]];
			if (data[8] !== 8 || !channels || data[12] !== 0) throw new Error("a PNG of another kind");
		}
		if (type === "IDAT") parts.push(data);
		at += length + 12;
	}
	const raw = inflateSync(Buffer.concat(parts));
	const stride = width * channels;
	let above = Buffer.alloc(stride);
	const counts = new Map();
	for (let y = 0; y < height; y += 1) {
		const filter = raw[y * (stride + 1)];
		const line = raw.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1));
		for (let x = 0; x < stride; x += 1) {
			const left = x >= channels ? line[x - channels] : 0;
			const corner = x >= channels ? above[x - channels] : 0;
			line[x] += [0, left, above[x], (left + above[x]) >> 1, paeth(left, above[x], corner)][filter];
		}
		for (let x = 0; x < stride; x += channels) {
			const colour = line.readUIntBE(x, 3);
			counts.set(colour, (counts.get(colour) ?? 0) + 1);
		}
		above = line;
	}
	return counts;
}

function paeth(left, above, corner) {
	const guess = left + above - corner;
	const [a, b, c] = [left, above, corner].map((value) => Math.abs(guess - value));
	if (a <= b && a <= c) return left;
	return b <= c ? above : corner;
}
