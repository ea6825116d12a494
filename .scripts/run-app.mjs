import {spawn} from 'node:child_process';
import {constants} from 'node:os';
import process from 'node:process';
import {fileURLToPath} from 'node:url';

export const program = fileURLToPath(new URL('../dist/service.js', import.meta.url));

/**
 * Runs the built program in this terminal. Returns its exit status as a shell reports it. Signals of the
 * terminal reach it directly; others are passed on.
 */
export async function runApp(args, {env = process.env, nodeArgs = []} = {}) {
	const child = spawn(process.execPath, [...nodeArgs, program, ...args], {stdio: 'inherit', env});
	const ignore = () => undefined;
	const passOn = signal => child.kill(signal);
	process.on('SIGINT', ignore);
	process.on('SIGTERM', passOn);
	process.on('SIGHUP', passOn);
	try {
		return await new Promise((resolve, reject) => {
			child.once('error', reject);
			child.once('close', (status, signal) => resolve(status ?? 128 + (constants.signals[signal] ?? 0)));
		});
	} finally {
		process.off('SIGINT', ignore);
		process.off('SIGTERM', passOn);
		process.off('SIGHUP', passOn);
	}
}
