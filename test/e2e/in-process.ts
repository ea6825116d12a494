import {PassThrough} from 'node:stream';
import {text} from 'node:stream/consumers';
import {onTestFinished} from 'vitest';
import {globalFlags, readFlags} from '../../src/command/flags.ts';
import {readInvocation} from '../../src/command/invocation.ts';
import type {ComposeOptions} from '../../src/command/program.ts';
import {exitStatus, reportError} from '../../src/core/error.ts';
import {runHeadless} from '../../src/headless/headless.ts';
import {printError} from '../../src/headless/print.ts';
import {runShell} from '../../src/headless/shell.ts';
import {compose} from '../../src/program/program.ts';
import {createAppStore} from '../../src/store/store.ts';
import {type Ended, environmentOf, folderWith, type Place} from './program.ts';

/** Returns the parts of a run that main.ts creates, without a terminal. */
function surround({input, ...place}: Place & {readonly input?: string}) {
	const env = environmentOf({...place, env: {...place.env, NODE_DISABLE_COMPILE_CACHE: '1'}});
	const folder = place.folder ?? folderWith();
	const store = createAppStore();
	const stdin = Object.assign(new PassThrough(), {isTTY: false});
	stdin.end(input);
	return {
		...{store, env, version: '0.0.0', onInterrupt: () => undefined},
		stdin: stdin as NodeJS.ReadStream & PassThrough,
		stdout: Object.assign(new PassThrough(), {isTTY: false}) as NodeJS.WriteStream & PassThrough,
		stderr: Object.assign(new PassThrough(), {isTTY: false}) as NodeJS.WriteStream & PassThrough,
		async compose(options: ComposeOptions) {
			const workerUrl = new URL('../../dist/server-worker.js', import.meta.url);
			const program = compose({...options, store, env, folder, version: '0.0.0', workerUrl});
			onTestFinished(() => program.close());
			return program;
		},
	};
}

async function run(args: readonly string[], surroundings: ReturnType<typeof surround>): Promise<number> {
	const invocation = readInvocation(args);
	if (invocation.mode === 'once') {
		return runHeadless(invocation, {...surroundings, signal: new AbortController().signal});
	}

	const outcome = invocation.mode === 'command' ? await runShell(invocation.words, surroundings) : undefined;
	if (outcome && 'status' in outcome) {
		return outcome.status;
	}

	throw new Error(`${args.join(' ')} needs a process.`);
}

/** What is said on a busy machine, and nothing that these tests are about. */
const waitNote = /^.* is still (?:working|waiting for \S+)\. .*\n/gm;

/**
 * Runs a prompt or a command as `runProgram` does, but in this process, for a tenth of the work. It isn't for tests of
 * the process, its streams, its signals and its modules.
 */
export async function runInProcess(
	args: readonly string[],
	place: Place & {readonly input?: string} = {},
): Promise<Ended> {
	const surroundings = surround(place);
	const {stdout, stderr} = surroundings;
	const written = Promise.all([text(stdout), text(stderr)]);
	const status = await run(args, surroundings).catch((error: unknown) => {
		const report = reportError(error);
		printError(report, stderr, {json: readFlags(args, globalFlags).given.has('json')});
		return exitStatus[report.code];
	});
	stdout.end();
	stderr.end();
	const [printed, told] = await written;
	return {status, stdout: printed, stderr: told.replace(waitNote, '')};
}
