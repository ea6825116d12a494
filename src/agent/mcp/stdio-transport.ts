import type {ChildProcess} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {delimiter} from 'node:path';
import process from 'node:process';
import type {Writable} from 'node:stream';
import {setTimeout as setTimeoutAsync} from 'node:timers/promises';
import type {JSONRPCMessage, Transport} from '@modelcontextprotocol/client';
import {endMarked, markVariable} from '../../containment/end-marked.ts';
import {signalGroup} from '../../containment/processes.ts';
import {AppError} from '../../core/error.ts';
import {isJsonObject, type Json, parseJson} from '../../core/json.ts';
import {childEnvironment} from '../tools/child/child-environment.ts';
import {firstIn, foldersOutside} from '../tools/child/find-program.ts';
import {createLineReader} from '../tools/child/line-reader.ts';
import {closeServing, createFloodGuard, endDelayMs, spawnServing} from '../tools/child/serving-child.ts';
import {toolVariables} from '../tools/child/tool-variables.ts';
import {notSent} from './connection-error.ts';

type Options = {
	readonly command: string;
	readonly args: readonly string[];
	readonly env: Readonly<Record<string, string>>;
	readonly folder: string;
	/** The root of the project, a real path: no program of it is started by its bare name. */
	readonly root: string;
	/** Returns a time in milliseconds that only grows; that of the machine by default. */
	readonly now: (() => number) | undefined;
	/** Gets each line of standard error, and what else the user may want to know. */
	readonly onLog: (line: string) => void;
	/** Called once when the connection has ended by itself, with the reason as a clause. */
	readonly onEnd: (reason: string) => void;
};

/** Longest message, which is a line. */
const maxMessageBytes = 8 * 1024 * 1024;
/** Time for the end of a server that reads no more: on a busy machine it is heard of late. */
const lastWordsMs = 5000;

/**
 * Creates the connection to a server that is started here (SAFETY 15): an allow-listed environment with what its entry adds, a
 * process group of its own that ends with this program, and limits of what it may send. A server that exceeds one is ended.
 */
export function createStdioTransport(options: Options): Transport {
	const {now, onLog} = options;
	const mark = randomUUID();
	let child: ChildProcess | undefined;
	let ended: Promise<void> | undefined;
	let reason: string | undefined;
	let isClosing = false;

	const fail = (why: string) => {
		reason ??= why;
		signalGroup(child?.pid, 'SIGKILL');
	};
	const transport: Transport = {
		async start() {
			const started = launch(options, mark);
			child = started;
			ended = endOf(started, mark).then(end => {
				if (end && !isClosing) {
					options.onEnd(reason ?? describeEnd(end));
				}

				transport.onclose?.();
			});
			read(started, {now, onLog, fail, onMessage: message => transport.onmessage?.(message)});
			await spawned(started, options.command);
		},
		async send(message) {
			try {
				await write(child?.stdin, message);
			} catch {
				// Its end says why.
				await Promise.race([ended, setTimeoutAsync(lastWordsMs, undefined, {ref: false})]);
				fail('it reads no more');
				await ended;
				throw new AppError('failed', 'The server has ended.', {cause: notSent()});
			}
		},
		async close() {
			isClosing = true;
			await closeServing(child, ended);
		},
	};
	return transport;
}

/** Writes a message as a line. Throws if the server reads no more. */
async function write(input: Writable | null | undefined, message: JSONRPCMessage): Promise<void> {
	if (!input?.writable) {
		throw notSent();
	}

	await new Promise<void>((resolve, reject) => {
		input.write(`${JSON.stringify(message)}\n`, error => (error ? reject(error) : resolve()));
	});
}

function launch({command, args, env, folder, root}: Options, mark: string): ChildProcess {
	const own = {...childEnvironment(process.env), ...toolVariables(process.env), ...env};
	const folders = foldersOutside(root, own);
	const program = process.platform === 'win32' ? firstIn(folders, command) : command;
	if (program === undefined) {
		throw new AppError('not-found', `Couldn't start ${command}: it is not installed.`);
	}

	return spawnServing([program, ...args], {
		folder,
		env: {...own, PATH: folders.join(delimiter), [markVariable]: mark},
	});
}

type End = {readonly status: number | null; readonly signal: NodeJS.Signals | null};

/** Resolves when a server has ended and its output was read. Kills what is left of its group, and what has its mark. */
function endOf(child: ChildProcess, mark: string): Promise<End | undefined> {
	return new Promise(resolve => {
		let rest: Promise<void> | undefined;
		child.once('error', () => resolve(undefined));
		child.once('exit', () => {
			signalGroup(child.pid, 'SIGKILL');
			rest = endMarked(mark);
			const timer = setTimeout(() => child.stdio.forEach(stream => void stream?.destroy()), endDelayMs);
			child.once('close', () => clearTimeout(timer));
		});
		child.once('close', async (status, signal) => {
			await rest;
			resolve({status, signal});
		});
	});
}

async function spawned(child: ChildProcess, command: string): Promise<void> {
	await new Promise<void>((resolve, reject) => {
		child.once('spawn', resolve);
		child.once('error', error => reject(new AppError('failed', `Couldn't start ${command}: ${error.message}.`)));
	});
}

type Reading = {
	readonly now: (() => number) | undefined;
	readonly onLog: (line: string) => void;
	readonly onMessage: (message: JSONRPCMessage) => void;
	readonly fail: (reason: string) => void;
};

/** Reads what a server writes: messages from standard output, lines for the log from standard error. */
function read({stdin, stdout, stderr}: ChildProcess, {now, onLog, onMessage, fail}: Reading): void {
	const guard = createFloodGuard(now);
	const counted = (length: number) => {
		if (!guard.allows(length)) {
			fail('it sent more than anything could read');
		}
	};
	const messages = createLineReader(maxMessageBytes, {
		onLine(line) {
			const whole = messagesOf(line);
			// What a server prints at its start may have no end of a line, and a mark of the byte order has none.
			const from = whole.length > 0 ? 0 : line.search(/\{\s*"(?:jsonrpc|id|result)"/);
			const found = from > 0 ? messagesOf(line.slice(from)) : whole;
			const rest = found.length > 0 ? line.slice(0, from) : line;
			if (rest.trim()) {
				onLog(`Not a message: ${rest.slice(0, 200)}`);
			}

			found.forEach(onMessage);
		},
		onTooLong: () => fail(`it sent a message of more than ${maxMessageBytes / 1024 / 1024} MB`),
	});
	// A question that a program asks at its start has no end of a line.
	stdout?.once('end', messages.end);
	const complaints = createLineReader(64 * 1024, {onLine: onLog, onTooLong: () => onLog('[a long line left out]')});
	stdout?.on('data', (chunk: Buffer) => {
		counted(chunk.length);
		messages.add(chunk);
	});
	stderr?.once('end', complaints.end);
	stderr?.on('data', (chunk: Buffer) => {
		counted(chunk.length);
		complaints.add(chunk);
	});
	// The server may end before it has read everything; its end is reported by the process.
	stdin?.on('error', () => undefined);
}

/** Returns the message of a line, or those of a batch, which servers of MCP 2025-03-26 may send. */
function messagesOf(line: string): readonly JSONRPCMessage[] {
	const isMessage = (value: Json) => isJsonObject(value) && value['jsonrpc'] === '2.0';
	return [parseJson(line) ?? []].flat().filter(isMessage) as object[] as JSONRPCMessage[];
}

function describeEnd({status, signal}: End): string {
	return status === null
		? `it was ended by ${signal}`
		: status === 127
			? 'its command was not found'
			: `it ended with status ${status}`;
}
