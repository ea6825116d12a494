#!/usr/bin/env node
import process from 'node:process';
import {type RunFlags, readInvocation} from './command/invocation.ts';
import type {ComposeOptions} from './command/program.ts';
import {AppError, exitStatus, reportError} from './core/error.ts';
import {setProgramName} from './core/program-name.ts';
import type {DebugLog} from './storage/debug-log.ts';
import {createAppStore} from './store/store.ts';
import {wantsLinear} from './terminal/abilities.ts';
import {calledAs} from './terminal/called-as.ts';

/** Baked in by the build. */
declare const SERVICE_VERSION: string;

const {env, stdin, stdout, stderr} = process;
const store = createAppStore();
const version = SERVICE_VERSION;
/** With `--json`, errors are printed as JSON too. */
const json = process.argv.includes('--json');
setProgramName(nameOfProgram);
/** The log of `SERVICE_DEBUG`; undefined without it. */
let debug: DebugLog | undefined;

/** Builds the program. Its modules are loaded here, because the first frame doesn't need them. */
async function compose(options: ComposeOptions) {
	const [{compose: build}, {createKeychain}] = await Promise.all([
		import('./compose/compose.ts'),
		import('./config/keychain.ts'),
	]);
	return build({
		...options,
		store,
		env,
		version,
		folder: currentFolder(),
		keychain: createKeychain({env, script: new URL('./keychain-child.js', import.meta.url)}),
		workerUrl: new URL('./server-worker.js', import.meta.url),
		debug,
	});
}

/** Returns the working folder. Throws AppError("not-found") if it was removed. */
function currentFolder(): string {
	try {
		return process.cwd();
	} catch (error) {
		throw new AppError('not-found', 'The working folder no longer exists.', {
			hint: 'Change to another folder.',
			cause: error,
		});
	}
}

/** Returns the name that the user calls the program by; its own name if the working folder is gone. */
function nameOfProgram(): string {
	try {
		return calledAs({script: process.argv[1] ?? '', env, folder: process.cwd()});
	} catch {
		return 'service';
	}
}

/** The first Ctrl+C or SIGTERM interrupts the current work, the second one ends the process. */
function onInterrupt(listener: () => void): void {
	process.once('SIGINT', listener);
	process.once('SIGTERM', listener);
}

const surroundings = {compose, store, env, stdin, stdout, stderr, version, onInterrupt};

async function openApp(flags: Partial<RunFlags> & {readonly pick: boolean; readonly prompt?: string}): Promise<number> {
	if (wantsLinear(env)) {
		const {startLinear} = await import('./ui/linear.ts');
		return startLinear(flags, surroundings);
	}

	const [{startApp}, {openTerminalWidths}] = await Promise.all([
		import('./ui/start.tsx'),
		import('./config/terminal-widths.ts'),
	]);
	const frames = debug && (await import('./ui/screen/frame-log.ts')).createFrameLog(stdout, debug.write);
	return startApp(flags, {...surroundings, process, widths: openTerminalWidths(env), frames});
}

/** Opens the file that `SERVICE_DEBUG` names. Throws AppError("usage") if it can't be written. */
async function openDebug(path: string): Promise<DebugLog> {
	const {openDebugLog} = await import('./storage/debug-log.ts');
	return openDebugLog(path);
}

async function main(argv: readonly string[]): Promise<number> {
	const invocation = readInvocation(argv);
	// Completion of a shell must stay silent, and fast.
	if (env['SERVICE_DEBUG'] && invocation.mode !== 'complete') {
		debug = await openDebug(env['SERVICE_DEBUG']);
	}

	switch (invocation.mode) {
		case 'version':
			stdout.write(`${version}\n`);
			return 0;
		case 'once': {
			// From here on an interrupt produces a result, even while modules load.
			const interrupt = new AbortController();
			onInterrupt(() => interrupt.abort());
			const {runHeadless} = await import('./headless/headless.ts');
			return runHeadless(invocation, {...surroundings, signal: interrupt.signal});
		}
		case 'command': {
			const {runShell} = await import('./headless/shell.ts');
			const outcome = await runShell(invocation.words, surroundings);
			if ('status' in outcome) {
				return outcome.status;
			}

			const {open: resume, ...flags} = outcome;
			return openApp({...flags, resume, pick: false});
		}
		case 'complete': {
			const {runCompletion} = await import('./headless/complete-shell.ts');
			return runCompletion(invocation.words, {env, stdout, kept: invocation.kept});
		}
		case 'app':
			return openApp(invocation);
		default:
			return invocation satisfies never;
	}
}

/** A closed pipe ends the program silently, as it does other programs in a shell. */
for (const stream of [stdout, stderr]) {
	stream.on('error', error => {
		const code = 'code' in error ? error.code : undefined;
		if (code !== 'EPIPE' && stream === stdout) {
			const message = `Couldn't write to stdout (${code}).`;
			stderr.write(json ? `${JSON.stringify({error: {code: 'failed', message}})}\n` : `service: ${message}\n`);
		}

		process.exit(code === 'EPIPE' ? 0 : exitStatus.failed);
	});
}

/** Prints what went wrong. Returns the exit status. */
async function fail(error: unknown): Promise<number> {
	const report = reportError(error);
	const {printError} = await import('./headless/print.ts');
	printError(report, stderr, {json});
	return exitStatus[report.code];
}

// An error that no code catches is a bug. Node would print it with everything attached to it (SAFETY 8).
process.once('uncaughtException', error => {
	if (stdout.isTTY && !wantsLinear(env)) {
		// Below the cursor, in place of the prompt and the status line.
		stdout.write('\r\n\u001b[J');
	}

	void fail(error).then(process.exit, () => process.exit(exitStatus.failed));
});

let status: number;
try {
	status = await main(process.argv.slice(2));
} catch (error) {
	status = await fail(error);
}

// Everything written to a pipe must be flushed before the process ends, and no open handle may keep it alive.
await Promise.all([stdout, stderr].map(stream => new Promise<void>(resolve => stream.write('', () => resolve()))));
process.exit(status);
