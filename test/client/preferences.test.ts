import {expect, test} from 'vitest';
import {getPreferences} from '../../src/client/preferences.ts';
import {originOf} from '../../src/core/origin.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import {createTransport} from '../../src/net/undici-transport.ts';
import {faults, goodKey, platform} from '../commands/platform.ts';
import {atEnd} from '../net/servers.ts';

function transportTo(origin: string, key = goodKey) {
	const transport = createTransport({
		userAgent: 'test',
		credential: {origin: originOf(origin), kind: 'bearer', secret: secret(key)},
	});
	atEnd(() => void transport.close());
	return transport;
}

const model = {
	id: 'custom/demo',
	name: 'Demo',
	provider: 'custom',
	has_required_keys: true,
	required_api_keys: [],
	later: {unknown: true},
};

test('models are read leniently: invalid ones are omitted, unknown fields are kept', async () => {
	const {origin, seen} = await platform({
		status: 200,
		body: JSON.stringify({models: [model, {id: 5}, null, 'x'], theme: 'dark'}),
	});
	expect(await getPreferences(origin, transportTo(origin))).toEqual({models: [model]});
	expect(seen).toMatchObject([
		{
			method: 'GET',
			url: '/api/v1/user/preferences',
			headers: {accept: 'application/json', authorization: `Bearer ${goodKey}`},
		},
	]);
});

test.each(['{}', '{"models":null}', '{"models":"none"}', '{"models":{}}'])('%s has no models', async body => {
	const {origin} = await platform({status: 200, body});
	expect(await getPreferences(origin, transportTo(origin))).toEqual({models: []});
});

test.each(faults)('%j is reported in one sentence', async (fault, code, message) => {
	const {origin} = await platform(fault);
	await expect(getPreferences(origin, transportTo(origin))).rejects.toMatchObject({
		code,
		message: expect.stringMatching(message),
		hint: expect.stringMatching(/[.?]$/),
	});
});

test('a response longer than 4 MB is rejected [21]', async () => {
	const {origin} = await platform({status: 200, body: `{"models":"${'x'.repeat(5 * 1024 * 1024)}"}`});
	await expect(getPreferences(origin, transportTo(origin))).rejects.toMatchObject({code: 'network'});
});

test('the request can be interrupted [21]', async () => {
	const {origin} = await platform();
	const abort = new AbortController();
	abort.abort();
	await expect(getPreferences(origin, transportTo(origin), abort.signal)).rejects.toMatchObject({name: 'AbortError'});
});

test('a rejected login says so, and where to log in again', async () => {
	const {origin} = await platform({status: 401, body: '{"detail":"Expired"}'});
	await expect(getPreferences(origin, transportTo(origin), undefined, {isLogin: true})).rejects.toMatchObject({
		code: 'auth',
		message: `${origin} rejected the login (Expired).`,
		hint: `Log in again: \`login --server ${origin}\``,
		logInTo: origin,
	});
});

test('a server that refuses the address is not said to reject the key', async () => {
	const body = '{"code":403,"detail":"This server does not answer to the host “lab”.","type":"forbidden_error"}';
	const {origin} = await platform({status: 403, body});
	for (const isLogin of [true, false]) {
		await expect(getPreferences(origin, transportTo(origin), undefined, {isLogin})).rejects.toMatchObject({
			code: 'auth',
			message: `${origin} does not allow this (This server does not answer to the host “lab”).`,
			hint: 'Check the address and the key, or ask its administrator.',
			logInTo: undefined,
		});
	}
});

test('the words of a server are one short line in the sentence, without a second full stop', async () => {
	const {origin} = await platform({status: 401, body: JSON.stringify({detail: `Not\nvalid ${'x'.repeat(9000)}`})});
	const long = getPreferences(origin, transportTo(origin));
	await expect(long).rejects.toThrow(`${origin} rejected the key (Not valid ${'x'.repeat(490)}…).`);
	const short = await platform({status: 401, body: '{"detail":"That key isn’t valid."}'});
	const rejected = getPreferences(short.origin, transportTo(short.origin));
	await expect(rejected).rejects.toThrow(`${short.origin} rejected the key (That key isn’t valid).`);
});
