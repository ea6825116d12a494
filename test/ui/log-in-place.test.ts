import {expect, test} from 'vitest';
import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {AppError} from '../../src/core/error.ts';
import {runApp} from './running-app.ts';

const server = 'http://127.0.0.1:1';

/** A command whose server wants a login until there is one. */
const needy = command({
	name: 'needy',
	summary: 'Ask a server that wants a login',
	args: z.object({}),
	run(
		_,
		{
			program: {
				local: {config},
			},
		},
	) {
		if (config.read().activeProfile === undefined) {
			throw new AppError('auth', 'Who are you?', {hint: `\`login --server ${server}\``, logInTo: server});
		}

		return {kind: 'text', text: 'Now I know you.'};
	},
});

async function started() {
	const app = runApp({more: [needy]});
	await app.waitFor('Demo model');
	app.type('/needy\r');
	await app.waitFor(`You aren't logged in to ${server}. Log in now?`);
	await app.waitFor('❯ n  No');
	return app;
}

test('a command that needs a login offers one, then continues', async () => {
	const {type, waitFor, lines} = await started();
	type('y');
	await waitFor('API key for 127.0.0.1:1 (typing is hidden):');
	type('key-0123456789abcd');
	await waitFor('••••');
	type('\r');
	await waitFor('Now I know you.');
	expect(lines().join('\n')).not.toMatch(/key-0123|Who are you/);
});

test('declining the login shows the error and how to log in', async () => {
	const {type, waitFor} = await started();
	type('n');
	await waitFor('Who are you?');
	await waitFor(`/login --server ${server}`);
});
