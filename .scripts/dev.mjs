// `npm run dev -- [arguments of the program]`: builds and starts the app, and again when a source file changes.
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {rmSync} from 'node:fs';
import process from 'node:process';
import {fileURLToPath} from 'node:url';
import {devLoop, startNode} from './dev-loop.mjs';

const pathOf = name => fileURLToPath(new URL(name, import.meta.url));
/** Apart from dist/, which has what is shipped; among the packages, so that it finds them. */
const outdir = pathOf('../node_modules/.service-dev');

process.exitCode = await devLoop({
	paths: [pathOf('../src'), pathOf('../commands'), pathOf('../package.json')],
	async build() {
		process.stderr.write('Building…\n');
		rmSync(outdir, {recursive: true, force: true});
		const child = spawn(process.execPath, [pathOf('build.mjs'), '--dev', '--outdir', outdir], {
			stdio: ['ignore', 'inherit', 'inherit'],
		});
		const [status] = await once(child, 'close');
		return status === 0;
	},
	start: () => startNode(['--enable-source-maps', `${outdir}/service.js`, ...process.argv.slice(2)]),
});
