import {describe, expect, test} from 'vitest';
import type {Choice} from '../../../src/core/question.ts';
import {setComposerText} from '../../../src/editor/editor.ts';
import {App} from '../../../src/ui/app.tsx';
import {openPanel, type Panel} from '../../../src/ui/panels/panels.ts';
import {draw, titleOf} from '../frame.ts';
import {esc, handler, keys} from '../key-presses.ts';

const choices: readonly Choice[] = [
	{id: '1', label: 'web shop', detail: 'runtime · paused', fields: {state: 'paused', cost: 2}},
	{id: '2', label: 'web site', detail: 'runtime · running', fields: {state: 'running'}},
	{id: '3', label: 'a\u001b[2Jb\nc', detail: 'environment · re\u0007ady', fields: {state: 'ready'}},
];
const pick: Panel = {
	kind: 'pick',
	title: 'Resume',
	choices,
	filters: [
		{name: 'state', compares: 'text', example: 'state:paused'},
		{name: 'cost', compares: 'number', example: 'cost:>1'},
	],
};

describe('keys of a picker that arrive in one turn of the event loop', () => {
	/** Returns the answer of the picker after these keys, all at once. */
	const answers = (...pressed: readonly string[]) => {
		const {store, press, asked} = handler();
		openPanel(store, pick);
		press(...pressed);
		return asked;
	};

	test.each([
		[['web', keys.down, keys.enter], ['answer 2']],
		[[keys.down, 'web', keys.enter], ['answer 1']],
		[['wex', keys.backspace, 'b si', keys.enter], ['answer 2']],
		[['ste', `${esc}[D`, `${esc}[D`, 'i', `${esc}[C`, keys.enter], ['answer 2']],
		[['nothing of it', keys.enter], []],
		[['web', keys.escape], ['answer undefined']],
	])('%j do what they would one by one', (pressed, asked) => {
		expect(answers(...pressed)).toEqual(asked);
	});

	test('a paste is one line of the filter, and selects nothing by itself', () => {
		const {store, press, asked} = handler();
		openPanel(store, pick);
		press(`${esc}[200~state:running\n${esc}[201~`);
		expect(asked).toEqual([]);
		press(keys.enter);
		expect(asked).toEqual(['answer 2']);
	});

	test('select nothing while the filter is invalid', () => {
		expect(answers('cost:>', keys.enter)).toEqual([]);
		expect(answers('cost:>', '1', keys.enter)).toEqual(['answer 1']);
	});

	test('start over in the next picker', () => {
		const {store, press, asked} = handler();
		openPanel(store, pick);
		press('site', keys.escape);
		openPanel(store, pick);
		press(keys.enter);
		expect(asked).toEqual(['answer undefined', 'answer 1']);
	});

	test('stay quick in a long list', () => {
		const {store, press, asked} = handler();
		const many = Array.from({length: 2000}, (_, index) => ({id: `${index}`, label: `choice ${index}`}));
		openPanel(store, {...pick, choices: many});
		press(...'choice 1999', keys.enter);
		expect(asked).toEqual(['answer 1999']);
	});
});

describe.each([
	[80, 24],
	[120, 40],
])('a picker with fields, at %i columns and %i rows', (columns, rows) => {
	async function open(panel: Panel = pick) {
		const drawn = draw(<App />, {columns, rows});
		openPanel(drawn.store, panel);
		await expect.poll(() => drawn.lines().join('\n'), {interval: 5}).toContain('Esc cancel');
		const filter = async (text: string) => {
			const {filter, setFilter} = drawn.store.getState();
			setFilter({...filter, text, caret: text.length});
			await drawn.settle();
		};

		return {...drawn, filter};
	}

	test('shows filter examples, safe names, and aligned details [1]', async () => {
		const {lines, cursor} = await open();
		expect(lines().slice(1, 6).map(titleOf)).toEqual([
			'Resume (3) · Enter select · Esc cancel',
			'filter a word, or state:paused cost:>1',
			'❯ web shop  runtime · paused',
			'  web site  runtime · running',
			'  a␛[2Jb␊c  environment · re␇ady',
		]);
		expect(cursor()).toEqual({row: 2, column: 7});
	});

	test('shows an invalid filter in one line, and the caret follows the text', async () => {
		const {lines, cursor, filter} = await open();
		await filter('日 cost:>');
		expect(lines().slice(1, 4).map(titleOf)).toEqual([
			'Resume (0 of 3) · cost: takes a number, such as cost:>1',
			'filter 日 cost:>',
			'  Nothing matches.',
		]);
		expect(cursor()).toEqual({row: 2, column: 16});
	});

	test('cuts a long name, not its details, and shows the end of a long filter', async () => {
		const long = {id: '1', label: 'x'.repeat(300), detail: 'local session · $0.013'};
		const {lines, cursor, filter} = await open({...pick, choices: [long]});
		expect(lines()[3]).toBe(`❯ ${'x'.repeat(columns - 27)}…  local session · $0.013`);
		await filter('x'.repeat(200));
		expect(lines()[2]).toBe(`filter ${'x'.repeat(columns - 8)}`);
		expect(cursor()).toEqual({row: 2, column: columns - 1});
	});
});

test.each([
	[8, 'cost: takes a number'],
	[6, 'cost: takes a number'],
	[5, 'cost: takes a number'],
])('what is not understood is said in a window of %i rows too', async (rows, said) => {
	const {store, lines} = draw(<App />, {columns: 40, rows});
	openPanel(store, pick);
	const {filter, setFilter} = store.getState();
	setFilter({...filter, text: 'cost:>', caret: 6});
	await expect.poll(() => lines().join('\n'), {interval: 5}).toContain(said);
});

test('choices without filters show whole names and aligned details', async () => {
	const named = [
		{id: '1', label: 'anthropic/claude-opus-4-1-20250805', detail: 'needs a key'},
		{id: '2', label: 'custom/demo', detail: 'demo model, no AI'},
	];
	const {store, lines} = draw(<App />, {columns: 46, rows: 20});
	openPanel(store, {kind: 'pick', title: 'Select a model', choices: named, current: '2'});
	await expect.poll(() => lines().join('\n'), {interval: 5}).toContain('Select a model');
	expect(lines().slice(3, 5)).toEqual([
		'  anthropic/claude-opus-4-1-20250805  needs a…',
		`❯ custom/demo (now)${' '.repeat(19)}demo mo…`,
	]);
});

test('choices of a group stand below its heading, which no key selects, also while a filter narrows them', async () => {
	const named = [
		{id: '1', label: 'groq/llama', group: 'Ready'},
		{id: '2', label: 'openai/gpt', group: 'These need an API key'},
		{id: '3', label: 'openai/o3', group: 'These need an API key'},
	];
	const {store, lines} = draw(<App />, {columns: 46, rows: 20});
	openPanel(store, {kind: 'pick', title: 'Select a model', choices: named});
	await expect.poll(() => lines().join('\n'), {interval: 5}).toContain('Select a model');
	expect(lines().slice(3, 8)).toEqual([
		'Ready',
		'❯ groq/llama',
		'These need an API key',
		'  openai/gpt',
		'  openai/o3',
	]);
	store.getState().scrollBy(1);
	await expect.poll(() => lines()[6], {interval: 5}).toBe('❯ openai/gpt');
	store.getState().setFilter({...store.getState().filter, text: 'o', caret: 1});
	await expect.poll(() => lines().slice(3, 8), {interval: 5}).toContain('❯ groq/llama');
	store.getState().setSize({columns: 46, rows: 9});
	await expect.poll(() => lines().length, {interval: 5}).toBeLessThan(9);
	expect(lines().join('\n')).toContain('❯ groq/llama');
});

test('a list that waited beside a draft can be moved in once it has the keys', async () => {
	const {store, settle, lines} = draw(<App />);
	const {composer, setComposer, setGuard} = store.getState();
	setComposer(setComposerText(composer, 'a draft'));
	openPanel(store, {...pick, askedAt: 0});
	await settle();
	expect(lines().join('\n')).toContain('? Resume');
	setGuard({focus: 'panel'});
	await settle();
	store.getState().scrollBy(1);
	await settle();
	expect(lines().find(line => line.includes('❯ web'))).toContain('web site');
});

test('details give way to names as whole facts, and names that begin alike keep their ends', async () => {
	const named = ['first', 'second'].map((end, index) => ({
		id: String(index),
		label: `Explain how the reducer of the transcript joins pieces of text, the ${end}`,
		detail: `3 h ago · ${index}f2a1b0c · from Claude Code · 12 messages`,
		group: 'Conversations',
	}));
	const {store, lines} = draw(<App />, {columns: 80, rows: 20});
	openPanel(store, {kind: 'pick', title: 'Resume a session', choices: named});
	await expect.poll(() => lines().join('\n'), {interval: 5}).toContain('Resume a session');
	expect(lines().slice(4, 6)).toEqual([
		'❯ Explain how the reducer…ieces of text, the first  3 h ago · 0f2a1b0c',
		'  Explain how the reducer…eces of text, the second  3 h ago · 1f2a1b0c',
	]);
});
