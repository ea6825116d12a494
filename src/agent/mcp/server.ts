import {abortable} from '../../core/abortable.ts';
import {AppError, isAbort} from '../../core/error.ts';
import type {JsonObject} from '../../core/json.ts';
import type {
	CallOptions,
	CallResult,
	ConnectionEvents,
	ListedPrompt,
	ListedResource,
	ListedTool,
	Listing,
	McpConnection,
	ResourceContent,
	ResultPart,
} from './connection.ts';
import {clauseOf, isSessionLost, loginNeeded, ScopesNeeded, wasNotSent} from './connection-error.ts';
import {createServerLog, reasonWith, type ServerLog} from './server-log.ts';

export type ServerState =
	| {readonly state: 'stopped' | 'starting'}
	| {readonly state: 'ready'; readonly about: string}
	| {
			readonly state: 'failed';
			readonly reason: string;
			/** True if the user must log in first. */
			readonly needsLogin?: boolean;
	  };

/** A server, whose connection opens when it is needed. */
export type Server = {
	readonly state: () => ServerState;
	/** Its tools as they were listed last. */
	readonly tools: () => readonly ListedTool[];
	/** Sentences about what its lists had to be repaired in, as they were listed last. Untrusted. */
	readonly faults: () => readonly string[];
	/** Returns how its tools have changed by themselves since the last call, as a clause. Untrusted. */
	readonly takeChange: () => string | undefined;
	/** Its prompts as they were listed last; none unless it runs. */
	readonly prompts: () => readonly ListedPrompt[];
	readonly log: () => readonly string[];
	/** Returns the open connection. */
	readonly connection: () => McpConnection | undefined;
	/** Opens the connection unless it is open or failed. Never throws, and never waits. */
	readonly start: () => void;
	/** Resolves when it isn't starting any more; `true` for a server that never was. */
	readonly settled: () => Promise<void>;
	/** How long it has been starting, in milliseconds; 0 if it isn't. */
	readonly startingMs: () => number;
	/** True if it is tried again by itself after it failed, which nobody waits for. */
	readonly isRetry: () => boolean;
	/** Ends the connection and opens a new one. Resolves when that is open or has failed. */
	readonly reconnect: () => Promise<void>;
	/**
	 * Calls a tool. A server that has ended is started again, a command at most once a minute until a call succeeds. A call that
	 * did not run, because the server lost the session or was restarted, is made once more. Throws AppError("failed") with
	 * what is wrong, and the signal's reason.
	 */
	readonly call: (tool: string, args: JsonObject, options: CallOptions) => Promise<CallResult>;
	/** Returns the messages of a prompt. Starts a server again and throws as `call` does. */
	readonly prompt: (
		name: string,
		args: Readonly<Record<string, string>>,
		signal: AbortSignal | undefined,
	) => Promise<readonly ResultPart[]>;
	/** Lists the resources and templates. Starts a server again and throws as `call` does. */
	readonly resources: (signal: AbortSignal | undefined) => Promise<readonly ListedResource[]>;
	/** Returns the contents of a resource. Starts a server again and throws as `call` does. */
	readonly readResource: (uri: string, signal: AbortSignal | undefined) => Promise<readonly ResourceContent[]>;
	readonly end: () => Promise<void>;
};

/** Opens the connection. `signal` ends the attempt. */
export type Open = (events: ConnectionEvents, signal: AbortSignal) => Promise<McpConnection>;

/** One connection, from its start to its end. */
type Life = {
	readonly stop: AbortController;
	readonly startedAt: number;
	readonly isRetry: boolean;
	connection?: McpConnection;
};

/** A command that ends again is not started again before this time is over. */
const restartMs = 60_000;
/** How long a server elsewhere that can't be reached is left alone, unless something is asked of it. */
const retryMs = 15_000;
/** Most characters of what a server says about a failed request. */
const maxFailure = 2000;
/** Most names in a sentence about changed tools. */
const maxNames = 5;
const none = {items: [], faults: []};

type Own = {
	readonly name: string;
	readonly open: Open;
	/** Masks credentials in what the server says. */
	readonly hide: (text: string) => string;
	/** True if it runs elsewhere, so that trying again starts nothing. */
	readonly isRemote: boolean;
	readonly log: ServerLog;
	state: ServerState;
	tools: Listing<ListedTool>;
	prompts: Listing<ListedPrompt>;
	change: string | undefined;
	life: Life | undefined;
	starting: Promise<void>;
	/** When it was started again, and no call has succeeded since; undefined otherwise. In milliseconds, as the next one. */
	restartedAt: number | undefined;
	failedAt: number;
	readonly now: () => number;
};

type ServerOptions = {
	/** For messages. */
	readonly name: string;
	readonly open: Open;
	readonly hide: (text: string) => string;
	readonly isRemote: boolean;
	/** Returns a time in milliseconds that only grows. */
	readonly now?: () => number;
};

/** Creates a server. */
export function createServer({
	name,
	open,
	hide,
	isRemote,
	now = performance.now.bind(performance),
}: ServerOptions): Server {
	const own: Own = {
		name,
		open,
		hide,
		isRemote,
		now,
		log: createServerLog(),
		tools: none,
		prompts: none,
		life: undefined,
		state: {state: 'stopped'},
		starting: Promise.resolve(),
		change: undefined,
		restartedAt: undefined,
		failedAt: 0,
	};
	return {
		state: () => own.state,
		tools: () => own.tools.items,
		faults: () => [...own.tools.faults, ...own.prompts.faults],
		takeChange() {
			const {change} = own;
			own.change = undefined;
			return change;
		},
		prompts: () => (own.state.state === 'ready' ? own.prompts.items : []),
		log: own.log.lines,
		connection: () => (own.state.state === 'ready' ? own.life?.connection : undefined),
		start: () => start(own),
		settled: () => own.starting,
		startingMs: () => (own.state.state === 'starting' && own.life ? own.now() - own.life.startedAt : 0),
		isRetry: () => own.life?.isRetry === true,
		async reconnect() {
			own.restartedAt = undefined;
			await end(own);
			own.tools = none;
			own.prompts = none;
			own.change = undefined;
			start(own);
			await own.starting;
		},
		call: (tool, args, options) =>
			request(own, `Calling ${tool}`, options, connection => connection.call(tool, args, options)),
		prompt: (prompt, args, signal) =>
			request(own, `Reading the prompt ${prompt}`, {signal}, connection => connection.prompt(prompt, args, signal)),
		resources: signal =>
			request(own, 'Listing its resources', {signal}, connection => connection.listResources(signal)),
		readResource: (uri, signal) =>
			request(own, `Reading ${uri}`, {signal}, connection => connection.readResource(uri, signal)),
		end: () => end(own),
	};
}

function start(own: Own): void {
	const {state} = own;
	const isBack = state.state === 'failed' && own.isRemote && !state.needsLogin && own.now() - own.failedAt >= retryMs;
	if (state.state === 'stopped' || isBack) {
		own.starting = begin(own, isBack);
	}
}

async function begin(own: Own, isRetry = false): Promise<void> {
	const life: Life = {stop: new AbortController(), startedAt: own.now(), isRetry};
	own.life = life;
	own.state = {state: 'starting'};
	own.log.restart();
	try {
		const {log} = own;
		const onListsChanged = () => {
			refresh(own, life).catch(error => log.note(`Listing its tools failed: ${reasonOf(own, error)}`));
			void refreshPrompts(own, life);
		};
		const onEnd = (reason: string) => void fail(own, life, reason);
		const connection = await own.open({onLog: log.add, onNote: log.note, onEnd, onListsChanged}, life.stop.signal);
		life.connection = connection;
		await refresh(own, life);
		if (own.life === life) {
			own.state = {state: 'ready', about: connection.about};
			void refreshPrompts(own, life);
		} else {
			await connection.close();
		}
	} catch (error) {
		await fail(own, life, reasonOf(own, error), loginNeeded(error));
	}
}

/** Reads the tools again. */
async function refresh(own: Own, life: Life): Promise<void> {
	const listed = await life.connection?.listTools();
	if (own.life === life && listed) {
		const change = own.tools === none ? undefined : changeOf(own.tools.items, listed.items);
		own.tools = listed;
		own.change = change ?? own.change;
	}
}

/** Returns how a list of tools differs from the one before, as a clause; undefined if no tool came or went. */
function changeOf(before: readonly ListedTool[], after: readonly ListedTool[]): string | undefined {
	const missing = (from: readonly ListedTool[], other: readonly ListedTool[]) =>
		from.map(({name}) => name).filter(name => !other.some(each => each.name === name));
	const [added, removed] = [missing(after, before), missing(before, after)];
	const changes = [
		...(added.length > 0 ? [`added ${namesOf(added)}`] : []),
		...(removed.length > 0 ? [`removed ${namesOf(removed)}`] : []),
	];
	return changes.length > 0 ? changes.join('; ') : undefined;
}

function namesOf(names: readonly string[]): string {
	const more = names.length - maxNames;
	return `${names.slice(0, maxNames).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Reads the prompts again. A server that fails at that keeps its tools. Never throws. */
async function refreshPrompts(own: Own, life: Life): Promise<void> {
	try {
		const listed = await life.connection?.listPrompts();
		if (own.life === life && listed) {
			own.prompts = listed;
		}
	} catch (error) {
		own.log.note(`Listing its prompts failed: ${reasonOf(own, error)}`);
	}
}

async function fail(own: Own, life: Life, reason: string, login?: AppError): Promise<void> {
	if (own.life !== life) {
		return;
	}

	own.life = undefined;
	own.failedAt = own.now();
	const cause = own.log.cause();
	own.log.note(`Ended: ${reason}`);
	own.state = login
		? {state: 'failed', reason: login.message, needsLogin: true}
		: {state: 'failed', reason: reasonWith(reason, cause)};
	life.stop.abort();
	await life.connection?.close();
}

async function end(own: Own): Promise<void> {
	const {life} = own;
	own.life = undefined;
	own.state = {state: 'stopped'};
	life?.stop.abort();
	await life?.connection?.close();
	await own.starting;
}

/** Returns the open connection. Starts a server that has ended again. Throws AppError("failed") if it does not run. */
async function ready(own: Own): Promise<McpConnection> {
	await own.starting;
	const {restartedAt} = own;
	const mayRestart = own.isRemote || restartedAt === undefined || own.now() - restartedAt >= restartMs;
	if (own.state.state === 'failed' && !own.state.needsLogin && mayRestart) {
		own.log.note('Starting it again.');
		own.restartedAt = own.now();
		own.starting = begin(own);
		await own.starting;
	}

	const {life, state, name} = own;
	if (life?.connection && state.state === 'ready') {
		return life.connection;
	}

	const why = state.state === 'failed' ? `: ${state.reason}` : '';
	throw new AppError('failed', `The MCP server ${name} is not running${why}.`, {
		hint: 'Continue without it, and tell the user: `mcp get <name>` shows its state. `/mcp reconnect <name>` starts it again.',
	});
}

type Requesting = Pick<CallOptions, 'onNotice'> & {readonly signal: AbortSignal | undefined};

/** Sends a request, once more if it did not run. `doing` begins the line of the log about its failure. */
async function request<Result>(
	own: Own,
	doing: string,
	{signal, onNotice}: Requesting,
	send: (connection: McpConnection) => Promise<Result>,
): Promise<Result> {
	for (let isSecond = false; ; isSecond = true) {
		const connection = await (signal ? abortable(ready(own), signal) : ready(own));
		try {
			const result = await send(connection);
			own.restartedAt = undefined;
			return result;
		} catch (error) {
			signal?.throwIfAborted();
			const isLost = isSessionLost(error) && connection.hasSession();
			if (isSecond || !(isLost || wasNotSent(error))) {
				throw await failureOf(own, doing, error, onNotice);
			}

			await renew(own, connection, isLost ? 'it no longer knows the session' : reasonOf(own, error));
			if (own.change !== undefined) {
				onNotice?.(`The MCP server ${own.name} began a new session. Its tools changed: ${own.change}.`, {
					isWarning: true,
				});
				own.change = undefined;
			}
		}
	}
}

/** Ends a connection that is no use any more, unless that has happened, and opens a new one. */
async function renew(own: Own, connection: McpConnection, reason: string): Promise<void> {
	const {life} = own;
	if (life?.connection !== connection) {
		return;
	}

	await fail(own, life, reason);
	own.log.note('Connecting again.');
	if (own.isRemote) {
		own.starting = begin(own);
		await own.starting;
	}
}

/** Returns what went wrong as a clause. The words of a server may repeat a credential that it got. */
function reasonOf({hide}: Own, error: unknown, most?: number): string {
	return hide(clauseOf(error, most));
}

/** Returns what a failed request throws. */
async function failureOf(own: Own, doing: string, error: unknown, onNotice: CallOptions['onNotice']): Promise<unknown> {
	const refused = loginNeeded(error);
	if (refused) {
		// One that lacks scopes still serves other requests.
		const isOver = !(refused instanceof ScopesNeeded) && own.life;
		if (isOver) {
			await fail(own, isOver, refused.message, refused);
			onNotice?.(`The MCP server ${own.name} can't be used: ${refused.message}.`, {
				isWarning: true,
				hint: refused.hint,
			});
		}

		own.log.note(`${doing} was refused: ${refused.message}`);
		return new AppError('auth', `The MCP server ${own.name} refused this: ${refused.message}.`, {
			hint: `Ask the user to log in. ${refused.hint ?? ''}`.trim(),
			cause: refused,
		});
	}

	if (error instanceof AppError || isAbort(error)) {
		return error;
	}

	const message = reasonOf(own, error, maxFailure);
	own.log.note(`${doing} failed: ${message}`);
	return new AppError('failed', `The MCP server ${own.name} failed: ${message}.`, {cause: error});
}
