// `npm run replay -- [--fast] <file> [arguments of the program]`: serves a recording on this machine and starts the app
// with it, in a state folder of its own. `--fast` skips the recorded pauses.
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import process from 'node:process';
import {loadSource} from './load-source.mjs';
import {replayEnvironment, startReplayHost} from './replay-host.mjs';
import {runApp} from './run-app.mjs';

const given = process.argv.slice(2);
const isFast = given[0] === '--fast';
const [path, ...args] = isFast ? given.slice(1) : given;
if (!path || path.startsWith('-')) {
	console.error('Usage: npm run replay -- [--fast] <file> [arguments of the program]');
	process.exit(2);
}

const [{readRecording}, {providerRows}] = await Promise.all([
	loadSource('.scripts/recording.ts'),
	loadSource('src/core/provider-rows.ts'),
]);
const exchanges = load();
const [first] = exchanges;
const host = await startReplayHost(exchanges, {isFast});
const home = mkdtempSync(join(tmpdir(), 'service-replay-'));
try {
	process.exitCode = await runApp(['--model', `${first.provider}/${first.model}`, ...args], {
		env: {
			...process.env,
			...replayEnvironment(exchanges, host.url, providerRows),
			SERVICE_HOME: home,
			SERVICE_KEYCHAIN: 'off',
		},
	});
} finally {
	await host.close();
	rmSync(home, {recursive: true, force: true});
}

function load() {
	try {
		const found = readRecording(readFileSync(path, 'utf8'));
		if (found.length > 0) {
			return found;
		}

		console.error(`${path} has no recorded answers.`);
	} catch (error) {
		console.error(`Can't read ${path}: ${error.message}`);
	}

	process.exit(2);
}
