import type {Run} from './runs.ts';

/** What differs each time the scene is played, and its value in the picture. */
const fixedValues: readonly (readonly [pattern: RegExp, value: string])[] = [
	[/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g, '7d9f3a52-0c41-4b6e-9d27-5e8a1f6b3c90'],
	[/\b[\da-f]{8}\b/g, '7d9f3a52'],
	[/\/tmp\/service-test-\w+/g, '~/shop'],
	[/duration=[\d.]+ms/g, 'duration=2.4ms'],
	[/duration=[\d.]+…/g, 'duration=2.…'],
	[/\bThought for [\d.]+ s:/g, 'Thought:'],
	[/^· [\d.]+ m?s · /g, '· 24 ms · '],
	[/^\(\d{3}\) · Enter open/g, '(145) · Enter open'],
	[/^\d{2,} lines$/g, '17 lines'],
	[/^· \d{2,} lines · Ctrl\+G/g, '· 22 lines · Ctrl+G'],
	[/\bsandbox (?:1 h 00 m|\d+ min)/g, 'sandbox 59 min'],
	[/\bcontext \d+%/g, 'context 5%'],
	[/\(\d{4}-\d\d-\d\d \d\d:\d\d UTC\)/g, '(2026-03-02 10:41 UTC)'],
];

const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const clock = /\b\d\d:\d\d:\d\d\.\d{3}\b/g;

/** Returns a row of runs with fixed ids, times, durations and counts. What follows a longer or shorter value moves along. */
export function withFixedValues(runs: readonly Run[], row: number): readonly Run[] {
	const timeOfRow = `2026-03-02T09:41:${String(row).padStart(2, '0')}.352Z`;
	let moved = 0;
	return runs.map(run => {
		const text = fixedValues
			.reduce((fixed, [pattern, value]) => fixed.replace(pattern, value), run.text)
			.replace(time, timeOfRow)
			.replace(clock, timeOfRow.slice(11, 23));
		const change = text.length - run.text.length;
		const fixed = {...run, text, column: run.column + moved, width: run.width + change};
		moved += change;
		return fixed;
	});
}
