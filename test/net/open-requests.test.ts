import {expect, test} from 'vitest';
import {createOpenRequests} from '../../src/net/open-requests.ts';
import {createTransport} from '../../src/net/undici-transport.ts';
import {httpServer} from './servers.ts';

test('the host of a request is known until its answer was read, or the request has failed', async () => {
	const pieces: Array<() => void> = [];
	const next = () => new Promise<void>(resolve => pieces.push(resolve));
	const server = await httpServer(async (_request, response) => {
		await next();
		response.write('one');
		await next();
		response.end('two');
	});
	const requests = createOpenRequests();
	const transport = createTransport({userAgent: 'test'});
	const follow = requests.follow(transport);
	const host = new URL(server.origin).host;
	expect(requests.host()).toBeUndefined();
	const asked = follow({method: 'GET', url: server.origin});
	expect(requests.host()).toBe(host);
	await expect.poll(() => pieces.length).toBe(1);
	pieces[0]?.();
	const {body} = await asked;
	expect(requests.host()).toBeUndefined();
	let text = '';
	for await (const piece of body) {
		text += Buffer.from(piece).toString();
		expect(requests.host()).toBe(host);
		pieces[1]?.();
	}

	expect([text, requests.host()]).toEqual(['onetwo', undefined]);
	await expect(follow({method: 'GET', url: 'ftp://lab.test/'})).rejects.toThrow();
	expect(requests.host()).toBeUndefined();
	await transport.close();
});
