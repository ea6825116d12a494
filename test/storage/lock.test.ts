import fs, {readFileSync, writeFileSync} from 'node:fs';
import {syncBuiltinESMExports} from 'node:module';
import {hostname} from 'node:os';
import {join} from 'node:path';
import {expect, onTestFinished, test, vi} from 'vitest';
import {type Lock, tryLock, withLock} from '../../src/storage/lock.ts';
import {temporaryFolder} from './temporary.ts';

function take(path: string): Lock {
	const lock = tryLock(path);
	if (!('release' in lock)) {
		throw new Error('The lock is taken.');
	}

	return lock;
}

test('waiting for a lock that changes hands lasts longer than one holder may keep it [18]', async () => {
	const path = join(temporaryFolder(), 'file.lock');
	// Time passes only when the lock changes hands: a busy machine may stop this process for longer than anyone may wait.
	vi.useFakeTimers({toFake: ['Date'], now: Date.now()});
	onTestFinished(() => {
		vi.useRealTimers();
	});
	let held = take(path);
	let turns = 0;
	// Nobody else gets it in between, as on a disk that is slow for whoever waits.
	const passing = setInterval(() => {
		vi.setSystemTime(Date.now() + 50);
		held.release();
		turns += 1;
		if (turns === 10) {
			clearInterval(passing);
		} else {
			held = take(path);
		}
	}, 5);
	await expect(withLock(path, async () => turns, 60)).resolves.toBe(10);
});

test('waiting for a lock that one process keeps times out and names that process [18] [21]', async () => {
	const path = join(temporaryFolder(), 'file.lock');
	const held = take(path);
	await expect(withLock(path, async () => undefined, 30)).rejects.toMatchObject({
		code: 'conflict',
		message: `Process ${process.pid} is holding ${path}.`,
	});
	expect(held.isHeld()).toBe(true);
});

test('a stale lock that another process took over a moment ago is left to that process', () => {
	const path = join(temporaryFolder(), 'file.lock');
	const lockOf = (pid: number) => JSON.stringify({pid, host: hostname(), token: String(pid)});
	writeFileSync(path, lockOf(4_000_001));
	const kill = vi.spyOn(process, 'kill').mockImplementation(pid => {
		if (pid === 4_000_001) {
			// Between our look at the old lock and its removal the other one made its own.
			writeFileSync(path, lockOf(4_000_002));
			throw Object.assign(new Error('No such process.'), {code: 'ESRCH'});
		}

		return true;
	});
	onTestFinished(() => kill.mockRestore());
	expect(tryLock(path)).toEqual({pid: 4_000_002, host: hostname()});
	expect(readFileSync(path, 'utf8')).toBe(lockOf(4_000_002));
});

test('a lock that the disk refuses to delete is emptied, so that others take it over soon [18]', async () => {
	const path = join(temporaryFolder(), 'file.lock');
	const unlink = vi.spyOn(fs, 'unlinkSync').mockImplementation(() => {
		throw Object.assign(new Error('EIO'), {code: 'EIO'});
	});
	syncBuiltinESMExports();
	onTestFinished(() => {
		unlink.mockRestore();
		syncBuiltinESMExports();
	});
	expect(await withLock(path, async () => 'done')).toBe('done');
	expect(readFileSync(path, 'utf8')).toBe('');
});
