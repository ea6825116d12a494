import {expect, test} from 'vitest';
import {saveProfile} from '../../src/config/profiles.ts';
import {setKey} from '../../src/config/provider-keys.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import {dataOf, drawn, testContext} from './context.ts';

const a = 'https://a.test';

test.each([80, 120])('--wire lists every secret, masked, with its destination, at %d columns [6] [8]', async width => {
	const {run, context} = testContext({env: {SERVICE_API_KEY: 'environment-key', SERVICE_SERVER: a}});
	await setKey(context.program.local.config, 'anthropic', secret('sk-ant-0123456789'));
	await saveProfile(context.program.local.config, {
		name: 'lab',
		server: a,
		accessToken: secret('access-0123456789'),
		refreshToken: secret('refresh-0123456789'),
	});
	const result = await run('whoami', '--wire');
	expect(drawn(result, width).split('\n')).toEqual([
		'secret                        ends in  may go to',
		'access token of profile lab            https://a.test',
		'refresh token of profile lab           https://a.test',
		'SERVICE_API_KEY                        https://a.test',
		'key of anthropic (file)       6789     https://api.anthropic.com',
	]);
	expect(dataOf(result)).toEqual([
		{secret: 'access token of profile lab', last4: '', may_go_to: a},
		{secret: 'refresh token of profile lab', last4: '', may_go_to: a},
		{secret: 'SERVICE_API_KEY', last4: '', may_go_to: a},
		{secret: 'key of anthropic (file)', last4: '6789', may_go_to: 'https://api.anthropic.com'},
	]);
});

test('--wire without secrets says so and sends no request', async () => {
	expect(drawn(await testContext().run('whoami', '--wire'), 80)).toBe(
		'No secrets are stored or in the environment. Add one: /keys set <provider>',
	);
});
