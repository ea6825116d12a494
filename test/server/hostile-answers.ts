import {violations} from '../../src/contract/check.ts';
import type {Endpoint} from '../../src/contract/endpoint.ts';
import {errorStatuses, problemSchema} from '../../src/contract/problem.ts';
import {parseJson} from '../../src/core/json.ts';
import {origin, type TestServer} from './harness.ts';

export type Hostile = {
	readonly method?: string;
	/** Sent as it is. */
	readonly body?: string | Uint8Array<ArrayBuffer>;
	readonly headers?: Readonly<Record<string, string>>;
};

/** Sends what `fetch` would send, without a word of help: bytes for a body, and any header. */
export async function sendRaw(server: TestServer, path: string, {method = 'GET', body, headers}: Hostile = {}) {
	const request = new Request(`${origin}${path}`, {
		method,
		...(body !== undefined && {body}),
		headers: {
			host: new URL(origin).host,
			authorization: `Bearer ${server.owner.key}`,
			...(body !== undefined && {'content-type': 'application/json'}),
			...headers,
		},
	});
	const response = await server.app(request);
	const text = await response.text();
	return {status: response.status, text, json: parseJson(text)};
}

/** Statuses of the specification that are the server's own fault, but for a database that is gone. */
const faults: readonly number[] = [500, 504];

/**
 * What is wrong with an answer: a status that the specification has not (but 405), a fault of the server, a body that is
 * not the specified one. Undefined where nothing is.
 */
export function complaintOf(
	row: Pick<Endpoint, 'result'>,
	{status, text, json}: {readonly status: number; readonly text: string; readonly json: unknown},
) {
	if (status === 200 || status === 204) {
		const wrong = row.result && status === 200 ? violations(row.result, json) : [];
		return wrong.length > 0 ? `${status} ${JSON.stringify(wrong)} ${text}` : undefined;
	}

	const isKnown = status === 405 || (status in errorStatuses && !faults.includes(status));
	const problem = problemSchema.safeParse(json).data;
	return isKnown && problem?.code === status ? undefined : `${status} ${text}`;
}
