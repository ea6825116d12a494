import {PassThrough} from 'node:stream';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {obeysCodes} from '../../../src/terminal/input/ask-terminal.ts';
import {finish, scriptedModel, text} from '../../agent/scripted.ts';
import {runLinear} from './running-lines.ts';

/** Every control character but the end of a line and the bell, which is meant to be heard. */
const toObey = /[^\n\u0007\P{Cc}]/u;

const type = fc.constantFrom({}, ...['', 'dumb', 'emacs', 'unknown', 'vt52'].map(TERM => ({TERM})));
const piece = fc.oneof(
	fc.constantFrom(
		'\u001b[31mred\u001b[0m',
		'\u001b]0;title\u0007',
		'\u009b2J',
		'\r',
		'**bold** ',
		'| a |\n|-|\n| 1 |\n',
	),
	fc.constantFrom('```ts\nconst a = 1;\n```\n', '- item\n', '[link](https://example.com)', '日本 ', '\u001b'),
	fc.string({unit: 'binary', maxLength: 8}),
);
const line = fc.oneof(
	fc.constantFrom(
		'/help',
		'/usage',
		'/context',
		'/diff',
		'/mcp',
		'/model list',
		'/keys list',
		'/theme list',
		'/nothing',
		'?',
	),
	fc.constantFrom('go', 'and \u001b[A on', '/rename \u001b[31mred'),
);
const session = fc.array(fc.oneof(line, fc.record({columns: fc.integer({min: 1, max: 200})})), {
	minLength: 1,
	maxLength: 4,
});

test('a terminal that prints escape codes gets none, whatever is typed, answered and shown', async () => {
	await fc.assert(
		fc.asyncProperty(type, fc.array(piece, {maxLength: 4}), session, async (env, pieces, steps) => {
			const {ask} = scriptedModel([...pieces.map(text), finish('stop')]);
			const app = runLinear(ask, {env});
			await app.waitFor('> ');
			for (const step of steps) {
				if (typeof step === 'string') {
					const before = app.written().length;
					app.type(`${step}\n`);
					await expect.poll(() => app.written().slice(before), {interval: 5}).toMatch(/> $/);
				} else {
					app.resize(step.columns, 24);
				}
			}

			await app.end();
			expect(toObey.exec(app.written())?.[0]).toBe(undefined);
		}),
		{numRuns: 50},
	);
});

/** A terminal that gets the question for its attributes, and types that. */
async function asked(answer: string) {
	const stdin = new PassThrough();
	const modes: boolean[] = [];
	let written = '';
	const stdout = {
		write(data: string) {
			written += data;
			if (data === '\u001b[c' && answer) {
				stdin.write(answer);
			}
		},
	};
	const terminal = Object.assign(stdin, {setRawMode: (isRaw: boolean) => modes.push(isRaw)}) as never;
	const obeys = await obeysCodes({stdin: terminal, stdout, env: {TERM: 'frobnicate'}});
	return {obeys, modes, written, typed: String(stdin.read() ?? '')};
}

test('a terminal of an unknown type that answers is drawn on, and what was typed meanwhile stays', async () => {
	expect(await asked('he\u001b[?62;4cllo')).toEqual({
		obeys: true,
		modes: [true, false],
		written: '\u001b[c',
		typed: 'hello',
	});
});

test('one that doesn’t answer is told to work line by line, and its question is wiped', async () => {
	const {obeys, modes, written, typed} = await asked('typed\r');
	expect({obeys, modes, typed}).toEqual({obeys: false, modes: [true, false], typed: 'typed\r'});
	expect(written).toBe(
		'\u001b[c\r    \rWe don’t know TERM=frobnicate, and it doesn’t answer: the app works line by line.\n' +
			'If it is like xterm, set TERM=xterm-256color.\n',
	);
});
