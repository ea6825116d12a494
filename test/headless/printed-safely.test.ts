import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {printAnswer, printError, printJson, printResult, printWarning} from '../../src/headless/print.ts';
import {output} from './output.ts';

const hostile = 'a\u001B[2J\u009B2J\u202Etxt\u200B\u2028\u{E0041} ü 👩‍🔬\nb';

test('an answer is drawn safely on a terminal and keeps its bytes in a pipe [1] [2]', () => {
	const [terminal, pipe] = [output(80), output()];
	printAnswer(`${hostile}\n`, terminal);
	printAnswer(`${hostile}\n`, pipe);
	expect(terminal.text()).toBe('a␛[2J⟨U+009B⟩2J⟨U+202E⟩txt⟨U+200B⟩⟨U+2028⟩⟨U+E0041⟩ ü 👩‍🔬\nb\n');
	expect(pipe.text()).toBe(`${hostile}\n`);
});

test('an empty answer prints nothing', () => {
	const out = output();
	printAnswer('', out);
	expect(out.text()).toBe('');
});

test('a warning is printed safely [1]', () => {
	const out = output();
	printWarning('Ignored \u001B[2J.', out);
	expect(out.text()).toBe('service: Ignored ␛[2J.\n');
});

test('JSON is safe on a terminal and parses to the same value [1]', () => {
	// fast-check's own strings of any code point take seconds to set up.
	const codePoint = fc.oneof(fc.integer({min: 0, max: 0xd7ff}), fc.integer({min: 0xe000, max: 0x10ffff}));
	const anyText = fc.array(codePoint).map(points => String.fromCodePoint(...points));
	fc.assert(
		fc.property(fc.oneof(anyText, fc.constant(hostile), fc.dictionary(anyText, anyText)), value => {
			const out = output();
			printJson(value, out);
			expect(out.text()).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*\n$/u);
			expect(JSON.parse(out.text())).toEqual(value);
		}),
	);
});

test('half a character in an answer still prints JSON for strict parsers', () => {
	const out = output();
	printJson({text: 'a\uD83D'}, out);
	expect(out.text()).toBe('{"text":"a\\ufffd"}\n');
});

test('results and errors as JSON are printed safely [1]', () => {
	const [result, error] = [output(80), output(80)];
	printResult({kind: 'text', text: '', data: {name: '\u009B2J'}}, result, {json: true, env: {}});
	printError({code: 'failed', message: '\u009B2J'}, error, {json: true});
	expect(result.text()).toBe('{\n  "name": "\\u009b2J"\n}\n');
	expect(error.text()).toBe('{"error":{"code":"failed","message":"\\u009b2J"}}\n');
});
