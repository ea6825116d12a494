import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Endpoint} from '../../src/contract/endpoint.ts';
import {type OperationId, operations} from '../../src/contract/extensions.ts';
import {type ParameterName, pathParameters} from '../../src/contract/parameters.ts';
import {parametersOf} from '../../src/contract/path.ts';
import {notShown} from '../../src/contract/scalars.ts';
import {anyCharacter, anyText} from '../any-text.ts';
import {valuesOf} from '../contract/arbitrary.ts';
import {engine} from './database/engine.ts';
import {createTestServer} from './harness.ts';
import {complaintOf, sendRaw} from './hostile-answers.ts';
import {callOf, type Parameters, populate} from './populated.ts';

const rows = Object.entries<Endpoint>(operations) as ReadonlyArray<[OperationId, Endpoint]>;

/** Any JSON: valid, arbitrary, or valid with something arbitrary in it. */
function bodiesOf({body = notShown}: Endpoint) {
	const right = valuesOf(body);
	const any = fc.jsonValue({depthSize: 'small', stringUnit: anyCharacter});
	const both = fc
		.tuple(right, fc.dictionary(fc.string(), any, {maxKeys: 2}))
		.map(([given, more]) => (typeof given === 'object' ? {...given, ...more} : given));
	return fc.oneof(right, any, both).map(value => JSON.stringify(value));
}

/** Any query: known and unknown names, each repeated any number of times. */
function queriesOf({query}: Endpoint) {
	const names = query && 'shape' in query.def ? Object.keys(Object(query.def.shape)) : [];
	const name = fc.oneof(fc.constantFrom('page', 'sort_by', ...names), fc.string());
	const value = fc.oneof(anyText(), fc.integer().map(String), fc.double().map(String));
	return fc.array(fc.tuple(name, value), {maxLength: 4}).map(pairs => new URLSearchParams(pairs).toString());
}

/** Another value for one path parameter, or none. */
function pathsOf({path}: Endpoint, parameters: Parameters) {
	const names = parametersOf(path) as readonly ParameterName[];
	const change = (name: ParameterName) =>
		fc.oneof(valuesOf(pathParameters[name]).map(String), anyText()).map(value => ({[name]: value}));
	return fc.oneof(fc.constant({}), ...names.map(change)).map(changed => ({...parameters, ...changed}));
}

describe.each(rows)('%s', (id, row) => {
	test('any path, query and JSON gets a valid result or the specified error, and never a server error', async () => {
		const server = await createTestServer();
		const parameters = await populate(server);
		// Valid requests must not start a process each time.
		await server.database.updateTable('organizations').set({sandbox_capacity: 0}).execute();
		const {method} = callOf(id, parameters);
		await fc.assert(
			fc.asyncProperty(pathsOf(row, parameters), queriesOf(row), bodiesOf(row), async (values, query, body) => {
				const path = row.path.replace(/:(\w+)/g, (_, name: ParameterName) => encodeURIComponent(values[name]));
				const url = `${path}${query && `?${query}`}`;
				const answer = await sendRaw(server, url, {method, ...(method !== 'GET' && {body})});
				expect(complaintOf(row, answer)).toBeUndefined();
			}),
			{numRuns: engine === 'sqlite' ? 40 : 10},
		);
		expect(server.entries.filter(({message}) => message === 'failed')).toEqual([]);
	});
});
