import {cutText} from '../../../core/cut-text.ts';
import {unseenCharacters} from '../../../core/json.ts';
import {redactKnownLines} from '../../../core/secrets/redact.ts';

const unseen = new RegExp(`[${unseenCharacters}\\p{Zs}\\p{M}]`, 'u');

/** Most lines that are compared, and most that are shown. */
const maxCompared = 50_000;
const maxShown = 6;
/** Longer lines are compared and shown up to here. */
const maxLineLength = 300;
/** Lines around the shown ones in which a private key is still recognized. */
const maxKeyLines = 300;
/** The least similarity of a line that is worth showing, from 0 to 1. */
const leastSimilar = 0.4;

/**
 * Returns the lines that are most similar to a text, each as its number, a tab and its text, and how they differ; empty if none is similar.
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
	const from = Math.max(0, start - maxKeyLines);
	const near = lines.slice(from, start + sought.length + maxKeyLines);
	const shown = redactKnownLines(near).slice(start - from, start - from + sought.length);
	return [
		...shown.map((line, index) => `${start + index + 1}\t${cutText(line, maxLineLength)}`),
		...differences(shown, wanted.split('\n'), start),
	].join('\n');
}

/** Most lines whose difference is drawn. */
const maxDrawn = 3;
/** Characters that are drawn before and behind the first difference. */
const aroundDifference = 60;

/** Draws the lines that differ as the file has them and as they were sought, so that white space and look-alikes are seen. */
function differences(lines: readonly string[], sought: readonly string[], start: number): readonly string[] {
	const drawn = lines.flatMap((line, index) => {
		const wanted = sought[index] ?? '';
		return line === wanted ? [] : [[index, line, wanted] as const];
	});
	if (drawn.length === 0) {
		return [];
	}

	return [
		'What differs (→ is a tab, · a space):',
		...drawn.slice(0, maxDrawn).flatMap(([index, line, wanted]) => {
			const at = firstDifference(line, wanted);
			return [
				`line ${start + index + 1} has: ${drawAround(line, wanted, at)}`,
				`old_text has: ${drawAround(wanted, line, at)}`,
			];
		}),
	];
}

function firstDifference(one: string, other: string): number {
	let at = 0;
	while (at < one.length && one[at] === other[at]) {
		at++;
	}

	return at;
}

/** Returns a line from shortly before its difference on, with blanks drawn, and the code points named that the other has not. */
function drawAround(line: string, other: string, at: number): string {
	const from = Math.max(0, at - aroundDifference);
	const part = line.slice(from, at + 2 * aroundDifference);
	const text = [...part].map(character => draw(character, other)).join('');
	return `${from > 0 ? '…' : ''}${text}${from + part.length < line.length ? '…' : ''}`;
}

function draw(character: string, other: string): string {
	if (character === '\t' || character === ' ') {
		return character === ' ' ? '·' : '→';
	}

	const code = character.codePointAt(0) ?? 0;
	const isUnseen = unseen.test(character);
	if (!isUnseen && (code < 0x80 || other.includes(character))) {
		return character;
	}

	return `${isUnseen ? '' : character}⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
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
