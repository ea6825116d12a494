import {chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {makePrivateFolder} from '../../src/storage/private-folder.ts';
import {createSessionFolder, sessionFiles, sessionFolder} from '../../src/storage/session-folder.ts';
import {temporaryFolder, temporaryHome} from './temporary.ts';

const hint = 'Do something.';
const modeOf = (path: string) => statSync(path).mode & 0o777;

test('a folder is created private, with its parents, and made private again [10]', () => {
	const path = join(temporaryFolder(), 'a', 'b');
	makePrivateFolder(path, {hint});
	expect([modeOf(path), modeOf(join(path, '..'))]).toEqual([0o700, 0o700]);
	chmodSync(path, 0o777);
	makePrivateFolder(path, {hint});
	expect(modeOf(path)).toBe(0o700);
});

test('a link, a file and the folder of another user are refused [10]', () => {
	const folder = temporaryFolder();
	const [link, file] = [join(folder, 'link'), join(folder, 'file')];
	symlinkSync(folder, link);
	writeFileSync(file, '');
	expect(() => makePrivateFolder(link, {hint})).toThrow(`${link} is a symbolic link.`);
	expect(() => makePrivateFolder(file, {hint})).toThrow(`${file} is not a folder.`);
	expect(() => makePrivateFolder(folder, {hint, uid: 4_000_000, platform: 'linux'})).toThrow('another user');
});

test('sessions are kept in private folders alone, whoever made them before [10]', async () => {
	const home = temporaryHome();
	const place = await sessionFolder(home, temporaryFolder());
	mkdirSync(place.path, {recursive: true});
	chmodSync(home.sessions, 0o777);
	chmodSync(place.path, 0o755);
	await createSessionFolder(place);
	expect([modeOf(home.sessions), modeOf(place.path)]).toEqual([0o700, 0o700]);

	const elsewhere = temporaryFolder();
	const linked = await sessionFolder({...home, sessions: join(home.path, 'linked')}, temporaryFolder());
	symlinkSync(elsewhere, join(home.path, 'linked'));
	await expect(createSessionFolder(linked)).rejects.toMatchObject({
		code: 'failed',
		message: `${join(home.path, 'linked')} is a symbolic link.`,
		hint: 'Replace it with a folder of your own.',
	});
	expect(readdirSync(elsewhere)).toEqual([]);
});

test('the note of a working folder is written again if a full disk left an empty one', async () => {
	const home = temporaryHome();
	const place = await sessionFolder(home, temporaryFolder());
	mkdirSync(place.path, {recursive: true, mode: 0o700});
	writeFileSync(join(place.path, 'folder.json'), '', {mode: 0o600});
	await createSessionFolder(place);
	writeFileSync(join(place.path, '0f9b4e6a-5a37-4c8e-9d3a-1f2e3d4c5b6a.jsonl'), '');
	expect(await sessionFiles(home)).toMatchObject([{folder: place.folder}]);
});
