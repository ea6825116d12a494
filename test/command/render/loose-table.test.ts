import {expect, test} from 'vitest';
import {cellOf} from '../../../src/command/render/facts.ts';
import {looseFields, looseTable} from '../../../src/command/render/loose-table.ts';
import type {JsonObject} from '../../../src/core/json.ts';
import {drawn} from '../../commands/context.ts';

const view = (items: readonly JsonObject[], width = 80) =>
	drawn(
		looseTable({items, first: ['id', 'name'], hides: name => name === 'secret', empty: 'None.', data: null}),
		width,
	).split('\n');

test('columns start with the named fields; hidden, nested and empty fields are left out', () => {
	const items: readonly JsonObject[] = [
		{b: 1.5, name: 'n', secret: 's', deep: {a: 1}, list: [1], none: null},
		{a: false, id: 'i'},
	];
	expect(view(items)).toEqual(['id  name    b  a', '    n     1.5', 'i              no']);
});

test('a field with the name of an inherited property is an ordinary field', () => {
	const items: readonly JsonObject[] = [
		JSON.parse('{"constructor":"c","toString":"t","__proto__":"p"}') as JsonObject,
		{id: 'i'},
	];
	expect(view(items)).toEqual(['id  constructor  toString  proto', '    c            t         p', 'i']);
});

test('a loose table has at most eight columns and short times', () => {
	const item = Object.fromEntries(Array.from({length: 20}, (_, index) => [`f${index}`, index]));
	expect(view([{...item, id: 'x'}])).toEqual(['id  f0  f1  f2  f3  f4  f5  f6', 'x    0   1   2   3   4   5   6']);
	expect(view([{id: 'x', made_at: '2020-01-02T03:04:05Z', at: '2020-01-02T03:04:05Z'}])[1]).toBe(
		'x   2020-01-02  2020-01-02T03:04:05Z',
	);
});

test.each([
	['made_at', '2026-01-01T10:00:00Z', {at: '2026-01-01T10:00:00Z'}],
	['ends_at', '', ''],
	['ends_at', 5, '5'],
	['ends_at', null, ''],
	['ends', '2026-01-01T10:00:00Z', '2026-01-01T10:00:00Z'],
])('the field %s with %j is the cell %j', (name, value, cell) => {
	expect(cellOf(name, value)).toEqual(cell);
});

test('one object is drawn as its plain values with their names', () => {
	expect(looseFields({a_b: 1, c: null, d: '', e: {}, f: true})).toEqual([
		['a b', '1'],
		['f', 'yes'],
	]);
});
