import fc from 'fast-check';
import {expect, test} from 'vitest';
import {answerCall} from '../../../src/agent/answer-call.ts';
import {linesBetween, splitLines} from '../../../src/agent/tools/files/read-text.ts';
import {createReadFile} from '../../../src/agent/tools/read-file.ts';
import type {JsonObject} from '../../../src/core/json.ts';
import {makeWorkspace} from './workspace.ts';

async function read(content: string | Buffer, args: JsonObject = {}) {
	const {stateFolder, context} = await makeWorkspace({'a.txt': content});
	return createReadFile({stateFolder}).run({path: 'a.txt', ...args}, context);
}

test('lines are numbered, without CRLF, byte order mark and a line for the last line end', async () => {
	expect(await read('\uFEFFone\r\ntwo\n\n')).toBe('1\tone\n2\ttwo\n3\t');
	expect(await read('one')).toBe('1\tone');
});

test('a range of lines is returned without a note on the rest', async () => {
	expect(await read('a\nb\nc\nd', {offset: 2, limit: 2})).toBe('2\tb\n3\tc');
	expect(await read('a\nb', {offset: 2, limit: 900})).toBe('2\tb');
});

test('an empty file and a range beyond the end are reported', async () => {
	expect(await read('')).toBe('[a.txt is empty]');
	expect(await read('a\nb', {offset: 7})).toBe('[a.txt has only 2 lines]');
});

test('a range of no lines, or from line 0, is refused with what is valid', async () => {
	await expect(read('a', {limit: 0})).rejects.toThrow(
		'Invalid argument “limit”: integer of 1 or more. Number of lines to read.',
	);
	await expect(read('a', {offset: 0})).rejects.toThrow('Invalid argument “offset”: integer of 1 or more.');
	await expect(read('a', {offset: 1.5})).rejects.toThrow('Invalid argument “offset”');
	expect(await read('a\nb', {offset: 2, limit: Number.MAX_SAFE_INTEGER})).toBe('2\tb');
	expect(await read('a', {offset: Number.MAX_SAFE_INTEGER})).toBe('[a.txt has only 1 lines]');
});

test('a long file is returned up to 2,000 lines, with the next offset', async () => {
	const lines = (await read('x\n'.repeat(5000))).split('\n');
	expect(lines).toHaveLength(2001);
	expect(lines.at(-1)).toBe('[lines 1 to 2000 of 5000; continue with offset 2001]');
});

test('a result has at most 32 kB: its beginning, its end, and between them how to continue', async () => {
	const {stateFolder, context} = await makeWorkspace({'a.txt': `${'x'.repeat(190)}\n`.repeat(2000)});
	const tool = createReadFile({stateFolder});
	const call = {id: 'call', name: tool.name, arguments: {path: 'a.txt'}};
	const {output} = await answerCall(call, {...context, tools: [tool]});
	const lines = output.split('\n');
	expect(Buffer.byteLength(output)).toBeLessThanOrEqual(32_000);
	expect([lines[0], lines.at(-1)]).toEqual([`1\t${'x'.repeat(190)}`, `2000\t${'x'.repeat(190)}`]);
	const [, next, left] = /left out.* with offset (\d+)/.exec(output) ?? [];
	expect(next).toBe('123');
	expect(left).toBe(undefined);
	expect(output).toContain(`122\t${'x'.repeat(190)}\n[… 1838 lines left out: a result has at most 32 kB.`);
});

test('a line of 10 MB is cut', async () => {
	const answer = await read('x'.repeat(10 * 1024 * 1024));
	expect(answer).toBe(`1\t${'x'.repeat(2000)}… [10483760 more characters]`);
});

test('a private key is hidden from any starting line, and the model is told [8]', async () => {
	const key = ['-----BEGIN PRIVATE KEY-----', ...Array<string>(5).fill('MIIEvQIBADANBgkqhkiG9w0BAQEFAASC')];
	const note = '[*** hides what looks like a credential; models never see it]';
	const content = [...key, '-----END PRIVATE KEY-----', 'ready'].join('\n');
	expect(await read(content, {offset: 5})).toBe(
		['5\t***', '6\t***', '7\t-----END PRIVATE KEY-----', '8\tready', note].join('\n'),
	);
	expect(await read(key.join('\n'), {offset: 3, limit: 1})).toBe(`3\t***\n${note}`);
	expect(await read(content, {offset: 8})).toBe('8\tready');
});

test('a binary file and a too large one are refused with a reason', async () => {
	await expect(read(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1]))).rejects.toThrow(
		'“a.txt” is a binary file (6 bytes); only text can be read.',
	);
	await expect(read(Buffer.alloc(17 * 1024 * 1024, 'x'))).rejects.toThrow('“a.txt” is too large to read: 17.0 MB.');
});

test.each<[JsonObject, string]>([
	[{path: null}, 'Missing argument “path”: string. Path of the file, relative to the working folder.'],
	[{offset: 0}, 'Invalid argument “offset”: integer of 1 or more. First line to read, counted from 1.'],
	[
		{offset: 'three'},
		'Invalid argument “offset”: integer of 1 or more. First line to read, counted from 1. Got a string: "three".',
	],
	[
		{path: ['a.txt', 'b.txt']},
		'string. Path of the file, relative to the working folder. Got an array: ["a.txt","b.txt"].',
	],
	[{limit: '[1,'}, 'Got a string: "[1," (as JSON: Unexpected end of JSON input).'],
	[{limit: 'x'.repeat(200)}, `Got a string: "${'x'.repeat(99)}….`],
	[{lines: 3}, 'Unknown argument “lines”. Available: path, offset, limit.'],
])('invalid arguments %j are answered with what is valid', async (args, message) => {
	await expect(read('a', args)).rejects.toThrow(message);
});

test('its schema describes the arguments', () => {
	expect(createReadFile({stateFolder: '/'}).parameters).toMatchObject({
		type: 'object',
		required: ['path'],
		additionalProperties: false,
		properties: {path: {type: 'string', description: 'Path of the file, relative to the working folder.'}},
	});
});

test('some lines of a text are those of all lines, whatever ends them', () => {
	const text = fc.string({unit: fc.constantFrom('a', '\n', '\r', '\r\n'), maxLength: 20});
	fc.assert(
		fc.property(text, fc.nat(12), fc.nat(12), (given, from, length) => {
			const all = given.split(/\r?\n/);
			const lines = all.at(-1) === '' ? all.slice(0, -1) : all;
			expect(splitLines(given)).toEqual(lines);
			expect(linesBetween(given, from, from + length)).toEqual({
				count: lines.length,
				lines: lines.slice(from, from + length),
			});
		}),
		{numRuns: 50},
	);
});
