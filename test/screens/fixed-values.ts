import type {Run} from './runs.ts';

const wholeEnd = 'agent=visitor';

/** What differs each time the scene is played, and its value in the picture. */
const fixedValues: readonly (readonly [pattern: RegExp, value: string])[] = [
	[/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g, '7d9f3a52-0c41-4b6e-9d27-5e8a1f6b3c90'],
	[/\b[\da-f]{8}\b/g, '7d9f3a52'],
	[/\/tmp\/service-test-\w+/g, '~/shop'],
	[/duration=[\d.]+ms/g, 'duration=2.4ms'],
	[/duration=[\d.]+…/g, 'duration=2.…'],
	// A longer duration leaves less of it in a row that ends at the edge.
	[/\bagent=v\w*$/g, wholeEnd],
	[/\bThought for [\d.]+ s:/g, 'Thought:'],
	[/^· [\d.]+ m?s · /g, '· 24 ms · '],
	[/^\(\d{3}\) · Enter open/g, '(145) · Enter open'],
	[/↓ \d{3} more/g, '↓ 133 more'],
	[/\b\d\d min ago\b/g, '12 min ago'],
	[/^\d{2,} lines$/g, '17 lines'],
	[/^· \d{2,} lines · Ctrl\+G/g, '· 22 lines · Ctrl+G'],
	[/\bsandbox (?:1 h 00 m|\d+ min)/g, 'sandbox 59 min'],
	[/\bcontext \d+%/g, 'context 5%'],
	[/\(\d{4}-\d\d-\d\d \d\d:\d\d UTC\)/g, '(2026-03-02 10:41 UTC)'],
];

const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const clock = /\b\d\d:\d\d:\d\d\.\d{3}\b/g;

/**
 * Returns what gives a row of runs fixed ids, times, durations and counts. What follows a longer or shorter value moves along,
 * and ends at the edge of the window.
 */
export function withFixedValues(columns: number) {
	return (runs: readonly Run[], row: number): readonly Run[] => fixedRow(runs, row, columns);
}

const cut = '…';

function fixedRow(runs: readonly Run[], row: number, columns: number): readonly Run[] {
	const timeOfRow = `2026-03-02T09:41:${String(row).padStart(2, '0')}.352Z`;
	const isCut = runs.at(-1)?.text === cut;
	const fixed: Run[] = [];
	let moved = 0;
	for (const run of isCut ? runs.slice(0, -1) : runs) {
		const text = fixedValues
			.reduce((fixed, [pattern, value]) => fixed.replace(pattern, value), run.text)
			.replace(time, timeOfRow)
			.replace(clock, timeOfRow.slice(11, 23));
		const change = text.length - run.text.length;
		fixed.push({...run, text, column: run.column + moved, width: run.width + change});
		moved += change;
	}

	const [last, mark] = [fixed.at(-1), runs.at(-1)];
	if (!isCut || !last || !mark) {
		return fixed;
	}

	if (!last.text.endsWith(wholeEnd)) {
		return [...fixed, {...mark, column: mark.column + moved}];
	}

	const width = columns - 1 - last.column;
	const isWhole = last.width <= width + 1;
	return isWhole
		? fixed
		: [...fixed.slice(0, -1), {...last, text: last.text.slice(0, width), width}, {...mark, column: columns - 1}];
}
