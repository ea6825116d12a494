import fc from 'fast-check';
import {expect, test} from 'vitest';
import {startInTerminal} from './contract-app.ts';
import {type ContractTerminal, openEmulated} from './emulated-terminal.ts';
import {kinds, type TerminalKind} from './kinds.ts';
import {isInstalled, openTmux} from './multiplexed-terminal.ts';
import {startVirtualTime, type VirtualTime} from './virtual-time.ts';

type Size = readonly [columns: number, rows: number];

/** The window in which everything is printed, and which is the last one, too. */
const wide: Size = [120, 40];

/** What fills rows of a wide window, between words that are nowhere else. */
const blocks = {
	'a paragraph': (first: () => string, last: () => string) => `${first()} ${'and so on '.repeat(20)}${last()}`,
	'a table': (first: () => string, last: () => string) =>
		['| a | b |', '|---|---|', ...[1, 2, 3].map(() => `| ${first()} | ${'cell '.repeat(18)}${last()} |`)].join('\n'),
	'code of long lines': (first: () => string, last: () => string) =>
		['```js', ...[1, 2, 3].map(() => `${first()}(${'code, '.repeat(16)}${last()})`), '```'].join('\n'),
	'a list': (first: () => string, last: () => string) =>
		[1, 2].map(() => `- ${first()} ${'of a list '.repeat(10)}${last()}`).join('\n'),
	'a quote': (first: () => string, last: () => string) => `> ${first()} ${'is quoted '.repeat(10)}${last()}`,
	'a rule': (first: () => string) => `${first()}\n\n---`,
} as const;

type Step = {readonly size: Size; readonly waitMs: number};

/** Prints blocks in a wide window, which then gets other sizes, and its own again. Returns what is wrong. */
async function faultsOf(
	{
		kind,
		terminal,
		time,
	}: {readonly kind: TerminalKind; readonly terminal: ContractTerminal; readonly time: VirtualTime},
	names: readonly (keyof typeof blocks)[],
	steps: readonly Step[],
) {
	const app = await startInTerminal({kind, terminal, time});
	await app.waitFor('Demo model');
	await app.type('go\r');
	await app.waitFor(() => app.store.getState().transcript.run !== undefined);
	const words: string[] = [];
	const word = (kind: string) => () => {
		words.push(`${kind}${words.length}x`);
		return words.at(-1) ?? '';
	};
	app.say(names.map(name => `${blocks[name](word('First'), word('Last'))}\n\n`).join(''));
	app.finish();
	await app.waitFor(() => app.store.getState().transcript.run === undefined);
	await time.pass(500);
	await terminal.parsed();
	const below = () => {
		const rows = terminal.window();
		return rows.slice(rows.findLastIndex(row => row.startsWith('❯')) - 1).filter(row => row !== '');
	};
	const before = below();
	for (const {size, waitMs} of steps) {
		await terminal.resize(...size);
		await time.pass(waitMs);
	}

	await terminal.resize(...wide);
	await time.pass(500);
	await terminal.parsed();
	const rows = [...terminal.scrollback(), ...terminal.window()];
	// The terminal may break a word.
	const text = rows.join('');
	const end = rows.findLastIndex(row => row.startsWith('❯'));
	const faults = {
		times: words.flatMap(word => {
			const times = text.split(word).length - 1;
			// What a terminal has cut of a row above the window is lost.
			const isCut = times === 0 && !kind.reflows && word.startsWith('Last');
			return times === 1 || isCut ? [] : [`${word}: ${times}`];
		}),
		left: rows.slice(0, end - 1).filter(row => /^❯ (?:Ask|$)|^local · /.test(row)),
		before,
		below: below(),
	};
	await app.quit();
	return faults;
}

const step = fc.record({
	size: fc.tuple(fc.integer({min: 40, max: 140}), fc.integer({min: 12, max: 50})),
	waitMs: fc.constantFrom(20, 100, 500),
});
const names = fc.array(fc.constantFrom(...(Object.keys(blocks) as (keyof typeof blocks)[])), {
	minLength: 1,
	maxLength: 12,
});

async function holdsFor(
	kind: TerminalKind,
	numRuns: number,
	open: (columns: number, rows: number) => Promise<ContractTerminal>,
) {
	const time = startVirtualTime();
	await fc.assert(
		fc.asyncProperty(names, fc.array<Step>(step, {minLength: 1, maxLength: 4}), async (names, steps) => {
			const terminal = await open(...wide);
			const {times, left, before, below} = await faultsOf({kind, terminal, time}, names, steps);
			expect({times, left, below}).toEqual({times: [], left: [], below: before});
		}),
		{numRuns, seed: 26},
	);
}

test.each([kinds.xterm, kinds.vte, kinds.kitty])(
	'what was printed in a wide window is there once after narrower ones, in $name',
	kind => holdsFor(kind, 50, async (...size) => openEmulated(kind, ...size)),
);

test.skipIf(!isInstalled('tmux'))(
	'what was printed in a wide window is there once after narrower ones, in a real tmux',
	() => holdsFor(kinds.tmux, 5, openTmux),
);
