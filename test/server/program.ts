import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {text} from 'node:stream/consumers';
import {onTestFinished} from 'vitest';
import {createSealKey} from '../../src/server/accounts/seal.ts';
import {environmentOf, folderWith, program} from '../e2e/program.ts';

/** Servers on one database share it. */
const sealKey = createSealKey().toString('base64url');

function run(words: readonly string[]) {
	const child = spawn(process.execPath, [program, 'serve', ...words, '--json'], {
		stdio: ['ignore', 'pipe', 'inherit'],
		env: environmentOf({env: {SERVICE_SEAL_KEY: sealKey}}),
	});
	onTestFinished(async () => {
		if (child.exitCode === null && child.signalCode === null) {
			child.kill('SIGTERM');
			await once(child, 'exit');
		}
	});
	return child;
}

/** Runs `serve init` on a database, and returns the first user's key. */
export async function initializeProgram(database: string): Promise<string> {
	const names = ['--org', 'acme', '--workspace', 'main', '--project', 'web'];
	const child = run(['init', '--data', folderWith(), '--database', database, ...names]);
	return JSON.parse(await text(child.stdout)).api_key;
}

/** Starts `serve` on a database at a free port, and returns its URL. */
export async function serveProgram(database: string): Promise<string> {
	const child = run(['--data', folderWith(), '--database', database, '--port', '0']);
	for await (const line of createInterface({input: child.stdout})) {
		return JSON.parse(line).url;
	}

	throw new Error('The server ended before it listened.');
}
