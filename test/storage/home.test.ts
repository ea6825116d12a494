import {chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync} from 'node:fs';
import {userInfo} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {homePath, openHome} from '../../src/storage/home.ts';
import {createSessionFolder, sessionFolder} from '../../src/storage/session-folder.ts';
import {temporaryFolder, temporaryHome} from './temporary.ts';

const modeOf = (path: string) => statSync(path).mode & 0o777;

test('the state folder is SERVICE_HOME, made for its owner alone [10]', () => {
	const path = join(temporaryFolder(), 'a', 'b');
	expect(openHome({SERVICE_HOME: path})).toEqual({
		path,
		configFile: join(path, 'config.json'),
		copiedFile: join(path, 'copied.txt'),
		recentsFile: join(path, 'recents.json'),
		sightingsFile: join(path, 'sightings.json'),
		approvalsFile: join(path, 'approvals.json'),
		trustFile: join(path, 'trust.json'),
		images: join(path, 'images'),
		codeCache: join(path, 'cache'),
		terminalsFile: join(path, 'terminals.json'),
		promptHistoryFile: join(path, 'prompt-history.jsonl'),
		draftsFile: join(path, 'drafts.json'),
		sessions: join(path, 'sessions'),
		server: join(path, 'server'),
		host: join(path, 'host'),
		begun: join(path, 'begun'),
		agentsFile: join(path, 'agents.json'),
	});
	expect(modeOf(path)).toBe(0o700);
});

test('without SERVICE_HOME, or with an empty one, it is ~/.service', () => {
	const home = temporaryFolder();
	expect(openHome({HOME: home}).path).toBe(join(home, '.service'));
	expect(openHome({HOME: home, SERVICE_HOME: ''}).path).toBe(join(home, '.service'));
});

test.each(['', 'relative', '.'])('HOME=%j puts nothing into the working folder', home => {
	expect(homePath({HOME: home})).toBe(join(userInfo().homedir, '.service'));
});

// Node's own recursive mkdir never comes back from there.
test.runIf(process.platform === 'linux')('a place where no folder can be made is told at once', () => {
	expect(() => openHome({SERVICE_HOME: '/proc/none/here'})).toThrow(
		'Cannot create /proc/none/here: no such file or folder.',
	);
});

test('a looser mode is repaired [10]', () => {
	const path = temporaryFolder();
	chmodSync(path, 0o755);
	openHome({SERVICE_HOME: path});
	expect(modeOf(path)).toBe(0o700);
});

test('Windows has no modes and no owners to check', () => {
	const path = temporaryFolder();
	chmodSync(path, 0o755);
	openHome({SERVICE_HOME: path}, {platform: 'win32', uid: 4711});
	expect(modeOf(path)).toBe(0o755);
});

test('a symbolic link, a file and the folder of another user are refused [10]', () => {
	const folder = temporaryFolder();
	const link = join(folder, 'link');
	symlinkSync(folder, link);
	expect(() => openHome({SERVICE_HOME: link})).toThrow(`${link} is a symbolic link.`);

	const file = join(folder, 'file');
	writeFileSync(file, '');
	expect(() => openHome({SERVICE_HOME: file})).toThrow(`${file} is not a folder.`);
	expect(() => openHome({SERVICE_HOME: join(file, 'home')})).toThrow('part of the path is not a folder');

	expect(() => openHome({SERVICE_HOME: folder}, {uid: 4711})).toThrow(`${folder} belongs to another user.`);
});

test('temporary files that a killed process left are swept, nothing else is [10]', () => {
	const path = temporaryFolder();
	const old = new Date(Date.now() - 2 * 60 * 60 * 1000);
	const names = [
		'.config.json.4711.0123456789ab.tmp',
		'config.json.tmp-0123456789abcdef',
		'.note.tmp',
		'notes.tmp',
		'config.json.tmp-mine',
	];
	for (const name of names) {
		writeFileSync(join(path, name), '');
		utimesSync(join(path, name), old, old);
	}

	writeFileSync(join(path, '.config.json.4712.0123456789ab.tmp'), 'a living process writes it now');
	mkdirSync(join(path, 'sessions'));
	openHome({SERVICE_HOME: path});
	expect(readdirSync(path).sort()).toEqual(
		['.config.json.4712.0123456789ab.tmp', '.note.tmp', 'config.json.tmp-mine', 'notes.tmp', 'sessions'].sort(),
	);
	expect(existsSync(join(path, 'sessions'))).toBe(true);
});

test('the folder of sessions is swept too, when a session begins in it [10]', async () => {
	const place = await sessionFolder(temporaryHome(), temporaryFolder());
	await createSessionFolder(place);
	const [orphan, young] = [1, 2].map(pid => join(place.path, `.folder.json.${pid}.0123456789ab.tmp`));
	writeFileSync(orphan ?? '', 'half');
	writeFileSync(young ?? '', 'half');
	const old = new Date(Date.now() - 2 * 60 * 60 * 1000);
	utimesSync(orphan ?? '', old, old);
	await createSessionFolder(place);
	expect(readdirSync(place.path)).toEqual(['.folder.json.2.0123456789ab.tmp', 'folder.json']);
});
