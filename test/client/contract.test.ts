import fc, {type Arbitrary} from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Endpoint} from '../../src/contract/endpoint.ts';
import {type OperationId, operations} from '../../src/contract/extensions.ts';
import {pathParameters} from '../../src/contract/parameters.ts';
import {matchPath, parametersOf} from '../../src/contract/path.ts';
import {errorStatuses} from '../../src/contract/problem.ts';
import {decodeQuery} from '../../src/contract/query.ts';
import {notShown} from '../../src/contract/scalars.ts';
import {type ErrorCode, exitStatus} from '../../src/core/error.ts';
import type {Json} from '../../src/core/json.ts';
import {valuesOf} from '../contract/arbitrary.ts';
import {apiKey, clientOf, type Reply, scripted, token} from './server.ts';

type Given = {
	readonly params: Readonly<Record<string, string>>;
	readonly query?: Readonly<Record<string, Json>>;
	readonly body?: Json;
	readonly contentType?: string;
};
type Operation = (call: Given) => Promise<unknown>;

const rows = Object.entries<Endpoint>(operations) as ReadonlyArray<[OperationId, Endpoint]>;
const segment = (text: string) => text !== '' && text !== '.' && text !== '..';

/** Calls that the contract allows. */
function callsOf(row: Endpoint): Arbitrary<Given> {
	const known: Readonly<Record<string, Parameters<typeof valuesOf>[0]>> = pathParameters;
	const params = Object.fromEntries(
		parametersOf(row.path).map(name => [
			name,
			valuesOf(known[name] ?? notShown)
				.map(String)
				.filter(segment),
		]),
	);
	return fc.record({
		params: fc.record(params),
		...(row.query && {query: valuesOf(row.query) as Arbitrary<Readonly<Record<string, Json>>>}),
		...(row.body && {body: valuesOf(row.body)}),
		...(row.raw && {body: fc.string(), contentType: fc.constantFrom(...row.raw)}),
	});
}

/** What of a query can be said in a query: no nulls, and filters as text. */
function queryOnTheWire(query: Readonly<Record<string, Json>> = {}): Readonly<Record<string, Json>> {
	return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== null && typeof value !== 'object'));
}

/** The function of a client, without the types of its row. */
const operationOf = (origin: string, id: OperationId): Operation => {
	const {client} = clientOf(origin);
	return client[id] as Operation;
};

const validCall = (row: Endpoint): Given => fc.sample(callsOf(row), {numRuns: 1, seed: 7})[0] ?? {params: {}};

describe.each(rows)('%s', (id, row) => {
	const answers = row.result ? valuesOf(row.result) : fc.constant(undefined);

	test('sends its input and returns its result unchanged, with its credential only', async () => {
		let reply: Reply = {};
		const {origin, asked} = await scripted(() => reply);
		const operation = operationOf(origin, id);
		await fc.assert(
			fc.asyncProperty(callsOf(row), answers, async (call, answer) => {
				reply = answer === undefined ? {status: 204} : {body: JSON.stringify(answer)};
				const query = queryOnTheWire(call.query);
				expect(await operation({...call, ...(row.query && {query})})).toEqual(answer);

				const seen = asked.at(-1);
				expect(seen?.method).toBe(row.method);
				expect(matchPath(row.path, seen?.url.pathname ?? '')).toEqual(call.params);
				const pairs = seen?.url.searchParams ?? new URLSearchParams();
				const texts = (values: object) => Object.fromEntries(Object.entries(values).map(([k, v]) => [k, String(v)]));
				expect(row.query ? texts(decodeQuery(row.query, pairs)) : [...pairs]).toEqual(row.query ? texts(query) : []);
				const {authorization, 'x-api-key': key, 'content-type': type, accept} = seen?.headers ?? {};
				expect([authorization, key]).toEqual(
					row.auth === 'bearer' ? [`Bearer ${token}`, undefined] : [undefined, apiKey],
				);
				expect(accept).toBe('application/json');
				expect(type).toBe(row.body ? 'application/json' : call.contentType);
				const sent = row.body ? JSON.stringify(call.body) : String(call.body ?? '');
				expect(seen?.body.toString()).toBe(sent);
			}),
			{numRuns: 6},
		);
	});

	test('every error status becomes one typed error, with its detail, type and fields', async () => {
		const codes: Readonly<Record<number, ErrorCode>> = {
			400: 'failed',
			401: 'auth',
			403: 'auth',
			404: 'not-found',
			409: 'conflict',
			422: 'failed',
			426: 'upgrade',
			429: 'network',
			500: 'network',
			502: 'network',
			504: 'network',
		};
		let status = 0;
		const {origin, asked} = await scripted(() => ({
			status,
			body: JSON.stringify({
				code: status,
				detail: `Why it is ${status}.`,
				type: `type_of_${status}`,
				errors: [{loc: ['body', 'list', 0], msg: 'too long', type: 'string_too_long'}],
			}),
		}));
		const operation = operationOf(origin, id);
		for (const documented of Object.keys(errorStatuses)) {
			status = Number(documented);
			const before = asked.length;
			const error: unknown = await operation(validCall(row)).catch((thrown: unknown) => thrown);
			const code = codes[status] ?? 'failed';
			expect(error).toMatchObject({
				code,
				message: expect.stringMatching(
					new RegExp(`: Why it is ${status} \\(type_of_${status}\\); body\\.list\\.0: too long\\.$`),
				),
				hint: expect.stringMatching(/^[A-Za-z].*\.$/),
			});
			expect(exitStatus[code]).toBeGreaterThan(0);
			const again = (row.method === 'GET' || row.idempotencyKey !== undefined) && [429, 500, 502, 504].includes(status);
			expect(asked.length - before).toBe(again ? 3 : 1);
		}
	});
});
