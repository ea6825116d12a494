import type {Readable, Writable} from 'node:stream';
import {ReadableStream, WritableStream} from 'node:stream/web';
import {
	type AgentNotificationMethod,
	type AgentRequestMethod,
	type AgentRequestParamsByMethod,
	type AnyMessage,
	type ClientContext,
	client,
	methods,
	PROTOCOL_VERSION,
	RequestError,
} from '@agentclientprotocol/sdk';
import {isJsonObject, type Json, type JsonObject, limitDepth, parseJson} from '../../core/json.ts';
import {createLineReader} from '../tools/child/line-reader.ts';

export type {ClientCapabilities, ContentBlock} from '@agentclientprotocol/sdk';

/** The version of the Agent Client Protocol that is spoken with agents. */
export const protocolVersion = PROTOCOL_VERSION;

/** The parameters of a request to an agent. */
export type RequestTo<Method extends AgentRequestMethod> = AgentRequestParamsByMethod[Method];

/** How an agent refuses a request: its code, and its sentence. */
export type AgentRefusal = {readonly code: number; readonly message: string; readonly data: Json | undefined};

/** What an agent sends by itself. Everything in it is untrusted, and nothing has checked it. */
export type AgentEvents = {
	/** Gets the parameters of each `session/update`, in order with the answers to requests. */
	readonly onUpdate: (params: JsonObject) => void;
	/** Answers a question. Must not throw. The signal aborts when the agent takes it back. */
	readonly onPermission: (params: JsonObject, signal: AbortSignal) => Promise<PermissionOutcome>;
	/** Called with each line and each message that means nothing here. */
	readonly onStray: (text: string) => void;
};

export type PermissionOutcome =
	| {readonly outcome: 'cancelled'}
	| {readonly outcome: 'selected'; readonly optionId: string};

/** A connection to an agent, whose program is the process at the other end of both pipes. */
export type AgentConnection = {
	/** Sends a request. The answer is what the agent sent: nothing has checked it. Throws what `refusalIn` reads. */
	readonly request: <Method extends AgentRequestMethod>(method: Method, params: RequestTo<Method>) => Promise<unknown>;
	readonly notify: (method: AgentNotificationMethod, params: {readonly sessionId: string}) => void;
	/** Resolves when nothing can be read any more: with a clause if the agent sent what nothing can read. */
	readonly closed: Promise<string | undefined>;
	readonly close: () => void;
};

/** The longest message that an agent may send, in bytes. */
export const maxMessageBytes = 32 * 1024 * 1024;
/** What is nested deeper is left out. */
const maxDepth = 100;

type Pipes = {readonly input: Writable; readonly output: Readable};

/**
 * Connects to an agent that reads JSON-RPC messages from `input`, one a line, and writes them to `output`. Lines that are no
 * messages are passed over: agents print banners. The library gets only what it knows, because it writes everything else to
 * the screen: no update, no answer to a question that nobody asked, no notification.
 */
export function connectAgent({input, output}: Pipes, version: string, events: AgentEvents): AgentConnection {
	/** The ids of the requests that wait for an answer. */
	const asked = new Set<unknown>();
	let fault: string | undefined;
	let push: ((message: AnyMessage) => void) | undefined;
	let end: () => void = () => undefined;

	const receive = (message: JsonObject) => {
		const {method, id, params} = message;
		if (typeof method !== 'string') {
			if (asked.delete(id) && isAnswer(message)) {
				push?.(asMessage(message));
			} else {
				events.onStray('an answer to no question');
			}
		} else if (method === methods.client.session.update && id === undefined) {
			events.onUpdate(isJsonObject(params) ? params : {});
		} else if (id !== undefined) {
			push?.(asMessage({...message, params: params ?? {}}));
		} else if (method === methods.protocol.cancelRequest && isJsonObject(params) && isId(params['requestId'])) {
			push?.(asMessage(message));
		} else {
			events.onStray(method.slice(0, 80));
		}
	};
	const readable = new ReadableStream<AnyMessage>({
		start(controller) {
			let isOpen = true;
			push = message => isOpen && controller.enqueue({...message, jsonrpc: '2.0'});
			end = () => {
				if (isOpen) {
					isOpen = false;
					controller.close();
				}
			};
		},
	});
	const lines = createLineReader(maxMessageBytes, {
		onLine(line) {
			// What follows a message that nothing could read is no answer to it.
			if (fault !== undefined) {
				return;
			}

			const whole = limitDepth(parseJson(line) ?? null, maxDepth);
			if (isJsonObject(whole) && ('method' in whole || 'id' in whole)) {
				receive(whole);
			} else if (line.trim()) {
				events.onStray(line.slice(0, 200));
			}
		},
		onTooLong() {
			fault ??= 'it sent a message of more than 32 MB';
			end();
		},
	});
	output.on('data', lines.add);
	output.once('end', () => end());
	output.once('error', () => end());
	// That it reads no more is heard of by its end.
	input.on('error', () => undefined);
	const writable = new WritableStream<AnyMessage>({
		async write(message) {
			if ('method' in message && 'id' in message) {
				asked.add(message.id);
			}

			if (input.writable && !input.write(`${JSON.stringify(message)}\n`)) {
				await Promise.race([new Promise(resolve => input.once('drain', resolve)), ended]);
			}
		},
	});
	let resolveEnd = () => {};
	const ended = new Promise<void>(resolve => {
		resolveEnd = resolve;
	});
	input.once('close', () => resolveEnd());

	const connection = client({name: `service ${version}`})
		.onRequest(methods.client.session.requestPermission, readObject, async ({params, signal}) => ({
			outcome: await events.onPermission(params, signal),
		}))
		.connect({readable, writable} as object as Parameters<ReturnType<typeof client>['connect']>[0]);
	const agent: ClientContext = connection.agent;
	return {
		async request(method, params) {
			return agent.request(method, params);
		},
		notify(method, params) {
			agent.notify(method, params).catch(() => undefined);
		},
		closed: connection.closed.then(() => {
			resolveEnd();
			return fault;
		}),
		close() {
			end();
			connection.close();
		},
	};
}

/** Returns a message for the library, which reads what is in it. */
function asMessage(message: object): AnyMessage {
	return message as AnyMessage;
}

/** Passes on the parameters of a question as they came: what the library repairs might be what a refusal is about. */
function readObject(params: unknown): JsonObject {
	return isJsonObject(params) ? params : {};
}

function isId(value: Json | undefined): boolean {
	return typeof value === 'string' || typeof value === 'number';
}

/** Returns true for an answer that the library can read. */
function isAnswer(message: JsonObject): boolean {
	const {error} = message;
	return (
		'result' in message ||
		(isJsonObject(error) && typeof error['code'] === 'number' && typeof error['message'] === 'string')
	);
}

/** Returns how an agent refused a request; undefined for any other failure. */
export function refusalIn(error: unknown): AgentRefusal | undefined {
	return error instanceof RequestError
		? {code: error.code, message: error.message, data: error.data as Json | undefined}
		: undefined;
}
