import {type BrowserSession, findSession, openSession} from '../../../src/server/accounts/browser-session.ts';
import type {App} from '../../../src/server/kit/route.ts';
import {origin, type TestServer} from '../harness.ts';

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
export const client = {client_id: 'service-cli'};

/** Posts a form to an OAuth endpoint, and reads its response. */
export async function postForm(app: App, path: string, form: Record<string, string> | string, headers: object = {}) {
	const response = await app(
		new Request(`${origin}${path}`, {
			method: 'POST',
			body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
			headers: {host: new URL(origin).host, 'content-type': 'application/x-www-form-urlencoded', ...headers},
		}),
	);
	const text = await response.text();
	return {status: response.status, headers: response.headers, text, json: text ? JSON.parse(text) : undefined};
}

/** Starts a login of a program. */
export async function beginLogin({app}: TestServer): Promise<{deviceCode: string; userCode: string}> {
	const {json} = await postForm(app, '/oauth/device_authorization', client, {'user-agent': 'service/0.1 (linux)'});
	return {deviceCode: json.device_code, userCode: json.user_code};
}

/** Polls once for the tokens of a login. */
export async function poll({app}: TestServer, deviceCode: string) {
	return await postForm(app, '/oauth/token', {...client, grant_type: deviceGrant, device_code: deviceCode});
}

/** Refreshes tokens. */
export async function refresh({app}: TestServer, refreshToken: string) {
	return await postForm(app, '/oauth/token', {...client, grant_type: 'refresh_token', refresh_token: refreshToken});
}

type Approval = {readonly userId?: string; readonly apiKeyId?: string | null};

/** An approved login and its tokens. */
export async function logIn(server: TestServer, {userId = server.owner.id, apiKeyId = null}: Approval = {}) {
	const {deviceCode, userCode} = await beginLogin(server);
	await approve(server, userCode, {userId, apiKeyId});
	const {json} = await poll(server, deviceCode);
	return {access: String(json.access_token), refresh: String(json.refresh_token)};
}

/** Does what the page does when a button is pressed. */
export async function approve(
	server: Pick<TestServer, 'database' | 'owner'>,
	userCode: string,
	{userId = server.owner.id, apiKeyId = null}: Approval = {},
) {
	await server.database
		.updateTable('device_authorizations')
		.set({status: 'approved', user_id: userId, api_key_id: apiKeyId})
		.where('user_code', '=', userCode)
		.execute();
}

/** Opens a browser session of the owner. */
export async function openBrowserSession(
	{services, owner}: Pick<TestServer, 'services' | 'owner'>,
	providerSession: string | null = null,
): Promise<BrowserSession> {
	const opened = {userId: owner.id, apiKeyId: null, providerSession, needsSecondFactor: false};
	const {token} = await openSession(services, opened);
	const session = await findSession(services, token.reveal());
	if (!session) {
		throw new Error('The session is not open.');
	}

	return session;
}
