import {expect, test} from 'vitest';
import type {Result} from '../../src/command/result.ts';
import type {Environment} from '../../src/core/environment.ts';
import {printError, printResult} from '../../src/headless/print.ts';
import {output} from './output.ts';

const long = 'word '.repeat(60).trim();
const table: Result = {
	kind: 'table',
	columns: [{label: 'name'}, {label: 'about'}],
	rows: [['one', long]],
	empty: '',
	data: [{name: 'one'}],
};

function printed(
	result: Result,
	{json = false, columns, env = {TERM: 'xterm'}}: {json?: boolean; columns?: number; env?: Environment} = {},
) {
	const out = output(columns);
	printResult(result, out, {json, env});
	return out.text();
}

test('a pipe gets whole lines without colour, a terminal its width', () => {
	expect(printed(table)).toBe(`name  about\none   ${long}\n`);
	const drawn = printed(table, {columns: 40});
	expect(drawn).toContain('\u001B[2m');
	expect(drawn).toContain('…');
	expect(printed(table, {columns: 0})).toBe(printed(table, {columns: 80}));
});

test('JSON is one line in a pipe and indented on a terminal', () => {
	const data = [{name: 'one'}];
	expect(printed(table, {json: true})).toBe(`${JSON.stringify(data)}\n`);
	expect(printed(table, {json: true, columns: 80})).toBe(`${JSON.stringify(data, undefined, 2)}\n`);
});

test.each([{NO_COLOR: '1', TERM: 'xterm'}, {TERM: 'dumb'}, {TERM: 'emacs'}, {TERM: 'unknown'}, {}])(
	'a terminal with %j gets no colour',
	env => {
		expect(printed(table, {columns: 40, env})).not.toContain('\u001B');
	},
);

test('--json prints the data, or the message of a result without data', () => {
	expect(JSON.parse(printed(table, {json: true}))).toEqual([{name: 'one'}]);
	expect(JSON.parse(printed({kind: 'text', text: 'Done.'}, {json: true}))).toEqual({message: 'Done.'});
	expect(JSON.parse(printed({kind: 'text', text: 'Done.', data: {id: 1}}, {json: true}))).toEqual({id: 1});
	expect(JSON.parse(printed({kind: 'lines', lines: ['a'], data: 'a'}, {json: true}))).toBe('a');
	expect(JSON.parse(printed({kind: 'quit'}, {json: true}))).toBeNull();
});

test('an export keeps its bytes in a pipe and is drawn safely on a terminal [1]', () => {
	const lines: Result = {kind: 'lines', lines: [`\u001B[2J${long}`, '\ttab']};
	expect(printed(lines)).toBe(`\u001B[2J${long}\n\ttab\n`);
	expect(printed(lines, {columns: 40})).toMatch(/^␛\[2Jword/);
});

test('a result that draws nothing prints nothing', () => {
	expect(printed({kind: 'quit'})).toBe('');
	expect(printed({kind: 'lines', lines: []})).toBe('');
});

test('an error is printed safely with its hint, or as one line of JSON [1]', () => {
	const report = {code: 'auth', message: 'Refused\u001B[2J.', hint: 'Log in\u0007.'} as const;
	const print = (json: boolean, hint = true) => {
		const out = output();
		printError(hint ? report : {code: 'auth', message: 'No.'}, out, {json});
		return out.text();
	};

	expect(print(false)).toBe('service: Refused␛[2J.\n  Log in␇.\n');
	expect(print(false, false)).toBe('service: No.\n');
	expect(JSON.parse(print(true))).toEqual({error: report});
	expect(print(true).split('\n')).toHaveLength(2);
});
