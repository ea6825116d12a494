import {expect, test} from 'vitest';
import {publicInstruction, publicSandboxUrl, publicServices} from '../../../src/server/sandboxes/service-urls.ts';

const id = '00000000-0000-4000-8000-000000000000';
const inside = {
	web: {url: 'http://127.0.0.1:41001/start?a=b', port: 41_001, protocol: 'http'},
	live_feed: {url: 'ws://127.0.0.1:41002/', port: 41_002, protocol: 'ws'},
	shell: {url: 'tcp://127.0.0.1:41003/', port: 41_003, protocol: 'tcp'},
	[`long_${'x'.repeat(40)}`]: {url: 'https://127.0.0.1:41004/', port: 41_004, protocol: 'https'},
};
const row = {id, service_urls: JSON.stringify(inside)};
const urls = (publicUrl: string, publicServices_?: {readonly domain: string | undefined}) =>
	Object.values(publicServices({publicUrl: () => publicUrl, publicServices: publicServices_}, row)).map(({url}) => url);

test('services are at ports of this machine, below the public URL, or each at a host', () => {
	expect(publicServices({publicUrl: () => 'http://127.0.0.1:8700'}, row)).toEqual(inside);
	const long = `long_${'x'.repeat(40)}`;
	expect(urls('https://app.example.com/agents', {domain: undefined})).toEqual([
		`https://app.example.com/agents/sandboxes/${id}/web/start?a=b`,
		`wss://app.example.com/agents/sandboxes/${id}/live_feed/`,
		'tcp://127.0.0.1:41003/',
		`https://app.example.com/agents/sandboxes/${id}/${long}/`,
	]);
	expect(urls('http://app.example.com:8700', {domain: 'boxes.example.net:8701'})).toEqual([
		`http://${id}-web.boxes.example.net:8701/start?a=b`,
		`ws://${id}-live-feed.boxes.example.net:8701/`,
		'tcp://127.0.0.1:41003/',
		`http://app.example.com:8700/sandboxes/${id}/${long}/`,
	]);
	expect(
		publicServices({publicUrl: () => 'https://a.example', publicServices: {domain: undefined}}, row)['web'],
	).toEqual({
		url: `https://a.example/sandboxes/${id}/web/start?a=b`,
		port: 443,
		protocol: 'https',
	});
});

test('[14] an instruction is filled in one pass, with the addresses that clients have', () => {
	const environment = {
		...row,
		instruction: 'Open {{services.web.url}} at {{services.web.port}} for {{inputs.name}}.',
		inputs: JSON.stringify({name: '{{services.web.url}}'}),
	};
	const at = {publicUrl: () => 'https://a.example', publicServices: {domain: undefined}};
	expect(publicInstruction(at, environment)).toBe(
		`Open https://a.example/sandboxes/${id}/web/start?a=b at 443 for {{services.web.url}}.`,
	);
	expect(publicInstruction(at, {...environment, instruction: null})).toBe(null);
});

test('the address of a runtime is that of the first service of its task', () => {
	const at = {publicUrl: () => 'https://a.example/agents', publicServices: {domain: undefined}};
	const inside = 'http://127.0.0.1:41001/start?a=b';
	expect(publicSandboxUrl(at, id, inside)).toBe(`https://a.example/agents/sandboxes/${id}/sandbox/start?a=b`);
	expect(publicSandboxUrl({publicUrl: at.publicUrl}, id, inside)).toBe(inside);
	expect(publicSandboxUrl(at, id, null)).toBe(null);
});
