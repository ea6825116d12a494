import {Ajv2020} from 'ajv/dist/2020.js';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {isJsonObject, type Json, type JsonObject} from '../../../src/core/json.ts';
import {renameProperties} from '../../../src/providers/schema/argument-names.ts';
import {fitSchema, resolveRef} from '../../../src/providers/schema/fit-schema.ts';
import {plainSchema} from '../../../src/providers/schema/plain-schema.ts';
import {keysIn, propertiesIn} from '../repairs/refusing-host.ts';
import {popular} from './popular-servers.ts';

const ajv = new Ajv2020({strict: false, validateFormats: false});
const accepted = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Throws for what hosts refuse in any schema. */
function checkUsual(schema: JsonObject): void {
	expect(ajv.validateSchema(schema)).toBe(true);
	expect(schema).toMatchObject({type: 'object', properties: expect.any(Object)});
	expect(
		Object.keys(schema).filter(key => /^(?:anyOf|oneOf|allOf|not|enum|const|if|then|else|\$ref)$/.test(key)),
	).toEqual([]);
	const visit = (node: Json): void => {
		if (isJsonObject(node) && node['type'] === 'array') {
			expect(node).toHaveProperty('items');
			expect(isJsonObject(node['items'])).toBe(true);
		}

		if (isJsonObject(node) && typeof node['$ref'] === 'string') {
			expect(resolveRef(schema, node['$ref'])).toBeDefined();
		}

		for (const inner of typeof node === 'object' && node !== null ? Object.values(node) : []) {
			visit(inner);
		}
	};
	visit(schema);
}

/** Throws for what the strictest hosts refuse. */
function checkPlain(schema: Json, isTop = true): void {
	if (!isJsonObject(schema)) {
		throw new Error('No schema.');
	}

	const {type, properties, items, enum: values, required} = schema;
	expect(Object.keys(schema).filter(key => !/^(?:type|properties|items|enum|required|description)$/.test(key))).toEqual(
		[],
	);
	expect(type).toMatch(isTop ? /^object$/ : /^(?:object|array|string|number|integer|boolean)$/);
	if (type === 'object') {
		const inner = isJsonObject(properties) ? properties : expect.fail('An object has no properties.');
		for (const name of Array.isArray(required) ? required : []) {
			expect(Object.keys(inner)).toContain(name);
		}

		for (const each of Object.values(inner)) {
			checkPlain(each, false);
		}
	}

	if (type === 'array') {
		checkPlain(items ?? null, false);
	}

	expect(Array.isArray(values) ? values.every(value => typeof value === 'string') : values === undefined).toBe(true);
}

test('there are the schemas of at least twenty servers', () => {
	expect(Object.keys(popular).length).toBeGreaterThanOrEqual(20);
});

describe.each(Object.entries(popular))('the schema of %s', (_, schema) => {
	test('fits the hosts of all wire formats', () => checkUsual(fitSchema(schema)));
	test('fits the strictest hosts', () => checkPlain(plainSchema(schema)));
	test('has names that Claude takes, which come back', () => {
		const fitted = fitSchema(schema);
		const renamed = renameProperties(fitted, accepted);
		expect(propertiesIn(renamed?.schema ?? fitted).filter(name => !accepted.test(name))).toEqual([]);
		checkUsual(renamed?.schema ?? fitted);
	});
});

test.each<[string, JsonObject, JsonObject]>([
	['no properties', {type: 'object'}, {type: 'object', properties: {}}],
	['nothing', {}, {type: 'object', properties: {}}],
	['a list of types', {type: ['object', 'null'], properties: {a: true}}, {type: 'object', properties: {a: {}}}],
	[
		'an array without items',
		{properties: {a: {type: 'array'}}},
		{type: 'object', properties: {a: {type: 'array', items: {}}}},
	],
	[
		'a reference',
		{$ref: '#/$defs/a', $defs: {a: {type: 'object', properties: {b: {type: 'string'}}, required: ['b']}}},
		{type: 'object', properties: {b: {type: 'string'}}, required: ['b'], $defs: expect.any(Object)},
	],
	[
		'alternatives with a constant that tells them apart',
		{
			anyOf: [
				{properties: {kind: {const: 'a'}, x: {}}, required: ['kind', 'x']},
				{properties: {kind: {const: 'b'}}, required: ['kind']},
			],
		},
		{
			type: 'object',
			properties: {kind: {enum: ['a', 'b']}, x: {}},
			required: ['kind'],
			description: 'Takes one of: {kind, x} or {kind}.',
		},
	],
	[
		'a dangling reference',
		{properties: {a: {$ref: '#/nowhere'}, b: {$ref: 'https://x.test/s'}}},
		{type: 'object', properties: {a: {}, b: {}}},
	],
	[
		'limits of draft 4',
		{properties: {a: {minimum: 1, exclusiveMinimum: true}}},
		{type: 'object', properties: {a: {exclusiveMinimum: 1}}},
	],
	[
		'required of draft 3',
		{properties: {a: {type: 'string', required: true}}},
		{type: 'object', properties: {a: {type: 'string'}}, required: ['a']},
	],
	['required that isn’t there', {properties: {}, required: ['a', 3]}, {type: 'object', properties: {}}],
])('%s becomes an object that hosts take', (_, given, fitted) => {
	expect(fitSchema(given)).toEqual(fitted);
	checkUsual(fitSchema(given));
});

const anySchema: fc.Arbitrary<Json> = fc.letrec<{schema: Json}>(tie => ({
	schema: fc.oneof(
		{maxDepth: 3, withCrossShrink: true},
		fc.constantFrom<Json>(
			true,
			false,
			null,
			3,
			'x',
			[],
			{$ref: '#'},
			{$ref: '#/$defs/a'},
			{$ref: '#/properties/a'},
			{$ref: 7},
		),
		fc.record(
			{
				type: fc.constantFrom<Json>(
					'object',
					'array',
					'string',
					'null',
					'any',
					['object', 'null'],
					['string', 'number'],
					[],
					4,
				),
				properties: fc.oneof(
					fc.constantFrom<Json>([], 'x'),
					fc.dictionary(fc.constantFrom('a', 'b[c]', '名', '__proto__'), tie('schema')),
				),
				items: fc.oneof(tie('schema'), fc.array(tie('schema'), {maxLength: 2})),
				prefixItems: fc.array(tie('schema'), {maxLength: 2}),
				anyOf: fc.oneof(fc.constant<Json>({}), fc.array(tie('schema'), {maxLength: 3})),
				oneOf: fc.array(tie('schema'), {maxLength: 2}),
				allOf: fc.array(tie('schema'), {maxLength: 2}),
				$defs: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')),
				enum: fc.constantFrom<Json>([], ['a', 1, null, 'a'], 'x'),
				const: fc.constantFrom<Json>(1, 'a', null),
				required: fc.constantFrom<Json>(['a', 'a'], 'a', true, [1]),
				additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
				patternProperties: fc.dictionary(fc.constantFrom('^x'), tie('schema')),
				exclusiveMinimum: fc.constantFrom<Json>(true, 1, 'x'),
				minimum: fc.constantFrom<Json>(1, '1'),
				description: fc.constantFrom<Json>('text', 4),
				default: fc.constantFrom<Json>(null, {a: 1}),
				not: tie('schema'),
			},
			{requiredKeys: []},
		),
	),
})).schema;

test('[24] any JSON becomes a schema that all hosts take, and one that the strictest take', () => {
	fc.assert(
		fc.property(anySchema, schema => {
			const given = isJsonObject(schema) ? schema : {};
			const fitted = fitSchema(schema);
			checkUsual(fitted);
			expect(fitSchema(fitted)).toEqual(fitted);
			checkPlain(plainSchema(given));
			const renamed = renameProperties(fitted, accepted);
			expect(propertiesIn(renamed?.schema ?? fitted).filter(name => !accepted.test(name))).toEqual([]);
		}),
		{seed: 26, numRuns: 300},
	);
});

test('[21] a schema of 1 MB, one of 5,000 levels and one that refers to itself in every property are bounded', () => {
	const wide = {
		type: 'object',
		properties: Object.fromEntries(
			Array.from({length: 12_000}, (_, index) => [`p${index}`, {type: 'string', description: 'x'.repeat(60)}]),
		),
	};
	expect(JSON.stringify(wide).length).toBeGreaterThan(1_000_000);
	let deep: JsonObject = {type: 'string'};
	for (let level = 0; level < 5000; level += 1) {
		deep = {type: 'object', properties: {next: deep}};
	}

	const names = ['a', 'b', 'c', 'd', 'e', 'f'];
	const node = {
		type: 'object',
		properties: Object.fromEntries(names.map(name => [name, {anyOf: [{$ref: '#'}, {$ref: '#/$defs/node'}]}])),
	};
	for (const schema of [wide, deep, {...node, $defs: {node}}]) {
		checkUsual(fitSchema(schema));
		checkPlain(plainSchema(schema));
		expect(JSON.stringify(plainSchema(schema)).length).toBeLessThan(1_300_000);
	}
});

describe('names of arguments', () => {
	const schema = fitSchema({
		type: 'object',
		properties: {
			'filter[bundleId]': {type: 'string'},
			filter_bundleId: {type: 'string'},
			list: {type: 'array', items: {$ref: '#/$defs/row'}},
			free: {type: 'object', additionalProperties: true},
			either: {anyOf: [{type: 'object', properties: {$top: {type: 'integer'}}}, {type: 'null'}]},
		},
		required: ['filter[bundleId]'],
		$defs: {row: {type: 'object', properties: {名前: {type: 'string'}, child: {$ref: '#/$defs/row'}}}},
	});
	const renamed = renameProperties(schema, accepted) ?? expect.fail('Nothing was renamed.');

	test('go back at every level, also through references and alternatives', () => {
		const real: JsonObject = {
			'filter[bundleId]': 'x',
			filter_bundleId: 'y',
			list: [{名前: 'a', child: {名前: 'b', child: {名前: 'c'}}}],
			either: {$top: 3},
		};
		const sent = renamed.names.toSent(real);
		expect(keysIn(sent).filter(name => !accepted.test(name))).toEqual([]);
		expect(renamed.names.toReal(sent)).toEqual(real);
	});

	test('stay in objects of free form, whatever they are called', () => {
		const name = renamed.names.sentOf.get('filter[bundleId]') ?? '';
		expect(renamed.names.toReal({free: {[name]: 1}, [name]: 2})).toEqual({
			free: {[name]: 1},
			'filter[bundleId]': 2,
		});
	});

	test('that a model writes as the tool has them are taken', () => {
		expect(renamed.names.toReal({'filter[bundleId]': 1})).toEqual({'filter[bundleId]': 1});
	});

	test('are required under their new name, and said in its description', () => {
		const sent = renamed.names.sentOf.get('filter[bundleId]') ?? '';
		expect(renamed.schema).toMatchObject({
			required: [sent],
			properties: {[sent]: {description: expect.stringContaining('filter[bundleId]')}},
		});
	});
});
