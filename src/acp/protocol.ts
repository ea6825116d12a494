import {Readable, Writable} from 'node:stream';
import {WritableStream} from 'node:stream/web';
import {
	type AgentContext,
	type AgentRequestMethod,
	type AgentRequestParamsByMethod,
	type AgentRequestResponsesByMethod,
	type AnyMessage,
	agent,
	type CancelNotification,
	MessageTooLargeError,
	methods,
	ndJsonStream,
	PROTOCOL_VERSION,
	RequestError,
	type Stream,
} from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import {nameCommands} from '../core/command-words.ts';
import {AppError, type ErrorCode, isAbort, reportError} from '../core/error.ts';
import {formatBytes} from '../core/format.ts';
import {isJsonObject} from '../core/json.ts';

export type {
	AgentCapabilities as EditorAbilities,
	AuthMethod,
	AvailableCommand,
	ClientCapabilities,
	ContentBlock,
	PermissionOption,
	RequestPermissionRequest,
	RequestPermissionResponse,
	SessionConfigOption,
	SessionConfigSelectOption,
	SessionModeState,
	SessionUpdate,
	StopReason as TurnEnd,
	ToolCallContent,
	ToolCallLocation,
	ToolCallUpdate,
	ToolKind,
} from '@agentclientprotocol/sdk';

/** The version of the Agent Client Protocol that the agent speaks, whatever the editor asks for. */
export const protocolVersion = PROTOCOL_VERSION;

/** The longest message that an editor may send, in bytes: it holds whole images. */
const maxMessageBytes = 32 * 1024 * 1024;

/** The editor, as the agent calls it. */
export type Editor = Pick<AgentContext, 'notify' | 'request'>;

/** The parameters of a request, and what it is answered with. */
export type ParamsOf<Method extends AgentRequestMethod> = AgentRequestParamsByMethod[Method];
export type ResponseTo<Method extends AgentRequestMethod> = AgentRequestResponsesByMethod[Method];

/** Answers a request. The signal aborts when the editor takes it back. What is thrown becomes an error with a sentence. */
type Handler<Method extends AgentRequestMethod> = (
	params: ParamsOf<Method>,
	signal: AbortSignal,
) => Promise<ResponseTo<Method>> | ResponseTo<Method>;

/** What opens a session. Its MCP servers are as the editor wrote them: each is read for itself. */
type Opening = {readonly cwd: string; readonly mcpServers?: unknown};
type Opened<Method extends AgentRequestMethod> = Promise<ResponseTo<Method>>;

/** What answers an editor, a handler for each request of the protocol. */
export type AgentHandlers = {
	readonly [Method in Exclude<AgentRequestMethod, 'session/new' | 'session/load' | 'session/resume'>]: Handler<Method>;
} & {
	readonly 'session/new': (params: Opening) => Opened<'session/new'>;
	readonly 'session/load': (params: Opening & {readonly sessionId: string}) => Opened<'session/load'>;
	readonly 'session/resume': (params: Opening & {readonly sessionId: string}) => Opened<'session/resume'>;
	/** Never throws. */
	readonly cancel: (params: CancelNotification) => void;
};

/** A connection to an editor. */
export type EditorConnection = {
	readonly editor: Editor;
	/** Resolves when the connection has ended: with a sentence if that was no ordinary end. */
	readonly closed: Promise<string | undefined>;
	readonly close: () => void;
};

type Pipes = {readonly input: Readable; readonly output: Writable};

/**
 * Connects to an editor that writes JSON-RPC messages to `input`, one a line, and reads them from `output`. `handlersFor`
 * gets the editor and returns what answers it.
 */
export function connectEditor(
	{input, output}: Pipes,
	version: string,
	handlersFor: (editor: Editor) => AgentHandlers,
): EditorConnection {
	let handlers: AgentHandlers | undefined;
	const {agent: names} = methods;
	const app = agent({name: `service ${version}`});
	const on = async <Result>(act: (known: AgentHandlers) => Promise<Result> | Result): Promise<Result> => {
		try {
			if (!handlers) {
				throw new AppError('conflict', 'The connection is not open yet.');
			}

			return await act(handlers);
		} catch (error) {
			throw requestError(error);
		}
	};
	app
		.onRequest(names.initialize, ({params, signal}) => on(known => known.initialize(params, signal)))
		.onRequest(names.authenticate, ({params, signal}) => on(known => known.authenticate(params, signal)))
		.onRequest(names.logout, ({params, signal}) => on(known => known.logout(params, signal)))
		.onRequest(names.session.new, reading(begins), ({params}) => on(known => known['session/new'](params)))
		.onRequest(names.session.load, reading(continues), ({params}) => on(known => known['session/load'](params)))
		.onRequest(names.session.list, ({params, signal}) => on(known => known['session/list'](params, signal)))
		.onRequest(names.session.delete, ({params, signal}) => on(known => known['session/delete'](params, signal)))
		.onRequest(names.session.resume, reading(continues), ({params}) => on(known => known['session/resume'](params)))
		.onRequest(names.session.close, ({params, signal}) => on(known => known['session/close'](params, signal)))
		.onRequest(names.session.setMode, ({params, signal}) => on(known => known['session/set_mode'](params, signal)))
		.onRequest(names.session.setConfigOption, ({params, signal}) =>
			on(known => known['session/set_config_option'](params, signal)),
		)
		.onRequest(names.session.prompt, ({params, signal}) => on(known => known['session/prompt'](params, signal)))
		.onNotification(names.session.cancel, ({params}) => handlers?.cancel(params));
	const lines = ndJsonStream(Writable.toWeb(output), Readable.toWeb(input) as ReadableStream<Uint8Array>, {
		maxMessageBytes,
	});
	const connection = app.connect(withExplanations(lines));
	handlers = handlersFor(connection.client);
	return {
		editor: connection.client,
		closed: connection.closed.then(() =>
			connection.signal.reason instanceof MessageTooLargeError
				? `The editor sent a message of more than ${formatBytes(maxMessageBytes)}.`
				: undefined,
		),
		close: () => connection.close(),
	};
}

const begins = z.object({cwd: z.string(), mcpServers: z.optional(z.unknown())});
const continues = z.extend(begins, {sessionId: z.string()});

/** Returns a function that reads parameters by a schema of ours. It throws as the library does. */
const reading =
	<Params>(schema: z.ZodMiniType<Params>) =>
	(params: unknown): Params => {
		const {data, error} = schema.safeParse(params);
		if (error) {
			throw RequestError.invalidParams(z.formatError(error));
		}

		return data;
	};

/** The errors of the protocol. Every other failure is an internal error. */
const codes: Partial<Record<ErrorCode, number>> = {
	usage: -32_602,
	conflict: -32_600,
	auth: -32_000,
	'not-found': -32_002,
	interrupted: -32_800,
};

/** Internal errors: what the protocol has no code for. */
const internalCode = -32_603;

/** Returns the error of the protocol for anything that was thrown: editors show its message and nothing else. */
export function requestError(error: unknown, data?: object): RequestError {
	if (error instanceof RequestError) {
		return error;
	}

	const {code, message, hint} = isAbort(error)
		? {code: 'interrupted' as const, message: 'Cancelled.', hint: undefined}
		: reportError(error);
	const sentence = [message, hint && nameCommands(hint, 'shell')].filter(Boolean).join(' ');
	return new RequestError(codes[code] ?? internalCode, sentence, data);
}

/** Returns the error for a session that isn't open: clients take it as the end of that session. */
export function unknownSession(sessionId: string, sentence: string): RequestError {
	return requestError(new AppError('not-found', sentence), {sessionId});
}

/** Returns the stream, with sentences in place of the bare words that the library answers invalid messages with. */
function withExplanations({readable, writable}: Stream): Stream {
	const writer = writable.getWriter();
	return {
		readable,
		writable: new WritableStream<AnyMessage>({
			write: message => writer.write(explained(message)),
			close: () => writer.close(),
			abort: reason => writer.abort(reason),
		}),
	};
}

function explained(message: AnyMessage): AnyMessage {
	if (!('error' in message) || message.error.message !== 'Invalid params') {
		return message;
	}

	const {error} = message;
	const [path, fault] = firstFault(error.data, []) ?? [[], 'they do not fit its schema'];
	const place = path.length > 0 ? `“${path.join('.')}”: ` : '';
	return {...message, error: {code: error.code, message: `Invalid params: ${place}${fault}.`, data: error.data}};
}

/** Returns the path and the words of the first fault in a tree of faults, in which `_errors` has those of each place. */
function firstFault(tree: unknown, path: readonly string[]): readonly [readonly string[], string] | undefined {
	if (!isJsonObject(tree)) {
		return undefined;
	}

	const {_errors: own, ...inner} = tree;
	const [first] = Array.isArray(own) ? own : [];
	if (typeof first === 'string') {
		return [path, first.replace(/\.$/, '')];
	}

	for (const [name, value] of Object.entries(inner)) {
		const found = firstFault(value, [...path, name]);
		if (found) {
			return found;
		}
	}

	return undefined;
}
