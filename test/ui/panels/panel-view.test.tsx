import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {wrapLine} from '../../../src/terminal/text/wrap.ts';
import {openPanel as openInStore, type Panel} from '../../../src/ui/panels/panels.ts';
import {titleOf} from '../frame.ts';
import {openPanel} from './open-panel.tsx';

const choices = ['alpha', 'beta', 'gamma', 'delta'].map(id => ({id, label: id, detail: `the ${id} one`}));
const pick: Panel = {kind: 'pick', title: 'Choose', choices};

describe('a picker', () => {
	test('lists its choices with the first one marked', async () => {
		const {panelLines} = await openPanel(pick);
		expect(panelLines()).toEqual([
			'Choose (4) · Enter select · Esc cancel',
			'filter',
			'❯ alpha  the alpha one',
			'  beta   the beta one',
			'  gamma  the gamma one',
			'  delta  the delta one',
		]);
	});

	test('opens at the current choice and marks it', async () => {
		const {lines} = await openPanel({...pick, current: 'gamma'});
		expect(lines()).toContain('❯ gamma (now)  the gamma one');
	});

	test('moves, and wraps around both ends', async () => {
		const {lines, move} = await openPanel(pick);
		await move(1);
		expect(lines()).toContain('❯ beta   the beta one');
		await move(-2);
		expect(lines()).toContain('❯ delta  the delta one');
		await move(1);
		expect(lines()).toContain('❯ alpha  the alpha one');
	});

	test('filters by the typed text, and Enter selects the marked choice', async () => {
		const {answers, panelLines, feed, move} = await openPanel(pick);
		await move(2);
		await feed('ta');
		expect(panelLines()).toEqual(
			expect.arrayContaining(['Choose (2 of 4) · Enter select · Esc cancel', '❯ beta   the beta one']),
		);
		await feed('enter');
		expect(answers).toEqual(['beta']);
	});

	test('shows a note if nothing matches, and Enter does nothing', async () => {
		const {answers, lines, feed} = await openPanel(pick);
		await feed('zz', 'enter');
		expect(lines()).toContain('  Nothing matches.');
		expect(answers).toEqual([]);
	});

	test('shows a part of a long list', async () => {
		const many = Array.from({length: 100}, (_, index) => ({id: `${index}`, label: `choice ${index}`}));
		const {panelLines, move} = await openPanel({...pick, choices: many});
		await move(50);
		expect(panelLines()).toHaveLength(14);
		expect(panelLines().slice(2, -1)).toEqual(
			Array.from({length: 11}, (_, index) => (index === 5 ? '❯ choice 50' : `  choice ${45 + index}`)),
		);
		expect(panelLines().at(-1)).toBe('  ↑ 45 · ↓ 44 more');
	});

	test('uses a high window', async () => {
		const many = Array.from({length: 100}, (_, index) => ({id: `${index}`, label: `choice ${index}`}));
		const {panelLines} = await openPanel({...pick, choices: many}, 80, 40);
		expect(panelLines()).toHaveLength(28);
	});

	test.each([
		[20, 5, ['Choose · Esc cancel', 'filter', '❯ beta  the beta one']],
		[40, 6, ['Choose (4) · Enter select · Esc cancel', 'filter', '  alpha  the alpha one', '❯ beta   the beta one']],
	])('shows the marked choice also in a window of %i columns and %i rows', async (columns, rows, expected) => {
		const {lines, move} = await openPanel(pick, columns, rows);
		await move(1);
		expect(lines().slice(0, -1).map(titleOf)).toEqual(expected);
	});

	test('makes its texts safe [1]', async () => {
		const hostile = 'a\u001b[2Jb\nc';
		const {panelLines} = await openPanel({
			kind: 'pick',
			title: hostile,
			choices: [{id: '1', label: hostile, detail: hostile}],
		});
		expect(panelLines()).toEqual(
			expect.arrayContaining(['a␛[2Jb␊c (1) · Enter select · Esc cancel', '❯ a␛[2Jb␊c  a␛[2Jb␊c']),
		);
	});
});

describe('lines', () => {
	const lines20 = Array.from({length: 40}, (_, index) => `line ${index}`);

	test('are shown whole if they fit', async () => {
		const {panelLines} = await openPanel({kind: 'lines', title: '/usage', lines: () => ['a', 'b']});
		expect(panelLines()).toEqual(['/usage · Esc close', 'a', 'b']);
	});

	test('scroll to both ends and no further', async () => {
		const {store, panelLines, move} = await openPanel({kind: 'lines', title: '/help', lines: () => lines20});
		expect(panelLines()).toHaveLength(18);
		expect(panelLines().slice(0, 2)).toEqual(['/help · 1-17 of 40 · ↑↓ scroll · Esc close', 'line 0']);
		await move(100);
		expect(panelLines().at(-1)).toBe('line 39');
		await move(-1);
		expect(panelLines().at(-1)).toBe('line 38');
		await move(-100);
		expect(panelLines()[1]).toBe('line 0');
		await move(1);
		expect(panelLines()[1]).toBe('line 1');
		expect(store.getState().scroll).toBe(1);
	});

	test('have a title that is made safe [1]', async () => {
		const {panelLines} = await openPanel({kind: 'lines', title: '/help \u001b[2J', lines: () => ['a']});
		expect(panelLines()[0]).toBe('/help ␛[2J · Esc close');
	});
});

const unanswerable = ['? Sure?', '     Yes', '     No', '  Wait a second, then answer'];
const yesOrNo = ['  y  Yes', '❯ n  No', '  ↑↓ move · Enter select · Esc cancel'];

test('Enter answers a question with no', async () => {
	const {panelLines} = await openPanel({kind: 'confirm', question: 'Forget \u001b[2Jwork?', askedAt: 0});
	expect(panelLines()).toEqual(['? Forget ␛[2Jwork?', ...yesOrNo]);
	const answers = [{key: 's', label: 'Yes, for this session', value: 'session'}];
	const own = await openPanel({kind: 'confirm', question: 'Show .env?', answers, askedAt: 0});
	expect(own.panelLines().slice(0, 3)).toEqual(['? Show .env?', '  s  Yes, for this session', '❯ n  No']);
	const long = await openPanel({kind: 'confirm', question: 'x'.repeat(200), askedAt: 0});
	expect(long.panelLines().slice(0, 3)).toEqual([`? ${'x'.repeat(78)}`, `  ${'x'.repeat(78)}`, `  ${'x'.repeat(44)}`]);
});

test('[4] a question shows its keys once they answer it', async () => {
	// In the future: a busy machine draws late.
	const question = {kind: 'confirm', question: 'Sure?'} as const;
	const {panelLines, store} = await openPanel({...question, askedAt: performance.now() + 3_600_000});
	expect(panelLines()).toEqual(unanswerable);
	openInStore(store, {...question, askedAt: performance.now()});
	await expect.poll(panelLines, {interval: 20}).toEqual(['? Sure?', ...yesOrNo]);
});

test('[4] a question shows its keys even if its timer fires too early', async () => {
	const {setTimeout: later} = globalThis;
	const early = vi.spyOn(globalThis, 'setTimeout');
	onTestFinished(() => early.mockRestore());
	early.mockImplementation(((run: () => void, delayMs = 0) =>
		later(run, delayMs > 100 ? 10 : delayMs)) as typeof later);
	const {panelLines} = await openPanel({kind: 'confirm', question: 'Sure?', askedAt: performance.now()});
	await expect.poll(panelLines, {interval: 20}).toEqual(['? Sure?', ...yesOrNo]);
	expect(early).toHaveBeenCalled();
});

test('[4] a question shows no keys while the user types into the prompt', async () => {
	const {panelLines, store} = await openPanel({kind: 'confirm', question: 'Sure?', askedAt: 0});
	expect(panelLines()).toEqual(['? Sure?', ...yesOrNo]);
	store.getState().editPrompt({typedAt: performance.now() + 3_600_000});
	await expect.poll(panelLines, {interval: 20}).toEqual(unanswerable);
	store.getState().editPrompt({typedAt: performance.now()});
	await expect.poll(panelLines, {interval: 20}).toEqual(['? Sure?', ...yesOrNo]);
});

describe.each([
	[80, 24],
	[120, 40],
])('a question with what is to be known first, at %i columns and %i rows', (columns, rows) => {
	const about = {
		title: 'Wake Dev\u001b[2Jbox, as it was seen 2 h ago',
		facts: [
			['state', 'paused'],
			['cost', `12 credits ${'and more '.repeat(20)}`],
		],
	} as const;

	test('has all of each, wrapped if it does not fit [1]', async () => {
		const {panelLines} = await openPanel({kind: 'confirm', question: 'Wake it?', about, askedAt: 0}, columns, rows);
		expect(panelLines()).toEqual([
			'Wake Dev␛[2Jbox, as it was seen 2 h ago',
			'state  paused',
			...wrapLine(`cost   ${about.facts[1][1].trim()}`, columns, {rest: ' '.repeat(7)}),
			'? Wake it?',
			...yesOrNo,
		]);
	});

	test('asks in a low window, too', async () => {
		const {lines} = await openPanel({kind: 'confirm', question: 'Wake it?', about, askedAt: 0}, columns, 5);
		expect(lines()[0]).toBe('? Wake it?');
		expect(lines()[2]).toMatch(/^ {2}\[y\/N\] No …\d PgDn$/);
	});
});
