import {generateKeyPairSync, sign} from 'node:crypto';
import {once} from 'node:events';
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import Provider from 'oidc-provider';
import {onTestFinished} from 'vitest';
import {parseOidc} from '../../../src/server/accounts/oidc/oidc-settings.ts';
import {origin} from '../harness.ts';

/** What the provider says of the user who logs in there. */
export type Person = {readonly sub: string; readonly email: string; readonly email_verified?: boolean | undefined};

type Claims = Record<string, unknown>;

const clientId = 'service-server';
const clientSecret = 'a secret of the client with 40 characters';

/** An OpenID provider as others build it, on loopback. It logs in whoever `person` is, without a question. */
export async function startProvider(
	settings: {readonly oidcDomains?: string; readonly oidcOrganization?: string} = {},
	server = origin,
	logoutUri?: string,
) {
	const {privateKey} = generateKeyPairSync('ec', {namedCurve: 'P-256'});
	const answering = createServer().listen(0, '127.0.0.1');
	await once(answering, 'listening');
	onTestFinished(() => {
		answering.closeAllConnections();
		answering.close();
	});
	const issuer = `http://127.0.0.1:${(answering.address() as AddressInfo).port}`;
	const state = {
		person: {sub: 'u-1', email: 'grace@acme.example', email_verified: true} as Person,
		/** Changes the answer of the token endpoint. */
		tamper: undefined as ((answer: Claims) => Claims) | undefined,
		/** Answers every request with this status instead. */
		broken: undefined as number | undefined,
	};
	const provider = new Provider(issuer, {
		clients: [
			{
				client_id: clientId,
				client_secret: clientSecret,
				redirect_uris: [`${server}/sign-in/oidc/callback`],
				id_token_signed_response_alg: 'ES256',
				...(logoutUri !== undefined && {
					backchannel_logout_uri: logoutUri,
					backchannel_logout_session_required: true,
				}),
			},
		],
		claims: {openid: ['sub'], email: ['email', 'email_verified']},
		cookies: {keys: ['for tests alone']},
		features: {devInteractions: {enabled: false}, backchannelLogout: {enabled: true}},
		// Its own agent refuses addresses of this machine.
		fetch: (url: string, {dispatcher: _, ...options}: {readonly dispatcher?: unknown}) => fetch(url, options),
		findAccount: (_, sub) => ({accountId: sub, claims: () => Promise.resolve(state.person)}),
		interactions: {url: (_, {uid}) => `/interaction/${uid}`},
		jwks: {keys: [{...privateKey.export({format: 'jwk'}), alg: 'ES256', use: 'sig', kid: 'one'}]},
		async loadExistingGrant({oidc}) {
			const grant = new provider.Grant({clientId, accountId: oidc.session?.accountId ?? ''});
			grant.addOIDCScope('openid email');
			await grant.save();
			return grant;
		},
		pkce: {required: () => true},
		ttl: {AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60},
	});
	const handle = provider.callback();
	answering.on('request', (request: IncomingMessage, response: ServerResponse) => {
		if (state.broken !== undefined) {
			response.writeHead(state.broken).end();
			return;
		}

		if (request.url?.startsWith('/interaction/')) {
			const login = {accountId: state.person.sub};
			void provider.interactionFinished(request, response, {login}, {mergeWithLastSubmission: false});
			return;
		}

		const {tamper} = state;
		if (tamper && request.url === '/token') {
			const end = response.end.bind(response);
			response.end = ((body: string) => {
				const text = JSON.stringify(tamper(JSON.parse(body)));
				response.setHeader('content-length', Buffer.byteLength(text));
				return end(text);
			}) as typeof response.end;
		}

		void handle(request, response);
	});
	const oidc = parseOidc({oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, ...settings}, {});

	/** Follows the pages of the provider as a browser does, and returns the address that it sends it back to. */
	const visit = async (target: string): Promise<string> => {
		const cookies = new Map<string, string>();
		let next = target;
		while (next.startsWith(issuer)) {
			const response = await fetch(next, {
				redirect: 'manual',
				headers: {cookie: [...cookies].map(pair => pair.join('=')).join('; ')},
			});
			await response.text();
			for (const cookie of response.headers.getSetCookie()) {
				const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
				cookies.set(name, value);
			}

			const location = response.headers.get('location');
			if (!location) {
				throw new Error(`${next} answers with status ${response.status}.`);
			}

			next = new URL(location, next).href;
		}

		return next;
	};
	/** Signs claims as the provider does, or as someone else with another key. */
	const signed = (claims: Claims, {alg = 'ES256', key = privateKey} = {}) => {
		const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
		const text = `${encode({alg, kid: 'one', typ: 'JWT'})}.${encode(claims)}`;
		const signature =
			alg === 'none' ? '' : sign('sha256', Buffer.from(text), {key, dsaEncoding: 'ieee-p1363'}).toString('base64url');
		return `${text}.${signature}`;
	};
	/** Announces the logout of a user to the server, as the provider does when they log out there. */
	const announceLogout = async (sub: string) =>
		(await provider.Client.find(clientId)).backchannelLogout(sub, 'a session');
	return {issuer, oidc, state, visit, signed, announceLogout, close: () => answering.close()};
}

/** Returns the claims of a token without checking it. */
export function claimsOf(token: unknown): Claims {
	return JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString());
}
