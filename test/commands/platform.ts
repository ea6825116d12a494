import type {IncomingMessage} from 'node:http';
import {httpServer} from '../net/servers.ts';

export const goodKey = 'key-0123456789abcd';

/** Starts a server that accepts one key. `fault` replaces its responses. */
export async function platform(fault?: {readonly status: number; readonly body: string}) {
	return httpServer((request, response) => {
		const answer = fault ?? answerTo(request);
		response.writeHead(answer.status, {'content-type': answer.body.startsWith('<') ? 'text/html' : 'application/json'});
		response.end(answer.body);
	});
}

function answerTo({method, url, headers}: IncomingMessage) {
	if (method !== 'GET' || url !== '/api/v1/user/preferences') {
		return {status: 404, body: '{"detail":"No such resource"}'};
	}

	return headers.authorization === `Bearer ${goodKey}`
		? {status: 200, body: '{"models":[]}'}
		: {status: 401, body: '{"detail":"Invalid API key"}'};
}

/** Failures of a server, and the error code for each. */
export const faults = [
	[{status: 401, body: '{"detail":"Key revoked"}'}, 'auth', /rejected the key \(Key revoked\)\.$/],
	[{status: 403, body: '{"detail":"Not for you"}'}, 'auth', /does not allow this \(Not for you\)\.$/],
	[{status: 426, body: '{"detail":"Use 2.0"}'}, 'upgrade', /needs a newer version of service \(Use 2\.0\)\.$/],
	[{status: 500, body: '<h1>Oops</h1>'}, 'network', /answered 500\.$/],
	[{status: 404, body: 'not found'}, 'network', /answered 404\.$/],
	[
		{status: 200, body: '<html>Welcome to the hotel</html>'},
		'network',
		/doesn't look like a service server \(it returned a web page\)\.$/,
	],
	[{status: 200, body: '[]'}, 'network', /doesn't look like a service server \(it returned something else\)\.$/],
	[{status: 302, body: ''}, 'network', /answered 302\.$/],
] as const;
