import type {IncomingMessage, ServerResponse} from 'node:http';
import type {Duplex} from 'node:stream';

/** The pattern of the requests that a raw handler answers: those of services. */
export const rawRoute = '/sandboxes/:environment/:service';

/** Returns a handler that leaves each request to the first one that matches it. */
export function firstHandler(handlers: readonly RawHandler[]): RawHandler {
	const find = (incoming: IncomingMessage) => {
		const handler = handlers.find(({matches}) => matches(incoming));
		if (!handler) {
			throw new Error('No handler matches this request.');
		}

		return handler;
	};
	return {
		matches: incoming => handlers.some(({matches}) => matches(incoming)),
		respond: async (incoming, outgoing) => await find(incoming).respond(incoming, outgoing),
		upgrade: async (incoming, socket, head) => await find(incoming).upgrade(incoming, socket, head),
		close() {
			for (const {close} of handlers) {
				close();
			}
		},
	};
}

/** Answers requests that no app can: their bodies are streamed both ways, or their connection gets another protocol. */
export type RawHandler = {
	/** Returns whether it answers a request. */
	readonly matches: (incoming: IncomingMessage) => boolean;
	/** Answers a request. A rejection ends the connection. */
	readonly respond: (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;
	/** Answers a request for WebSocket, with what came after it. A rejection ends the connection. */
	readonly upgrade: (incoming: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>;
	/** Ends the connections that have another protocol. */
	readonly close: () => void;
};
