import {realpathSync, rmSync} from 'node:fs';
import {dirname} from 'node:path';
import {expect, test, vi} from 'vitest';
import {createSessionAccess} from '../../../src/storage/session-access.ts';
import {finish, scriptedModel, text} from '../../agent/scripted.ts';
import {temporaryFolder, temporaryHome} from '../../storage/temporary.ts';
import {keys} from '../key-presses.ts';
import {runApp} from '../running-app.ts';

const id = '10000000-5a37-4c8e-9d3a-000000000000';
const answering = () => scriptedModel([text('Hello.'), finish('stop')]).ask;

/** A session that began in a folder of its own, and an app that resumes it in another one. */
async function resumedElsewhere({isGone = false, hasChanges = false} = {}) {
	const [home, there, here] = [temporaryHome(), temporaryFolder(), temporaryFolder()].map(place =>
		typeof place === 'string' ? realpathSync(place) : place,
	) as [ReturnType<typeof temporaryHome>, string, string];
	const journal = await createSessionAccess({home, folder: there, onState: () => undefined}).create(id);
	const event = {type: 'user-message', id: 'u', text: 'Of the other folder'} as const;
	journal.append({v: 1, seq: 0, at: '2026-01-01T00:00:00Z', session: id, server: 'local', event});
	if (hasChanges) {
		const tree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
		const checkpoint = {type: 'checkpoint', id: 'c', phase: 'before', tree} as const;
		journal.append({v: 1, seq: 1, at: '2026-01-01T00:00:00Z', session: id, server: 'local', event: checkpoint});
	}

	await journal.close();
	if (isGone) {
		rmSync(there, {recursive: true});
	}

	const app = runApp({home, folder: here, columns: 120, flags: {resume: id}});
	await app.waitFor('This session began in');
	return {...app, there, here};
}

test('a session of another folder asks where it continues, and its own folder comes first', async () => {
	const {type, waitFor, access, there, here, store} = await resumedElsewhere();
	await waitFor(`❯ Continue in ${there}`);
	await waitFor(`  Continue in ${here}`);
	expect(store.getState().transcript.settled).toEqual([]);
	type(keys.enter);
	await waitFor(`The agent now works in ${there}.`);
	await waitFor('Of the other folder');
	expect(access.path()).toBe(there);
});

test('a session of another folder can continue in this one', async () => {
	const {type, waitFor, access, here} = await resumedElsewhere();
	type(`${keys.down}${keys.enter}`);
	await waitFor(`The agent now works in ${here}.`);
	await waitFor('Of the other folder');
	expect(access.path()).toBe(here);
});

test('a session that continues in this folder says where its earlier changes can be taken back', async () => {
	const {type, waitFor, lines, there} = await resumedElsewhere({hasChanges: true});
	type(`${keys.down}${keys.enter}`);
	await waitFor('To undo those: cd');
	expect(lines().join(' ').replaceAll(/\s+/g, ' ')).toContain(`cover its changes in ${there}.`);
	expect(lines().join(' ').replaceAll(/\s+/g, ' ')).toContain(`cd ${there} && service --resume ${id.slice(0, 8)}`);
});

test('a session of another folder is not resumed if the user cancels', async () => {
	const {type, access, store, here} = await resumedElsewhere();
	type(keys.escape);
	await expect.poll(() => store.getState().panel).toBe(undefined);
	expect([access.path(), store.getState().transcript.settled]).toEqual([here, []]);
});

test('a session whose folder is gone can continue only in this folder', async () => {
	const {type, waitFor, lines, access, here} = await resumedElsewhere({isGone: true});
	await waitFor('which is gone');
	expect(lines().filter(line => line.includes('Continue in'))).toHaveLength(1);
	type(keys.enter);
	await waitFor('Of the other folder');
	expect(access.path()).toBe(here);
});

test('in the home folder the agent gets no message before the user has answered', async () => {
	vi.useFakeTimers({toFake: ['performance']});
	const folder = realpathSync(temporaryFolder());
	const {type, waitFor, access, store, home} = runApp({ask: answering(), folder, env: {HOME: folder}});
	await waitFor('Demo model');
	type('hi\r');
	await waitFor('Let the agent read everything in ~?');
	expect([access.isOpen(), store.getState().transcript.run]).toEqual([false, undefined]);
	vi.advanceTimersByTime(2000);
	vi.useRealTimers();
	type('y');
	await waitFor('Hello.');
	expect(access.isOpen()).toBe(true);

	const again = runApp({ask: answering(), folder, home, env: {HOME: folder}});
	await again.waitFor('Demo model');
	again.type('hi\r');
	await again.waitFor('Hello.');
});

test('after a no the agent answers without files, also in a folder above the home folder', async () => {
	const home = realpathSync(temporaryFolder());
	const {type, waitFor, access} = runApp({ask: answering(), folder: dirname(home), env: {HOME: home}});
	await waitFor('Demo model');
	type('hi\r');
	await waitFor('Let the agent read everything in');
	type(keys.escape);
	await waitFor("The agent can't read files in");
	await waitFor('Hello.');
	expect([access.isOpen(), access.unasked()]).toEqual([false, undefined]);
});

test('a project folder is never asked about', async () => {
	const {type, waitFor, lines} = runApp({ask: answering(), env: {HOME: temporaryFolder()}});
	await waitFor('Demo model');
	type('hi\r');
	await waitFor('Hello.');
	expect(lines().join('\n')).not.toContain('Let the agent');
});
