import {describe, expect, test} from 'vitest';
import {setHistory} from '../../src/editor/editor-history.ts';
import {openPanel, type Panel} from '../../src/ui/panels/panels.ts';
import {esc, handler, keys} from './key-presses.ts';

const pick: Panel = {kind: 'pick', title: 'Choose', choices: []};

describe('in the completion', () => {
	test('the arrows select, wrapping around, and Tab completes', () => {
		const {press, prompt, store} = handler();
		press('/re', keys.down);
		expect(store.getState().completion).toBe(1);
		press(keys.down);
		expect(store.getState().completion).toBe(0);
		press(keys.up, keys.tab);
		expect(prompt()).toBe('/rename ');
	});

	test('Enter completes what is not typed yet, and runs a complete line', () => {
		const {press, prompt, asked} = handler();
		press('/ren', keys.enter);
		expect([prompt(), asked]).toEqual(['/rename ', []]);
		press(keys.ctrlC, '/who', keys.enter);
		expect([prompt(), asked]).toEqual(['', ['submit /whoami']]);
	});

	test('Enter runs a line that was typed in full', () => {
		const {press, asked} = handler();
		press('/resume', keys.enter);
		expect(asked).toEqual(['submit /resume']);
	});

	test('Escape closes the list, and typing opens it again', () => {
		const {press, store, asked} = handler();
		press('/re', keys.escape);
		expect([store.getState().completion, asked]).toEqual([-1, []]);
		press('n');
		expect(store.getState().completion).toBe(0);
	});

	test('the list stays closed for lines of the history, so that the arrows keep working', () => {
		const {press, store, prompt} = handler();
		const {setComposer, composer} = store.getState();
		setComposer(setHistory(composer, ['one', '/usage', 'two']));
		press(keys.up, keys.up);
		expect([prompt(), store.getState().completion]).toEqual(['/usage', -1]);
		press(keys.up);
		expect(prompt()).toBe('one');
		press(keys.down, keys.down);
		expect(prompt()).toBe('two');
	});
});

describe('a panel', () => {
	const open = (panel: Panel, given = {}) => {
		const app = handler(given);
		openPanel(app.store, panel);
		return app;
	};

	test.each([pick, {kind: 'field', label: 'Key:', masked: true}] as const)(
		'of the kind $kind gets the keys before the run, the prompt and the app',
		panel => {
			const {press, asked, prompt} = open(panel, {running: true});
			press('a', keys.ctrlD, keys.ctrlL);
			expect(asked).toEqual([]);
			expect(prompt()).toBe('');
			press(keys.escape, keys.ctrlC);
			expect(asked).toEqual(['answer undefined', 'answer undefined']);
		},
	);

	test.each([
		pick,
		{kind: 'field', label: 'Key:', masked: true},
		{kind: 'table', title: '/help', columns: [], rows: []},
		{kind: 'lines', title: '/usage', lines: () => []},
		{kind: 'confirm', question: 'Sure?', askedAt: 0},
		{kind: 'device', server: '', page: '', pageWithCode: '', code: '', expiresAt: 0, opens: false},
	] as const satisfies readonly Panel[])('of the kind $kind lets Ctrl+Z suspend the app', panel => {
		const {press, wait, asked} = open(panel);
		wait(1000);
		press(keys.ctrlZ);
		expect(asked).toEqual(['suspend']);
	});

	test('that asks leaves the sequence that shows the next session to the app, also at once, and answers with no part of it', () => {
		const {press, wait, asked, prompt} = open({kind: 'confirm', question: 'Sure?', askedAt: 0});
		press('\u0018', 'b');
		wait(2000);
		press('\u0018', 'b');
		expect(asked).toEqual(['next session', 'next session']);
		expect(prompt()).toBe('');
	});

	test('that asks gets no answer from the second key of a sequence, which edits nothing either', () => {
		const {press, wait, asked, prompt, store} = open({kind: 'confirm', question: 'Sure?', askedAt: 0});
		for (const second of ['y', 'n', keys.enter, '\u0005', keys.escape]) {
			wait(2000);
			press('\u0018');
			press(second);
			expect(asked).toEqual([]);
			expect(prompt()).toBe('');
		}

		press('\u0018', 'y');
		expect(store.getState().guard.note).toBe('Ctrl+X Y ignored: it is no answer');
		press('\u0018', keys.ctrlC);
		expect(asked).toEqual(['answer undefined']);
	});

	test('with a field gets what is typed, and is answered by Enter', () => {
		const {press, asked} = open({kind: 'field', label: 'Key:', masked: true});
		press('abc', keys.backspace, `${esc}[D`, 'x', keys.enter);
		press(`${esc}[200~${'-'.repeat(2000)}\r\n${esc}[201~`);
		press(keys.enter);
		expect(asked).toEqual(['answer axb', `answer a${'x'}${'-'.repeat(2000)}b`]);
	});

	test('counts the rows that it is scrolled', () => {
		const {press, store} = open(pick);
		press(keys.down, keys.pageDown, keys.up);
		expect(store.getState().scroll).toBe(8);
		press(keys.pageUp);
		expect(store.getState().scroll).toBe(0);
	});

	test.each(['up', 'down', 'page-down', 'escape', 'ctrl+c', 'tab', 'ctrl+t'])(
		'treats the word “%s” as text when it arrives in one piece',
		word => {
			const {press, asked, store} = open(pick);
			press(word);
			expect([asked, store.getState().filter.text, store.getState().scroll]).toEqual([[], word, 0]);
			const table = open({kind: 'table', title: 't', columns: [], rows: []});
			table.press(word);
			const {filter, sorted, exact} = table.store.getState();
			expect([table.asked, filter.text, sorted, exact]).toEqual([[], word, 0, false]);
		},
	);

	test('of lines leaves letters to the prompt, even a q', () => {
		const {press, asked, prompt} = open({kind: 'lines', title: '/usage', lines: () => []}, {running: true});
		press('q', 'uestion', keys.enter);
		expect([asked, prompt()]).toEqual([['submit question'], '']);
	});

	test('of lines is closed by Escape before the run is interrupted', () => {
		const {press, asked} = open({kind: 'lines', title: '/usage', lines: () => []}, {running: true});
		press(keys.escape);
		expect(asked).toEqual(['answer undefined']);
	});
});

describe('Ctrl+C at what a run waits for', () => {
	const asked: readonly Panel[] = [
		{kind: 'confirm', question: 'Run it?', askedAt: 0, isOfRun: true},
		{kind: 'ask', question: 'Which one?', choices: [{label: 'One'}], askedAt: 0, isFollowUp: false},
		{kind: 'ask', question: 'What?', choices: [], askedAt: 0, isFollowUp: false},
		{kind: 'edit', label: 'Edit the command', does: 'confirm', text: 'ls'},
	];
	const open = (panel: Panel, given = {}) => {
		const app = handler(given);
		openPanel(app.store, panel);
		app.wait(1000);
		return app;
	};

	test.each(asked)('interrupts the run, at once and beside a draft, and no key behind it answers: $kind', panel => {
		for (const text of ['', 'a draft']) {
			const {press, asked: calls, prompt} = open(panel, {running: true, text});
			press(keys.ctrlC, 'y');
			expect(calls).toEqual(['interrupt']);
			expect(prompt().startsWith(text)).toBe(true);
		}
	});

	test.each(asked)('Esc refuses it alone: $kind', panel => {
		const {press, asked: calls} = open(panel, {running: true});
		press(keys.escape);
		expect(calls).toEqual(['answer undefined']);
	});

	test.each(asked)('without a run only refuses: $kind', panel => {
		const {press, asked: calls} = open(panel);
		press(keys.ctrlC);
		expect(calls).toEqual(['answer undefined']);
	});

	test('only refuses what the user or the program asks during a run', () => {
		for (const panel of [pick, {kind: 'confirm', question: 'Send this key?', askedAt: 0}] as const) {
			const {press, asked: calls} = open(panel, {running: true});
			press(keys.ctrlC);
			expect(calls).toEqual(['answer undefined']);
		}
	});
});

describe('a question', () => {
	const question = (given = {}) => {
		const app = handler(given);
		openPanel(app.store, {kind: 'confirm', question: 'Sure?', askedAt: 0});
		return app;
	};

	test.each([
		['y', 'answer yes'],
		['Y', 'answer yes'],
		['n', 'answer undefined'],
		[keys.enter, 'answer undefined'],
		[keys.escape, 'answer undefined'],
		[keys.ctrlC, 'answer undefined'],
	])('that is shown for half a second accepts %j', (key, expected) => {
		const {press, wait, asked, prompt} = question({running: true});
		wait(500);
		press(keys.ctrlD);
		wait(1000);
		press(key);
		expect([asked, prompt()]).toEqual([[expected], '']);
	});

	test.each([
		['y', 'answer once'],
		['s', 'answer session'],
		['n', 'answer undefined'],
		[keys.enter, 'answer undefined'],
		[`${keys.up}${keys.enter}`, 'answer session'],
		[`${keys.down}${keys.enter}`, 'answer once'],
		[`${keys.up}${keys.down}${keys.enter}`, 'answer undefined'],
		[`${keys.pageUp}${keys.enter}`, 'answer undefined'],
	])('with answers of its own accepts %j', (key, expected) => {
		const app = handler({running: true});
		const answers = [
			{key: 'y', label: 'Yes, once', value: 'once'},
			{key: 's', label: 'Yes, and for this session', value: 'session'},
		];
		openPanel(app.store, {kind: 'confirm', question: 'Show .env?', answers, askedAt: 0});
		app.wait(499);
		app.press('s', keys.up);
		expect([app.asked, app.store.getState().marked]).toEqual([[], 0]);
		app.press(keys.backspace);
		app.wait(1000);
		app.press(key);
		expect([app.asked, app.prompt()]).toEqual([[expected], '']);
	});

	test('[4] that just appeared drops keys that were typed ahead, Enter included, and says so', () => {
		const {press, wait, asked, prompt, store} = question();
		wait(499);
		press('y');
		expect(store.getState().guard.note).toBe('“y” ignored: wait a second, then press it again');
		press('es, and then', keys.enter);
		expect([asked, prompt()]).toEqual([[], '']);
		expect(store.getState().guard.note).toBe('Enter ignored: wait a second, then press it again');
		wait(999);
		press('y');
		expect(asked).toEqual([]);
		wait(1000);
		press('y');
		expect(asked).toEqual(['answer yes']);
	});

	test('[4] leaves all letters and Enter to a draft, after a pause, too', () => {
		const {press, wait, asked, prompt} = question();
		wait(500);
		for (const letter of ['h', 'e', 'y']) {
			press(letter);
			wait(5000);
		}

		press(keys.backspace);
		wait(5000);
		press('y', keys.enter);
		expect([asked, prompt()]).toEqual([['submit hey'], '']);
		press('s', 't', 'o', 'p', keys.enter);
		expect([asked, prompt()]).toEqual([['submit hey'], '']);
	});

	test('[4] does not accept a paste as an answer', () => {
		const {press, wait, asked, prompt} = question();
		wait(500);
		press(`${esc}[200~y${esc}[201~`);
		expect([asked, prompt()]).toEqual([[], 'y']);
	});
});

describe('in the completion of an argument', () => {
	const ids = ['6f1c', '9a2b'];
	const withIds = (text: string) => {
		const app = handler({text});
		app.store.getState().setValuesOf(kind => (kind === 'profile' ? ids : []));
		return app;
	};

	test('Tab completes the value, and the arrows select another one', () => {
		const {press, prompt} = withIds('/usage --profile ');
		press(keys.tab);
		expect(prompt()).toBe('/usage --profile 6f1c');
		const other = withIds('/usage --profile ');
		other.press(keys.down, keys.enter);
		expect([other.prompt(), other.asked]).toEqual(['', ['submit /usage --profile 9a2b']]);
	});

	test('Enter sends what was typed, even if it begins a known value', () => {
		const {press, asked} = withIds('/usage --profile 6');
		press(keys.enter);
		expect(asked).toEqual(['submit /usage --profile 6']);
	});

	test('Enter completes the value if the line lacks one', () => {
		const {press, asked, prompt} = withIds('/usage --profile ');
		press(keys.enter);
		expect([prompt(), asked]).toEqual(['', ['submit /usage --profile 6f1c']]);
	});
});
