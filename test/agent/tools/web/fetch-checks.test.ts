import {expect, test} from 'vitest';
import {httpServer} from '../../../net/servers.ts';
import {openFetch} from './fetching.ts';

test('the rest of a long page is in a file that read_file may read', async () => {
	const {origin} = await httpServer((_, response) =>
		response.setHeader('content-type', 'text/plain').end('a line of the page\n'.repeat(5000)),
	);
	const kept: string[] = [];
	const keep = async (text: string) => {
		kept.push(text);
		return '/session/output/1.txt';
	};
	const shown = await openFetch({keep}).fetch({url: origin});
	expect(shown).toMatch(
		/lines left out: .* All of it: \/session\/output\/1\.txt \(use read_file with offset and limit\)/,
	);
	expect(shown.length).toBeLessThan(32_001);
	expect(kept[0]?.match(/a line of the page/g)).toHaveLength(5000);
	expect((await openFetch({keep: async () => undefined}).fetch({url: origin})).length).toBeGreaterThan(90_000);
});

test('through a proxy, the question says what cannot be checked, and what this machine resolves is [16]', async () => {
	const {asked, fetch, resolved} = openFetch({
		answer: ({summary}) => ({allowed: summary.startsWith('Fetch')}),
		env: {HTTPS_PROXY: 'http://127.0.0.1:9'},
		isProxied: true,
		names: {'inside.example': ['10.0.0.7'], 'metadata.example': ['169.254.169.254']},
	});
	await expect(fetch({url: 'https://inside.example/'})).rejects.toThrow('did not allow this request');
	expect(asked.map(({summary}) => summary)).toEqual([
		'Fetch https://inside.example/?',
		'inside.example is 10.0.0.7 on your own network. Continue?',
	]);
	expect(asked[0]?.facts).toContainEqual(['Proxy', 'it resolves the name; where that leads can’t be checked here']);
	await expect(fetch({url: 'https://metadata.example/'})).rejects.toThrow('It is never fetched.');
	expect(resolved).toEqual(['inside.example', 'metadata.example']);
	// What only the proxy knows goes there.
	await expect(fetch({url: 'https://unknown.example/'})).rejects.toThrow('proxy');
});
