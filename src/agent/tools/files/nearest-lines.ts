import {cutText} from '../../../core/cut-text.ts';
import {redactKnownLines} from '../../../core/secrets/redact.ts';

/** Most lines that are compared, and most that are shown. */
const maxCompared = 50_000;
const maxShown = 6;
/** Longer lines are compared and shown up to here. */
const maxLineLength = 300;
/** The least similarity of a line that is worth showing, from 0 to 1. */
const leastSimilar = 0.4;

/**
 * Returns the lines that are most similar to a text, each as its number, a tab and its text; empty if none is similar.
 * They are for the model, so credentials are hidden (SAFETY 8).
 */
export function nearestLines(lines: readonly string[], wanted: string): string {
	const sought = wanted
		.split('\n')
		.slice(0, maxShown)
		.map(line => line.slice(0, maxLineLength));
	const anchor = sought.findIndex(line => line.trim() !== '');
	const target = pairsOf(sought[anchor] ?? '');
	let best = {index: -1, score: leastSimilar};
	for (const [index, line] of lines.slice(0, maxCompared).entries()) {
		const first = similarity(target, pairsOf(line.slice(0, maxLineLength)));
		if (first > leastSimilar / 2) {
			const score = first + followingMatches(lines, index, sought.slice(anchor + 1));
			best = score > best.score ? {index, score} : best;
		}
	}

	if (best.index < 0) {
		return '';
	}

	const start = Math.max(0, best.index - anchor);
	return redactKnownLines(lines)
		.slice(start, start + sought.length)
		.map((line, index) => `${start + index + 1}\t${cutText(line, maxLineLength)}`)
		.join('\n');
}

/** Returns how many of the next lines are the same but for white space. */
function followingMatches(lines: readonly string[], index: number, sought: readonly string[]): number {
	return sought.filter((line, offset) => {
		const text = line.trim();
		return text !== '' && lines[index + offset + 1]?.trim() === text;
	}).length;
}

/** Returns the pairs of neighbouring characters, without white space. */
function pairsOf(line: string): ReadonlySet<string> {
	const text = line.replace(/\s+/g, '');
	const pairs = new Set<string>();
	for (let index = 0; index < Math.max(1, text.length - 1); index++) {
		pairs.add(text.slice(index, index + 2));
	}

	return pairs;
}

/** Returns the Dice coefficient of two sets, from 0 to 1. */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
	let shared = 0;
	for (const pair of a) {
		shared += b.has(pair) ? 1 : 0;
	}

	return (2 * shared) / (a.size + b.size);
}
