import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {entriesOf, propertiesOf, titleOf} from '../../../src/command/render/json-schema.ts';
import {isJsonObject, type Json, type JsonObject} from '../../../src/core/json.ts';

const root = (schema: JsonObject) => ({document: schema, schema});
const named = (value: JsonObject, schema: JsonObject) =>
	propertiesOf(value, root(schema)).map(({name, title}) => [name, title]);

test('properties follow the order and titles of the schema, then come the others', () => {
	const schema = {properties: {b: {title: 'Bee'}, absent: {title: 'Absent'}, a: {}}};
	expect(named({z: 1, a: 2, b: 3}, schema)).toEqual([
		['b', 'Bee'],
		['a', undefined],
		['z', undefined],
	]);
});

test('titles are found through references and nullable types, and the nearest one wins', () => {
	const schema: JsonObject = {
		$defs: {'a/b~c': {title: 'Far'}, chain: {$ref: '#/$defs/a~1b~0c'}},
		properties: {
			a: {$ref: '#/$defs/a~1b~0c'},
			b: {$ref: '#/$defs/chain'},
			c: {anyOf: [{type: 'null'}, {$ref: '#/$defs/chain'}]},
			d: {$ref: '#/$defs/chain', title: 'Near'},
			e: {allOf: [{title: 'Only'}]},
			f: {oneOf: [{title: 'One'}, {title: 'Other'}]},
		},
	};
	expect(named({a: 0, b: 0, c: 0, d: 0, e: 0, f: 0}, schema)).toEqual([
		['a', 'Far'],
		['b', 'Far'],
		['c', 'Far'],
		['d', 'Near'],
		['e', 'Only'],
		['f', undefined],
	]);
});

test('a circular, dangling or external reference is ignored', () => {
	const schema: JsonObject = {
		$defs: {a: {$ref: '#/$defs/b'}, b: {$ref: '#/$defs/a'}},
		properties: {
			round: {$ref: '#/$defs/a'},
			nowhere: {$ref: '#/$defs/none'},
			out: {$ref: 'https://evil.test/schema.json'},
			inherited: {$ref: '#/constructor'},
			number: {$ref: 5, title: ''},
		},
	};
	const value = {round: 0, nowhere: 0, out: 0, inherited: 0, number: 0};
	expect(named(value, schema)).toEqual(Object.keys(value).map(name => [name, undefined]));
});

test('entries of a list use the schema of its items', () => {
	const schema = {items: {$ref: '#/$defs/step'}, $defs: {step: {title: 'Step'}}};
	const entries = entriesOf(root(schema));
	expect(entries && titleOf(entries)).toBe('Step');
	expect([entriesOf(undefined), entriesOf(root({items: true}))]).toEqual([undefined, undefined]);
});

test('any JSON is accepted as a schema, and no property of a value is lost', () => {
	const object = fc
		.dictionary(fc.oneof(fc.string(), fc.constantFrom('properties', '$ref', 'anyOf', '__proto__')), fc.jsonValue())
		.map(value => JSON.parse(JSON.stringify(value)) as Json);
	fc.assert(
		fc.property(object, object, (value, schema) => {
			fc.pre(isJsonObject(value) && isJsonObject(schema));
			const names = propertiesOf(value, root(schema)).map(({name}) => name);
			expect(names.toSorted()).toEqual(Object.keys(value).toSorted());
		}),
	);
});
