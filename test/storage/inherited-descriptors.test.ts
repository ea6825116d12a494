import {execFile} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {build} from 'esbuild';
import {afterAll, beforeAll, expect, test} from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'service-descriptors-'));
const isLinux = process.platform === 'linux';
afterAll(() => rmSync(folder, {recursive: true, force: true}));

const show = `const {readdirSync, readlinkSync} = require('node:fs');
	const links = readdirSync('/proc/self/fd').flatMap(fd => { try { return [readlinkSync('/proc/self/fd/' + fd)]; } catch { return []; } });
	console.log(links.filter(link => link.endsWith('/secret')).length);`;

beforeAll(async () => {
	const entryPoints = [new URL('../../src/storage/inherited-descriptors.ts', import.meta.url).pathname];
	await build({entryPoints, outfile: join(folder, 'inherited.mjs'), bundle: true, format: 'esm', platform: 'node'});
	writeFileSync(join(folder, 'secret'), 'secret');
	writeFileSync(join(folder, 'show.cjs'), show);
	writeFileSync(
		join(folder, 'parent.mjs'),
		`import {spawn, spawnSync} from 'node:child_process';
		import {withoutGaps, withoutInherited} from './inherited.mjs';
		const [, , way] = process.argv;
		const start = {
			withoutInherited: run => withoutInherited(['ignore', 'inherit'], run),
			withoutGaps: run => withoutGaps(['ignore', 'inherit'], run),
		}[way];
		const nested = 'require("node:child_process").spawnSync(process.execPath, ["show.cjs"], {stdio: ["ignore", "inherit", "inherit"]})';
		start(stdio => spawn(process.execPath, way === 'withoutGaps' ? ['-e', nested] : ['show.cjs'], {cwd: ${JSON.stringify(folder)}, stdio: stdio.map(one => one === 'inherit' ? 1 : one)}));`,
	);
});

test.skipIf(!isLinux).each([
	['withoutInherited', '0'],
	['withoutGaps', '0'],
])(
	`[15] what a program was started with is not handed on (%s)${isLinux ? '' : ' (skipped: only Linux hands it on)'}`,
	async (way, open) => {
		const command = 'exec "$0" "$1/parent.mjs" "$2" 20<"$1/secret" 200<"$1/secret"';
		const {stdout} = await promisify(execFile)('bash', ['-c', command, process.execPath, folder, way]);
		expect(stdout.trim()).toBe(open);
	},
);
