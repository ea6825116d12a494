import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {commands as all} from '../../commands/index.ts';
import {setComposerText} from '../../src/editor/editor.ts';
import {reduceVim} from '../../src/editor/vim/vim.ts';
import {initialVim} from '../../src/editor/vim/vim-state.ts';
import type {AppStore} from '../../src/store/store.ts';
import {lineWidth} from '../../src/terminal/text/width.ts';
import {App} from '../../src/ui/app.tsx';
import {openPanel, type Panel} from '../../src/ui/panels/panels.ts';
import {anyText} from '../any-text.ts';
import {draw} from './frame.ts';

/** The client's own commands: the list of the platform's grows. */
const names = [
	'login',
	'logout',
	'keys',
	'model',
	'new',
	'sessions',
	'resume',
	'rename',
	'export',
	'usage',
	'help',
	'quit',
];
const commands = all.filter(({name}) => names.includes(name));

const sizes = [
	[80, 24],
	[120, 40],
	[20, 5],
] as const;

const numbered = (name: string, count: number) => Array.from({length: count}, (_, index) => `${name} ${index}`);

function app(columns = 80, rows = 24) {
	const drawn = draw(<App />, {columns, rows, entries: commands});
	const type = (text: string) => {
		const {composer, setComposer} = drawn.store.getState();
		setComposer(setComposerText(composer, text));
	};

	return {...drawn, type};
}

const run = (store: AppStore) =>
	store.setState(({transcript}) => ({
		transcript: {...transcript, run: {id: 'r', model: 'm', server: 's', startedAt: new Date().toISOString()}},
	}));

describe.each(sizes)('in a window of %i columns and %i rows', (columns, rows) => {
	test('an empty prompt shows what to do, and how to end a command or a run', async () => {
		const {store, lines, settle} = app(columns, rows);
		await settle();
		const cut = (text: string) => (text.length > columns ? `${text.slice(0, columns - 1)}…` : text);
		expect(lines()).toContain(cut('❯ Ask something, or / for commands'));
		store.getState().setBusy(true);
		await settle();
		expect(lines()).toContain('❯ Esc to interrupt');
		run(store);
		await settle();
		expect(lines()).toContain(columns < 44 ? '❯ Esc to interrupt' : '❯ Type to queue a message · Esc to interrupt');
	});

	test('in the insert mode of Vim, which Esc ends, the prompt names Ctrl+C', async () => {
		const {store, lines, settle} = app(columns, rows);
		store.getState().setBusy(true);
		store.getState().setVim({state: initialVim, reduce: reduceVim});
		await settle();
		expect(lines().join('\n')).toContain('❯ Ctrl+C to interru');
		store.getState().setVim({state: {...initialVim, mode: 'normal'}, reduce: reduceVim});
		await settle();
		expect(lines()).toContain('❯ Esc to interrupt');
	});

	test('the prompt below a question does not mention Esc, which cancels the question', async () => {
		const {store, lines, settle} = app(columns, rows);
		run(store);
		openPanel(store, {kind: 'confirm', question: 'Sure?', askedAt: 0});
		await settle();
		expect(lines().join('\n')).not.toMatch(/interrupt|queue/);
	});

	test('the prompt below a panel with lines does not mention Esc, which closes the panel first', async () => {
		const {store, lines, settle} = app(columns, rows);
		store.getState().setBusy(true);
		openPanel(store, {kind: 'lines', title: 'Usage', lines: () => ['one']});
		await settle();
		expect(lines().join('\n')).not.toContain('interrupt');
		run(store);
		await settle();
		expect(lines().join('\n')).not.toContain('interrupt');
		store.getState().closePanel();
		await settle();
		expect(lines().join('\n')).toContain('Esc to interrupt');
	});

	test('the live region always fits in the window', async () => {
		const {store, lines, window, settle, setLive, type} = app(columns, rows);
		const panels = fc.constantFrom<Panel | undefined>(
			undefined,
			{kind: 'pick', title: 'Select a model', choices: numbered('model', 30).map(id => ({id, label: id, detail: id}))},
			{kind: 'field', label: 'The key of a provider with a long name:', masked: true},
			{kind: 'confirm', question: 'Really do all of that, and more, at once?', askedAt: 0},
			{kind: 'lines', title: '/usage', lines: () => numbered('a line of the answer of a command', 50)},
		);
		const text = fc.oneof(fc.constantFrom('', '/', '/m', '/keys '), anyText({maxLength: 400}));
		const states = fc.record({
			live: fc.nat(15),
			queue: fc.nat(5),
			panel: panels,
			text,
			toast: fc.constantFrom('', 'Press Ctrl+C again to quit.'),
			completion: fc.integer({min: -1, max: 20}),
			scroll: fc.integer({min: -5, max: 100}),
		});
		await fc.assert(
			fc.asyncProperty(states, async ({live, queue, panel, scroll, ...given}) => {
				const state = store.getState();
				type(given.text);
				openPanel(store, panel);
				setLive(numbered('live', live));
				state.setToast(given.toast);
				state.setCompletion(given.completion);
				state.scrollBy(scroll);
				store.setState({queue: numbered('queued', queue).map(id => ({id, text: id}))});
				await settle(5);
				expect(lines().length).toBeLessThan(rows);
				expect(window()).toHaveLength(rows);
				const isCramped = rows < 10 && panel !== undefined && panel.kind !== 'lines';
				if (isCramped && panel.kind === 'confirm') {
					expect(lines().join('\n')).toMatch(/\[y\/N\]|…|❯ n No$|Tab answer/m);
				} else if (!isCramped) {
					expect(lines().at(-1)).toMatch(panel?.kind === 'confirm' ? /waiting for you$/ : /idle$/);
				}

				expect(Math.max(...lines().map(lineWidth))).toBeLessThanOrEqual(columns);
			}),
			{numRuns: 60},
		);
	});

	test('drawing never erases the scrollback or the whole screen', async () => {
		const {store, written, settle, setLive, type} = app(columns, rows);
		type(numbered('line', 30).join('\n'));
		setLive(numbered('live', 15));
		await settle();
		openPanel(store, {kind: 'lines', title: '/help', lines: () => numbered('line', 60)});
		await settle();
		expect(written.join('')).not.toMatch(/\u001B\[[23]J/);
	});
});

describe('the prompt', () => {
	test('shows the rows around the caret, and that there are more above', async () => {
		const {lines, settle, type} = app();
		type(numbered('line', 30).join('\n'));
		await settle();
		expect(lines().slice(-11)).toEqual([
			'↑ line 20',
			...numbered('line', 30)
				.slice(21)
				.map(line => `  ${line}`),
			expect.any(String),
		]);
	});

	test('shows control characters that were pasted [1]', async () => {
		const {lines, settle, type} = app();
		type('a\u001b[2J\u202Eb');
		await settle();
		expect(lines()).toContain('❯ a␛[2J⟨U+202E⟩b');
	});
});

describe('the completion', () => {
	test('lists the commands after a slash, and marks the selected one', async () => {
		const {store, lines, settle, type} = app();
		type('/re');
		await settle();
		expect(lines().slice(-3, -1)).toEqual([
			'❯ /resume  Resume an earlier session',
			'  /rename  Give the session a title',
		]);
		store.getState().setCompletion(1);
		await settle();
		expect(lines().slice(-3, -1)).toEqual([
			'  /resume  Resume an earlier session',
			'❯ /rename  Give the session a title',
		]);
	});

	test('shows the entries around the selected one, and -1 closes it', async () => {
		const {store, lines, settle, type} = app();
		type('/');
		store.getState().setCompletion(commands.length - 1);
		await settle();
		expect(lines().filter(line => /^[❯ ] \//.test(line))).toHaveLength(12);
		expect(lines().at(-2)).toMatch(/^❯ \/quit/);
		store.getState().setCompletion(-1);
		await settle();
		expect(lines().filter(line => /^[❯ ] \//.test(line))).toEqual(['❯ /']);
	});

	test('is hidden by a question that has the focus, and not by one beside the draft', async () => {
		const {store, lines, settle, type} = app();
		type('/');
		openPanel(store, {kind: 'confirm', question: 'Sure?', askedAt: 0});
		await settle();
		expect(lines()).toContain('  Esc Tab answer the question');
		expect(lines().filter(line => /^[❯ ] \/./.test(line))).toHaveLength(11);
		store.getState().setGuard({focus: 'panel'});
		await settle();
		expect(lines()).toEqual([
			'',
			'━'.repeat(80),
			'? Sure?',
			'  y  Yes',
			'❯ n  No',
			'  Tab back to your text · ↑↓ move · Enter select · Esc cancel',
			'─'.repeat(80),
			'❯ /',
			expect.any(String),
		]);
	});
});

test('a toast is shown below the prompt, made safe [1]', async () => {
	const {store, lines, settle} = app();
	store.getState().setToast('Open \u001b[2Jthis');
	await settle();
	expect(lines().at(-2)).toBe('Open ␛[2Jthis');
});

test('a toast that is wider than the window keeps its end, where the way out stands', async () => {
	const {store, lines, settle} = app();
	const hint = 'Replace it: node dist/service.js attach';
	store.getState().setToast(`The transcript stays. The host runs version 0.2.0; this is 0.1.0. ${hint}`);
	await settle();
	expect(lines().slice(-3, -1).join(' ')).toContain(hint);
	store.getState().setToast('word '.repeat(100));
	await settle();
	expect(
		lines()
			.slice(-4, -1)
			.map(line => line.at(-1)),
	).toEqual(['d', 'd', '…']);
});

test('the sign of the prompt tells a command of the shell from a message', async () => {
	const {lines, settle, type, store} = app();
	type('!ls');
	await settle();
	expect(lines()).toContain('$ !ls');
	store.getState().setComposer(setComposerText(store.getState().composer, 'ls'));
	await settle();
	expect(lines()).toContain('❯ ls');
});

test('the last queued messages are shown, each on a line, made safe [1]', async () => {
	const {store, lines, settle} = app();
	store.setState({queue: ['one', 'two', 'three\nlines', 'fo\u001bur'].map(text => ({id: text, text}))});
	await settle();
	expect(lines().slice(1, 4)).toEqual([
		'  queued: two',
		'  queued: three␊lines',
		'  queued: fo␛ur  ↑ edit · /queue all 4',
	]);
});
