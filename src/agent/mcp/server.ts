import {abortable} from '../../core/abortable.ts';
import {AppError, isAbort, messageOf} from '../../core/error.ts';
import type {JsonObject} from '../../core/json.ts';
import type {
	CallOptions,
	CallResult,
	Connection,
	ConnectionEvents,
	ListedPrompt,
	ListedResource,
	ListedTool,
	ResourceContent,
	ResultPart,
} from './connection.ts';
import {loginNeeded} from './login-needed.ts';
import {ScopesNeeded} from './scopes-needed.ts';
import {createServerLog, reasonWith} from './server-log.ts';

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
	/** Its prompts as they were listed last; none unless it runs. */
	readonly prompts: () => readonly ListedPrompt[];
	readonly log: () => readonly string[];
	/** Returns the open connection. */
	readonly connection: () => Connection | undefined;
	/** Opens the connection unless it is open or failed. Never throws, and never waits. */
	readonly start: () => void;
	/** Resolves when it isn't starting any more; `true` for a server that never was. */
	readonly settled: () => Promise<void>;
	/** How long it has been starting, in milliseconds; 0 if it isn't. */
	readonly startingMs: () => number;
	/** Ends the connection and opens a new one. Resolves when that is open or has failed. */
	readonly reconnect: () => Promise<void>;
	/**
	 * Calls a tool. A server that has ended is started again, once until a call succeeds. Throws AppError("failed") with what
	 * is wrong, and the signal's reason.
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
export type Open = (events: ConnectionEvents, signal: AbortSignal) => Promise<Connection>;

/** One connection, from its start to its end. */
type Life = {readonly stop: AbortController; readonly startedAt: number; connection?: Connection};

type Own = {
	readonly name: string;
	readonly open: Open;
	readonly log: ReturnType<typeof createServerLog>;
	state: ServerState;
	tools: readonly ListedTool[];
	prompts: readonly ListedPrompt[];
	life: Life | undefined;
	starting: Promise<void>;
	/** True if it was started again, and no call has succeeded since. */
	isSecond: boolean;
};

/** Creates a server. `name` is for messages. */
export function createServer(name: string, open: Open): Server {
	const own: Own = {
		...{name, open, log: createServerLog(), tools: [], prompts: [], life: undefined},
		state: {state: 'stopped'},
		starting: Promise.resolve(),
		isSecond: false,
	};
	return {
		state: () => own.state,
		tools: () => own.tools,
		prompts: () => (own.state.state === 'ready' ? own.prompts : []),
		log: own.log.lines,
		connection: () => (own.state.state === 'ready' ? own.life?.connection : undefined),
		start: () => start(own),
		settled: () => own.starting,
		startingMs: () => (own.state.state === 'starting' && own.life ? performance.now() - own.life.startedAt : 0),
		async reconnect() {
			own.isSecond = false;
			await end(own);
			own.tools = [];
			own.prompts = [];
			start(own);
			await own.starting;
		},
		call: (tool, args, options) =>
			request(own, `Calling ${tool}`, options.signal, connection => connection.call(tool, args, options)),
		prompt: (prompt, args, signal) =>
			request(own, `Reading the prompt ${prompt}`, signal, connection => connection.prompt(prompt, args, signal)),
		resources: signal => request(own, 'Listing its resources', signal, connection => connection.listResources(signal)),
		readResource: (uri, signal) =>
			request(own, `Reading ${uri}`, signal, connection => connection.readResource(uri, signal)),
		end: () => end(own),
	};
}

function start(own: Own): void {
	if (own.state.state === 'stopped') {
		own.starting = begin(own);
	}
}

async function begin(own: Own): Promise<void> {
	const life: Life = {stop: new AbortController(), startedAt: performance.now()};
	own.life = life;
	own.state = {state: 'starting'};
	try {
		const {log} = own;
		const onListsChanged = () => {
			refresh(own, life).catch(error => log.add(`Listing its tools failed: ${messageOf(error)}`));
			void refreshPrompts(own, life);
		};
		const onEnd = (reason: string) => void fail(own, life, reason);
		const connection = await own.open({onLog: log.add, onEnd, onListsChanged}, life.stop.signal);
		life.connection = connection;
		await refresh(own, life);
		if (own.life === life) {
			own.state = {state: 'ready', about: connection.about};
			void refreshPrompts(own, life);
		} else {
			await connection.close();
		}
	} catch (error) {
		await fail(own, life, messageOf(error), loginNeeded(error));
	}
}

/** Reads the tools again. */
async function refresh(own: Own, life: Life): Promise<void> {
	const listed = await life.connection?.listTools();
	if (own.life === life && listed) {
		own.tools = listed;
	}
}

/** Reads the prompts again. A server that fails at that keeps its tools. Never throws. */
async function refreshPrompts(own: Own, life: Life): Promise<void> {
	try {
		const listed = await life.connection?.listPrompts();
		if (own.life === life && listed) {
			own.prompts = listed;
		}
	} catch (error) {
		own.log.add(`Listing its prompts failed: ${messageOf(error)}`);
	}
}

async function fail(own: Own, life: Life, reason: string, login?: AppError): Promise<void> {
	if (own.life !== life) {
		return;
	}

	own.life = undefined;
	const cause = own.log.cause();
	own.log.add(`Ended: ${reason}`);
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
async function ready(own: Own): Promise<Connection> {
	await own.starting;
	if (own.state.state === 'failed' && !own.state.needsLogin && !own.isSecond) {
		own.isSecond = true;
		own.log.add('Starting it again.');
		own.state = {state: 'stopped'};
		start(own);
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

/** Sends a request. `doing` begins the line of the log about its failure. */
async function request<Result>(
	own: Own,
	doing: string,
	signal: AbortSignal | undefined,
	send: (connection: Connection) => Promise<Result>,
): Promise<Result> {
	const connection = await (signal ? abortable(ready(own), signal) : ready(own));
	try {
		const result = await send(connection);
		own.isSecond = false;
		return result;
	} catch (error) {
		signal?.throwIfAborted();
		const refused = loginNeeded(error);
		if (refused) {
			// One that lacks scopes still serves other requests.
			const isOver = !(refused instanceof ScopesNeeded) && own.life;
			await (isOver ? fail(own, isOver, refused.message, refused) : undefined);
			own.log.add(`${doing} was refused: ${refused.message}`);
			throw new AppError('auth', `The MCP server ${own.name} refused this: ${refused.message}.`, {
				...{hint: `Ask the user to log in. ${refused.hint ?? ''}`.trim(), cause: refused},
			});
		}

		if (error instanceof AppError || isAbort(error)) {
			throw error;
		}

		const message = messageOf(error);
		own.log.add(`${doing} failed: ${message}`);
		throw new AppError('failed', `The MCP server ${own.name} failed: ${message.slice(0, 2000)}.`, {cause: error});
	}
}
