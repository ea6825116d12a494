import fc from 'fast-check';
import {expect, test} from 'vitest';
import * as z from 'zod/mini';
import {originalOf, readLeniently} from '../../src/contract/lenient.ts';
import {components} from '../../src/contract/openapi.ts';
import {attackSpanSchema} from '../../src/contract/resources/assessment.ts';
import {environmentSchema} from '../../src/contract/resources/environment.ts';
import {runtimeSchema} from '../../src/contract/resources/runtime.ts';
import {isJsonObject, type Json} from '../../src/core/json.ts';
import {expectLinear} from '../growth.ts';
import {valuesOf} from './arbitrary.ts';

const named = Object.entries<z.ZodMiniType>(components);

test.each(named)('%s: a valid value is returned unchanged, with its unknown fields', (_, schema) => {
	fc.assert(
		fc.property(valuesOf(schema), value => {
			expect(readLeniently(schema, value)).toBe(value);
			expect(z.safeParse(schema, value).error?.issues).toBeUndefined();
		}),
		{numRuns: 15},
	);
});

test.each(named)('%s: if a field is missing, the rest is returned', (_, schema) => {
	fc.assert(
		fc.property(valuesOf(schema), fc.infiniteStream(fc.boolean()), (value, chances) => {
			const some = isJsonObject(value)
				? Object.fromEntries(Object.entries(value).filter(() => chances.next().value))
				: value;
			expect(readLeniently(schema, some)).toBe(some);
		}),
		{numRuns: 15},
	);
});

test.each(named)("%s: no returned field is of a type other than the contract's", (_, schema) => {
	// A misfit is what the schema cannot take for its kind; bounds, words and formats do not count.
	const kinds = (value: Json) =>
		(z.safeParse(schema, value).error?.issues ?? []).filter(issue => {
			const found = at(value, issue.path);
			const mayFit =
				issue.code === 'invalid_type'
					? issue.expected === 'int'
					: issue.code === 'invalid_value' && typeof found === 'string';
			return found !== undefined && ['invalid_type', 'invalid_value', 'invalid_union'].includes(issue.code) && !mayFit;
		});
	fc.assert(
		fc.property(
			valuesOf(schema),
			fc.infiniteStream(fc.nat(5)),
			fc.jsonValue({maxDepth: 1}),
			(value, chances, other) => {
				const damaged = damage(value, () => chances.next().value === 0, JSON.parse(JSON.stringify(other)));
				const before = JSON.stringify(damaged);
				const read = readLeniently(schema, damaged) as Json | undefined;
				expect(read === undefined ? isJsonObject(damaged) : kinds(read).length > 0).toBe(false);
				expect(JSON.stringify(read === undefined ? damaged : originalOf(read))).toBe(before);
			},
		),
		{numRuns: 30},
	);
});

/** The value with some of what is in it replaced. */
function damage(value: Json, chance: () => boolean, other: Json): Json {
	if (Array.isArray(value)) {
		return value.map(item => (chance() ? other : damage(item, chance, other)));
	}

	return isJsonObject(value)
		? Object.fromEntries(
				Object.entries(value).map(([key, item]) => [key, chance() ? other : damage(item, chance, other)]),
			)
		: value;
}

function at(value: Json, path: readonly PropertyKey[]): unknown {
	return path.reduce<unknown>(
		(inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
		value,
	);
}

test('enum values and formats newer than this version are returned unchanged', () => {
	const runtime = {
		id: 'rt_5',
		status: 'hibernating',
		instance: {state: 'zombie', total_runtime_seconds: 1.5},
		created_at: 'now',
	};
	expect(readLeniently(runtimeSchema, runtime)).toBe(runtime);
});

test('a field of the wrong type is omitted, the others stay, and the original is kept', () => {
	const instance = {state: 5, provider: 'e2b', expires_at: null, total_runtime_seconds: '12', billed_credits: null};
	const runtime = {id: null, name: 'dev', instance, later: {state: 5}};
	const read = readLeniently(runtimeSchema, runtime);
	expect(read).toEqual({name: 'dev', instance: {provider: 'e2b', expires_at: null}, later: {state: 5}});
	expect(originalOf(read)).toBe(runtime);
	expect(runtime.instance).toBe(instance);
});

test('entries of the wrong type are omitted from lists and records', () => {
	const spans: Json = [{attack_name: 'a', transforms: ['x', 1, null, 'y']}, 'b', null, [], {goal: 'c'}];
	expect(readLeniently(z.array(attackSpanSchema), spans)).toEqual([
		{attack_name: 'a', transforms: ['x', 'y']},
		{goal: 'c'},
	]);
	const urls = {service_urls: {web: {url: 'http://127.0.0.1'}, broken: 'http://127.0.0.1'}};
	expect(readLeniently(environmentSchema, urls)).toEqual({service_urls: {web: {url: 'http://127.0.0.1'}}});
});

test('an infinite number is omitted', () => {
	expect(readLeniently(z.array(z.number()), JSON.parse('[1, 1e999, -1e999, 2.5]'))).toEqual([1, 2.5]);
});

test.each<[string, Json]>([
	['a list', []],
	['null', null],
	['text', 'x'],
	['a number', 5],
	['true', true],
])('%s is not an object', (_, value) => {
	expect(readLeniently(runtimeSchema, value)).toBeUndefined();
});

test('inherited properties are not fields', () => {
	const hostile: Json = JSON.parse(
		'{"__proto__": {"id": 5}, "constructor": 5, "toString": null, "id": 7, "name": "a"}',
	);
	const read = readLeniently(runtimeSchema, hostile);
	expect(JSON.stringify(read)).toBe('{"__proto__":{"id":5},"constructor":5,"toString":null,"name":"a"}');
	expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
});

test('a list of a million invalid items is read in linear time [21]', () => {
	expect(
		readLeniently(
			z.array(attackSpanSchema),
			Array.from({length: 1_000_000}, () => 1),
		),
	).toEqual([]);
	const ones = Array.from({length: 1_000_000}, () => 1);
	expectLinear(size => readLeniently(z.array(attackSpanSchema), ones.slice(0, size)), 2000);
});

test('the original of a valid value is the value itself', () => {
	const runtime = {id: 'a'};
	expect(originalOf(readLeniently(runtimeSchema, runtime))).toBe(runtime);
	expect([originalOf(5), originalOf(undefined), originalOf(null), originalOf('')]).toEqual([5, null, null, '']);
});
