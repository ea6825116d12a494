import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readdirSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {createFolderAgents, type FolderAgent} from '../../src/storage/folder-agents.ts';
import {identityOf} from '../../src/storage/lock-owner.ts';
import {sessionFolder} from '../../src/storage/session-folder.ts';
import {temporaryFolder, temporaryHome} from './temporary.ts';

const login: FolderAgent = {about: 'Fix the login', state: 'running'};

test('the agents of one process are seen by others of the folder, until they end', async () => {
	const [home, folder] = [temporaryHome(), temporaryFolder()];
	const [one, two] = [createFolderAgents(home, () => folder), createFolderAgents(home, () => folder)];
	const elsewhere = createFolderAgents(home, () => temporaryFolder());
	const seen: Array<readonly FolderAgent[]> = [];
	onTestFinished(two.follow(agents => void seen.push(agents)));
	await one.announce([login]);
	expect([await one.others(), await two.others(), await elsewhere.others()]).toEqual([[], [login], []]);
	await expect.poll(() => seen.at(-1)).toEqual([login]);
	await one.announce([{...login, state: 'waiting'}]);
	await expect.poll(() => seen.at(-1)).toEqual([{...login, state: 'waiting'}]);
	await one.announce([]);
	await expect.poll(() => seen.at(-1)).toEqual([]);
	expect(await two.others()).toEqual([]);
});

test('[10] what they tell each other is readable by the user alone', async () => {
	const [home, folder] = [temporaryHome(), temporaryFolder()];
	await createFolderAgents(home, () => folder).announce([login]);
	const {path} = await sessionFolder(home, folder);
	expect(statSync(path).mode & 0o777).toBe(0o700);
	const [name = ''] = readdirSync(path).filter(each => each.endsWith('.agents.json'));
	expect(statSync(join(path, name)).mode & 0o777).toBe(0o600);
});

test('a file of a process that was killed counts no more, and is deleted', async () => {
	const [home, folder] = [temporaryHome(), temporaryFolder()];
	const agents = createFolderAgents(home, () => folder);
	await createFolderAgents(home, () => folder).announce([login]);
	const {path} = await sessionFolder(home, folder);
	const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
	const file = join(path, 'x.agents.json');
	const text = JSON.stringify({...identityOf(child.pid ?? 0), agents: [{about: 'Docs', state: 'running'}]});
	writeFileSync(file, text, {mode: 0o600});
	expect(await agents.others()).toHaveLength(2);
	child.kill('SIGKILL');
	await once(child, 'exit');
	expect(await agents.others()).toEqual([login]);
	expect(readdirSync(path)).not.toContain('x.agents.json');
});

test.each(['', '{', '{"pid": 1}', '{"agents": [{"about": "x", "state": "running"}]}', '[]'])(
	'a file with %j is no agent',
	async text => {
		const [home, folder] = [temporaryHome(), temporaryFolder()];
		await createFolderAgents(home, () => folder).announce([login]);
		const {path} = await sessionFolder(home, folder);
		writeFileSync(join(path, 'x.agents.json'), text, {mode: 0o600});
		expect(await createFolderAgents(home, () => folder).others()).toEqual([login]);
	},
);
