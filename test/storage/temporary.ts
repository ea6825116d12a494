import {existsSync, mkdtempSync, realpathSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import {type Home, openHome} from '../../src/storage/home.ts';

/** A file system in memory, where syncing costs nothing; the usual place if this machine has none. */
export const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** An empty folder, a real path, that is gone after the test. */
export function temporaryFolder(parent = tmpdir()): string {
	const folder = realpathSync(mkdtempSync(join(parent, 'service-test-')));
	// A process that a test ends may still write its last line.
	onTestFinished(() => rmSync(folder, {recursive: true, force: true, maxRetries: 10, retryDelay: 50}));
	return folder;
}

/** A `$SERVICE_HOME` of the test's own. */
export function temporaryHome(): Home {
	return openHome({SERVICE_HOME: join(temporaryFolder(), 'home')});
}
