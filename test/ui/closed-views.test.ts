import {expect, test} from 'vitest';
import {commands} from '../../commands/index.ts';
import {allCommands} from '../../src/command/table.ts';
import {createSessionAccess} from '../../src/storage/session-access.ts';
import {finish, scriptedModel, text} from '../agent/scripted.ts';
import {temporaryFolder, temporaryHome} from '../storage/temporary.ts';
import {keys} from './key-presses.ts';
import {runApp} from './running-app.ts';

/** Commands that begin another session or a run, or end the app, but open nothing. */
const beginning = ['quit', 'clear', 'new', 'bg', 'init', 'memory init'];

/** An app with a short conversation, and another session saved in its folder. */
async function openApp() {
	const [home, folder] = [temporaryHome(), temporaryFolder()];
	const session = '10000000-5a37-4c8e-9d3a-000000000000';
	const journal = await createSessionAccess({home, folder, onState: () => undefined}).create(session);
	const event = {type: 'user-message', id: 'u', text: 'Plain talk'} as const;
	journal.append({v: 1, seq: 0, at: '2026-01-01T00:00:00Z', session, server: 'local', event});
	await journal.close();
	const app = runApp({home, folder, ask: scriptedModel([text('Hello.'), finish('stop')]).ask});
	const {store, type, waitFor, lines, settle} = app;
	await waitFor('Demo model');
	type('hi\r');
	await waitFor('Hello.');
	await waitFor('idle');
	/** True while a panel or a view of the whole window is open. */
	const isOpen = () => {
		const {panel, inSightSince} = store.getState();
		return panel !== undefined || inSightSince === Number.POSITIVE_INFINITY;
	};
	return {
		...app,
		isOpen,
		isIdle: () => !store.getState().busy && !isOpen(),
		/** Runs a command until it has ended or opened something. */
		async run(path: string) {
			let hasBegun = false;
			const stop = store.subscribe(({busy}) => {
				hasBegun ||= busy;
			});
			type(`/${path}\r`);
			await expect.poll(() => hasBegun && (isOpen() || !store.getState().busy), {message: path}).toBe(true);
			stop();
		},
		/** Returns what a view may not change: the screen, the draft and the session. */
		async shown() {
			await settle();
			const {composer, transcript, model} = store.getState();
			return {lines: lines(), draft: composer.text, transcript, model};
		},
	};
}

test('Esc leaves nothing of what a command has opened: each that opens something when it is typed alone', async () => {
	const {type, run, shown, isOpen, isIdle} = await openApp();
	const opening: string[] = [];
	for (const {path, command} of allCommands(commands)) {
		if (command.where === 'shell' || beginning.includes(path)) {
			continue;
		}

		const before = await shown();
		await run(path);
		if (isOpen()) {
			opening.push(path);
			type(keys.escape);
			await expect.poll(isIdle, {message: `Esc after /${path}`}).toBe(true);
			expect(await shown(), path).toEqual(before);
		}
	}

	expect(opening).toEqual(expect.arrayContaining(['theme use', 'resume', 'help', 'config edit', 'keys set', 'effort']));
});
