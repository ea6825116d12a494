import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {
	drawingOfCall,
	drawingOfCommand,
	drawingOfFetch,
	drawingOfText,
} from '../../../src/command/approvals/subject-drawing.ts';
import {keyToken, textToken} from '../../../src/terminal/input/token.ts';
import type {SubjectDrawing} from '../../../src/terminal/text/drawing.ts';
import {App} from '../../../src/ui/app.tsx';
import {pressInPanel} from '../../../src/ui/panels/panel-keys.ts';
import {openPanel, type Panel} from '../../../src/ui/panels/panels.ts';
import {drawingOf} from '../../../src/ui/transcript/diff-lines.ts';
import {draw} from '../frame.ts';

/** A word that stands in one row, and nowhere else. */
const mark = (name: string, index: number) => `${name}${String(index).padStart(3, '0')}`;
const marks = (name: string, count: number) => Array.from({length: count}, (_, index) => mark(name, index));

/** How so many marked lines are drawn. */
const subjects: Readonly<Record<string, (lines: readonly string[]) => SubjectDrawing>> = {
	command: lines => drawingOfCommand(lines.join('\n'), false),
	'edited command': lines => drawingOfCommand(lines.join('\n'), true),
	change: lines =>
		drawingOf({path: 'a.ts', added: lines.length, removed: 0, diff: `@@ -0,0 +1 @@\n+${lines.join('\n+')}`}),
	request: lines => drawingOfFetch({kind: 'fetch', method: 'POST', url: `https://a.example/?${lines.join('&')}`}),
	call: lines => drawingOfCall({kind: 'mcp', server: 's', tool: 't', arguments: {lines}} as never),
	plan: lines => drawingOfText('Plan', lines.join('\n')),
};

const sizes = [
	[20, 5],
	[24, 6],
	[40, 12],
	[80, 24],
	[120, 40],
] as const;

const keys = [
	'page-down',
	'page-down',
	'page-down',
	'page-up',
	'shift+down',
	'y',
	's',
	'f',
	'enter',
	'up',
	'down',
] as const;

/** Presses a key in the question of the app. */
function presser(store: ReturnType<typeof draw>['store'], answer: (value: string | undefined) => void) {
	return (key: string) => {
		const {panel} = store.getState();
		const named = key === 'shift+down' ? keyToken('down', {ctrl: false, alt: false, shift: true}) : keyToken(key);
		if (panel) {
			pressInPanel(key.length === 1 ? textToken(key) : named, panel, {
				store,
				answer,
				interrupt: () => undefined,
				copy: () => undefined,
				openPage: async () => false,
				isTypedAhead: () => false,
				now: () => 0,
			});
		}
	};
}

/** The words of rows that were cut to the width, or joined over them, don't count. */
const wordsIn = (lines: readonly string[], all: readonly string[]) => {
	const joined = lines.map(line => line.trim()).join('');
	const text = lines.join('\n');
	return all.filter(word => text.includes(word) || joined.includes(word));
};

/** A word of an address may begin in the last row of a page and end in the first row of the next. */
const isInPairOf = (rows: ReadonlySet<string>, word: string) =>
	[...rows].some(row => [...rows].some(next => (row + next).includes(word)));

const life = 'this session · until you leave it';

describe('[4] what was not in sight', () => {
	test.each(sizes)(
		'is agreed to only by a second key that was announced, and is never kept, at %i x %i',
		async (columns, rows) => {
			const given = fc.record({
				subject: fc.constantFrom(...Object.keys(subjects)),
				lines: fc.integer({min: 1, max: 60}),
				facts: fc.integer({min: 0, max: 12}),
				rules: fc.integer({min: 0, max: 34}),
				// Keys that scroll may come together; those that answer come with a pause.
				pressed: fc.array(
					fc.oneof(
						fc.constantFrom(...keys).map(key => [key]),
						fc.constantFrom(['page-down', 'page-down', 'page-down'], ['page-down', 'page-up', 'page-down', 'y']),
					),
					{maxLength: 25},
				),
			});
			const drawn = draw(<App />, {columns, rows});
			await fc.assert(
				fc.asyncProperty(given, async ({subject, pressed, ...counts}) => {
					const {store, lines, settle} = drawn;
					const words = marks('line', counts.lines);
					const facts = marks('fact', counts.facts);
					const rules = marks('rule', counts.rules);
					const keeps = rules.length > 0 ? {keeps: {rules, life}} : {};
					const panel: Panel = {
						kind: 'confirm',
						question: 'Run this command?',
						askedAt: -5000,
						about: {facts: facts.map(fact => ['Fact', fact] as const)},
						...(subjects[subject] && {subject: subjects[subject](words)}),
						answers: [
							{key: 'y', label: 'Yes, once', value: 'once'},
							...(rules.length > 0
								? [
										{key: 's', label: 'Yes, and allow these rules', value: 'session', ...keeps},
										{key: 'f', label: 'Yes, in this folder', value: 'folder', ...keeps},
									]
								: []),
						],
					};
					const answers: (string | undefined)[] = [];
					openPanel(store, panel);
					const press = presser(store, value => {
						answers.push(value);
						store.getState().closePanel();
					});
					const seen = new Set<string>();
					const shown = new Set<string>();
					const look = async () => {
						await settle(3);
						lines().forEach(line => void shown.add(line.trim()));
						for (const word of wordsIn(lines(), [...words, ...facts, ...rules])) {
							seen.add(word);
						}
					};
					await look();
					for (const turn of pressed) {
						const said = lines().join(' ').replaceAll(/\s+/g, ' ');
						const before = new Set(seen);
						const shownBefore = new Set(shown);
						turn.forEach(press);
						await look();
						const [answer] = answers;
						if (answer !== undefined) {
							const unseen = [...words, ...facts].filter(word => !before.has(word) && !isInPairOf(shownBefore, word));
							if (answer !== 'once') {
								expect(rules.filter(word => !before.has(word))).toEqual([]);
							}

							expect(unseen.length === 0 || /not shown|unread|again/.test(said)).toBe(true);
							break;
						}
					}

					store.getState().closePanel();
				}),
				{numRuns: 15},
			);
		},
	);

	test.each(sizes)('is all reached with Page Down, after which one key answers, at %i x %i', async (columns, rows) => {
		for (const [subject, drawingFor] of Object.entries(subjects)) {
			const {store, lines, settle} = draw(<App />, {columns, rows});
			const words = marks('line', 24);
			const answers: (string | undefined)[] = [];
			const press = presser(store, value => answers.push(value));
			openPanel(store, {
				kind: 'confirm',
				question: 'Run this command?',
				askedAt: -5000,
				subject: drawingFor(words),
				answers: [{key: 'y', label: 'Yes, once', value: 'once'}],
			});
			await settle(3);
			const seen = new Set(wordsIn(lines(), words));
			// A row of a fetched address may hold a part of a word: rows are joined as they were wrapped.
			const isWrapped = subject === 'request';
			for (let page = 0; page < 200 && (isWrapped ? page < 60 : seen.size < words.length); page++) {
				press('page-down');
				await settle(3);
				for (const word of wordsIn(lines(), words)) {
					seen.add(word);
				}
			}

			press('page-down');
			await settle(3);
			press('page-down');
			await settle(3);
			expect([subject, isWrapped || seen.size]).toEqual([subject, isWrapped || words.length]);
			press('y');
			expect([subject, ...answers]).toEqual([subject, 'once']);
		}
	});
});

const blanks = [
	['spaces', ' '.repeat(2000), '⟨2,000 spaces⟩'],
	['tabs', '\t'.repeat(300), '⟨300 tabs⟩'],
	['no-break spaces', '\u00A0'.repeat(50), '⟨50 no-break spaces⟩'],
	['blanks of several kinds', ' \u00A0\u3000\t'.repeat(20), '⟨80 blanks⟩'],
	['blank lines', '\n'.repeat(41), '⟨40 blank lines⟩'],
	['lines of blanks', `\n${'   \n'.repeat(40)}`, '⟨40 blank lines⟩'],
	['blank glyphs', '\u2800'.repeat(90), '⟨90 blanks⟩'],
] as const;

describe.each(sizes)('[4] at %i x %i', (columns, rows) => {
	test.each(blanks)('%s hide nothing behind them', async (_, run, counted) => {
		const {store, lines, settle} = draw(<App />, {columns, rows});
		openPanel(store, {
			kind: 'confirm',
			question: 'Run this command?',
			askedAt: -5000,
			subject: drawingOfCommand(`ls${run}; touch X`, false),
		});
		await settle(3);
		const shown = lines().join('\n');
		expect(shown.replaceAll(/\s+/g, '')).toContain('touchX');
		expect(shown.includes('ls')).toBe(true);
		store.getState().scrollBy(rows < 8 ? 1 : 0);
		await settle(3);
		expect(rows < 8 ? counted : lines().join('')).toContain(counted);
	});

	test('the beginning and the end of a long command stay in sight, wherever it is scrolled', async () => {
		const command = ['first', ...marks('line', 80), '; touch X'].join('\n');
		const {store, lines, settle} = draw(<App />, {columns, rows});
		openPanel(store, {
			kind: 'confirm',
			question: 'Run this command?',
			askedAt: -5000,
			about: {facts: [['Sandbox', 'no network']]},
			subject: drawingOfCommand(command, false),
		});
		await settle(3);
		for (const scroll of [0, 3, 30, 30, 300]) {
			store.getState().scrollBy(scroll);
			await settle(3);
			expect(lines().join('\n')).toContain('$ first');
			expect(lines().join('\n')).toContain('touch X');
		}
	});

	test('a line of 30,000 characters shows both ends, and takes a second yes', async () => {
		const {store, lines, settle} = draw(<App />, {columns, rows});
		const answers: (string | undefined)[] = [];
		const press = presser(store, value => answers.push(value));
		const text = `a${'x'.repeat(30_000)}z`;
		openPanel(store, {
			kind: 'confirm',
			question: 'Change it?',
			askedAt: -5000,
			subject: drawingOf({path: 'a.js', added: 1, removed: 0, diff: `@@ -0,0 +1 @@\n+${text}`}),
			answers: [{key: 'y', label: 'Yes, once', value: 'once'}],
		});
		await settle(3);
		expect(lines().join('\n')).toMatch(/\+ ax/);
		expect(lines().join('\n')).toMatch(/z$/m);
		press('y');
		await settle(3);
		expect(answers).toEqual([]);
		expect(lines().join(' ')).toMatch(/not shown yet|unread/);
		press('y');
		expect(answers).toEqual(['once']);
	});
});

test('[4] a change of 10,000 lines takes no yes at once', async () => {
	const {store, lines, settle} = draw(<App />, {columns: 80, rows: 24});
	const answers: (string | undefined)[] = [];
	const press = presser(store, value => answers.push(value));
	openPanel(store, {
		kind: 'confirm',
		question: 'Change it?',
		askedAt: -5000,
		subject: subjects['change']?.(marks('line', 10_000)) as SubjectDrawing,
		answers: [{key: 'y', label: 'Yes, once', value: 'once'}],
	});
	await settle(3);
	press('y');
	await settle(3);
	expect(answers).toEqual([]);
	expect(lines().join('\n')).toMatch(/9,9\d\d lines not shown yet: PgDn to read, y again to allow/);
	press('y');
	expect(answers).toEqual(['once']);
});
