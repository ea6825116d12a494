import {expect, test} from 'vitest';
import {createTokenAuth} from '../../../src/agent/mcp/oauth/token-auth.ts';
import {emptyConfig} from '../../../src/config/config-data.ts';
import {AppError} from '../../../src/core/error.ts';
import {secret} from '../../../src/core/secrets/secret.ts';

const url = 'http://127.0.0.1:1/mcp';
const login = {
	...{url, issuer: 'http://127.0.0.1:1/', tokenEndpoint: 'http://127.0.0.1:1/token', clientId: 'c'},
	...{accessToken: secret('old'), refreshToken: secret('once'), expiresAt: '2026-01-01T00:00:00.000Z', savedAt: ''},
};

test('[19] a full disk costs no login to an MCP server: no token is used up for one that cannot be stored', async () => {
	const requests: unknown[] = [];
	const full = new AppError('failed', 'Cannot write config.json: disk full.');
	const auth = createTokenAuth({
		...{name: 'tracker', url, addSecret: () => undefined},
		config: {
			file: '',
			read: () => ({...emptyConfig, mcpLogins: {[url]: login}}),
			open: async held => held,
			update: () => Promise.reject(full),
			runExclusively: run => run(),
		},
		async fetch(input) {
			requests.push(input);
			return new Response('{"access_token": "new", "token_type": "Bearer", "refresh_token": "next"}');
		},
	});
	await expect(auth.token()).rejects.toBe(full);
	expect(requests).toEqual([]);
});
