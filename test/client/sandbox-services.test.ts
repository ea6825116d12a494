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

test('[6] a service at a path or a host that its server gave it has the token of its creation, also once it is listed', () => {
	const services = createSandboxServices();
	const id = '00000000-0000-4000-8000-000000000000';
	const urls = {
		shop: {url: `${server}/sandboxes/${id}/shop/start`},
		feed: {url: `https://${id}-feed.boxes.example/`},
		plain: {url: `http://${id}-plain.boxes.example/`},
		other: {url: 'https://other.example/'},
		outside: {url: `${server}/sandboxes/${id}/outside/../../api`},
		wrong: {url: `${server}/sandboxes/${id}/shop2/`},
	};
	const made = {id, state: 'ready', task_ref: 'web-shop', execute_token: 'svx_1', service_urls: urls};
	services.remember('createEnvironment', server, made);
	services.remember('listEnvironments', server, {items: [{...made, execute_token: undefined}]});
	const found = services.at(`${server}/sandboxes/${id}/shop/cart?x`);
	expect(found?.credentials.map(({origin, kind, secret}) => [origin, kind, secret.reveal()])).toEqual([
		[`https://${id}-feed.boxes.example`, 'x-api-key', 'svx_1'],
		[`${server}/sandboxes/${id}/shop`, 'x-api-key', 'svx_1'],
	]);
	expect(services.at(`${server}/sandboxes/${id}/outside/x`)).toBe(undefined);
	expect(services.at(`${server}/api`)).toBe(undefined);
	services.remember('listEnvironments', server, {items: [{...made, state: 'torn_down'}]});
	expect(services.at(`${server}/sandboxes/${id}/shop/`)).toBe(undefined);
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
