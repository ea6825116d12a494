import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {openConfig} from '../../../src/config/config.ts';
import {createFolderAccess} from '../../../src/config/folder-access.ts';
import type {ApprovalMode} from '../../../src/core/session/approval.ts';
import {openHome} from '../../../src/storage/home.ts';
import {createAppStore} from '../../../src/store/store.ts';
import {followAllMode} from '../../../src/ui/approvals/connect-approvals.ts';
import {createPanelInteraction} from '../../../src/ui/interaction.ts';
import {walkApprovalModes} from '../../../src/ui/prompt/approval-mode.ts';
import {temporaryFolder} from '../../storage/temporary.ts';

const turns = () => new Promise(resolve => setTimeout(resolve, 5));

/** An app in a folder, with what earlier starts stored. */
function appIn(place: string, name = 'work', given: ApprovalMode = 'ask') {
	const folder = join(place, name);
	mkdirSync(folder, {recursive: true});
	const env = {SERVICE_HOME: join(place, 'home'), HOME: place};
	const store = createAppStore();
	store.getState().setApprovalMode(given);
	const seen = [store.getState().approvalMode];
	store.subscribe(({approvalMode}) => seen.push(approvalMode));
	const interact = createPanelInteraction(store);
	const access = createFolderAccess({folder, env, config: openConfig(openHome(env))});
	const faults: unknown[] = [];
	onTestFinished(followAllMode({store, folder: access, interact, tell: error => faults.push(error)}));
	const {setApprovalMode} = store.getState();
	return {
		store,
		interact,
		faults,
		seen,
		setMode: setApprovalMode,
		access,
		mode: () => store.getState().approvalMode,
		panel: () => store.getState().panel,
	};
}

test('[20] the first all mode in a folder asks, and counts only after a yes; later ones and later starts ask no more', async () => {
	const place = temporaryFolder();
	const {setMode, mode, panel, interact, access} = appIn(place);
	setMode('all');
	expect([mode(), panel()]).toEqual(['ask', undefined]);
	await turns();
	expect(panel()).toMatchObject({
		kind: 'confirm',
		question: 'Let the agent work without asking in this folder?',
		about: {title: 'All mode', facts: expect.arrayContaining([['Folder', join(place, 'work')]])},
	});
	interact.answer('yes');
	await expect.poll(mode).toBe('all');
	setMode('edits');
	setMode('all');
	expect([mode(), panel()]).toEqual(['all', undefined]);
	await expect
		.poll(() => openConfig(openHome({SERVICE_HOME: join(place, 'home')})).read().allModeFolders)
		.toHaveLength(1);
	expect(access.mayRunAll()).toBe(true);
	const later = appIn(place);
	later.setMode('all');
	expect(later.mode()).toBe('all');
	const elsewhere = appIn(place, 'other');
	elsewhere.setMode('all');
	expect(elsewhere.mode()).toBe('ask');
});

test('[20] nothing sees all mode before the user agrees, so that no question that waits is answered by it', async () => {
	const {setMode, seen, interact} = appIn(temporaryFolder());
	setMode('all');
	await turns();
	expect(seen).not.toContain('all');
	interact.answer('yes');
	await expect.poll(() => seen).toContain('all');
});

test('[20] all mode of the command line asks in a folder, too', async () => {
	const {mode, panel, interact} = appIn(temporaryFolder(), 'work', 'all');
	await turns();
	expect([mode(), panel()?.kind]).toEqual(['ask', 'confirm']);
	interact.answer('yes');
	await expect.poll(mode).toBe('all');
});

test('a no leaves the agent asking, and keys go on to select modes', async () => {
	const {store, mode, interact, panel} = appIn(temporaryFolder());
	walkApprovalModes(store);
	walkApprovalModes(store);
	expect(mode()).toBe('plan');
	walkApprovalModes(store);
	await turns();
	expect([mode(), panel()?.kind]).toEqual(['ask', 'confirm']);
	interact.answer(undefined);
	await turns();
	expect(mode()).toBe('ask');
	walkApprovalModes(store);
	expect(mode()).toBe('edits');
});

test('[20] a yes that comes after another session began is not for that one', async () => {
	const {store, setMode, mode, interact} = appIn(temporaryFolder());
	setMode('all');
	await turns();
	store.setState(({transcript}) => ({transcript: {...transcript, session: 'another'}}));
	interact.answer('yes');
	await turns();
	expect(mode()).toBe('ask');
});
