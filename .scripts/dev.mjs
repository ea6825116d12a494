// `npm run dev -- [arguments of the program]`: builds and starts the app, and again when a source file changes.
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import process from 'node:process';
import {fileURLToPath} from 'node:url';
import {devLoop, startNode} from './dev-loop.mjs';
import {program} from './run-app.mjs';

const pathOf = name => fileURLToPath(new URL(name, import.meta.url));

process.exitCode = await devLoop({
	paths: [pathOf('../src'), pathOf('../commands'), pathOf('../package.json')],
	async build() {
		process.stderr.write('Building…\n');
		const child = spawn(process.execPath, [pathOf('build.mjs'), '--fast'], {stdio: ['ignore', 'inherit', 'inherit']});
		const [status] = await once(child, 'close');
		return status === 0;
	},
	start: () => startNode([program, ...process.argv.slice(2)]),
});
