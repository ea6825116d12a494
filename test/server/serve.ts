import {request as httpRequest} from 'node:http';
import {onTestFinished} from 'vitest';
import {secret} from '../../src/core/secret.ts';
import {createApp} from '../../src/server/app.ts';
import {listen} from '../../src/server/listen.ts';

export const token = 'test-token';
export const bearer = {authorization: `Bearer ${token}`};

/** A server on a free port of this machine, closed after the test, with what handlers threw. */
export async function serve({speed = Number.POSITIVE_INFINITY} = {}) {
	const bugs: unknown[] = [];
	const listening = await listen(createApp({token: secret(token), demo: {speed}, onBug: error => bugs.push(error)}));
	onTestFinished(() => listening.close());
	return {...listening, bugs};
}

type Sent = {
	readonly method?: string;
	readonly path?: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: string;
};

/** A request with any header, also those that fetch does not let through. Gives status, headers and the body's text. */
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
