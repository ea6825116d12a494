import {expect, test} from 'vitest';
import type {Endpoint} from '../../src/contract/endpoint.ts';
import {type OperationId, operations} from '../../src/contract/extensions.ts';
import type {ParameterName} from '../../src/contract/parameters.ts';
import {parametersOf} from '../../src/contract/path.ts';
import {isJsonObject, type Json} from '../../src/core/json.ts';
import {contentsOf} from './contents.ts';
import {engine} from './database/engine.ts';
import {createTestServer, type TestServer} from './harness.ts';
import {complaintOf, type Hostile, sendRaw} from './hostile-answers.ts';
import {ask, callOf, type Parameters, populate} from './populated.ts';

const rows = Object.entries<Endpoint>(operations) as ReadonlyArray<[OperationId, Endpoint]>;

/** JSON that no engine can store, as text because some of it has no other form. */
const strangeValues: readonly string[] = [
	'1e400',
	'9007199254740993',
	'"a\\u0000b"',
	'"\\udc00\\ud800x"',
	`"${'😀'.repeat(2560)}"`,
];

/** JSON that no field accepts. */
const values: readonly string[] = [
	...strangeValues,
	'null',
	'true',
	'0',
	'-1',
	'1.5',
	'""',
	'" "',
	'"\\u0000"',
	'"\\ud800"',
	'"\u202e"',
	'"%"',
	'"__proto__"',
	`"${'x'.repeat(10_240)}"`,
	'[]',
	'[null]',
	'[[]]',
	'["x", 1]',
	`[${'"x",'.repeat(999)}"x"]`,
	'{}',
	'{"__proto__": {"a": 1}}',
	'{"constructor": null}',
	`${'['.repeat(99)}${']'.repeat(99)}`,
];

const mark = '\u2603';

/** Yields the JSON of a body with a value in place of the whole, of each field in turn, and of an additional field. */
function* bodiesWith(value: string, body: Json): Generator<string> {
	for (const copy of marked(body)) {
		yield JSON.stringify(copy).replace(`"${mark}"`, () => value);
	}
}

function* marked(body: Json): Generator<Json> {
	yield mark;
	if (isJsonObject(body)) {
		yield {...body, more: mark};
		for (const [name, field] of Object.entries(body)) {
			for (const inner of marked(field)) {
				yield {...body, [name]: inner};
			}
		}
	}
}

/** Encoded values for paths and queries that no engine can store. */
const strangeTexts: readonly string[] = ['a%00b', '%ED%A0%80', '99999999999999999999', '%F0%9F%98%80'.repeat(800)];

const texts: readonly string[] = [
	...strangeTexts,
	'%00',
	'%FF',
	'%',
	'%F0%9F%98%80',
	'%E2%80%AE',
	'+',
	'%20',
	'-1',
	'0',
	'1e400',
	'null',
	'true',
	'__proto__',
	'constructor',
	'%27%20or%201%3D1%20--',
	'%25',
	'_',
	'%2e%2e',
	'..%2f..%2fetc',
	'a%2Fb',
	'11111111-1111-1111-1111-111111111111',
	'11111111-1111-1111-1111-11111111111%00',
	'x'.repeat(10_240),
];

type Attack = {readonly path: string} & Hostile;

/** Returns requests of one operation, each with something hostile in one place. */
function* hostile(
	id: OperationId,
	row: Endpoint,
	parameters: Parameters,
	what: {readonly values: readonly string[]; readonly texts: readonly string[]},
): Generator<Attack> {
	const {method, path, body} = callOf(id, parameters);
	const sent = {method, ...(body && {body: JSON.stringify(body)})};
	for (const text of what.texts) {
		for (const name of parametersOf(row.path) as readonly ParameterName[]) {
			yield {...sent, path: path.replace(encodeURIComponent(parameters[name]), () => text)};
		}

		for (const name of row.query ? [...queryNames(row.query), 'more', text] : []) {
			yield {...sent, path: `${path}${path.includes('?') ? '&' : '?'}${name}=${text}`};
		}
	}

	for (const value of row.body ? what.values : []) {
		for (const text of bodiesWith(value, JSON.parse(sent.body ?? 'null'))) {
			yield {...sent, path, body: text};
		}
	}
}

const queryNames = (schema: NonNullable<Endpoint['query']>) =>
	Object.keys('shape' in schema.def ? Object(schema.def.shape) : {});

/** A server that starts no process for each of hundreds of valid requests. */
async function meet() {
	const server = await createTestServer();
	const parameters = await populate(server);
	await server.database.updateTable('organizations').set({sandbox_capacity: 0}).execute();
	// The first link creates the key that signs them all.
	await ask(server, 'resolveTraceArtifact', parameters);
	return {server, parameters};
}

/** Sends everything hostile to an operation, and returns what is wrong with the responses. */
async function attack(server: TestServer, requests: Iterable<Attack>, [id, row]: readonly [OperationId, Endpoint]) {
	const complaints = new Set<string>();
	const refused: Attack[] = [];
	const first = await contentsOf(server.database);
	for (const request of requests) {
		const answer = await sendRaw(server, request.path, request);
		const complaint = complaintOf(row, answer);
		if (complaint !== undefined) {
			const {path, body = ''} = request;
			complaints.add([id, path, String(body), complaint].map(part => part.slice(0, 300)).join(' '));
		} else if (answer.status >= 400) {
			refused.push(request);
		}
	}

	// Reads change nothing, and neither does a rejected write that is repeated.
	const before = row.method === 'GET' ? first : await contentsOf(server.database);
	for (const request of row.method === 'GET' ? [] : refused) {
		await sendRaw(server, request.path, request);
	}

	expect(await contentsOf(server.database)).toEqual(before);
	return [...complaints];
}

test.each(rows)('%s accepts or rejects any value in any field of a request', async (id, row) => {
	const {server, parameters} = await meet();
	// Validation is the same on every engine; the accepted values are what differs.
	const given = engine === 'sqlite' ? {values, texts} : {values: strangeValues, texts: strangeTexts};
	expect(await attack(server, hostile(id, row, parameters, given), [id, row])).toEqual([]);
	expect(server.entries.filter(({message}) => message === 'failed')).toEqual([]);
});
