import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {noArguments, readArguments} from '../../../src/core/session/partial-arguments.ts';
import {countSteps} from '../../growth.ts';

/** Reads a text in pieces. */
function read(text: string, size = text.length || 1) {
	let state = noArguments;
	for (let at = 0; at < text.length; at += size) {
		state = readArguments(state, text.slice(at, at + size));
	}

	return state;
}

const shown = (text: string, size?: number) => {
	const {texts, lines, tail} = read(text, size);
	return {texts, lines, tail};
};

describe('arguments that are still being written', () => {
	test.each([
		['{"path": "src/a', {texts: {path: 'src/a'}, lines: 0, tail: ''}],
		['{"path":"a.ts","content":"one\\ntwo\\nth', {texts: {path: 'a.ts'}, lines: 3, tail: 'one\ntwo\nth'}],
		['{"content":"one\\n', {texts: {}, lines: 1, tail: 'one\n'}],
		[
			'{"path":"a","edits":[{"old_text":"a\\nb\\nc","new_text":"x\\ny"},{"new_text":"z',
			{texts: {path: 'a'}, lines: 3, tail: 'z'},
		],
		['{"edits":[{"old_text":"path","new_text":""}],"path":"late"', {texts: {path: 'late'}, lines: 0, tail: ''}],
		[
			'{"command":"echo \\"hi\\" \\u00e9\\ud83d\\ude00\\\\ \\u00',
			{texts: {command: 'echo "hi" é😀\\ '}, lines: 0, tail: ''},
		],
		['{"limit":3,"deep":true,"path":"a","more":{"path":"b"}}', {texts: {path: 'a'}, lines: 0, tail: ''}],
		['', {texts: {}, lines: 0, tail: ''}],
	])('are shown as far as they came: %s', (text, expected) => {
		expect(shown(text)).toEqual(expected);
		expect(shown(text, 1)).toEqual(expected);
	});

	test('are the same in any pieces', () => {
		const json = fc.record({
			path: fc.string(),
			content: fc.string({unit: 'grapheme', maxLength: 400}),
			edits: fc.jsonValue(),
		});
		fc.assert(
			fc.property(json, fc.integer({min: 1, max: 30}), (args, size) => {
				const text = JSON.stringify(args);
				expect(shown(text, size)).toEqual(shown(text));
				expect(read(text).texts['path'] ?? '').toBe(args.path.slice(0, 500));
			}),
		);
	});

	test('that are no JSON neither throw nor grow', () => {
		fc.assert(
			fc.property(fc.array(fc.constantFrom('"', '{', '[', '}', ']', ',', ':', '\\', 'u', 'a', '\n')), signs => {
				const {texts, tail, scan} = read(signs.join('').repeat(50), 7);
				expect(JSON.stringify([texts, tail, scan]).length).toBeLessThan(40_000);
			}),
		);
		const odd = read(`{"__proto__":"x","constructor":"y",${'"k":"v",'.repeat(9)}"${'n'.repeat(9000)}":"z"`);
		expect(Object.keys(odd.texts)).toEqual(['__proto__', 'constructor', 'k', 'n'.repeat(100)]);
	});

	test('cost the same per piece, however long they are', () => {
		const line = JSON.stringify('const value = "some text" of a file;\n').slice(1, -1);
		const cost = (pieces: number) =>
			countSteps(() => {
				let state = readArguments(noArguments, '{"path":"a","content":"');
				for (let index = 0; index < pieces; index++) {
					state = readArguments(state, line);
				}

				expect(state.lines).toBe(pieces);
			}) / pieces;
		const few = cost(1000);
		expect(cost(4000)).toBeLessThan(1.5 * few);
	});
});
