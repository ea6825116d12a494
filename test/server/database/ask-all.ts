import {type OperationId, operations as rows} from '../../../src/contract/extensions.ts';
import type {TestServer} from '../harness.ts';
import {ask, type Parameters} from '../populated.ts';

export const operations = Object.keys(rows) as OperationId[];
export const reads = operations.filter(id => rows[id].method === 'GET');
export const writes = operations.filter(id => rows[id].method !== 'GET');

/** What a caller gets while the database is unavailable. */
export const lost = {
	code: 502,
	detail: 'The database of this server does not answer, has no room, or is damaged. Nothing was changed; try again.',
	type: 'database_error',
};

/** What a caller gets while the disk of the database is full. */
export const fullDisk = {
	code: 503,
	detail: 'The disk of this server’s database is full, or it fails. Nothing was changed. Try again in 30 s.',
	type: 'database_error',
};

/** Returns the error of each operation for a valid request; its status if there is none. */
export async function askAll(server: TestServer, parameters: Parameters, those = operations) {
	const answers: Record<string, unknown> = {};
	for (const id of those) {
		const {status, json} = await ask(server, id, parameters);
		answers[id] = status < 300 ? status : json;
	}

	return answers;
}

/** The same error for each of these operations. */
export const all = (those: readonly OperationId[], answer: unknown) =>
	Object.fromEntries(those.map(id => [id, answer]));
