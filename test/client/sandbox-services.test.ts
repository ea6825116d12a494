import {expect, test} from 'vitest';
import {createSandboxServices} from '../../src/client/sandbox-services.ts';

const server = 'https://platform.example';
const entry = (id: string, state: string, url: string) => ({
	...{id, state, task_ref: 'web-shop'},
	service_urls: {shop: {url}},
});

test('the services of sandboxes are known from creating, showing and listing them', () => {
	const services = createSandboxServices();
	services.remember('createEnvironment', server, entry('a', 'building', 'https://a.example/x'));
	services.remember('getEnvironment', server, entry('b', 'ready', 'https://b.example'));
	services.remember('listEnvironments', server, {items: [entry('c', 'ready', 'https://c.example'), 'odd', null]});
	expect(['a', 'b', 'c'].map(id => services.at(`https://${id}.example`)?.environment)).toEqual(['a', 'b', 'c']);
	expect(services.at('https://a.example')).toMatchObject({name: 'web-shop', server});
});

test('a sandbox that has ended has no services, and never those of the server itself', () => {
	const services = createSandboxServices();
	services.remember('createEnvironment', server, entry('a', 'ready', 'https://a.example'));
	services.remember('listEnvironments', 'https://other.example', {items: [entry('a', 'failed', 'https://a.example')]});
	expect(services.at('https://a.example')?.server).toBe(server);
	services.remember('listEnvironments', server, {items: [entry('a', 'torn_down', 'https://a.example')]});
	expect(services.at('https://a.example')).toBe(undefined);
	services.remember('getEnvironment', server, entry('b', 'ready', `${server}/api`));
	expect(services.at(server)).toBe(undefined);
});

test.each([undefined, null, [], 'x', {items: 'x'}, {id: 1, service_urls: {a: {url: 'https://a.example'}}}])(
	'an answer like %j names no sandbox',
	answer => {
		const services = createSandboxServices();
		services.remember('listEnvironments', server, answer);
		services.remember('getEnvironment', server, answer);
		expect(services.at('https://a.example')).toBe(undefined);
	},
);
