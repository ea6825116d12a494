// `npm run record -- <file> [arguments of the program]`: runs the app, or -p, and records the answers of its models.
import {closeSync, openSync} from 'node:fs';
import {resolve} from 'node:path';
import process from 'node:process';
import {writeSource} from './load-source.mjs';
import {runApp} from './run-app.mjs';

const [path, ...args] = process.argv.slice(2);
if (!path || path.startsWith('-')) {
	console.error('Usage: npm run record -- <file> [arguments of the program]');
	process.exit(2);
}

const file = resolve(path);
try {
	closeSync(openSync(file, 'wx', 0o600));
} catch (error) {
	console.error(`Can't create ${file} (${error.code}). Choose another name.`);
	process.exit(2);
}

const recorder = await writeSource('.scripts/recorder.ts');
try {
	process.exitCode = await runApp(args, {
		env: {...process.env, SERVICE_RECORDING: file},
		nodeArgs: ['--import', recorder.url],
	});
} finally {
	recorder.remove();
}

console.error(`Recorded to ${file}. It holds the model's answers: read it before you share it.`);
