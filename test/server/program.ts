import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {text} from 'node:stream/consumers';
import {onTestFinished} from 'vitest';
import {createSealKey} from '../../src/server/accounts/seal.ts';
import {environmentOf, folderWith, program} from '../e2e/program.ts';

/** Servers on one database share it. */
const sealKey = createSealKey().toString('base64url');

function run(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
	const child = spawn(process.execPath, [program, 'serve', ...words, '--json'], {
		stdio: ['ignore', 'pipe', 'inherit'],
		env: environmentOf({env: {...env, SERVICE_SEAL_KEY: sealKey}}),
	});
	onTestFinished(async () => {
		if (child.exitCode === null && child.signalCode === null) {
			child.kill('SIGTERM');
			await once(child, 'exit');
		}
	});
	return child;
}

/** A database by its URL, or none, for that of the data folder. */
const on = (database: string) => (database === '' ? [] : ['--database', database]);

/** Runs a verb of `serve` on a database, and returns what it prints. */
export async function runProgram(words: readonly string[], database: string): Promise<string> {
	return await text(run([...words, ...on(database)]).stdout);
}

/** Runs `serve init` on a database, and returns the first user's key. */
export async function initializeProgram(database: string, data = folderWith()): Promise<string> {
	const names = ['--org', 'acme', '--workspace', 'main', '--project', 'web'];
	return JSON.parse(await runProgram(['init', '--data', data, ...names], database)).api_key;
}

type Serving = {
	readonly data?: string;
	readonly flags?: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
};

/** Starts `serve` on a database at a free port, and returns its URL. */
export async function serveProgram(database: string, serving: Serving = {}): Promise<string> {
	return (await startServeProgram(database, serving)).url;
}

/** The same with a data folder, which several may share. `kill` ends it at once. */
export async function startServeProgram(database: string, {data = folderWith(), flags = [], env}: Serving = {}) {
	const child = run(['--data', data, ...on(database), '--port', '0', ...flags], env);
	const kill = async () => {
		child.kill('SIGKILL');
		await once(child, 'exit');
	};
	for await (const line of createInterface({input: child.stdout})) {
		const url: string = JSON.parse(line).url;
		return {url, kill, pid: child.pid ?? 0};
	}

	throw new Error('The server ended before it listened.');
}
