import {Readable} from 'node:stream';
import {describe, expect, onTestFinished, test} from 'vitest';
import {expandedText} from '../../../src/editor/editor.ts';
import {createInput} from '../../../src/terminal/input/input.ts';
import {createTokenizer} from '../../../src/terminal/input/tokenizer.ts';
import {openPanel, type Panel} from '../../../src/ui/panels/panels.ts';
import {esc, handler, keys} from '../key-presses.ts';
import {runApp} from '../running-app.ts';

const bracketed = (text: string) => `${esc}[200~${text}${esc}[201~`;

/** What terminals and other programs send by themselves. */
const answers: readonly (readonly [string, string])[] = [
	['device attributes', `${esc}[?62;4;22c`],
	['secondary device attributes', `${esc}[>41;330;0c`],
	['tertiary device attributes', `${esc}P!|7E565445${esc}\\`],
	['a cursor position', `${esc}[12;40R`],
	['a status report', `${esc}[0n`],
	['a private status report', `${esc}[?997;1n`],
	['the focus', `${esc}[I${esc}[O`],
	['SGR mouse reports', `${esc}[<0;10;5M${esc}[<0;10;5m${esc}[<64;1;1M`],
	['X10 mouse reports', `${esc}[M !!${esc}[M#"!`],
	['urxvt mouse reports', `${esc}[32;10;5M`],
	['the background (OSC 11, ST)', `${esc}]11;rgb:1e1e/1e1e/2e2e${esc}\\`],
	['the background (OSC 11, BEL)', `${esc}]11;rgb:1e1e/1e1e/2e2e\u0007`],
	['a color of the palette', `${esc}]4;1;rgb:ff/00/00${esc}\\`],
	['a clipboard', `${esc}]52;c;cm0gLXJmIC8=${esc}\\`],
	['the state of a mode', `${esc}[?2026;2$y`],
	['a setting (DECRQSS)', `${esc}P1$r0m${esc}\\`],
	['a terminfo entry (XTGETTCAP)', `${esc}P1+r436f=323536${esc}\\`],
	['a version (XTVERSION)', `${esc}P>|XTerm(390)${esc}\\`],
	['keyboard flags', `${esc}[?5u`],
	['the size of the window', `${esc}[8;24;80t`],
	['a title', `${esc}]lrm -rf /${esc}\\`],
	['an end of a paste', `${esc}[201~`],
	['an answer of graphics', `${esc}_Gi=1;OK${esc}\\`],
	['eight-bit introducers', '\u009b?62c\u009d11;rgb:0/0/0\u009c'],
];

describe('what the terminal says by itself types nothing, sends nothing and answers nothing', () => {
	test.each(answers)('%s, cut at any byte', (_, answer) => {
		const bytes = Buffer.from(answer);
		for (let cut = 0; cut <= bytes.length; cut++) {
			const app = handler({text: 'draft', running: true});
			const tokenizer = createTokenizer();
			app.handle(tokenizer.push(bytes.subarray(0, cut)));
			app.handle(tokenizer.push(bytes.subarray(cut)));
			expect([app.prompt(), app.asked, app.toast()], `cut at ${cut}`).toEqual(['draft', [], '']);
		}
	});

	test.each(answers)('%s in front of a question', (_, answer) => {
		const app = handler({running: true});
		openPanel(app.store, {kind: 'confirm', question: 'Run it?', askedAt: -5000});
		app.press(answer);
		expect([app.prompt(), app.asked]).toEqual(['', []]);
	});
});

const questions: readonly (readonly [string, Panel])[] = [
	['a question', {kind: 'confirm', question: 'Run it?', askedAt: -5000}],
	[
		'a picker',
		{
			kind: 'pick',
			title: 'Model',
			choices: [
				{id: 'y', label: 'y'},
				{id: 'n', label: 'n'},
			],
		},
	],
	[
		'a question of the agent',
		{kind: 'ask', question: 'Which?', choices: [{label: 'y'}, {label: 'n'}], askedAt: -5000, isFollowUp: false},
	],
	['a field of the agent', {kind: 'ask', question: 'Which?', choices: [], askedAt: -5000, isFollowUp: false}],
	['an editor', {kind: 'edit', label: 'Plan', does: 'send', text: ''}],
];

describe.each(questions)('a paste never answers %s', (_, panel) => {
	test.each([
		['with brackets', bracketed('y\n')],
		['with brackets and an end mark in it', `${bracketed('y')}y\r`],
		['without brackets', 'y\ry\r'],
		['of several lines without brackets', 'yes\r\nrm -rf /\r\n'],
	])('%s', (_how, input) => {
		const app = handler({running: true});
		openPanel(app.store, panel);
		app.press(input);
		expect(app.asked).toEqual([]);
		expect(app.store.getState().panel).toBe(panel);
	});
});

test.each([
	['an end mark in a paste', `${bracketed('a')}b\rc\r${esc}[201~`, 'ab\nc\n'],
	['a start mark in a paste', bracketed(`a${esc}[200~b\rc`), `a${esc}[200~b\nc`],
	['two end marks', `${bracketed('a')}${esc}[201~\r`, 'a\n'],
	['NUL and other controls', bracketed('a\u0000b\u0007'), 'a\u0000b\u0007'],
])('%s sends nothing and loses nothing', (_, input, text) => {
	const {press, asked, store} = handler();
	press(input);
	expect([asked, expandedText(store.getState().composer)]).toEqual([[], text]);
});

test('an end mark in a paste sends nothing if the rest comes in later reads', async () => {
	const stdin = new Readable({read() {}});
	const {handle, asked, prompt} = handler();
	const input = createInput({stdin, onTokens: handle});
	onTestFinished(input.stop);
	input.start();
	stdin.push(bracketed('a'));
	await new Promise(resolve => setImmediate(resolve));
	stdin.push('b\r');
	await expect.poll(prompt, {interval: 1}).toBe('ab\n');
	expect(asked).toEqual([]);
});

test.each([
	['NUL', '\u0000', ''],
	['a lone ESC', esc, ''],
	['bytes that are no UTF-8', Buffer.from([0x61, 0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0xf5]), 'a��(����'],
	['an overlong form of Enter', Buffer.from([0xc0, 0x8d]), '��'],
	['bells and other controls', '\u0007\u001c\u001d', ''],
])('%s sends nothing and is nothing but text', (_, input, text) => {
	const {handle, asked, prompt} = handler();
	const tokenizer = createTokenizer();
	handle([...tokenizer.push(Buffer.from(input)), ...tokenizer.flush()]);
	expect([asked.filter(what => !/^(?:transcript|open logs)/.test(what)), prompt()]).toEqual([[], text]);
});

test('a composed text, and characters of several code points, stay whole however they arrive', () => {
	for (const text of ['日本語', '👩‍👩‍👧‍👦', '❤️', '🇩🇪', 'é', 'नि', '한국']) {
		const bytes = Buffer.from(text);
		for (let cut = 0; cut <= bytes.length; cut++) {
			const {handle, prompt, store, press} = handler();
			const tokenizer = createTokenizer();
			handle(tokenizer.push(bytes.subarray(0, cut)));
			handle(tokenizer.push(bytes.subarray(cut)));
			expect([prompt(), store.getState().composer.caret]).toEqual([text, text.length]);
			const characters = [...new Intl.Segmenter().segment(text)].length;
			press(...Array.from({length: characters}, () => keys.backspace));
			expect(prompt()).toBe('');
		}
	}
});

test('a paste of 10 MB is refused with words and types nothing; one of 7 MB is sent whole', async () => {
	const {type, waitFor, store} = runApp();
	await waitFor('❯ Ask something');
	type(bracketed('x'.repeat(10_000_000)));
	await waitFor('Not inserted: the paste is over 8 MB. Save it and type @ and its path.');
	expect(store.getState().composer.text).toBe('');
	const line = `${'y'.repeat(99)}\n`;
	type(bracketed(line.repeat(70_000)));
	await waitFor('[Pasted text #1 +70000 lines]');
	expect(expandedText(store.getState().composer)).toBe(line.repeat(70_000));
	expect(JSON.stringify(store.getState().queue)).toBe('[]');
});
