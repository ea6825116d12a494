import {setTimeout as sleep} from 'node:timers/promises';
import {abortable} from '../../core/abortable.ts';
import type {Environment} from '../../core/environment.ts';
import {AppError} from '../../core/error.ts';
import {isJsonObject, type Json, type JsonObject} from '../../core/json.ts';
import {redact} from '../../core/secrets/redact.ts';
import {shellWord} from '../../core/shell-word.ts';
import type {Places} from '../policy/protected-places.ts';
import {type AgentCommand, agentEnvironment} from './agent-command.ts';
import {
	type AgentConnection,
	type AgentEvents,
	connectAgent,
	protocolVersion,
	type RequestTo,
	refusalIn,
} from './agent-connection.ts';
import {startAgentProcess} from './agent-process.ts';
import {listIn, objectIn, textIn} from './read-value.ts';

/** A way to sign in to an agent. Untrusted. */
export type SignIn = {
	readonly id: string;
	readonly name: string;
	/** The command of a sign-in that happens in a terminal. */
	readonly command?: readonly string[];
};

/** What an agent says of itself. Untrusted. */
export type AgentFacts = {
	/** Its own name and version, such as `qwen-code 0.24.4`; '' if it gives none. */
	readonly title: string;
	readonly version: number;
	readonly canLoad: boolean;
	readonly canResume: boolean;
	readonly canClose: boolean;
	readonly seesImages: boolean;
	readonly signIns: readonly SignIn[];
};

/** What starts agents. */
export type AgentHost = {
	readonly env: Environment;
	/** The version of this program. */
	readonly version: string;
	/** Returns the working folder, a real path. */
	readonly folder: () => string;
	readonly places: Places;
	/** How long an agent may take to answer its first request; two minutes by default, because `npx` may download it. */
	readonly startMs?: number;
};

/** An agent that runs and has said what it can do. */
export type RunningAgent = {
	readonly name: string;
	readonly facts: AgentFacts;
	/**
	 * Sends a request. Returns the answer, an object; `{}` for anything else. Throws AppError("auth") with the way to sign in,
	 * AppError("failed") for another refusal, and with how the agent ended.
	 */
	readonly request: <Method extends Requests>(method: Method, params: RequestTo<Method>) => Promise<JsonObject>;
	readonly cancel: (session: string) => void;
	/** Resolves when it has ended, with the sentence about that. */
	readonly ended: Promise<string>;
	/** True once it has ended. */
	readonly isOver: () => boolean;
	/** Ends it: its input first, its group after a moment. */
	readonly close: () => Promise<void>;
	/** Ends its group at once. */
	readonly kill: () => void;
};

type Requests = Parameters<AgentConnection['request']>[0];

/** How long an agent may live after it has closed its output. */
const closeDelayMs = 500;

const startTimeoutMs = 120_000;

/** Code of the protocol: the user has to sign in. */
const signInCode = -32_000;

/**
 * Starts an agent and asks what it can do. Throws AppError("failed") with a sentence if it dies, hangs or speaks another
 * version; the signal's reason if that aborts first, after its group is gone.
 */
export async function startAgent(
	agent: AgentCommand,
	{env, version, folder, places, startMs = startTimeoutMs}: AgentHost,
	events: AgentEvents,
	signal: AbortSignal,
): Promise<RunningAgent> {
	signal.throwIfAborted();
	const {name, command} = agent;
	const container = agent.isContained
		? await (await import('./agent-sandbox.ts')).containAgent({
				command,
				env: agentEnvironment(agent, env),
				folder: folder(),
				places,
			})
		: undefined;
	const started = await startAgentProcess(agent, {env, folder: folder(), container}).catch(async error => {
		await container?.remove();
		throw error;
	});
	const connection = connectAgent(started, version, events);
	let isOver = false;
	const ended = Promise.race([
		started.ended,
		connection.closed.then(async fault => {
			// One that ends closes its output a moment before.
			await (fault ? undefined : Promise.race([started.ended, sleep(closeDelayMs, undefined, {ref: false})]));
			started.kill(fault ?? 'it closed its output');
			return started.ended;
		}),
	]).then(async clause => {
		isOver = true;
		connection.close();
		await container?.remove();
		return endSentence(name, clause, started.lastLine());
	});

	const request: RunningAgent['request'] = async (method, params) => {
		const hint = method === 'session/prompt' ? restartHint : lookHint;
		if (isOver) {
			throw new AppError('failed', await ended, {hint});
		}

		try {
			const answer = await connection.request(method, params);
			return isJsonObject(answer) ? answer : {};
		} catch (error) {
			const refusal = refusalIn(error);
			if (refusal) {
				throw refusalError(name, refusal, signIns);
			}

			throw new AppError('failed', await ended, {hint});
		}
	};

	let signIns: readonly SignIn[] = [];
	try {
		const timeout = new AbortController();
		const answered = abortable(
			request('initialize', {
				protocolVersion,
				clientCapabilities: {
					fs: {readTextFile: false, writeTextFile: false},
					terminal: false,
					auth: {terminal: true},
					session: {notices: {}, configOptions: {boolean: {}}},
				},
				clientInfo: {name: 'service', version},
			}),
			signal,
		);
		const facts = await Promise.race([
			answered.then(answer => factsIn(answer, command)),
			sleep(startMs, undefined, {ref: false, signal: timeout.signal}).then(
				() => {
					throw new AppError('failed', `${name} didn't answer within ${Math.round(startMs / 1000)} seconds.`, {
						hint: lookHint,
					});
				},
				() => new Promise<never>(() => undefined),
			),
		]).finally(() => timeout.abort());
		signIns = facts.signIns;
		if (facts.version !== protocolVersion) {
			throw new AppError('failed', `${name} speaks version ${facts.version} of the protocol, not ${protocolVersion}.`, {
				hint: 'Update the agent, or select another one.',
			});
		}

		return {
			name,
			facts,
			request,
			cancel: sessionId => connection.notify('session/cancel', {sessionId}),
			ended,
			isOver: () => isOver,
			close: () => started.close(),
			kill: () => started.kill('it was ended'),
		};
	} catch (error) {
		started.kill();
		await ended;
		throw error;
	}
}

const restartHint = 'Send the message again: the agent starts again.';
const lookHint = 'Run its command in a terminal to see why.';

/** Returns how an agent ended, with the last line that it wrote to standard error. */
function endSentence(name: string, clause: string, lastLine: string): string {
	const said = redact(lastLine.replace(/[\p{C}\s]+/gu, ' ').trim()).slice(0, 300);
	return `${name} is gone: ${clause}.${said ? ` It said last: ${said}` : ''}`;
}

function refusalError(
	name: string,
	{code, message, data}: {readonly code: number; readonly message: string; readonly data: Json | undefined},
	signIns: readonly SignIn[],
): AppError {
	if (code === signInCode) {
		return new AppError('auth', `${name} needs you to sign in.`, {hint: signInHint(signIns)});
	}

	const details = isJsonObject(data) && typeof data['details'] === 'string' ? data['details'] : undefined;
	const text = redact((details ?? message).replace(/[\p{C}\s]+/gu, ' ').trim()).slice(0, 400);
	return new AppError('failed', `${name} refused: ${text || `error ${code}`}`);
}

/** Returns how to sign in: the command of a terminal, or what the agent offers. */
function signInHint(signIns: readonly SignIn[]): string {
	const inTerminal = signIns.find(({command}) => command !== undefined)?.command;
	if (inTerminal) {
		return `Run in a terminal: ${inTerminal.map(shellWord).join(' ')}`;
	}

	const names = signIns.map(({name}) => name).join(', ');
	return names
		? `Start the agent itself in a terminal, and sign in there. It offers: ${names}`
		: 'Start the agent itself in a terminal, and sign in there.';
}

function factsIn(answer: JsonObject, command: readonly string[]): AgentFacts {
	const capabilities = objectIn(answer, 'agentCapabilities');
	const session = objectIn(capabilities, 'sessionCapabilities');
	const info = objectIn(answer, 'agentInfo');
	const version = answer['protocolVersion'];
	return {
		title: [textIn(info, 'title') ?? textIn(info, 'name'), textIn(info, 'version')].filter(Boolean).join(' '),
		version: typeof version === 'number' ? version : 0,
		canLoad: capabilities['loadSession'] === true,
		canResume: isJsonObject(session['resume']),
		canClose: isJsonObject(session['close']),
		seesImages: objectIn(capabilities, 'promptCapabilities')['image'] === true,
		signIns: listIn(answer, 'authMethods').flatMap(method => {
			const id = textIn(method, 'id');
			const args = method['args'];
			const words = Array.isArray(args) ? args.filter(word => typeof word === 'string') : [];
			const own = method['type'] === 'terminal' ? {command: [...command, ...words]} : {};
			return id === undefined ? [] : [{id, name: textIn(method, 'name') ?? id, ...own}];
		}),
	};
}
