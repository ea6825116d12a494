import {mkdirSync, readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {openDrafts, type SavedDrafts} from '../../../src/config/drafts.ts';
import {setComposerText} from '../../../src/editor/editor.ts';
import {createAppStore} from '../../../src/store/store.ts';
import {keepDrafts} from '../../../src/ui/prompt/keep-drafts.ts';
import {temporaryFolder, temporaryHome} from '../../storage/temporary.ts';
import {testProgram} from '../program.ts';
import {runApp} from '../running-app.ts';

const minuteMs = 60_000;

/** A state folder, and what an app left there. */
async function leave(drafts: SavedDrafts) {
	const [home, folder] = [temporaryHome(), temporaryFolder()];
	const left = openDrafts(home.draftsFile, {folder, profile: 'local'});
	await left.save(drafts);
	await left.release();
	return {home, folder};
}

/** A prompt whose drafts are saved at once. */
function typing(places: {home: ReturnType<typeof temporaryHome>; folder: string}) {
	const store = createAppStore();
	const {program} = testProgram({...places, store});
	const stop = keepDrafts({store, program, delayMs: 0});
	const saved = () => {
		try {
			return readFileSync(places.home.draftsFile, 'utf8');
		} catch {
			return '';
		}
	};
	const write = (text: string) => store.getState().setComposer(setComposerText(store.getState().composer, text));
	return {store, stop, saved, write};
}

test('the draft of an app that ended is in the prompt of the next one, and its stash is back', async () => {
	const {waitFor, type, store, screen} = await runLeft({
		draft: {text: 'explain\nthe log', at: Date.now() - 5 * minuteMs},
	});
	await waitFor('Your draft of 5 min ago is back.');
	await waitFor('1 draft stashed');
	expect(screen()).toContain('❯ explain');
	type('\u0003');
	await expect.poll(() => store.getState().composer.text).toBe('');
	type('\u0013');
	await waitFor('❯ put aside');
});

async function runLeft({draft}: Pick<SavedDrafts, 'draft'>, flags = {}) {
	const places = await leave({draft, stash: ['put aside']});
	const app = runApp({...places, flags});
	return {...app, screen: () => app.lines().join('\n')};
}

test('a prompt given as an argument wins over a draft, which is stashed', async () => {
	const {waitFor, store} = await runLeft({draft: {text: 'explain', at: 1}}, {prompt: '/usage'});
	await waitFor('2 drafts stashed');
	await waitFor('Usage of this session');
	expect(store.getState().composer.text).toBe('');
});

test('what was stashed is saved at once, comes back after quitting, and is forgotten when it is taken', async () => {
	const places = {home: temporaryHome(), folder: temporaryFolder()};
	const first = runApp(places);
	await first.waitFor('Demo model');
	first.type('think about it');
	await first.waitFor('❯ think about it');
	first.type('\u0013');
	await first.waitFor('1 draft stashed');
	first.type('\u0004');
	await first.status;
	const second = runApp(places);
	await second.waitFor('1 draft stashed');
	second.type('\u0013');
	await second.waitFor('❯ think about it');
	second.type('\u0003');
	await expect.poll(() => readFileSync(places.home.draftsFile, 'utf8')).not.toContain('think');
});

test('a draft is saved after the last change, and forgotten when it is sent or cleared', async () => {
	const {write, saved, stop} = typing({home: temporaryHome(), folder: temporaryFolder()});
	write('hel');
	write('hello');
	await expect.poll(saved).toContain('"text":"hello"');
	write('');
	await expect.poll(saved).not.toContain('hello');
	write('last words');
	await stop();
	expect(saved()).toContain('last words');
});

test('a draft with a credential is not saved, nor is the harmless one before it [11]', async () => {
	const {write, saved, stop, store} = typing({home: temporaryHome(), folder: temporaryFolder()});
	write('use this');
	await expect.poll(saved).toContain('use this');
	write(`use this key: sk-ant-api03-${'a1B2'.repeat(24)}`);
	await expect.poll(saved).not.toContain('use this');
	store.getState().setStash([{text: '/keys set custom hunter2hunter2', caret: 0, folds: []}]);
	write('something else');
	await stop();
	expect(saved()).toContain('something else');
	expect(saved()).not.toMatch(/sk-ant|hunter2/);
});

test('a state folder without a readable file of drafts stops nothing', async () => {
	const home = temporaryHome();
	mkdirSync(home.draftsFile);
	const {write, stop, store} = typing({home, folder: temporaryFolder()});
	write('hello');
	await stop();
	expect(store.getState().composer.text).toBe('hello');
});

test('a task that a command put into the prompt is no draft until the user changes it', async () => {
	const places = {home: temporaryHome(), folder: temporaryFolder()};
	const {store, stop, saved, write} = typing(places);
	store.setState({offered: {label: 'task', text: 'This is the task.'}});
	write('This is the task.');
	await stop();
	expect(saved()).not.toContain('the task');
	const next = typing(places);
	next.store.setState({offered: {label: 'task', text: 'This is the task.'}});
	next.write('This is the task. Begin.');
	await expect.poll(next.saved, {interval: 5}).toContain('This is the task. Begin.');
	await next.stop();
});
