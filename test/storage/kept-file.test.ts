import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import {hostname} from 'node:os';
import {join} from 'node:path';
import {build} from 'esbuild';
import {expect, test} from 'vitest';
import {AppError} from '../../src/core/error.ts';
import {explainFileError} from '../../src/storage/file-error.ts';
import {updateSmallFile} from '../../src/storage/kept-file.ts';
import {tryLock} from '../../src/storage/lock.ts';
import {readPrivateFile} from '../../src/storage/private-file.ts';
import {inMemory, temporaryFolder} from './temporary.ts';

test('8 processes x 500 updates keep 4,000 [18]', async () => {
	// What the disk does with 8,000 syncs is another matter, and takes most of the time.
	const folder = temporaryFolder(inMemory);
	const worker = join(folder, 'worker.mjs');
	await build({
		entryPoints: [join(import.meta.dirname, 'append-worker.ts')],
		outfile: worker,
		bundle: true,
		platform: 'node',
		format: 'esm',
	});
	const path = join(folder, 'shared');
	const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
	const statuses = await Promise.all(
		names.map(async name => {
			const child = spawn(process.execPath, [worker, path, name, '500'], {stdio: 'inherit'});
			const [status] = await once(child, 'exit');
			return status;
		}),
	);
	expect(statuses).toEqual(names.map(() => 0));

	const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
	expect(lines).toHaveLength(4000);
	expect(new Set(lines).size).toBe(4000);
	expect(readdirSync(folder).sort()).toEqual(['shared', 'worker.mjs']);
});

test('a missing file reads as undefined, and the first update creates it private [10]', async () => {
	const path = join(temporaryFolder(), 'file');
	expect(readPrivateFile(path)).toBeUndefined();
	expect(await updateSmallFile(path, text => `${text ?? 'new'} text`)).toBe('new text');
	expect(readPrivateFile(path)).toBe('new text');
	expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('an update that changes nothing writes nothing', async () => {
	const path = join(temporaryFolder(), 'file');
	expect(await updateSmallFile(path, () => undefined)).toBeUndefined();
	expect(existsSync(path)).toBe(false);
	writeFileSync(path, 'same', {mode: 0o600});
	const {ino} = statSync(path);
	expect(await updateSmallFile(path, text => text)).toBe('same');
	expect(statSync(path).ino).toBe(ino);
});

test('a looser mode is repaired, a symbolic link is refused for reading and writing [10]', async () => {
	const folder = temporaryFolder();
	const path = join(folder, 'file');
	writeFileSync(path, 'text');
	chmodSync(path, 0o644);
	expect(readPrivateFile(path)).toBe('text');
	expect(statSync(path).mode & 0o777).toBe(0o600);

	const link = join(folder, 'link');
	symlinkSync(path, link);
	expect(() => readPrivateFile(link)).toThrow(`Cannot read ${link}: it is a symbolic link.`);
	await expect(updateSmallFile(link, () => 'other')).rejects.toThrow('it is a symbolic link.');
	expect(readFileSync(path, 'utf8')).toBe('text');
});

test('a lock whose owner was killed is taken over [18]', async () => {
	const path = join(temporaryFolder(), 'file');
	const child = spawn(process.execPath, ['-e', '']);
	await once(child, 'exit');
	writeFileSync(`${path}.lock`, JSON.stringify({pid: child.pid, host: hostname()}));
	expect(await updateSmallFile(path, () => 'mine')).toBe('mine');
	expect(existsSync(`${path}.lock`)).toBe(false);
});

test('a lock of a later process with the same id is taken over too [18]', async () => {
	const path = join(temporaryFolder(), 'file');
	writeFileSync(`${path}.lock`, JSON.stringify({pid: process.pid, host: hostname(), started: '1'}));
	// Where the kernel does not tell when a process started, only the age of the lock can.
	utimesSync(`${path}.lock`, 1, 1);
	expect(await updateSmallFile(path, () => 'mine')).toBe('mine');
});

test('an old lock is taken over, and its owner notices before it writes [18]', () => {
	const path = join(temporaryFolder(), 'file.lock');
	const first = tryLock(path);
	expect(tryLock(path, {staleAfterMs: 30_000})).toMatchObject({pid: process.pid});
	const longAgo = Date.now() / 1000 - 31;
	utimesSync(path, longAgo, longAgo);
	const second = tryLock(path, {staleAfterMs: 30_000});
	expect('isHeld' in first && first.isHeld()).toBe(false);
	expect('isHeld' in second && second.isHeld()).toBe(true);
	if ('release' in first) {
		first.release();
	}

	expect(existsSync(path)).toBe(true);
});

test('a lock left empty by its creator holds for five seconds', () => {
	const path = join(temporaryFolder(), 'file.lock');
	writeFileSync(path, '');
	expect(tryLock(path)).toEqual({pid: 0, host: ''});
	const longAgo = Date.now() / 1000 - 6;
	utimesSync(path, longAgo, longAgo);
	expect(tryLock(path)).toHaveProperty('release');
});

test('an error of the file system is reported in a sentence [10]', async () => {
	const folder = temporaryFolder();
	const path = join(folder, 'file');
	mkdirSync(path);
	await expect(updateSmallFile(path, () => 'text')).rejects.toThrow(`${path} is not a file.`);
	await expect(updateSmallFile(join(folder, 'no', 'file'), () => 'text')).rejects.toThrow('no such file or folder');
	expect(readdirSync(folder)).toEqual(['file']);
});

test.each([
	['ENOSPC', 'Cannot write /state/file: disk full.', 'Free some disk space and try again.'],
	[
		'EACCES',
		'Cannot write /state/file: permission denied.',
		'Give your user read and write permission, or set SERVICE_HOME to another folder.',
	],
	['ENAMETOOLONG', 'Cannot write /state/file: the name is too long.', 'Choose a shorter name.'],
	['ESTALE', 'Cannot write /state/file: ESTALE.', 'Check the path, or set SERVICE_HOME to another folder.'],
])('%s is reported as an AppError with a hint', (code, message, hint) => {
	const error = explainFileError(Object.assign(new Error('raw'), {code}), 'write', '/state/file');
	expect(error instanceof AppError && {code: error.code, message: error.message, hint: error.hint}).toEqual({
		code: 'failed',
		message,
		hint,
	});
});

test('an error that no file system throws stays a bug', () => {
	const bug = new TypeError('undefined is not a function');
	expect(explainFileError(bug, 'write', '/state/file')).toBe(bug);
});
