import {type ChildProcess, execFile, spawn} from 'node:child_process';
import {mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {onTestFinished} from 'vitest';
import {withLock} from '../../src/storage/lock.ts';

const root = join(import.meta.dirname, '../..');

/** The program as it is shipped. */
export const program = join(root, 'dist/service.js');

/** How the program names itself where it is started so. */
export const calledSo = `node ${program}`;

/** What the program is built of; a test of a stale one would prove nothing. */
const sources = ['src', 'commands', '.scripts/build.mjs', 'package.json'];

await ensureBuilt();

/** Builds the program where it is missing or older than its sources; processes that run at the same time build it once. */
async function ensureBuilt(): Promise<void> {
	if (!isFresh()) {
		await withLock(
			join(root, 'node_modules/.service-build.lock'),
			async () => {
				if (!isFresh()) {
					await promisify(execFile)(process.execPath, [join(root, '.scripts/build.mjs')], {
						cwd: root,
					});
				}
			},
			900_000,
		);
	}
}

function isFresh(): boolean {
	// The last that the build makes.
	const built = statSync(join(root, 'dist/compiled'), {throwIfNoEntry: false})?.mtimeMs ?? 0;
	return sources.every(path => latestChange(join(root, path)) <= built);
}

/** When the newest file of a folder was changed, in milliseconds. */
function latestChange(path: string): number {
	const stats = statSync(path);
	return stats.isDirectory()
		? Math.max(0, ...readdirSync(path).map(name => latestChange(join(path, name))))
		: stats.mtimeMs;
}

/** An empty folder, a real path, that is gone after the test, with these files in it. */
export function folderWith(files: Readonly<Record<string, string>> = {}): string {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), 'service-e2e-')));
	onTestFinished(() => rmSync(folder, {recursive: true, force: true, maxRetries: 10, retryDelay: 50}));
	for (const [name, text] of Object.entries(files)) {
		writeFileSync(join(folder, name), text);
	}

	return folder;
}

/** Where a run happens and what it sees. */
export type Place = {
	/** `$SERVICE_HOME`; a fresh one of the run's own otherwise. */
	readonly home?: string;
	/** The working folder; an empty one otherwise. */
	readonly folder?: string;
	/** Added to an environment that holds nothing of this machine but `PATH`. */
	readonly env?: Readonly<Record<string, string>>;
};

/** The environment of a run: no key, no proxy, no `CI` of the machine that tests. */
export function environmentOf({home, env}: Place): Record<string, string> {
	const state = home ?? join(folderWith(), 'home');
	return {
		PATH: process.env['PATH'] ?? '',
		HOME: join(state, '..'),
		TERM: 'xterm-256color',
		SERVICE_HOME: state,
		SERVICE_KEYCHAIN: 'off',
		...env,
	};
}

export type Ended = {
	/** The exit status, or the name of the signal that ended it. */
	readonly status: number | NodeJS.Signals | null;
	readonly stdout: string;
	readonly stderr: string;
};

export type Running = {
	readonly child: ChildProcess;
	/** What it wrote to standard output so far. */
	readonly written: () => string;
	/** What it wrote to standard error so far. */
	readonly said: () => string;
	readonly ended: Promise<Ended>;
};

/**
 * Starts the program without a terminal. `input` is its standard input; without it there is none (`/dev/null`). It is
 * killed after 15 minutes, and when the test ends.
 */
export function startProgram(
	args: readonly string[],
	{input, ...place}: Place & {readonly input?: string} = {},
): Running {
	const child = spawn(process.execPath, [program, ...args], {
		cwd: place.folder ?? folderWith(),
		env: environmentOf(place),
		stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
		timeout: 900_000,
		killSignal: 'SIGKILL',
	});
	let stdout = '';
	let stderr = '';
	child.stdout?.setEncoding('utf8').on('data', (text: string) => {
		stdout += text;
	});
	child.stderr?.setEncoding('utf8').on('data', (text: string) => {
		stderr += text;
	});
	// A program that does not read its input closes it.
	child.stdin?.on('error', () => undefined).end(input);
	const ended = new Promise<Ended>((resolve, reject) => {
		child.once('error', reject);
		child.once('close', (status, signal) => resolve({status: signal ?? status, stdout, stderr}));
	});
	onTestFinished(async () => {
		child.kill('SIGKILL');
		await ended.catch(() => undefined);
	});
	return {child, written: () => stdout, said: () => stderr, ended};
}

/** What a command writes to standard error after two seconds. */
const waitNote = /^.* is still (?:waiting for an answer|working)\. Press Ctrl\+C to cancel\..*\n/gm;

/**
 * Runs the program without a terminal, to its end. Its standard error comes without the note that it still waits, which
 * any command writes on a machine that is busy enough.
 */
export async function runProgram(
	args: readonly string[],
	options?: Parameters<typeof startProgram>[1],
): Promise<Ended> {
	const {stderr, ...ended} = await startProgram(args, options).ended;
	return {...ended, stderr: stderr.replace(waitNote, '')};
}
