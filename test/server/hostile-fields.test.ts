import {describe, expect, test} from 'vitest';
import type {Endpoint} from '../../src/contract/endpoint.ts';
import {type EndpointId, endpoints} from '../../src/contract/endpoints.ts';
import type {ParameterName} from '../../src/contract/parameters.ts';
import {parametersOf} from '../../src/contract/path.ts';
import {isJsonObject, type Json} from '../../src/core/json.ts';
import type {Engine} from '../../src/server/database/place.ts';
import {contentsOf} from './contents.ts';
import {engines} from './database/engines.ts';
import {createTestServer} from './harness.ts';
import {complaintOf, type Hostile, sendRaw} from './hostile-answers.ts';
import {callOf, type Parameters, populate} from './populated.ts';

const rows = Object.entries<Endpoint>(endpoints) as ReadonlyArray<[EndpointId, Endpoint]>;

/** JSON that no engine has a place for, as text, because some of it has no other form. */
const strangeValues: readonly string[] = [
	'1e400',
	'9007199254740993',
	'"a\\u0000b"',
	'"\\udc00\\ud800x"',
	`"${'😀'.repeat(2560)}"`,
];

/** JSON that no field means. */
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

/** The JSON of a body with a value in the place of each of its fields, of the whole and of one more, one after the other. */
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

/** What stands in a path or a query, encoded; no engine has a place for these. */
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

/** Requests of one operation, each with something hostile in one place. */
function* hostile(
	id: EndpointId,
	row: Endpoint,
	parameters: Parameters,
	engine: Engine,
): Generator<{readonly path: string} & Hostile> {
	const {method, path, body} = callOf(id, parameters);
	const sent = {method, ...(body && {body: JSON.stringify(body)})};
	// The checks are the same on both engines; what they let through must be right on each.
	for (const text of engine === 'sqlite' ? texts : strangeTexts) {
		for (const name of parametersOf(row.path) as readonly ParameterName[]) {
			yield {...sent, path: path.replace(encodeURIComponent(parameters[name]), () => text)};
		}

		for (const name of row.query ? [...queryNames(row.query), 'more', text] : []) {
			yield {...sent, path: `${path}${path.includes('?') ? '&' : '?'}${name}=${text}`};
		}
	}

	for (const value of row.body ? (engine === 'sqlite' ? values : strangeValues) : []) {
		for (const text of bodiesWith(value, JSON.parse(sent.body ?? 'null'))) {
			yield {...sent, path, body: text};
		}
	}
}

const queryNames = (schema: NonNullable<Endpoint['query']>) =>
	Object.keys('shape' in schema.def ? Object(schema.def.shape) : {});

describe.each(engines)('on %s', engine => {
	test.each(rows)('%s takes or refuses whatever stands in any place of a request', async (id, row) => {
		const server = await createTestServer(engine);
		const parameters = await populate(server);
		// What is right must not begin a process for each of hundreds of requests.
		await server.database.updateTable('organizations').set({sandbox_capacity: 0}).execute();
		const refused: Array<{readonly path: string} & Hostile> = [];
		const complaints = new Set<string>();
		for (const request of hostile(id, row, parameters, engine)) {
			const answer = await sendRaw(server, request.path, request);
			const complaint = complaintOf(row, answer);
			if (complaint !== undefined) {
				complaints.add(
					`${request.path.slice(0, 300)} ${String(request.body).slice(0, 300)}: ${complaint.slice(0, 300)}`,
				);
			} else if (answer.status >= 400) {
				refused.push(request);
			}
		}

		expect([...complaints]).toEqual([]);
		expect(server.entries.filter(({message}) => message === 'failed')).toEqual([]);

		const before = await contentsOf(server.database);
		for (const request of refused) {
			await sendRaw(server, request.path, request);
		}

		expect(await contentsOf(server.database)).toEqual(before);
	});
});
