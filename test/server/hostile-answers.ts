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

/** Sends a request without the help of `fetch`: any bytes as the body, any header. */
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

/** The specified statuses for errors of the server itself, except database errors. */
const faults: readonly number[] = [500, 504];

/**
 * Returns what is wrong with a response: an unspecified status (except 405), a server error, an unspecified body.
 * Undefined if it is fine.
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
