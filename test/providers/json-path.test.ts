import {expect, test} from 'vitest';
import {parseJson} from '../../src/core/json.ts';
import {at, countAt, listAt, textAt} from '../../src/providers/json-path.ts';

const value = parseJson('{"a":[{"b":"text","n":3,"__proto__":1}],"minus":-1,"huge":1e999,"list":[1],"null":null}');

test('a value is found by a path of keys and indexes', () => {
	expect([textAt(value, 'a', 0, 'b'), countAt(value, 'a', 0, 'n'), listAt(value, 'list'), at(value, 'null')]).toEqual([
		'text',
		3,
		[1],
		null,
	]);
});

test('a value of another shape counts as missing', () => {
	expect([
		textAt(value, 'a', 'b'),
		textAt(value, 'a', 0, 'n'),
		textAt(value, 'null', 'x'),
		textAt(undefined, 'x'),
	]).toEqual(['', '', '', '']);
	expect([countAt(value, 'minus'), countAt(value, 'huge'), countAt(value, 'a', 0, 'b'), at(value, 'a', 7)]).toEqual([
		undefined,
		undefined,
		undefined,
		undefined,
	]);
	expect([listAt(value, 'a', 0), listAt(value, 'nothing')]).toEqual([[], []]);
});

test('inherited properties are not read', () => {
	expect([at(value, 'constructor'), at(value, 'list', 'length'), at(value, 'toString', 'name')]).toEqual([
		undefined,
		undefined,
		undefined,
	]);
});
