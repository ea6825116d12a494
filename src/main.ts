#!/usr/bin/env node
import {closeSync, fstatSync} from 'node:fs';
import process from 'node:process';
import {isatty} from 'node:tty';
import {globalFlags, readFlags} from './command/flags.ts';
import {type RunFlags, readInvocation} from './command/invocation.ts';
import type {ComposeOptions, InterruptListener, Surroundings} from './command/program.ts';
import type {Environment} from './core/environment.ts';
import {AppError, exitStatus, reportError} from './core/error.ts';
import {setProgramName} from './core/program-name.ts';
import type {HostClient} from './link/host-client.ts';
import type {DebugLog} from './storage/debug-log.ts';
import type {AttachWish} from './store/session-slice.ts';
import type {AppStore} from './store/store.ts';
import {charsetOf, wantsLinear} from './terminal/abilities.ts';
import {calledAs} from './terminal/called-as.ts';

/** Baked in by the build. */
declare const SERVICE_VERSION: string;

const {env} = process;
/** The streams in use. Node takes some milliseconds to create each, so that they are created when something needs them. */
const written = new Set<NodeJS.WriteStream>();
const version = SERVICE_VERSION;
const {given: asked} = readFlags(process.argv.slice(2), globalFlags);
/** With `--json`, errors are printed as JSON too. */
const json = asked.has('json');
/** The environment for what is printed: `ACCESSIBLE` also says what the flag and the setting do. */
let shownEnv: Environment = env;
setProgramName(nameOfProgram);
/** The log of `SERVICE_DEBUG`; undefined without it. */
let debug: DebugLog | undefined;

/** Builds the program. Its modules are loaded here, because the first frame doesn't need them. */
async function compose(options: ComposeOptions, store: AppStore) {
	const [{compose: build}, {createKeychain}, {putBackCutOff}] = await Promise.all([
		import('./program/program.ts'),
		import('./config/keychain.ts'),
		import('./program/cut-off.ts'),
	]);
	return build({
		store,
		folder: currentFolder(),
		notices: options.connect === false ? [] : await putBackCutOff(options.env ?? env),
		...options,
		env: options.env ?? env,
		version,
		keychain: createKeychain({env: options.env ?? env, script: new URL('./keychain-child.mjs', import.meta.url)}),
		// Its hash is the chunk of this build that it runs.
		workerUrl: new URL(`./server-worker.js${new URL(import.meta.url).hash}`, import.meta.url),
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

/** The first Ctrl+C or SIGTERM interrupts the current work, the second one ends the process, unless the listener goes on. */
function onInterrupt(listener: InterruptListener): void {
	const hear = (signal: NodeJS.Signals) => {
		if (listener(signal) === 'end') {
			process.off('SIGINT', hear).off('SIGTERM', hear);
		}
	};
	process.on('SIGINT', hear).on('SIGTERM', hear);
}

/** Returns what the program runs in, with the state of the app, which `--version` doesn't need. */
async function surround(): Promise<Surroundings> {
	const [{createAppStore}, {wantsAccessible}] = await Promise.all([
		import('./store/store.ts'),
		import('./config/settings/accessible.ts'),
	]);
	shownEnv = {...env, ACCESSIBLE: (await wantsAccessible(env, asked.has('accessible'))) ? '1' : ''};
	const store = createAppStore();
	const composeWith = (options: ComposeOptions) => compose(options, store);
	const [stdout, stderr] = await Promise.all([shown('stdout'), shown('stderr')]);
	return {compose: composeWith, store, env: shownEnv, stdin: process.stdin, stdout, stderr, version, onInterrupt};
}

type AppStart = Partial<RunFlags> & {readonly pick: boolean; readonly prompt?: string};

/** Opens the app, with the session of a host if it is for one, then those that it ends for. */
async function openApp(flags: AppStart, wish?: AttachWish, client?: HostClient): Promise<number> {
	const given = await surround();
	const surroundings = wish ? await (await import('./host/attach.ts')).attachTo(wish, given, client) : given;
	const status = await showApp(flags, surroundings);
	const {next} = given.store.getState();
	return next ? attachApp(next) : status;
}

const attachApp = ({client, ...wish}: AttachWish & {readonly client?: HostClient}) =>
	openApp({pick: false, resume: wish.session}, wish.isHere ? undefined : wish, client);

async function showApp(flags: AppStart, surroundings: Surroundings): Promise<number> {
	if (wantsLinear(shownEnv)) {
		const {startLinear} = await import('./ui/linear.ts');
		return startLinear(flags, surroundings);
	}

	keepOffScreen();
	const [{startApp}, {openTerminalWidths}, {smallFilesSettled}] = await Promise.all([
		import('./ui/start.tsx'),
		import('./config/terminal-widths.ts'),
		import('./storage/kept-file.ts'),
	]);
	const frames = debug && (await import('./ui/screen/frame-log.ts')).createFrameLog(surroundings.stdout, debug.write);
	// The terminal may have told its widths just before the user quit.
	return startApp(flags, {...surroundings, process, widths: openTerminalWidths(env), frames}).finally(
		smallFilesSettled,
	);
}

/** Keeps Node's warnings, which it writes to standard error at any time, off the screen that the app draws. */
function keepOffScreen(): void {
	if (isatty(2)) {
		process.removeAllListeners('warning');
		process.on('warning', ({name}) => debug?.write({kind: 'warning', name}));
	}
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
			guarded('stdout').write(`${version}\n`);
			return 0;
		case 'once': {
			// From here on an interrupt produces a result, even while modules load.
			const interrupt = new AbortController();
			onInterrupt(() => {
				interrupt.abort();
				return 'end';
			});
			const {runHeadless} = await import('./headless/headless.ts');
			return runHeadless(invocation, {...(await surround()), signal: interrupt.signal});
		}
		case 'command': {
			const {runShell} = await import('./headless/shell.ts');
			const surroundings = await surround();
			const outcome = await runShell(invocation.words, surroundings);
			if ('status' in outcome) {
				return outcome.status;
			}

			if ('replay' in outcome) {
				const {startReplay} = await import('./ui/start-replay.ts');
				return startReplay(outcome.replay, {...surroundings, process});
			}

			if ('attach' in outcome) {
				return attachApp(outcome.attach);
			}

			const {open: resume, ...flags} = outcome;
			return openApp({...flags, resume, pick: false});
		}
		case 'complete': {
			const {runCompletion} = await import('./headless/complete-shell.ts');
			return runCompletion(invocation.words, {env, stdout: guarded('stdout'), kept: invocation.kept});
		}
		case 'app':
			return openApp(invocation);
		default:
			return invocation satisfies never;
	}
}

/** Returns a standard stream. A closed pipe ends the program silently, as it does other programs in a shell. */
function guarded(name: 'stdout' | 'stderr'): NodeJS.WriteStream {
	const stream = process[name];
	if (!written.has(stream)) {
		written.add(stream);
		stream.on('error', error => {
			const code = 'code' in error ? error.code : undefined;
			if (code !== 'EPIPE' && name === 'stdout') {
				const message = `Couldn't write to stdout (${code}).`;
				process.stderr.write(
					json ? `${JSON.stringify({error: {code: 'failed', message}})}\n` : `service: ${message}\n`,
				);
			}

			process.exit(code === 'EPIPE' ? 0 : exitStatus.failed);
		});
	}

	return stream;
}

/** Returns a standard stream; one that writes ASCII if it is a terminal that shows nothing else. A file gets UTF-8. */
async function shown(name: 'stdout' | 'stderr'): Promise<NodeJS.WriteStream> {
	const stream = guarded(name);
	const charset = stream.isTTY ? charsetOf(env, process.platform) : 'utf-8';
	if (charset === 'utf-8') {
		return stream;
	}

	const {asciiOutput} = await import('./terminal/text/ascii.ts');
	return asciiOutput(stream, {replaces: charset === 'ascii'});
}

/** Prints what went wrong. Returns the exit status. */
async function fail(error: unknown): Promise<number> {
	const report = reportError(error);
	const {printError} = await import('./headless/print.ts');
	printError(report, await shown('stderr'), {json});
	return exitStatus[report.code];
}

/** Prints what kept the program from starting, as the result too where `-p` ends with one. Returns the exit status. */
async function failToStart(error: unknown): Promise<number> {
	const {resultOfStart} = await import('./headless/result-object.ts');
	const result = resultOfStart(process.argv.slice(2), reportError(error));
	if (result) {
		const {printJson} = await import('./headless/print.ts');
		printJson(result, await shown('stdout'));
	}

	return fail(error);
}

// Node restores the modes of terminals as the last thing, and aborts with a dump if one of them is gone, even before our first
// line ran: it passes by what is closed.
process.on('exit', () => {
	for (const fd of [0, 1, 2]) {
		if (!isatty(fd) && fstatSync(fd).isCharacterDevice()) {
			closeSync(fd);
		}
	}
});

let crash: Promise<never> | undefined;

// An error that no code catches is a bug. Node would print it, and any further one, with everything attached to it (SAFETY 8).
process.on('uncaughtException', error => {
	if (process.stdout.isTTY && !wantsLinear(shownEnv)) {
		// Below the cursor, in place of the prompt and the status line.
		process.stdout.write('\r\n\u001b[J');
	}

	crash = crash ?? fail(error).then(process.exit, () => process.exit(exitStatus.failed));
});

async function run(): Promise<void> {
	const status = await main(process.argv.slice(2)).catch(failToStart);
	// Everything written to a pipe must be flushed before the process ends, and no open handle may keep it alive.
	await Promise.all([...written].map(stream => new Promise<void>(resolve => stream.write('', () => resolve()))));
	process.exit(status);
}

void run();
