import fc from 'fast-check';
import {expect, test} from 'vitest';
import {anyCharacter, anyText} from '../any-text.ts';
import {createTestServer, inWorkspace} from './harness.ts';
import {sendRaw} from './hostile-answers.ts';

/** Routes beyond the contract: path, method, and the fields of their forms or JSON. */
const routes: readonly (readonly [method: string, path: string, fields: readonly string[]])[] = [
	['POST', '/oauth/device_authorization', ['client_id', 'scope']],
	['POST', '/oauth/token', ['client_id', 'grant_type', 'device_code', 'refresh_token']],
	['POST', '/oauth/revoke', ['client_id', 'token', 'token_type_hint']],
	['GET', '/device', ['user_code']],
	['POST', '/device/decision', ['user_code', 'decision', 'form_token']],
	['GET', '/sign-in', ['next', 'email']],
	['POST', '/sign-in/key', ['key', 'next', 'form_token']],
	['POST', '/sign-in/code', ['code', 'next', 'form_token']],
	['GET', '/account', ['next']],
	['POST', '/account/password', ['password', 'form_token']],
	['POST', '/password', ['code', 'password', 'repeated', 'form_token']],
	['GET', '/artifacts/x/y', ['expires', 'signature', 'type', 'disposition']],
	['POST', '/v1/chat/completions', ['model', 'messages', 'stream', 'tools', 'max_tokens']],
	['POST', '/v1/responses', ['model', 'input']],
	['GET', '/v1/models', ['limit']],
	['PUT', `${inWorkspace}/artifacts/x`, ['oid']],
	['GET', '/.well-known/oauth-authorization-server', ['issuer']],
	['GET', '/healthz', ['verbose']],
];

const values = fc.oneof(
	anyText(),
	fc.constantFrom(
		'service-cli',
		'urn:ietf:params:oauth:grant-type:device_code',
		'refresh_token',
		`svr_${'a'.repeat(43)}`,
		'//evil.example',
		'demo',
		'\0',
		'😀'.repeat(3000),
	),
);

const asked = fc.constantFrom(...routes).chain(([method, path, fields]) =>
	fc.record({
		method: fc.constant(method),
		path: fc.constant(path),
		pairs: fc.array(fc.tuple(fc.oneof(fc.constantFrom(...fields), anyText()), values), {
			maxLength: 5,
		}),
		json: fc.oneof(
			fc.jsonValue({depthSize: 'small', stringUnit: anyCharacter}),
			fc.record(Object.fromEntries(fields.map(name => [name, fc.jsonValue({depthSize: 'small'})])), {requiredKeys: []}),
		),
		type: fc.constantFrom('application/x-www-form-urlencoded', 'application/json', 'text/plain', 'multipart/form-data'),
		cookie: fc.constantFrom('', 'service-8700=x', `service-8700=svs_${'a'.repeat(43)}`, '=;=;;', 'a=%ff%00'),
	}),
);

test('routes outside the contract accept or reject any request, and never fail', async () => {
	const server = await createTestServer();
	await fc.assert(
		fc.asyncProperty(asked, async ({method, path, pairs, json, type, cookie}) => {
			const form = new URLSearchParams(pairs).toString();
			const {status} = await sendRaw(server, method === 'GET' ? `${path}?${form}` : path, {
				method,
				...(method !== 'GET' && {body: type === 'application/json' ? JSON.stringify(json) : form}),
				headers: {'content-type': type, cookie},
			});
			expect(status).toBeLessThan(500);
		}),
		{numRuns: 300},
	);
	expect(server.entries.filter(({message}) => message === 'failed')).toEqual([]);
});
