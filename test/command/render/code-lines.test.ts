import {encode} from 'uqr';
import {expect, test} from 'vitest';
import {codeLines} from '../../../src/command/render/code-lines.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';

const {data: code} = encode('https://host.example.com/join/abcdefghijklmnopqrstuvwx', {ecc: 'L', border: 2});
const colored = createPalette({color: true});

test('each module of a code is half a cell, dark on light in every terminal', () => {
	const lines = codeLines(code, 80, colored);
	const halves: Readonly<Record<string, readonly [boolean, boolean]>> = {
		'█': [true, true],
		'▀': [true, false],
		'▄': [false, true],
		' ': [false, false],
	};
	const rows = lines.flatMap(line => {
		const [, cells = ''] = /^\u001B\[30;107m(.*)\u001B\[39;49m$/.exec(line) ?? [];
		const read = [...cells].map(cell => halves[cell] ?? [false, false]);
		return [read.map(([upper]) => upper), read.map(([, lower]) => lower)];
	});
	expect(rows.slice(0, code.length)).toEqual(code);
	expect(rows.slice(code.length).flat()).not.toContain(true);
});

test('there is no code where it would be cut, without colour, or for a screen reader', () => {
	const width = code[0]?.length ?? 0;
	expect(codeLines(code, width, colored)).toHaveLength(Math.ceil(code.length / 2));
	expect(codeLines(code, width - 1, colored)).toEqual([]);
	expect(codeLines(code, 80, createPalette({color: false}))).toEqual([]);
	expect(codeLines(code, 80, createPalette({color: true, spoken: true}))).toEqual([]);
});
