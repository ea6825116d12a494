import {describe, expect, test} from 'vitest';
import {openConfig} from '../../src/config/config.ts';
import {saveProfile} from '../../src/config/profiles.ts';
import {openSightings} from '../../src/config/sightings.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import {createSessionAccess} from '../../src/storage/session-access.ts';
import {temporaryFolder, temporaryHome} from '../storage/temporary.ts';
import {titleOf} from './frame.ts';
import {keys} from './key-presses.ts';
import {runApp} from './running-app.ts';

const server = 'https://lab.test';

/** An app whose user has two sessions here, one with a hostile title, and has seen a runtime of a server. */
async function appWithThings(columns: number, rows: number, pick = false) {
	const [home, folder] = [temporaryHome(), temporaryFolder()];
	const sessions = createSessionAccess({home, folder, onState: () => undefined});
	for (const [index, text] of ['Plain talk', 'a\u001b]0;owned\u0007b'].entries()) {
		const session = `${index + 1}0000000-5a37-4c8e-9d3a-000000000000`;
		const journal = await sessions.create(session);
		const event = {type: 'user-message', id: 'u', text} as const;
		journal.append({v: 1, seq: 0, at: `2026-01-0${index + 1}T00:00:00Z`, session, server: 'local', event});
		await journal.close();
	}

	await saveProfile(openConfig(home), {name: 'lab', server, apiKey: secret('key-0123456789abcd')});
	const sightings = openSightings(home.sightingsFile);
	const seen = {kind: 'runtime', id: 'dev-box', profile: 'lab', server, org: 'acme', workspace: 'main'} as const;
	const shown = {name: 'Dev\u001b[2Jbox', key: 'dev-box', status: 'paused'};
	sightings.remember([
		{...seen, at: '2026-01-03T00:00:00Z', shown},
		{...seen, id: 'stolen', server: 'https://evil.test', at: '2026-01-03T00:00:00Z', shown},
	]);
	await sightings.settle(300_000);
	const app = runApp({home, folder, columns, rows, flags: {pick}});
	await app.waitFor(pick ? 'Esc cancel' : 'Demo model');
	/** The lines of the open picker. */
	const picker = () => {
		const lines = app.lines();
		const from = lines.findIndex(line => line.includes('Esc cancel'));
		const end = lines.findIndex((line, index) => index > from && line.startsWith('────'));
		return lines.slice(from, end).map(titleOf);
	};

	return {...app, picker};
}

describe.each([
	[80, 24],
	[120, 40],
])('/resume at %i columns and %i rows', (columns, rows) => {
	const expected = [
		'Resume a session (3) · Enter select · Esc cancel',
		`filter a word, or kind:runtime state:paused server:local cost:>1 credits:>10 ${columns > 80 ? 'age:<2d' : 'ag…'}`,
		'Conversations',
		'❯ a␛]0;owned␇b  2026-01-02 · 20000000 · 1 message',
		'  Plain talk  2026-01-01 · 10000000 · 1 message',
		'Sandboxes, runtimes and server sessions',
		'  Dev␛[2Jbox  runtime · paused · on lab · seen 2026-01-03',
	];

	test('lists local sessions and those of each server by its own login, with titles made safe [1]', async () => {
		const {type, picker, waitFor, written} = await appWithThings(columns, rows);
		type('/resume\r');
		await waitFor('Resume a session (3)');
		const plain = (lines: readonly string[]) => lines.map(line => line.replace(/ {2,}/g, '  '));
		expect(plain(picker())).toEqual(expected);
		expect(
			new Set(
				picker()
					.filter(line => line.includes(' · 2') || line.includes('seen'))
					.map(line => line.search(/runtime ·|2026-01-0[12] ·/)),
			).size,
		).toBe(1);
		expect(written.join('')).not.toMatch(/owned\u0007|Dev\u001b/);
	});

	test('opens first if the flags ask for it', async () => {
		const {picker, waitFor} = await appWithThings(columns, rows, true);
		await waitFor('Resume a session (3)');
		expect(picker()).toHaveLength(expected.length);
	});
});

test('a filter and Enter that arrive together resume the session', async () => {
	const {type, waitFor, store} = await appWithThings(80, 24);
	type('/resume\r');
	await waitFor('Esc cancel');
	type(`kind:saved${keys.down}${keys.enter}`);
	await waitFor('❯ Plain talk');
	expect(store.getState().transcript.session).toBe('10000000-5a37-4c8e-9d3a-000000000000');
});

test('Escape changes nothing, and leaves nothing on the screen', async () => {
	const {type, waitFor, store, lines} = await appWithThings(80, 24);
	const {session} = store.getState().transcript;
	type('/resume\r');
	await waitFor('Esc cancel');
	type(`dev${keys.escape}`);
	await expect.poll(() => store.getState().panel).toBe(undefined);
	const {transcript, composer} = store.getState();
	expect([transcript.session, composer.text]).toEqual([session, '']);
	await expect.poll(() => lines().join('\n')).not.toMatch(/Nothing changed|\/resume/);
});

test('a session that --resume names and nobody has ends the app with an error; a prefix of an id opens it', async () => {
	const home = temporaryHome();
	const none = runApp({home, flags: {resume: 'abcdef'}});
	await expect(none.status).rejects.toMatchObject({code: 'not-found', message: 'Session not found: “abcdef”.'});
});
