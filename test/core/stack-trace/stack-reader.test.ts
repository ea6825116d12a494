import fc from 'fast-check';
import {expect, test} from 'vitest';
import {createStackReader} from '../../../src/core/stack-trace/stack-reader.ts';
import {anyText} from '../../any-text.ts';
import {expectLinear} from '../../growth.ts';
import {traces} from './traces.ts';

/** Returns what each line is, once all are read. */
function kindsOf(lines: readonly string[]) {
	const kinds: (string | undefined)[] = [];
	const read = createStackReader();
	for (const line of lines) {
		const {kind, takesBefore} = read(line);
		if (takesBefore) {
			kinds[kinds.length - 1] = kind;
		}

		kinds.push(kind);
	}

	return kinds;
}

test.each(traces)('the frames of a trace of $name are told apart', ({lines, kinds}) => {
	expect(kindsOf(lines).map((kind, index) => `${kind} ${lines[index]}`)).toEqual(
		kinds.map((kind, index) => `${kind} ${lines[index]}`),
	);
});

test('traces that follow each other, with CRLF or colours, are read as each alone', () => {
	const lines = traces.flatMap(trace => trace.lines);
	const kinds = traces.flatMap(trace => trace.kinds);
	expect(kindsOf(lines)).toEqual(kinds);
	expect(kindsOf(lines.map(line => `${line}\r`))).toEqual(kinds);
	expect(kindsOf(lines.map(line => line && `\u001b[31m${line}\u001b[0m`))).toEqual(kinds);
});

test('a frame that was just there is minor, as in a recursion', () => {
	const turn = ['\tat com.acme.Rates.even(Rates.java:3)', '\tat com.acme.Rates.odd(Rates.java:7)'];
	expect(kindsOf(['java.lang.StackOverflowError', ...turn, ...turn, ...turn])).toEqual([
		...[undefined, 'own', 'own', 'minor', 'minor', 'minor', 'minor'],
	]);
	expect(kindsOf([...turn, 'Error: again', ...turn])).toEqual(['own', 'own', undefined, 'own', 'own']);
});

test('any text is read, and a line says nothing about more than the line before', () => {
	const line = fc.oneof(anyText(), fc.constantFrom(...traces.flatMap(trace => trace.lines)));
	fc.assert(
		fc.property(fc.array(line, {maxLength: 30}), lines => {
			expect(kindsOf(lines)).toHaveLength(lines.length);
		}),
	);
});

test.each([' at (', ' at a (b ', '  File "', '\tat a/', ' ... 1', ' at <a as ', '1: <a as '])(
	'lines of many %j take linear time',
	part => {
		const line = part.repeat(400);
		expectLinear(count => {
			const read = createStackReader();
			read('stack backtrace:');
			for (let index = 0; index < count; index++) {
				read(line);
			}
		}, 2000);
	},
);
