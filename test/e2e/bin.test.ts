import {execFileSync, spawnSync} from 'node:child_process';
import {copyFileSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {delimiter, dirname, join} from 'node:path';
import {expect, test} from 'vitest';
import packageJson from '../../package.json' with {type: 'json'};
import {folderWith, program} from './program.ts';

test.each(Object.keys(packageJson.bin))('%s runs by its name, as npm links it', name => {
	const folder = folderWith();
	symlinkSync(program, join(folder, name));
	const PATH = [folder, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
	const output = execFileSync(join(folder, name), ['--version'], {env: {PATH, HOME: folder}, encoding: 'utf8'});
	expect(output).toBe(`${packageJson.version}\n`);
});

test('a server of another build, which took the place of the running one, is not started', () => {
	const folder = folderWith();
	const built = dirname(program);
	for (const name of ['service.js', 'server-worker.js', 'package.json']) {
		copyFileSync(join(built, name), join(folder, name));
	}

	symlinkSync(join(built, 'chunks'), join(folder, 'chunks'));
	const worker = readFileSync(join(folder, 'server-worker.js'), 'utf8');
	writeFileSync(join(folder, 'server-worker.js'), worker.replace(/"#server-[\da-f]+\//, '"#server-00000000/'));
	const {status, stderr} = spawnSync(process.execPath, [join(folder, 'service.js'), '-p', 'hi'], {
		...{cwd: folder, encoding: 'utf8', env: {PATH: process.env['PATH'] ?? '', HOME: folder, SERVICE_KEYCHAIN: 'off'}},
	});
	expect([status, stderr]).toEqual([1, expect.stringContaining('service was changed on disk while it was running')]);
});
