import fc from 'fast-check';
import {expect, test} from 'vitest';
import * as z from 'zod/mini';
import type {Endpoint} from '../../src/contract/endpoint.ts';
import {operations} from '../../src/contract/extensions.ts';
import {decodeQuery, encodeQuery} from '../../src/contract/query.ts';
import {isJsonObject} from '../../src/core/json.ts';
import {valuesOf} from './arbitrary.ts';

const queries = Object.entries<Endpoint>(operations).flatMap(([id, {query}]) => (query ? [[id, query] as const] : []));

test.each(queries)('%s: a decoded query equals the encoded one and is valid', (_, schema) => {
	const known = Object.keys(z.toJSONSchema(schema, {io: 'input'}).properties ?? {});
	fc.assert(
		fc.property(valuesOf(schema), value => {
			const entries = isJsonObject(value) ? Object.entries(value) : [];
			const given = Object.fromEntries(entries.filter(([name, field]) => known.includes(name) && field !== null));
			const read = decodeQuery(schema, new URLSearchParams(encodeQuery(given)));
			expect(read).toEqual(given);
			expect(z.safeParse(schema, read).success).toBe(true);
		}),
	);
});

test('null and undefined are omitted, lists are repeated, and an empty query has no question mark', () => {
	expect(encodeQuery({a: null, b: undefined})).toBe('');
	expect(encodeQuery({a: 'x&y=z', b: [1, 2], c: false, d: ''})).toBe('?a=x%26y%3Dz&b=1&b=2&c=false&d=');
});

test('an object in a query is an error', () => {
	expect(() => encodeQuery({a: {b: 1}})).toThrow('The query parameter a is an object.');
});

test.each(['', 'abc', '1e3', '0x10', ' 5', '5 ', '+5', 'Infinity'])('“%s” stays text if a number is expected', text => {
	const {query} = operations.listRunItems;
	const read = decodeQuery(query, new URLSearchParams({limit: text}));
	expect(read).toEqual({limit: text});
	expect(z.safeParse(query, read).success).toBe(false);
});

test.each(['1', 'TRUE', 'yes', ''])('“%s” stays text if a boolean is expected', text => {
	const {query} = operations.resolveTraceArtifact;
	expect(decodeQuery(query, new URLSearchParams({download: text}))).toEqual({download: text});
});
