import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {expect, onTestFinished, test} from 'vitest';
import {protectedServer} from './authorization-server.ts';
import {startPeer} from './http-peer.ts';
import {openServers} from './servers.ts';

const canary = 'canary-violet-armadillo-7391';

/** Another origin. Returns its address, and what it was sent. */
async function elsewhere() {
	const heard: string[] = [];
	const server = createServer((request, response) => {
		heard.push(`${request.method} ${request.url}`);
		response.writeHead(404).end();
	}).listen(0, '127.0.0.1');
	onTestFinished(() => void server.close());
	await once(server, 'listening');
	return {url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, heard};
}

test.each([301, 302, 303, 307, 308])(
	'[7] an MCP server that redirects (%i), at first or to a call, leads no request and no key to another origin',
	async status => {
		const {url, heard} = await elsewhere();
		let redirects = 'initialize';
		const peer = await startPeer({
			answer: ({method}, response) =>
				method === redirects && Boolean(response.writeHead(status, {location: url}).end()),
		});
		const {call} = openServers({docs: {url: peer.url, headers: {'x-api-key': canary}}});
		await expect(call('mcp__docs__echo')).rejects.toThrow();

		redirects = 'tools/call';
		const {call: later} = openServers({docs: {url: peer.url, headers: {'x-api-key': canary}}});
		await expect(later('mcp__docs__echo')).rejects.toThrow();
		expect(peer.methods()).toContain('tools/call');
		expect(heard).toEqual([]);
	},
);

test('[6] the login to an MCP server goes to no other authorization server that it names later', async () => {
	const {url, heard} = await elsewhere();
	const server = await protectedServer({
		answers: {
			'/.well-known/oauth-protected-resource/mcp': origin => ({
				headers: {'content-type': 'application/json'},
				body: JSON.stringify({resource: `${origin}/mcp`, authorization_servers: [new URL(url).origin]}),
			}),
			'/mcp': origin => ({
				status: 401,
				headers: {'www-authenticate': `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`},
			}),
		},
	});
	const {servers, status} = openServers({docs: {url: server.url}}, {own: {'config.json': server.loggedIn()}});
	await servers.tools();
	expect((await status('docs')).state).toMatchObject({state: 'failed'});
	expect(server.requests.map(({path}) => path)).toContain('/token');
	expect(heard).toEqual([]);
});

test('[6] metadata of a login that redirects leads to no other origin', async () => {
	const {url, heard} = await elsewhere();
	const server = await protectedServer({
		answers: {
			'/token': () => ({status: 307, headers: {location: url}}),
			'/.well-known/oauth-authorization-server': () => ({status: 302, headers: {location: url}}),
		},
	});
	const {servers, status} = openServers({docs: {url: server.url}}, {own: {'config.json': server.loggedIn()}});
	server.tokens.access.clear();
	await servers.tools();
	expect((await status('docs')).state).toMatchObject({state: 'failed'});
	expect(server.requests.map(({path}) => path)).toContain('/token');
	expect(heard).toEqual([]);
});
