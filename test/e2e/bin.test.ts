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

/** Returns a folder with the build, whose files can be changed. */
function copyOfBuild(files?: Readonly<Record<string, string>>): string {
	const folder = folderWith(files);
	const built = dirname(program);
	for (const name of ['service.js', 'server-worker.js', 'keychain-child.mjs', 'package.json']) {
		copyFileSync(join(built, name), join(folder, name));
	}

	symlinkSync(join(built, 'chunks'), join(folder, 'chunks'));
	return folder;
}

const replaced = 'service was changed on disk while it was running, for example by an update.';

test('a server of another build, which took the place of the running one, is not started', () => {
	const folder = copyOfBuild();
	const worker = readFileSync(join(folder, 'server-worker.js'), 'utf8');
	writeFileSync(join(folder, 'server-worker.js'), worker.replace(/"#server-[\da-f]+\//, '"#server-00000000/'));
	const {status, stderr} = spawnSync(process.execPath, [join(folder, 'service.js'), '-p', 'hi'], {
		...{cwd: folder, encoding: 'utf8', env: {PATH: process.env['PATH'] ?? '', HOME: folder, SERVICE_KEYCHAIN: 'off'}},
	});
	expect([status, stderr]).toEqual([1, expect.stringContaining(replaced)]);
});

test('the script of another build, which took the place of the running one, does not read the keychain', () => {
	const config = {
		version: 1,
		keys: {openai: {key: {keychain: 'key of openai', last4: '1234'}, savedAt: '2026-01-01T00:00:00Z'}},
	};
	const folder = copyOfBuild({'config.json': JSON.stringify(config)});
	const answers = `process.stdout.write(JSON.stringify({kind: 'done', text: 'sk-of-another-build'}));`;
	writeFileSync(join(folder, 'keychain-child.mjs'), answers);
	const args = [join(folder, 'service.js'), '-p', 'hi', '--model', 'openai/gpt-5'];
	const env = {PATH: process.env['PATH'] ?? '', SERVICE_HOME: folder, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1'};
	const {status, stderr} = spawnSync(process.execPath, args, {cwd: folder, encoding: 'utf8', env});
	expect([status, stderr]).toEqual([1, expect.stringContaining(`from the keychain: ${replaced}`)]);
	expect(stderr).toContain('Quit, then continue it');
});
