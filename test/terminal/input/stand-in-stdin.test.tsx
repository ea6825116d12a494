import {PassThrough, type Writable} from 'node:stream';
import fc from 'fast-check';
import {render} from 'ink';
import TextInput from 'ink-text-input';
import {useState} from 'react';
import {expect, test} from 'vitest';
import {createStandInStdin} from '../../../src/terminal/input/stand-in-stdin.ts';
import {type InputToken, keyToken} from '../../../src/terminal/input/token.ts';
import {createTokenizer} from '../../../src/terminal/input/tokenizer.ts';

function Field({onSubmit}: {readonly onSubmit: (value: string) => void}) {
	const [value, setValue] = useState('');
	return <TextInput value={value} onChange={setValue} onSubmit={onSubmit} />;
}

/** Feeds tokens to a real ink-text-input in a real Ink, and returns the submitted text. */
async function submitted(tokens: readonly InputToken[]): Promise<string> {
	const {stream, feed} = createStandInStdin();
	const stdout: Writable = new PassThrough().resume();
	Object.assign(stdout, {columns: 80, rows: 24, isTTY: true});

	return new Promise(resolve => {
		const finish = (value: string) => {
			app.unmount();
			resolve(value);
		};
		const app = render(<Field onSubmit={finish} />, {
			stdin: stream,
			stdout: stdout as NodeJS.WriteStream,
			exitOnCtrlC: false,
			patchConsole: false,
			// As in the app, which compares the frames itself.
			debug: true,
		});
		for (const token of [...tokens, keyToken('enter')]) {
			feed(token);
		}
	});
}

const read = (input: string) => createTokenizer().push(Buffer.from(input));

test.each([
	['keys that come in one chunk', 'abc\u001b[D\u001b[DX', 'aXbc'],
	['Backspace', 'abc\u007f\u007fd', 'ad'],
	['Right', 'ab\u001b[D\u001b[D\u001b[CX', 'aXb'],
	['a key copied with its line end', '\u001b[200~sk-secret\r\n\u001b[201~', 'sk-secret'],
	['a paste of lines, as one line', '\u001b[200~a\r\nb\tc\u001b[A\u001b[201~d', 'a b c[Ad'],
])('ink-text-input keeps %s', async (_name, input, expected) => {
	expect(await submitted(read(input))).toBe(expected);
});

test('a paste of 20 KB keeps every character', async () => {
	const pasted = 'abcdefghij'.repeat(2048);
	expect(await submitted(read(`x\u001b[200~${pasted}\u001b[201~y`))).toBe(`x${pasted}y`);
});

test('any typing has the result of a simple model', async () => {
	const keys = fc.array(fc.oneof(fc.stringMatching(/^[a-z ]{1,3}$/), fc.constantFrom('left', 'right', 'backspace')), {
		maxLength: 12,
	});
	await fc.assert(
		fc.asyncProperty(keys, async typed => {
			let [before, after] = ['', ''];
			const tokens = typed.map((name): InputToken => {
				if (name === 'left') {
					[before, after] = [before.slice(0, -1), before.slice(-1) + after];
				} else if (name === 'right') {
					[before, after] = [before + after.slice(0, 1), after.slice(1)];
				} else if (name === 'backspace') {
					before = before.slice(0, -1);
				} else {
					before += name;
					return {type: 'text', text: name};
				}

				return keyToken(name);
			});
			expect(await submitted(tokens)).toBe(before + after);
		}),
		{numRuns: 20},
	);
});

test("keys that a field doesn't handle are left to the caller", () => {
	const {feed} = createStandInStdin();
	const tokens = [
		keyToken('escape'),
		keyToken('tab'),
		keyToken('up'),
		keyToken('delete'),
		...read('\u0003\u0015\u001bb'),
	];
	expect([...tokens, {type: 'focus', focused: true} as const].map(feed)).toEqual(Array(8).fill(false));
});
