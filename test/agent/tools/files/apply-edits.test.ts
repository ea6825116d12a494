import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {applyEdits, withLineEndsOf} from '../../../../src/agent/tools/files/apply-edits.ts';

const edit = (old_text: string, new_text: string, replace_all = false) => ({old_text, new_text, replace_all});

/** Returns the message of the error that an edit ends with. */
function refusal(text: string, ...edits: Parameters<typeof applyEdits>[1]): string {
	try {
		applyEdits(text, edits);
	} catch (error) {
		return error instanceof Error ? error.message : '';
	}

	return 'nothing was refused';
}

const line = fc.string({unit: fc.constantFrom('a', 'b', ' ', '$', '&', 'é', '\\'), maxLength: 4});

test('edits equal string replacements, one after the other', () => {
	fc.assert(
		fc.property(fc.array(line), fc.array(fc.tuple(line, line), {minLength: 1, maxLength: 4}), (lines, pairs) => {
			let expected = lines.join('\n');
			const edits = [];
			for (const [before, after] of pairs) {
				if (before !== after && before !== '' && expected.includes(before)) {
					edits.push(edit(before, after, true));
					expected = expected.split(before).join(after);
				}
			}

			expect(applyEdits(lines.join('\n'), edits)).toBe(expected);
		}),
	);
});

test('a file with CRLF changes as the one with LF does, and keeps CRLF everywhere', () => {
	fc.assert(
		fc.property(fc.array(line, {minLength: 2}), fc.array(line), (lines, replacement) => {
			const lf = ['begin', 'old', ...lines].join('\n');
			const edits = [edit('begin\nold', `begin\n${replacement.join('\n')}`)];
			fc.pre(edits[0]?.old_text !== edits[0]?.new_text);
			const crlf = applyEdits(lf.replaceAll('\n', '\r\n'), edits);
			expect(crlf).toBe(applyEdits(lf, edits).replaceAll('\n', '\r\n'));
		}),
	);
});

test('a file with mixed line ends keeps them outside of the edit', () => {
	expect(applyEdits('a\r\nb\r\nc\nd\n', [edit('a\nb\n', 'A\nB\nb\n'), edit('c\n', 'C\n')])).toBe(
		'A\r\nB\r\nb\r\nC\nd\n',
	);
});

test('the last line keeps its end, or has none', () => {
	expect([applyEdits('a', [edit('a', 'b')]), applyEdits('a\n', [edit('a', 'b')])]).toEqual(['b', 'b\n']);
	expect([withLineEndsOf('a\nb', 'x\r\n'), withLineEndsOf('a\nb', 'x\r\ny\n'), withLineEndsOf('a\nb', '')]).toEqual([
		'a\r\nb',
		'a\nb',
		'a\nb',
	]);
});

test('replacement patterns are plain text', () => {
	expect(applyEdits('price', [edit('price', '$& $1 $$')])).toBe('$& $1 $$');
});

describe('an edit that does not apply says what is there', () => {
	test('with the most similar lines and their numbers', () => {
		const text = 'one\n\tconst total = price * count;\n\treturn total;\n}\n';
		expect(refusal(text, edit('const total = price*count;\nreturn total;', 'x'))).toBe(
			'old_text of the edit was not found. Nothing was written. The most similar lines are:\n' +
				'2\t\tconst total = price * count;\n3\t\treturn total;\n' +
				'What differs (→ is a tab, · a space):\n' +
				'line 2 has: →const·total·=·price·*·count;\nold_text has: const·total·=·price*count;\n' +
				'line 3 has: →return·total;\nold_text has: return·total;',
		);
		expect(refusal(text, edit('something else entirely', 'x'))).toContain('No line is similar.');
	});

	test('with the lines of all matches', () => {
		expect(refusal('a\nb\na\na\n', edit('a', 'x'))).toBe(
			'old_text of the edit matches 3 places, at lines 1, 3, 4. Nothing was written.',
		);
		expect(refusal('aaa', edit('aa', 'x'))).toContain('matches 2 places');
		expect(refusal('a\n'.repeat(30), edit('a', 'x'))).toMatch(/more than 20 places, at lines 1, .*20 …\./);
	});

	test('with the number of the edit among several', () => {
		expect(refusal('a\nb\n', edit('a', 'x'), edit('a', 'y'))).toContain('old_text of edit 2 of 2 was not found');
		expect(refusal('a', edit('', 'y'))).toContain('old_text of the edit is empty');
		expect(refusal('a', edit('a', 'a'))).toContain('are the same');
	});

	test('without credentials, which stay hidden [8]', () => {
		const key = `ghp_${'a1B2'.repeat(9)}`;
		const message = refusal(`token = ${key}\n`, edit('token = ***', 'token = x'));
		expect(message).toContain('*** hides a credential');
		expect(message).not.toContain(key);
	});
});
