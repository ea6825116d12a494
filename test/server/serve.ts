import {request as httpRequest} from 'node:http';
import {onTestFinished} from 'vitest';
import {hashToken} from '../../src/server/accounts/token.ts';
import {createApp} from '../../src/server/http/app.ts';
import {listen} from '../../src/server/http/listen.ts';
import type {Log, ServerLogEntry} from '../../src/server/kit/log.ts';
import {createTestServer} from './harness.ts';

export const token = `svc_${'t'.repeat(43)}`;
export const bearer = {authorization: `Bearer ${token}`};

/** Starts a server on a free port of this machine until the test ends; records what handlers threw. */
export async function serve({speed = Number.POSITIVE_INFINITY} = {}) {
	const {services, database, owner} = await createTestServer();
	const bugs: ServerLogEntry[] = [];
	const log: Log = entry => void (entry.message === 'failed' && bugs.push(entry));
	const key = {id: 'test', name: null, prefix: 'test', last_used_at: null, expires_at: null, revoked_at: null};
	const created_at = services.now().toISOString();
	await database
		.insertInto('api_keys')
		.values({...key, user_id: owner.id, key_hash: hashToken(token), created_at})
		.execute();
	const listening = await listen(createApp({services: {...services, log}, demo: {speed}}));
	onTestFinished(() => listening.close());
	return {...listening, database, bugs};
}

type Sent = {
	readonly method?: string;
	readonly path?: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: string;
};

/** Sends a request with any headers, also those that fetch forbids, and returns status, headers and body. */
export function send(url: string, {method = 'GET', path = '/', headers = {}, body}: Sent) {
	return new Promise<{status: number; headers: Record<string, unknown>; text: string}>((resolve, reject) => {
		const request = httpRequest(`${url}${path}`, {method, headers, agent: false}, response => {
			let text = '';
			response.setEncoding('utf8');
			response.on('data', (chunk: string) => {
				text += chunk;
			});
			response.on('end', () => resolve({status: response.statusCode ?? 0, headers: response.headers, text}));
			response.on('error', reject);
		});
		request.on('error', reject);
		request.end(body);
	});
}
