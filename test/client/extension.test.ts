import {expect, test} from 'vitest';
import {ifOffered} from '../../src/client/extension.ts';
import {clientOf, scripted} from './server.ts';

const params = {org: 'acme', workspace: 'main'};
const page = (items: readonly object[]) => ({
	body: JSON.stringify({items, total: items.length, page: 1, page_size: 50}),
});

test.each([404, 405])(
	'an extension that a server answers with %d is not offered, and the caller does without',
	async status => {
		const {origin, asked} = await scripted(() => ({status, body: '{}'}));
		const {client} = clientOf(origin);
		expect(await ifOffered(client, client.listEnvironments({params}))).toBeUndefined();
		expect(asked.map(({url}) => url.pathname)).toEqual(['/api/v1/org/acme/ws/main/environments', '/api/v1/org']);
	},
);

test.each([['{}'], ['{"models":[]}'], ['[]']])(
	'an extension that a server answers with %s is not offered, whatever is at its path',
	async body => {
		const {origin} = await scripted(() => ({body}));
		const {client} = clientOf(origin);
		expect(await ifOffered(client, client.listOrganizations())).toBeUndefined();
		expect(await ifOffered(client, client.listEnvironments({params}))).toBeUndefined();
	},
);

test('a damaged answer of a server that has extensions is an error', async () => {
	const {origin} = await scripted(({url}) => (url.pathname === '/api/v1/org' ? page([]) : {body: '{}'}));
	const {client} = clientOf(origin);
	await expect(ifOffered(client, client.listEnvironments({params}))).rejects.toMatchObject({
		code: 'network',
		message: `${origin} returned a response without items, total, page, and page_size.`,
	});
});

test('a web page in place of an extension is an error: it may be that of a network', async () => {
	const {origin} = await scripted(() => ({body: '<!doctype html><title>Hotel</title>'}));
	const {client} = clientOf(origin);
	await expect(ifOffered(client, client.listEnvironments({params}))).rejects.toMatchObject({code: 'network'});
});

test.each([
	['<!doctype html><title>404 Not Found</title>', {'content-type': 'text/html'}],
	['<html><body>Cannot GET /api/v1/org</body></html>', {}],
])('a host that answers 404 with the page %s is no server without extensions', async (body, headers) => {
	const {origin} = await scripted(() => ({status: 404, body, headers}));
	const {client} = clientOf(origin);
	await expect(ifOffered(client, client.listEnvironments({params}))).rejects.toMatchObject({
		code: 'not-found',
		message: expect.stringContaining('it returned a web page'),
		hint: 'Check the address of the server: an API sends no page.',
	});
});

test('the answer of an extension that is offered comes as it is, and nothing else is asked', async () => {
	const {origin, asked} = await scripted(() => page([{id: 'a'}]));
	const {client} = clientOf(origin);
	expect(await ifOffered(client, client.listEnvironments({params}))).toMatchObject({items: [{id: 'a'}], total: 1});
	expect(asked).toHaveLength(1);
});

test('a 404 of a server that has extensions is about the organization or the workspace, and is thrown', async () => {
	const {origin} = await scripted(({url}) => (url.pathname === '/api/v1/org' ? page([]) : {status: 404, body: '{}'}));
	const {client} = clientOf(origin);
	await expect(ifOffered(client, client.listEnvironments({params}))).rejects.toMatchObject({code: 'not-found'});
});

test('any other refusal is thrown, also that of the second question', async () => {
	const {origin} = await scripted(({url}) => ({status: url.pathname === '/api/v1/org' ? 403 : 404, body: '{}'}));
	const {client} = clientOf(origin);
	await expect(ifOffered(client, client.listEnvironments({params}))).rejects.toMatchObject({code: 'auth'});
});
