import {PassThrough} from 'node:stream';
import {expect, test} from 'vitest';
import {readTerminalLine} from '../../../src/terminal/input/read-line.ts';

test.each([1, 2, 3])(
	'a line that comes in pieces of %i bytes, cut within its characters, is what was typed',
	async size => {
		const stdin = Object.assign(new PassThrough(), {setRawMode: () => undefined});
		let written = '';
		const output = {write: (text: string) => (written += text)};
		const line = readTerminalLine({stdin: stdin as never, output}, false);
		const bytes = Buffer.from('passwört 漢字 🔑\r');
		for (let at = 0; at < bytes.length; at += size) {
			stdin.write(bytes.subarray(at, at + size));
		}

		expect(await line).toBe('passwört 漢字 🔑');
		expect(written).toBe('passwört 漢字 🔑\n');
	},
);
