import {expect, test} from 'vitest';
import {scopesNeeded} from '../../../src/agent/mcp/connection-error.ts';
import {createScopedFetch, scopesIn} from '../../../src/agent/mcp/oauth/scopes.ts';

/** Returns what a refusal with this challenge is read as. */
async function refusal(challenge: string, {hasKey = false, granted = ''} = {}) {
	const fetch = createScopedFetch({
		...{name: "it's", hasKey, granted: () => granted},
		fetch: async () => new Response('no', {status: 403, headers: {'www-authenticate': challenge}}),
	});
	return fetch('https://mcp.example.com/mcp').then(
		() => undefined,
		(error: unknown) => scopesNeeded(new Error('failed', {cause: error})),
	);
}

test('only what is a scope is read, once each and not too many of them', () => {
	expect(scopesIn(9, 'a b', undefined, ' b  c ')).toEqual(['a', 'b', 'c']);
	expect(scopesIn(9, 'ok \u001b[2J "quoted" back\\slash größe \u202Eevil', 'x'.repeat(101))).toEqual(['ok']);
	const many = Array.from({length: 200_000}, (_, index) => `s${index}`).join(' ');
	expect(scopesIn(3, many)).toEqual(['s0', 's1', 's2']);
});

test('a refusal names the scopes that are missing, and the command that asks for them', async () => {
	const refused = await refusal('Bearer error="insufficient_scope", scope="a b c"', {granted: 'b'});
	expect(refused).toMatchObject({scopes: ['a', 'c'], message: 'its login lacks the scopes a, c'});
	expect(refused?.hint).toBe("Ask for it: `mcp login 'it'\\''s'`");
	expect(await refusal('Bearer error="insufficient_scope"')).toMatchObject({
		...{scopes: [], message: 'its login lacks a scope'},
	});
	// A login doesn't replace the key in a header.
	expect(await refusal('Bearer error="insufficient_scope", scope="a"', {hasKey: true})).toMatchObject({
		...{scopes: [], message: 'the key in its header lacks the scope a', hint: "See its entry: `mcp get 'it'\\''s'`"},
	});
});

test('another refusal stays what it is', async () => {
	expect(await refusal('Bearer error="invalid_token", scope="a"')).toBeUndefined();
	expect(await refusal('Basic realm="x"')).toBeUndefined();
});

test('a hostile list of scopes stays short, and has no control characters [1]', async () => {
	const scopes = Array.from({length: 100_000}, (_, index) => `scope\u009b${index} s${index}`).join(' ');
	const refused = await refusal(`Bearer error="insufficient_scope", scope="${scopes}"`);
	expect(refused?.scopes).toHaveLength(20);
	expect(refused?.message).toMatch(/^its login lacks the scopes s\d[s\d, ]*$/);
	expect(refused?.message.length).toBeLessThan(300);
});
