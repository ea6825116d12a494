import {expect, test} from 'vitest';
import {nameCommands} from '../../src/core/command-words.ts';
import {connectHost} from '../../src/link/host-client.ts';
import {connectLocally} from '../../src/link/local-host.ts';
import {placeName} from '../../src/link/web-place.ts';
import {openHome} from '../../src/storage/home.ts';
import {hostVersion, openHost} from './open-host.ts';

test.each([
	[undefined, 'service attach'],
	['me@there', 'service attach --at me@there'],
	['https://agents.example.com#pass', 'service attach --at https://agents.example.com'],
])('a detached terminal of the host at %s says how to attach again, without a pass', async (at, command) => {
	const {env, folder} = await openHost();
	const client = await connectHost({
		open: () => connectLocally(openHome(env), env, folder),
		version: hostVersion,
		at: at && placeName(at),
		terminal: 'one',
		person: {user: 'me', machine: 'here'},
	});
	client.close();
	const error: unknown = await client.request('_service/list', {}).catch((reason: unknown) => reason);
	expect(error).toMatchObject({code: 'network', message: 'This terminal is detached.'});
	const {hint = ''} = error as {readonly hint?: string};
	expect(nameCommands(hint, 'app')).toBe(`Attach again: ${command}`);
});
