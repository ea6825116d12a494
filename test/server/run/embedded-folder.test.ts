import {spawnSync} from 'node:child_process';
import {mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {basename, join} from 'node:path';
import {expect, test} from 'vitest';
import {makeEmbeddedFolder} from '../../../src/server/run/embedded-folder.ts';
import {temporaryFolder} from '../../storage/temporary.ts';

/** The id of an ended process. */
const deadPid = () => spawnSync(process.execPath, ['-e', '']).pid;

test('folders of killed programs are removed, and nothing else [10]', async () => {
	const parent = temporaryFolder();
	const [dead, elsewhere] = [deadPid(), temporaryFolder()];
	const kept = [
		`service-${process.pid}-abcdef`,
		'service-test-abcdef',
		`service-${dead}-abcde`,
		`other-${dead}-abcdef`,
	];
	for (const name of [...kept, `service-${dead}-abcdef`]) {
		mkdirSync(join(parent, name, 'artifacts'), {recursive: true});
	}

	symlinkSync(elsewhere, join(parent, `service-${dead}-linked`));
	writeFileSync(join(parent, `service-${dead}-file00`), 'mine');
	const made = await makeEmbeddedFolder(parent);
	expect(basename(made)).toMatch(new RegExp(`^service-${process.pid}-\\w{6}$`));
	expect(statSync(made).mode & 0o777).toBe(0o700);
	const left = [...kept, `service-${dead}-linked`, `service-${dead}-file00`, basename(made)];
	expect(readdirSync(parent).sort()).toEqual(left.sort());
});
