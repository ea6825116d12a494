import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Endpoint} from '../../src/contract/endpoint.ts';
import {type OperationId, operations} from '../../src/contract/extensions.ts';
import {requestsOf} from './any-request.ts';
import {engine} from './database/engine.ts';
import {createTestServer} from './harness.ts';
import {complaintOf, sendRaw} from './hostile-answers.ts';
import {callOf, populate} from './populated.ts';

const rows = Object.entries<Endpoint>(operations) as ReadonlyArray<[OperationId, Endpoint]>;

describe.each(rows)('%s', (id, row) => {
	test('any path, query and JSON gets a valid result or the specified error, and never a server error', async () => {
		const server = await createTestServer();
		const parameters = await populate(server);
		// Valid requests must not start a process each time.
		await server.database.updateTable('organizations').set({sandbox_capacity: 0}).execute();
		const {method} = callOf(id, parameters);
		await fc.assert(
			fc.asyncProperty(requestsOf(row, parameters), async ({url, body}) => {
				const answer = await sendRaw(server, url, {method, ...(method !== 'GET' && {body})});
				expect(complaintOf(row, answer)).toBeUndefined();
			}),
			{numRuns: engine === 'sqlite' ? 40 : 10},
		);
		expect(server.entries.filter(({message}) => message === 'failed')).toEqual([]);
	});
});
