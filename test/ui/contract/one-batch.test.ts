import fc from 'fast-check';
import {expect, test} from 'vitest';
import {openPanel} from '../../../src/ui/panels/panels.ts';
import {beginSync, endSync} from '../../../src/ui/screen/screen.ts';
import {follow, followLog} from './cell.ts';
import {startInTerminal} from './contract-app.ts';
import {openEmulated} from './emulated-terminal.ts';
import {kinds, type TerminalKind} from './kinds.ts';
import {type Opened, opened} from './opened.ts';
import {calmMs, everything} from './storms.ts';
import {startVirtualTime, type VirtualTime} from './virtual-time.ts';

type Size = readonly [columns: number, rows: number];

/** The window before and after all steps. */
const whole: Size = [80, 24];

/** What can be opened and left while an answer streams: keys or a panel, and the key that leaves it. */
const openings = {
	'a picker and Enter': {what: opened['a picker'], leave: '\r'},
	'a picker and Esc': {what: opened['a picker'], leave: '\u001b'},
	'a table': {what: opened['a table'], leave: '\u001b'},
	'an approval': {what: opened['an approval'], leave: '\u001b'},
	'a short approval': {what: opened['a short approval'], leave: '\u001b'},
	'the transcript': {what: '\u000f', leave: '\u001b'},
	'the log viewer': {what: '\u0007', leave: '\u001b'},
} as const;

type Opening = {readonly what: Opened; readonly leave: string};

/** A burst of sizes, or something that is opened and left, perhaps in a window that was resized meanwhile. */
type Step = {
	readonly sizes: readonly Size[];
	readonly opens: keyof typeof openings | undefined;
	readonly waitMs: number;
};

/** Longer than the app waits for the rest of a key behind Esc. */
const escapeMs = 100;

/** What draws nothing in the window: questions for the cursor and the size, titles, progress and the bell. */
const drawsNothing = /\u001b\[(?:6n|18t)|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u0007/g;

/** Returns what is wrong with a write: it is one batch, or draws nothing. */
function faultOf(data: string): string | undefined {
	const [before = '', ...batches] = data.split(beginSync);
	const [, ...after] = batches.join('').split(endSync);
	const outside = [before, ...after].join('').replaceAll(drawsNothing, '');
	return batches.length <= 1 && after.length === batches.length && outside === '' ? undefined : JSON.stringify(data);
}

/** Returns the word of an answer that many words long, with the end of its paragraph. */
const wordOf = (count: number) => (count % 9 === 0 ? `Word ${count}.\n\n` : `Word ${count} and so on. `);

/** How often a word is said, in milliseconds. */
const wordMs = 20;

/** Starts an app in a window of the terminal, with a log below the prompt and an answer that has not begun. */
async function startAnswering(kind: TerminalKind, time: VirtualTime) {
	const terminal = openEmulated(kind, ...whole);
	const app = await startInTerminal({kind, terminal, time, more: [follow]});
	await app.waitFor('Demo model');
	await followLog(app);
	await app.type('go\r');
	await app.waitFor(app.isAsked);
	return {terminal, app};
}

/** Ends the answer and the app. Returns what the terminal has then. */
async function endOf({terminal, app}: Awaited<ReturnType<typeof startAnswering>>, time: VirtualTime) {
	app.say('\n\nThe end.');
	app.finish();
	await time.pass(calmMs * 3);
	const cursor = await terminal.cursor();
	const text = everything(terminal)
		.text.replace(/\/service-test-\w+/, '')
		.trimEnd()
		.split('\n');
	const above = terminal.scrollback().length;
	const written = [...terminal.written];
	await app.quit();
	return {text, above, cursor: {...cursor, row: text.length - (above + cursor.row)}, written};
}

/** Streams an answer through steps. */
async function streamed(kind: TerminalKind, time: VirtualTime, steps: readonly Step[]) {
	const answering = await startAnswering(kind, time);
	const {terminal, app} = answering;
	/** Batches that leave the answer without the rows below it. Once resized, the terminal is asked first where those go. */
	const bare: string[] = [];
	const {write} = terminal.stdout;
	terminal.stdout.write = (data: string) => {
		const isWritten = write.call(terminal.stdout, data);
		const last = terminal.window().findLast(row => row.trim() !== '');
		bare.push(
			...(data.includes(endSync) &&
			!data.endsWith(`\u001b[6n${endSync}`) &&
			/^(?:● )?(?:Word|\d* ?and so)/.test(last ?? '')
				? [data]
				: []),
		);
		return isWritten;
	};
	let words = 0;
	const say = async (milliseconds: number) => {
		for (let passed = 0; passed < milliseconds; passed += wordMs) {
			words++;
			app.say(wordOf(words));
			await time.pass(wordMs);
		}
	};
	await say(400);
	const from = terminal.written.length;
	for (const {sizes, opens, waitMs} of steps) {
		const opening: Opening | undefined = opens && openings[opens];
		if (opening) {
			// Without a wait, the window is resized in the turn in which a panel opens.
			await (typeof opening.what === 'string' ? app.type(opening.what) : openPanel(app.store, opening.what));
		}

		await say(waitMs);
		for (const size of sizes) {
			await terminal.resize(...size);
			await say(wordMs);
		}

		await (sizes.length > 0 && terminal.resize(...whole));
		await say(waitMs);
		await (opening && app.type(opening.leave));
		// Sooner, Esc and the next key would be one with Alt.
		await say(escapeMs + waitMs);
		app.store.getState().closePanel();
	}

	const end = await endOf(answering, time);
	return {...end, words, faults: end.written.slice(from).flatMap(data => faultOf(data) ?? []), bare};
}

/** Gives an answer of that many words at once, in a window that nothing disturbs, and lets as much time pass. */
async function calm(kind: TerminalKind, time: VirtualTime, words: number) {
	const answering = await startAnswering(kind, time);
	answering.app.say(Array.from({length: words}, (_, index) => wordOf(index + 1)).join(''));
	await time.pass(words * wordMs, 100);
	return await endOf(answering, time);
}

const size = fc.tuple(fc.integer({min: 30, max: 140}), fc.integer({min: 8, max: 50}));
const waitMs = fc.constantFrom(0, 20, 100, 400);
const burst = fc.array(size, {minLength: 1, maxLength: 6});
const opens = fc.constantFrom(...(Object.keys(openings) as (keyof typeof openings)[]));
const all = ['xterm', 'vte', 'kitty'] as const;
/** Not VTE: as emulated, it has a blank row more or less in about one of 150 cases, where a list opened in a window of 8 to 11 rows. */
const others = ['xterm', 'kitty'] as const;
const none = fc.constant(undefined);

/** What was once left behind: something was opened in the turn in which the window became lower, and closed before that was drawn. */
const once: [(typeof all)[number], Step[]][] = [
	['vte', [{sizes: [[30, 8]], opens: 'a picker and Enter', waitMs: 0}]],
	['vte', [{sizes: [[30, 8]], opens: 'a picker and Enter', waitMs: 20}]],
	['kitty', [{sizes: [[30, 8]], opens: 'the transcript', waitMs: 0}]],
];

/** Each with whether also the scrollback is as it would be: a terminal that was resized has wrapped or cut it; and cases that failed. */
const rows = [
	['the window is resized in bursts', fc.record({sizes: burst, opens: none, waitMs}), all, false, []],
	['something is opened and left', fc.record({sizes: fc.constant([]), opens, waitMs}), all, true, []],
	['the window is resized below what is open', fc.record({sizes: burst, opens, waitMs}), others, false, once],
] as const;

test.each(rows)(
	'each frame is one batch, and none is left behind, while an answer streams and %s',
	async (_, step, terminals, keepsAll, examples) => {
		const time = startVirtualTime();
		await fc.assert(
			fc.asyncProperty(
				fc.constantFrom(...terminals),
				fc.array<Step>(step, {minLength: 1, maxLength: 4}),
				async (kind, steps) => {
					const disturbed = await streamed(kinds[kind], time, steps);
					const wanted = await calm(kinds[kind], time, disturbed.words);
					expect(disturbed.faults).toEqual([]);
					expect(disturbed.bare).toEqual([]);
					expect(disturbed.cursor).toEqual(wanted.cursor);
					const from = keepsAll ? 0 : disturbed.above - disturbed.text.length;
					expect(disturbed.text.slice(from)).toEqual(wanted.text.slice(from));
				},
			),
			{numRuns: 50, seed: 26, examples: [...examples]},
		);
	},
);
