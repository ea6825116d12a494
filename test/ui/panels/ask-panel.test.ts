import {describe, expect, test} from 'vitest';
import {panelKeys} from '../../../src/editor/keymap/default-keys.ts';
import {keymapOf} from '../../../src/editor/keymap/keymap.ts';
import {plainText} from '../../../src/terminal/text/ansi.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';
import {type AskPanel, askLines, askRows, fieldRow} from '../../../src/ui/panels/ask-panel.tsx';
import {openPanel} from '../../../src/ui/panels/panels.ts';
import {finish, call as modelCall, text as say, scriptedModel} from '../../agent/scripted.ts';
import {palette} from '../canvas.ts';
import {handler, keys} from '../key-presses.ts';
import {runApp} from '../running-app.ts';

const choices = [
	{label: 'SQLite', description: 'one file'},
	{label: 'Postgres', description: ''},
];
const panel: AskPanel = {kind: 'ask', question: 'Which database?', choices, askedAt: 0, isFollowUp: false};
const field: AskPanel = {...panel, choices: []};
const style = {columns: 40, height: 20, palette, keymap: keymapOf(panelKeys), wholeKey: 'Ctrl+O'};
const state = {moved: 0, typed: '', isAnswerable: true};

describe('a question of the agent', () => {
	test('shows its choices, a way to answer otherwise, and the keys once they work', () => {
		expect(askLines(panel, {...state, moved: 1}, style)).toEqual([
			'? Which database?',
			'❯ 1. SQLite  one file',
			'  2. Postgres',
			'  3. Something else…',
			'  ↑↓ move · Enter select · Esc cancel',
		]);
		expect(askLines(panel, state, style).slice(1, 3)).toEqual(['  1. SQLite  one file', '  2. Postgres']);
		expect(askLines(panel, {...state, moved: -1}, style)[3]).toBe('❯ 3. Something else…');
		expect(askLines(panel, {...state, isAnswerable: false}, style).at(-1)).toBe('  …');
		expect(askRows(panel, 40)).toBe(5);
	});

	test('describes its choices in a column, which a long label does not move', () => {
		const described = [
			{label: 'SQLite', description: 'one file'},
			{label: 'Postgres', description: 'a server'},
			{label: 'A label of more than thirty cells', description: 'long'},
		];
		const wide = {...style, columns: 60};
		expect(askLines({...panel, choices: described}, state, wide).slice(1, 4)).toEqual([
			'  1. SQLite                       one file',
			'  2. Postgres                     a server',
			'  3. A label of more than thirty cells  long',
		]);
		expect(askLines({...panel, choices: described.slice(0, 2)}, state, wide).slice(1, 3)).toEqual([
			'  1. SQLite    one file',
			'  2. Postgres  a server',
		]);
	});

	test('wraps long descriptions, beside the labels if there is room, and counts their rows', () => {
		const long = {
			...panel,
			choices: [{label: 'SQLite', description: 'one file without a server, for one user'}, ...choices],
		};
		const lines = askLines(long, state, style);
		expect(lines.slice(1, 5)).toEqual([
			'  1. SQLite  one file without a server,',
			'             for one user',
			'  2. SQLite  one file',
			'  3. Postgres',
		]);
		expect(askRows(long, 40)).toBe(lines.length);
		const named = {...panel, choices: [{label: 'A label of twenty-five', description: 'word '.repeat(40)}]};
		expect(askLines(named, state, style).slice(1, 7)).toEqual([
			'  1. A label of twenty-five',
			...Array.from({length: 3}, () => `     ${'word '.repeat(7).trim()}`),
			`     ${'word '.repeat(7).trim()}…`,
			'  2. Something else…',
		]);
		expect(askLines(named, {...state, moved: 2}, {...style, height: 4}).slice(1, 3)).toEqual([
			`     ${'word '.repeat(7).trim()}…`,
			'❯ 2. Something else…',
		]);
	});

	test('without choices has a field', () => {
		expect(askLines(field, {...state, typed: 'my'}, style)).toEqual([
			'? Which database?',
			'  answer: my',
			'  Enter send · Esc cancel',
		]);
		expect(askLines({...field, isFollowUp: true}, state, style).at(-1)).toBe('  Enter send · Esc back');
		expect([askRows(field, 40), fieldRow(field, 40, 20)]).toEqual([3, 1]);
	});

	test('that is long is wrapped, and leaves room for answers in a low window', () => {
		const long = {...panel, question: 'word '.repeat(300)};
		expect(askLines(long, state, style)).toHaveLength(12);
		expect(askLines(long, state, style)[7]).toBe('  …');
		const low = askLines(long, {...state, moved: 3}, {...style, height: 5});
		expect(low.map(line => line.slice(0, 10))).toEqual([
			'? word wor',
			'  word wor',
			'  word wor',
			'❯ 3. Somet',
			'  Ctrl+O a',
		]);
		expect([low[2]?.endsWith('…'), low[4]]).toEqual([true, '  Ctrl+O all · Enter select · Esc cancel']);
		expect(askLines(long, state, {...style, height: 2})).toHaveLength(2);
		expect(askLines(panel, {...state, moved: 1}, {...style, columns: 20, height: 3}).slice(1)).toEqual([
			'❯ 1. SQLite  one …',
			'  ↑↓ · Enter · Esc',
		]);
	});

	test('wraps a long choice, and shows all of the marked one in a low window', () => {
		const long = [
			{label: 'Keep the database as it is', description: 'and copy it to the new server tonight'},
			{label: 'Start with an empty one', description: ''},
		];
		const asked: AskPanel = {...panel, question: 'What shall become of the data of last year?', choices: long};
		for (const [columns, height] of [
			[20, 8],
			[24, 6],
			[40, 9],
		] as const) {
			for (const moved of [0, 1, 2]) {
				const lines = askLines(asked, {...state, moved: moved + 1}, {...style, columns, height}).map(plainText);
				const words = lines.join(' ').replaceAll(/\s+/g, ' ');
				const {label = '', description = ''} = long[moved] ?? {label: 'Something else…'};
				expect(lines.length).toBeLessThanOrEqual(height);
				expect(lines.at(-1)).toMatch(/Enter.*Esc/);
				if (height > 6 || moved > 0) {
					expect(words).toContain(`❯ ${moved + 1}. ${label} ${description}`.trim());
				}
			}
		}

		expect(askLines(asked, state, {...style, columns: 24, height: 6}).at(-1)).toBe('  Ctrl+O · Enter · Esc');
		expect(askRows(asked, 80)).toBe(5);
		expect(askRows(asked, 24)).toBeGreaterThan(8);
	});

	test('is made safe and fits [1]', () => {
		const evil = '\u001B[2J\u202E\u0007宽'.repeat(30);
		const hostile = {...panel, question: evil, choices: [{label: evil, description: evil}]};
		for (const line of askLines(hostile, state, style)) {
			expect(plainText(line)).not.toMatch(/[\u0000-\u001F\u007F\u202E]/);
			expect(lineWidth(line)).toBeLessThanOrEqual(40);
		}
	});
});

describe('the keys of a question', () => {
	const open = (shown: AskPanel) => {
		const made = handler({running: true});
		openPanel(made.store, shown);
		made.wait(500);
		return made;
	};

	test('mark a choice with arrows and digits, and Enter selects it', () => {
		const {press, wait, asked} = open(panel);
		for (const pressed of [
			[keys.enter],
			[keys.down, keys.enter],
			[keys.down, keys.enter],
			[keys.down, keys.enter],
			['2', keys.enter],
			['3', keys.enter],
			['2', '9', '4', 'x'],
			[keys.enter],
		]) {
			press(...pressed);
			wait(1000);
		}

		expect(asked).toEqual([
			'answer SQLite',
			'answer Postgres',
			'answer own words',
			'answer Postgres',
			'answer own words',
			'answer Postgres',
		]);
	});

	test('write and send an answer, but no empty one', () => {
		const {press, asked} = open(field);
		press(keys.enter, ' ', keys.enter);
		press('hi there', keys.enter);
		expect(asked).toEqual(['answer hi there']);
	});

	test('decline with Esc', () => {
		const {press, asked} = open(panel);
		press(keys.escape);
		expect(asked).toEqual(['answer undefined']);
	});

	test('[4] that come before it can be answered are dropped, and a draft keeps its own', () => {
		for (const shown of [panel, field]) {
			const {press, asked, prompt, wait, store} = handler({running: true});
			openPanel(store, shown);
			press('x', '2', keys.enter);
			expect([prompt(), asked, store.getState().filter.text]).toEqual(['', [], '']);
			const written = handler({running: true, text: 'x'});
			openPanel(written.store, shown);
			written.wait(5000);
			written.press('2', keys.enter);
			expect([written.prompt(), written.asked]).toEqual(['', ['submit x2']]);
			written.press('1', keys.enter);
			expect([written.prompt(), written.asked]).toEqual(['', ['submit x2']]);
			wait(600);
		}
	});
});

test('the agent asks, the user answers in other words, and the transcript has both', async () => {
	const model = scriptedModel(
		[modelCall('ask_user', {question: 'Which database?', choices}), finish('tool-calls')],
		[say('Fine.'), finish('stop')],
	);
	const {type, waitFor, store, lines} = runApp({ask: model.ask, userTools: true});
	await waitFor('Ask something');
	type('Go\r');
	await waitFor('Enter select · Esc cancel');
	expect(lines().join('\n').split('Which database?')).toHaveLength(2);
	type(keys.up);
	await waitFor('❯ 3. Something else…');
	type('\r');
	await waitFor('Enter send · Esc back');
	type(keys.escape);
	await waitFor('Enter select · Esc cancel');
	type(keys.up);
	await waitFor('❯ 3. Something else…');
	type('\r');
	await waitFor('Enter send · Esc back');
	type('DuckDB');
	await waitFor('answer: DuckDB');
	type('\r');
	await waitFor('✓ Ask Which database?\n  → DuckDB\n');
	await waitFor('Fine.');
	expect(store.getState().panel).toBe(undefined);
	expect(model.asked[1]?.at(-1)).toMatchObject({role: 'tool', output: 'The user answered: DuckDB'});
});
