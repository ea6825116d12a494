import fc from 'fast-check';
import {expect, test} from 'vitest';
import * as z from 'zod/mini';
import type {Endpoint} from '../../src/contract/endpoint.ts';
import {operations} from '../../src/contract/operations.ts';
import {decodeQuery, encodeQuery} from '../../src/contract/query.ts';
import {isJsonObject} from '../../src/core/json.ts';
import {valuesOf} from './arbitrary.ts';

const queries = Object.entries<Endpoint>(operations).flatMap(([id, {query}]) => (query ? [[id, query] as const] : []));

test.each(queries)('%s: a query comes back as it was sent, and is still allowed', (_, schema) => {
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

test('null and undefined are left out, lists are repeated, and nothing is no question mark', () => {
	expect(encodeQuery({a: null, b: undefined})).toBe('');
	expect(encodeQuery({a: 'x&y=z', b: [1, 2], c: false, d: ''})).toBe('?a=x%26y%3Dz&b=1&b=2&c=false&d=');
});

test('an object has no form in a query', () => {
	expect(() => encodeQuery({a: {b: 1}})).toThrow('The query parameter a is an object.');
});

test.each(['', 'abc', '1e3', '0x10', ' 5', '5 ', '+5', 'Infinity'])('“%s” stays text where a number belongs', text => {
	const {query} = operations.listRunItems;
	const read = decodeQuery(query, new URLSearchParams({limit: text}));
	expect(read).toEqual({limit: text});
	expect(z.safeParse(query, read).success).toBe(false);
});

test.each(['1', 'TRUE', 'yes', ''])('“%s” stays text where true or false belongs', text => {
	const {query} = operations.resolveTraceArtifact;
	expect(decodeQuery(query, new URLSearchParams({download: text}))).toEqual({download: text});
});
