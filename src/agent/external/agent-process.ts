import type {ChildProcess} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import type {Readable, Writable} from 'node:stream';
import {giveFilter} from '../../containment/bubblewrap.ts';
import {endMarked, markVariable} from '../../containment/end-marked.ts';
import {signalGroup} from '../../containment/processes.ts';
import type {Environment} from '../../core/environment.ts';
import {AppError} from '../../core/error.ts';
import {findProgram, firstIn, foldersOutside} from '../tools/child/find-program.ts';
import {closeServing, createFloodGuard, endDelayMs, spawnServing} from '../tools/child/serving-child.ts';
import {type AgentCommand, agentEnvironment} from './agent-command.ts';

/** The program that contains an agent, with its arguments, and the filter of system calls that it reads. */
export type AgentContainer = {readonly program: readonly string[]; readonly filter?: Buffer};

/** The process of an agent, in a group of its own. */
export type AgentProcess = {
	readonly input: Writable;
	readonly output: Readable;
	/** Returns the last line that it wrote to standard error, without its end; '' for none. Untrusted. */
	readonly lastLine: () => string;
	/** Resolves when it has ended and its group is gone: how, as a clause. */
	readonly ended: Promise<string>;
	/** Closes its input, and ends its group after a moment. Resolves when all of it has ended. */
	readonly close: () => Promise<void>;
	/** Ends its group at once. `why` is the clause about it. */
	readonly kill: (why?: string) => void;
};

/** Longest line of standard error that is kept, in characters. */
const maxLine = 400;

type Options = {
	readonly env: Environment;
	/** The working folder, a real path. */
	readonly folder: string;
	readonly container?: AgentContainer | undefined;
};

/**
 * Starts an agent: in a group of its own that ends with this program, without what this program has open, and without our
 * keys. One that never stops writing is ended. Throws AppError("not-found") if its program can't be started.
 */
export async function startAgentProcess(agent: AgentCommand, {env, folder, container}: Options): Promise<AgentProcess> {
	const mark = randomUUID();
	const own = {...agentEnvironment(agent, env), [markVariable]: mark};
	const [name = '', ...args] = agent.command;
	const program = programOf(name, folder, own);

	// What contains it reads the filter from the fifth descriptor.
	const extraPipes = container?.filter ? 1 : 0;
	const child = spawnServing([...(container?.program ?? []), program, ...args], {folder, env: own, extraPipes});
	return watchProcess(child, {name, mark, filter: container?.filter});
}

/**
 * Returns the path of an agent's program: one of a bare name is never that of the working folder, nor another one of the same name
 * where a sandbox hides a folder of PATH. Throws AppError("not-found") if there is none.
 */
export function programOf(name: string, folder: string, env: Environment): string {
	const program = /[/\\]/.test(name) ? findProgram(name, env) : firstIn(foldersOutside(folder, env), name);
	if (program === undefined) {
		throw notInstalled(name);
	}

	return program;
}

function notInstalled(name: string): AppError {
	return new AppError('not-found', `Couldn't start ${name}: it is not installed.`, {
		hint: 'Install it, or check the command: `agent list`',
	});
}

async function watchProcess(
	child: ChildProcess,
	{name, mark, filter}: {readonly name: string; readonly mark: string; readonly filter: Buffer | undefined},
): Promise<AgentProcess> {
	const {stdin, stdout, stderr, pid} = child;
	const descriptors = child.stdio as ReadonlyArray<Readable | Writable | null | undefined>;
	let why: string | undefined;
	let line = '';
	let isClosing = false;

	const kill = (clause?: string) => {
		why ??= clause;
		signalGroup(pid, 'SIGKILL');
	};
	const guard = createFloodGuard();
	const count = (chunk: Buffer) => guard.allows(chunk.length) || kill('it sent more than anything could read');
	stdout?.on('data', count);
	stderr?.on('data', (chunk: Buffer) => {
		count(chunk);
		line = lastLineIn(line + chunk.toString('utf8').slice(-16 * maxLine));
	});
	const ended = new Promise<string>(resolve => {
		child.once('exit', (status, signal) => {
			signalGroup(pid, 'SIGKILL');
			why ??= isClosing ? 'it was closed' : clauseOf(status, signal, name);
			// What left its group may hold the pipes.
			setTimeout(() => descriptors.forEach(stream => void stream?.destroy()), endDelayMs).unref();
			void endMarked(mark).then(() => resolve(why ?? ''));
		});
	});
	await new Promise<void>((resolve, reject) => {
		child.once('spawn', resolve);
		child.once('error', () => reject(notInstalled(name)));
	});
	child.on('error', () => undefined);
	for (const stream of descriptors) {
		stream?.on('error', () => undefined);
	}

	giveFilter(child, filter);
	// One that ends closes its input a moment before.
	stdin?.on('error', () => isClosing || setTimeout(kill, endDelayMs, 'it reads no more').unref());
	if (!stdin || !stdout) {
		throw notInstalled(name);
	}

	return {
		input: stdin,
		output: stdout,
		lastLine: () => lastLineIn(line).trim().slice(0, maxLine),
		ended,
		kill,
		async close() {
			isClosing = true;
			await closeServing(child, ended);
		},
	};
}

/** Returns the last line with anything in it, and what follows. */
function lastLineIn(text: string): string {
	const lines = text.trimEnd().split('\n');
	return (lines.at(-1) ?? '').slice(-16 * maxLine) + (text.endsWith('\n') ? '\n' : '');
}

function clauseOf(status: number | null, signal: NodeJS.Signals | null, name: string): string {
	if (status === 127) {
		return `${name} was not found`;
	}

	return status === null ? `it was ended by ${signal}` : `it ended with status ${status}`;
}
