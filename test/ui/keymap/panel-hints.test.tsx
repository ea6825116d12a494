import {expect, test} from 'vitest';
import {drawingOfCommand} from '../../../src/command/approvals/subject-drawing.ts';
import {readKeys} from '../../../src/command/keymap/read-keys.ts';
import type {Json} from '../../../src/core/json.ts';
import {App} from '../../../src/ui/app.tsx';
import {openPanel, type Panel} from '../../../src/ui/panels/panels.ts';
import {keyLines} from '../../../src/ui/prompt/key-panel.ts';
import {draw} from '../frame.ts';
import {handler, keys} from '../key-presses.ts';

const key = {
	...keys,
	ctrlEnter: '\u001b[13;5u',
	ctrlJ: '\n',
	ctrlK: '\u000b',
	ctrlN: '\u000e',
	ctrlO: '\u000f',
	ctrlQ: '\u0011',
	ctrlS: '\u0013',
	ctrlT: '\u0014',
	ctrlY: '\u0019',
	altT: '\u001bt',
	altU: '\u001bu',
	altHome: '\u001b[1;3H',
	altEnd: '\u001b[1;3F',
};

/** The keys of a user, none of which is refused. */
function ownKeys(value: Json) {
	const {own, faults} = readKeys(value);
	expect(faults).toEqual([]);
	return own;
}

const moving = {
	...{'panel.up': 'ctrl+k', 'panel.down': 'ctrl+j', 'panel.first': 'alt+home', 'panel.last': 'alt+end'},
	...{'panel.open': 'ctrl+o', 'panel.close': 'ctrl+q'},
};

/** A panel of a user with keys of their own: its frame, and what their presses do. */
async function opened(panel: Panel, value: Json) {
	const own = ownKeys(value);
	const drawn = draw(<App />, {columns: 100, rows: 24});
	drawn.store.getState().setOwnKeys(own);
	openPanel(drawn.store, panel);
	const app = handler();
	app.store.getState().setOwnKeys(own);
	openPanel(app.store, panel);
	// Past the time in which a question ignores what was typed before it.
	app.wait(5000);
	return {
		...app,
		state: app.store.getState,
		/** Waits until the panel shows the text. */
		shows: (text: string) => expect.poll(() => drawn.lines().join('\n'), {interval: 5}).toContain(text),
	};
}

const choices = ['alpha', 'beta', 'gamma', 'delta'].map(id => ({id, label: id}));

test('a picker names the key that selects, which does; Enter neither selects nor sends the filter', async () => {
	const {shows, press, asked, state} = await opened({kind: 'pick', title: 'Choose', choices}, moving);
	await shows('Choose (4) · Ctrl+O select · Esc cancel');
	press('a', key.enter, key.down);
	expect([asked, state().filter.text, state().scroll]).toEqual([[], 'a', 0]);
	press(keys.backspace, key.ctrlJ, key.ctrlO);
	press(key.altEnd, key.ctrlO, key.altHome, key.ctrlO, key.ctrlK, key.ctrlO);
	expect(asked).toEqual(['answer beta', 'answer delta', 'answer alpha', 'answer delta']);
	press(key.ctrlQ, key.escape, key.ctrlC);
	expect(asked.slice(4)).toEqual(Array.from({length: 3}, () => 'answer undefined'));
});

test('lines name the keys that scroll, which do; the default ones are for the prompt', async () => {
	const lines = Array.from({length: 60}, (_, index) => `line ${index}`);
	const {shows, press, asked, state, store} = await opened({kind: 'lines', title: 'Usage', lines: () => lines}, moving);
	await shows('of 60 · Ctrl+K Ctrl+J scroll · Esc close');
	press(key.ctrlJ, key.ctrlJ, key.down);
	expect(state().scroll).toBe(2);
	press('draft', key.ctrlQ);
	expect([asked, store.getState().composer.text]).toEqual([['answer undefined'], 'draft']);
});

test('a table names the keys that sort, open and show times, which do', async () => {
	const rows = ['one', 'two'].map(name => [name, {at: '2026-01-01T00:00:00Z'}]);
	const {shows, press, asked, state} = await opened(
		{kind: 'table', title: 'Parts', columns: [{label: 'name'}, {label: 'made'}], rows, opens: {ids: ['1', '2']}},
		{...moving, 'table.sort': 'ctrl+s', 'table.times': 'alt+t'},
	);
	await shows('Ctrl+O open · Ctrl+S sort · Alt+T exact times · Esc close');
	press(key.enter, key.ctrlT, key.altT, key.ctrlS, key.ctrlO);
	expect([asked, state().sorted, state().exact]).toEqual([['answer 1'], 1, true]);
	press(key.tab);
	expect(state().sorted).toBe(1);
});

test('a question of the agent names the keys that move; Enter and Esc stay', async () => {
	const question = {question: 'Which?', choices: [{label: 'A'}, {label: 'B'}], isFollowUp: false};
	const {shows, press, wait, asked} = await opened({kind: 'ask', askedAt: 0, ...question}, moving);
	await shows('Ctrl+K Ctrl+J move · Enter select · Esc cancel');
	press(key.ctrlO, key.ctrlQ, key.down);
	expect(asked).toEqual([]);
	wait(1000);
	press(key.ctrlJ, key.ctrlJ, key.enter);
	expect(asked).toEqual(['answer B']);
});

test('an approval names the key that scrolls its subject; no key of the user answers it but by its mark', async () => {
	const command = Array.from({length: 60}, (_, index) => `echo ${index}`).join('\n');
	const subject = drawingOfCommand(command, false);
	const {shows, press, wait, asked, state} = await opened(
		{kind: 'confirm', question: 'Run this command?', subject, askedAt: 0},
		{...moving, 'panel.page-down': 'ctrl+n', 'device.open': 'y'},
	);
	await shows('lines ⋯ Ctrl+N');
	press(key.ctrlO, key.ctrlQ, key.ctrlN, key.altEnd);
	wait(1000);
	press(key.ctrlK);
	expect([asked, state().scroll, state().marked]).toEqual([[], 8, -1]);
	press('y');
	expect(asked).toEqual([]);
	state().showRows({layout: '', total: 60, from: 0, to: 60, page: 8, lead: 0});
	wait(1000);
	press('y');
	expect(asked).toEqual(['answer yes']);
});

test('an editor is confirmed by the key that sends a prompt, and edited by the keys of the prompt', async () => {
	const {shows, press, asked, state} = await opened(
		{kind: 'edit', label: 'Edit the command', does: 'confirm', text: 'ls'},
		{'prompt.send': 'ctrl+enter', 'prompt.newline': 'enter', 'prompt.line-start': 'ctrl+s'},
	);
	await shows('Edit the command · Ctrl+Enter confirm · Esc back');
	press(key.enter, key.ctrlS, 'x');
	expect([asked, state().filter.text]).toEqual([[], 'ls\nx']);
	press(key.ctrlEnter);
	expect(asked).toEqual(['answer ls\nx']);
});

test('a login names its keys, a letter among them, and they work instead of the default ones', async () => {
	const {shows, press, asked} = await opened(
		{
			...{
				kind: 'device',
				server: 'https://a.example',
				page: 'https://a.example/d',
				pageWithCode: '',
				code: 'WDJB-MJHT',
			},
			...{expiresAt: Date.now() + 60_000, opens: true, pastes: true},
		},
		{'device.open': 'O', 'device.copy-code': 'x', 'device.copy-url': 'alt+u', 'device.paste': [], 'device.close': 'z'},
	);
	await shows('O open · x copy code · Alt+U copy URL · Esc cancel');
	for (const each of ['c', 'u', 'p', key.enter, 'o']) {
		press(each);
	}

	expect(asked).toEqual([]);
	press('O', 'x', key.altU, 'z');
	expect(asked).toEqual(['open ', 'copy WDJB-MJHT', 'copy https://a.example/d', 'answer undefined']);
});

test('the list of suggestions has the keys of the user, which ? names; the key that sends completes a line, too', async () => {
	const own = ownKeys({
		...{'completion.complete': 'ctrl+y', 'completion.down': 'ctrl+n', 'completion.close': 'ctrl+q'},
		...{'prompt.send': 'ctrl+s', 'prompt.newline': 'enter', 'prompt.stash': 'alt+t'},
	});
	expect(keyLines(own, 40, {}).join('\n')).toMatch(/^ {2}Ctrl\+Y +complete$/m);
	const {store, press, prompt, asked} = handler();
	store.getState().setOwnKeys(own);
	press('/re', key.tab, key.down);
	expect([prompt(), store.getState().completion]).toEqual(['/re', 0]);
	press(key.ctrlN, key.ctrlY);
	expect(prompt()).toBe('/rename ');
	press(key.ctrlC, '/who', key.ctrlS);
	expect(asked).toEqual(['submit /whoami']);
	press('/re', key.ctrlQ);
	expect(store.getState().completion).toBe(-1);
});
