import {expect, test} from 'vitest';
import {findAuthorizationServer} from '../../src/client/authorization-server.ts';
import {awaitTokens, requestDeviceCode} from '../../src/client/device-flow.ts';
import type {Tokens} from '../../src/client/tokens.ts';
import {AppError} from '../../src/core/error.ts';
import {originOf} from '../../src/core/origin.ts';
import {
	deviceCode,
	fastClock,
	granted,
	loginServer,
	pending,
	plainTransport,
	refused,
	userCode,
} from './login-server.ts';

/** Logs in from the first request to the tokens, and notes when the server was asked, in seconds since it began. */
async function logIn(
	options: Parameters<typeof loginServer>[0] = {},
	{signal = new AbortController().signal, clock = fastClock()} = {},
) {
	const server = await loginServer(options);
	const transport = plainTransport();
	const waits: number[] = [];
	const noted = {
		...clock,
		sleep: async (milliseconds: number, until: AbortSignal) => {
			waits.push(Math.round(milliseconds / 100) / 10);
			await clock.sleep(milliseconds, until);
		},
	};
	const run = async () => {
		const found = await findAuthorizationServer(originOf(server.origin), transport, signal);
		if (!found) {
			throw new Error('There is no device flow.');
		}

		const code = await requestDeviceCode(found, {transport, clock: noted, signal});
		return awaitTokens(found, code, {transport, clock: noted, signal});
	};
	const outcome = await run().catch((error: unknown) => error);
	return {...server, outcome, waits};
}

const revealed = ({accessToken, refreshToken}: Tokens) => [accessToken.reveal(), refreshToken?.reveal()];
const tokensOf = (outcome: unknown) => {
	if (outcome instanceof Error) {
		throw outcome;
	}

	return revealed(outcome as Tokens);
};

test('a login stays pending, slows down on request, and is then approved', async () => {
	const {outcome, polls, waits, asked} = await logIn({
		tokens: [pending, refused('slow_down'), pending, granted()],
	});
	expect(tokensOf(outcome)).toEqual(['access-1-0123456789', 'refresh-1-0123456789']);
	expect(waits).toEqual([5, 5, 10, 10]);
	expect(polls.map(form => Object.fromEntries(form))).toEqual(
		Array.from({length: 4}, () => ({
			grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
			device_code: deviceCode,
			client_id: 'service-cli',
		})),
	);
	expect(asked.map(({headers}) => headers.authorization)).toEqual(Array.from({length: 6}, () => undefined));
});

test.each([
	['access_denied', /^The login was denied on http:/],
	['expired_token', /^The code was not approved before it expired\.$/],
	['invalid_client', /doesn't allow this login: invalid_client\.$/],
] as const)('%s ends the login with an auth error and no more requests', async (error, message) => {
	const {outcome, polls} = await logIn({tokens: [pending, refused(error)]});
	expect(outcome).toMatchObject({code: 'auth', message: expect.stringMatching(message)});
	expect(polls).toHaveLength(2);
});

test('a code that is not approved expires, whatever the server says [21]', async () => {
	let now = 0;
	const clock = {
		now: () => now,
		async sleep(milliseconds: number) {
			now += milliseconds;
		},
	};
	const {outcome, waits} = await logIn({tokens: [pending], device: {expires_in: 12, interval: 5}}, {clock});
	expect(outcome).toMatchObject({code: 'auth', message: 'The code was not approved before it expired.'});
	expect(waits).toEqual([5, 5, 2]);
});

test('a server that fails is polled again with growing intervals', async () => {
	const {outcome, waits} = await logIn({tokens: ['cut', {status: 503, body: 'busy'}, granted()]});
	expect(tokensOf(outcome)).toEqual(['access-1-0123456789', 'refresh-1-0123456789']);
	expect(waits).toEqual([5, 10, 20]);
});

test('an abort ends the wait at once [21]', async () => {
	const abort = new AbortController();
	const tokens = () => {
		setTimeout(() => abort.abort(), 5);
		return pending;
	};
	const {outcome, polls} = await logIn({tokens}, {signal: abort.signal});
	expect(outcome).toMatchObject({name: 'AbortError'});
	expect(polls).toHaveLength(1);
});

test.each([
	[{interval: undefined}, 5],
	[{interval: 0}, 1],
	[{interval: -3}, 1],
	[{interval: 'soon'}, 5],
	[{interval: 100_000}, 60],
])('an interval of %j means %d seconds', async (device, seconds) => {
	expect((await logIn({device}, {clock: fastClock(2000)})).waits).toEqual([seconds]);
});

test.each([
	[{user_code: 'A\u001b]52;c;x\u0007'}],
	[{user_code: `${userCode}\n`}],
	[{user_code: 'WDJB\u202eMJHT'}],
	[{user_code: 'x'.repeat(65)}],
	[{user_code: ''}],
	[{verification_uri: 'javascript:alert(1)'}],
	[{verification_uri: 'file:///etc/passwd'}],
	[{verification_uri: 'https://good.test@evil.test/'}],
	[{verification_uri: 'nothing'}],
	[{device_code: 5}],
])('%j is rejected, because it is not safe to show [3]', async device => {
	const {outcome, polls} = await logIn({device});
	expect(outcome).toMatchObject({
		code: 'network',
		message: expect.stringMatching(/a login without a valid code or page/),
	});
	expect(polls).toEqual([]);
});

test('a page with strange characters is written in plain ones, and a second page of another host is not used [3]', async () => {
	const server = await loginServer({
		device: {
			verification_uri: 'https://ex\u0430mple.test/\u001b[2J\u202ex',
			verification_uri_complete: 'https://evil.test/?user_code=x',
		},
	});
	const transport = plainTransport();
	const {signal} = new AbortController();
	const found = await findAuthorizationServer(originOf(server.origin), transport, signal);
	const code = found && (await requestDeviceCode(found, {transport, clock: fastClock(), signal}));
	const page = 'https://xn--exmple-4nf.test/%1B[2J%E2%80%AEx';
	expect(code).toMatchObject({page, pageWithCode: page, userCode});
	expect(JSON.stringify(code)).not.toContain(deviceCode);
});

test('a server that rejects a login says why, without echoing what was sent [8]', async () => {
	const {outcome} = await logIn({
		device: {status: 401, body: '{"error":"unauthorized_client","error_description":"Not this client."}'},
	});
	expect(outcome).toMatchObject({code: 'auth', message: expect.stringMatching(/this login: Not this client\.$/)});
	const echo = await logIn({tokens: [refused('invalid_request', {error_description: `Bad ${deviceCode}`})]});
	expect(echo.outcome).toMatchObject({message: expect.stringMatching(/this login: Bad \*\*\*\.$/)});
});

test.each([
	[{body: '<html>proxy</html>'}],
	[{body: '{"access_token":"two words"}'}],
	[{body: '{"access_token":"x","token_type":"mac"}'}],
	[{body: '{}'}],
])('an approval of %j yields no token', async reply => {
	const {outcome} = await logIn({tokens: [reply]});
	expect(outcome).toBeInstanceOf(AppError);
	expect(outcome).toMatchObject({code: 'network'});
});
