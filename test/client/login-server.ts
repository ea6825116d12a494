import {setTimeout as sleep} from 'node:timers/promises';
import type {LoginClock} from '../../src/client/device-flow.ts';
import {createTransport} from '../../src/net/undici-transport.ts';
import {atEnd} from '../net/servers.ts';
import {type Asked, type Reply, scripted} from './server.ts';

/** A clock on which time passes only while somebody sleeps, faster than on the wall: a busy machine makes nobody late. */
export function fastClock(speed = 200): LoginClock {
	let now = Date.now();
	return {
		now: () => now,
		sleep: async (milliseconds, signal) => {
			await sleep(milliseconds / speed, undefined, {signal});
			now += milliseconds;
		},
	};
}

export const metadataPath = '/.well-known/oauth-authorization-server';
export const userCode = 'WDJB-MJHT';
export const deviceCode = 'device-code-0123456789';

export const refused = (error: string, more: object = {}): Reply => ({
	status: 400,
	body: JSON.stringify({error, ...more}),
});
export const pending = refused('authorization_pending');
export const granted = (number = 1, more: object = {}): Reply => ({
	body: JSON.stringify({
		access_token: `access-${number}-0123456789`,
		token_type: 'Bearer',
		expires_in: 3600,
		refresh_token: `refresh-${number}-0123456789`,
		...more,
	}),
});

type Options = {
	/** What the token endpoint answers, in order; the last one for good. */
	readonly tokens?: readonly (Reply | 'cut')[] | ((form: URLSearchParams) => Reply);
	/** Replaces parts of the metadata, given the server's origin. */
	readonly metadata?: (origin: string) => object;
	/** Replaces parts of the answer that begins a login. */
	readonly device?: object | Reply;
	/** What the revocation endpoint answers; without it the metadata names none. */
	readonly revocation?: Reply | 'cut';
	/** Everything else: the API. */
	readonly api?: (asked: Asked) => Reply;
};

/** A server with a device flow at its own origin. `polls` are the forms that its token endpoint got. */
export async function loginServer({tokens = [granted()], metadata, device = {}, revocation, api}: Options = {}) {
	const polls: URLSearchParams[] = [];
	const server = await scripted(asked => {
		const {origin} = server;
		switch (asked.url.pathname) {
			case metadataPath:
				return {
					body: JSON.stringify({
						issuer: origin,
						device_authorization_endpoint: `${origin}/oauth/device`,
						token_endpoint: `${origin}/oauth/token`,
						...(revocation && {revocation_endpoint: `${origin}/oauth/revoke`}),
						...metadata?.(origin),
					}),
				};
			case '/oauth/device':
				return 'status' in device
					? (device as Reply)
					: {
							body: JSON.stringify({
								device_code: deviceCode,
								user_code: userCode,
								verification_uri: `${origin}/device`,
								verification_uri_complete: `${origin}/device?user_code=${userCode}`,
								expires_in: 900,
								interval: 5,
								...device,
							}),
						};
			case '/oauth/token': {
				const form = new URLSearchParams(asked.body.toString());
				polls.push(form);
				return typeof tokens === 'function' ? tokens(form) : (tokens[polls.length - 1] ?? tokens.at(-1) ?? pending);
			}
			case '/oauth/revoke':
				return revocation ?? {status: 404, body: '{}'};
			default:
				return api?.(asked) ?? {status: 404, body: '{"detail":"No such resource"}'};
		}
	});
	return {...server, polls};
}

/** A transport without any credential, closed after the test. */
export function plainTransport() {
	const transport = createTransport({userAgent: 'service/test'});
	atEnd(() => void transport.close());
	return transport;
}
