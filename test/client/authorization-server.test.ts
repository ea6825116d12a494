import {expect, test} from 'vitest';
import {findAuthorizationServer} from '../../src/client/authorization-server.ts';
import {originOf} from '../../src/core/origin.ts';
import {loginServer, metadataPath, plainTransport} from './login-server.ts';
import {scripted} from './server.ts';

const find = (origin: string) =>
	findAuthorizationServer(originOf(origin), plainTransport(), new AbortController().signal);

test('the endpoints of the device flow are found at the server itself', async () => {
	const {origin, asked} = await loginServer();
	expect(await find(origin)).toEqual({
		server: origin,
		deviceEndpoint: `${origin}/oauth/device`,
		tokenEndpoint: `${origin}/oauth/token`,
	});
	expect(asked.map(({method, url}) => [method, url.pathname])).toEqual([['GET', metadataPath]]);
});

test.each([
	[{status: 404, body: '{"detail":"No such resource"}'}],
	[{status: 500, body: '<h1>Oops</h1>'}],
	[{status: 401, body: '{}'}],
	[{body: '<html>Welcome</html>'}],
	[{body: '{"issuer":'}],
	[{body: '[]'}],
	[{body: '{"issuer":"https://a.test"}'}],
	[{body: '{"device_authorization_endpoint":7,"token_endpoint":null}'}],
])('a server that answers %j has no login through the browser', async reply => {
	const {origin} = await scripted(() => reply);
	expect(await find(origin)).toBe(undefined);
});

test.each([429, 502, 503, 504])('a server that is unavailable with %d does not lack that login', async status => {
	const {origin} = await scripted(() => ({status, headers: {'retry-after': '7'}, body: '<h1>Busy</h1>'}));
	await expect(find(origin)).rejects.toMatchObject({code: 'network', retryAfter: 7000});
});

test.each([
	['token_endpoint', 'https://evil.test/token', 'evil.test'],
	['device_authorization_endpoint', 'http://127.0.0.1:1/device', '127.0.0.1:1'],
	['issuer', 'https://other.test', 'other.test'],
	['issuer', undefined, 'without naming it'],
	['token_endpoint', '/relative', 'an invalid address'],
	['token_endpoint', 'data:text/plain,x', 'an address without a host'],
])('a %s of another origin, %s, is refused [6]', async (name, address, shown) => {
	const {origin, asked} = await loginServer({metadata: () => ({[name]: address})});
	await expect(find(origin)).rejects.toMatchObject({
		code: 'auth',
		message: `Refusing to log in: ${origin} points to another server, ${shown}.`,
		hint: `Log in with an API key: \`login --server ${origin} --with-token\``,
	});
	expect(asked).toHaveLength(1);
});

test('a server that leads to the metadata of another one is not followed [7]', async () => {
	const other = await loginServer();
	const {origin} = await scripted(() => ({status: 302, headers: {location: `${other.origin}${metadataPath}`}}));
	await expect(find(origin)).rejects.toMatchObject({code: 'network', permanent: true});
	expect(other.asked).toEqual([]);
});
