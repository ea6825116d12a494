import {completeAnswer} from '../contract/complete.ts';
import {httpServer} from '../net/servers.ts';
import {goodKey} from './platform.ts';

/** A request as the server received it. */
export type Seen = {
	readonly method: string;
	/** Includes the query. */
	readonly url: string;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	readonly body: Buffer;
};

type Answer = {
	readonly status?: number;
	/** Missing fields that the contract requires are added to an object. */
	readonly json?: unknown;
	/** Sent unchanged. */
	readonly bare?: unknown;
	readonly text?: string;
	readonly headers?: Readonly<Record<string, string>>;
};

/** The path of everything in this scope. */
export const inOrg = '/api/v1/org/acme';
export const inWorkspace = `${inOrg}/ws/lab`;

/** True for a request that only lists organizations, workspaces or projects. */
export function asksForScope({method, url}: Seen): boolean {
	return method === 'GET' && /^\/api\/v1\/org(?:\/acme\/ws(?:\/lab\/projects)?)?\?/.test(url);
}

/**
 * Starts a server that responds to `METHOD /path` (without the query) as given, and to everything else with 404. `env`
 * logs in to it, in organization `acme`, workspace `lab` and project `parser`.
 */
export async function api(answers: Readonly<Record<string, Answer | ((seen: Seen) => Answer)>>) {
	const seen: Seen[] = [];
	const server = await httpServer(async (request, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) {
			chunks.push(chunk);
		}

		const {method = '', url = '', headers} = request;
		const one = {method, url, headers, body: Buffer.concat(chunks)};
		seen.push(one);
		const found = answers[`${method} ${url.split('?', 1)[0]}`];
		const missing: Answer = {status: 404, json: {code: 404, type: 'not_found_error', detail: 'No such resource'}};
		const {
			status = 200,
			json,
			bare,
			text,
			headers: own,
		} = (typeof found === 'function' ? found(one) : found) ?? missing;
		response.writeHead(status, {'content-type': text === undefined ? 'application/json' : 'text/html', ...own});
		const whole = status < 300 ? completeAnswer(method, url.split('?', 1)[0] ?? '', json) : json;
		response.end(text ?? JSON.stringify(bare ?? whole) ?? '');
	});
	const env = {
		SERVICE_SERVER: server.origin,
		SERVICE_API_KEY: goodKey,
		SERVICE_ORG: 'acme',
		SERVICE_WORKSPACE: 'lab',
		SERVICE_PROJECT: 'parser',
	};
	return {...server, seen, env};
}
