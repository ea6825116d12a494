import {createServer, type IncomingHttpHeaders, type Server, type ServerResponse} from 'node:http';
import {connect} from 'node:net';
import {onTestFinished} from 'vitest';
import {freePort} from '../free-port.ts';

/** An answer of the host that the test writes as it goes. */
export type Answer = {
	/** A piece of the answer's text. */
	readonly say: (text: string) => void;
	/** A piece of reasoning. */
	readonly think: (text: string) => void;
	readonly call: (name: string, args: object) => void;
	/** The beginning of a call, with the text of its arguments so far. */
	readonly beginCall: (name: string, text: string) => void;
	/** The vendor's end mark, with usage. */
	readonly finish: (reason?: 'stop' | 'tool_calls' | 'length' | 'content_filter') => void;
	/** Ends the answer properly, but without the vendor's end mark. */
	readonly end: () => void;
	/** Breaks the connection off. */
	readonly cut: () => void;
	/** Answers with a status and a body of its own instead of a stream. */
	readonly refuse: (status: number, contentType: string, body: string) => void;
	/** Settles when the other side has closed the connection. */
	readonly closed: Promise<void>;
};

type Script = (answer: Answer) => void | Promise<void>;

export type Received = {
	readonly method: string;
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
};

export type ModelHost = {
	/** Where its API begins, up to `/v1`. */
	readonly baseUrl: string;
	/** Connects to it, and returns how many connections it got before. */
	readonly knock: () => Promise<number>;
	/** Everything that was asked, in order. */
	readonly received: readonly Received[];
	/** The messages of each chat request, as `role: text`. */
	readonly chats: () => readonly (readonly string[])[];
	/** What the next requests get, one each; the last script stays. */
	readonly answerWith: (...scripts: readonly Script[]) => void;
};

const usage = {prompt_tokens: 120, completion_tokens: 30, prompt_tokens_details: {cached_tokens: 20}};
const head = {id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'stub'};

/** Starts a local Chat Completions host that answers as the test requires. Closed after the test. */
export async function startModelHost(models: readonly string[] = ['alpha', 'beta', 'gamma-large']): Promise<ModelHost> {
	const received: Received[] = [];
	let scripts: readonly Script[] = [
		({say, finish}) => {
			say('Hello from the host.');
			finish();
		},
	];

	// It ends no connection by itself: on a busy machine, a request may be on its way.
	const server = createServer({keepAliveTimeout: 0}, async (request, response) => {
		let body = '';
		for await (const chunk of request.setEncoding('utf8')) {
			body += chunk;
		}

		const {method = '', url: path = '', headers} = request;
		received.push({method, path, headers, body});
		if (path === '/v1/models') {
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify({object: 'list', data: models.map(id => ({id, object: 'model'}))}));
			return;
		}

		const [script, ...rest] = scripts;
		scripts = rest.length > 0 ? rest : scripts;
		await script?.(answerOn(response));
	});
	let connections = 0;
	server.on('connection', () => {
		connections++;
	});
	await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(async () => {
		server.closeAllConnections();
		await new Promise(resolve => server.close(resolve));
	});

	return {
		baseUrl: baseUrlOf(server),
		async knock() {
			const accepted = new Promise(resolve => server.once('connection', resolve));
			const own = connect(Number(new URL(baseUrlOf(server)).port), '127.0.0.1');
			// They are accepted in order.
			await new Promise(resolve => own.once('connect', resolve));
			await accepted;
			own.destroy();
			return connections - 1;
		},
		received,
		chats: () =>
			received.filter(({path}) => path === '/v1/chat/completions').map(({body}) => readChat(JSON.parse(body))),
		answerWith(...next) {
			scripts = next;
		},
	};
}

/** Returns an answer in two halves, the second of which waits for `release`. */
export function halves() {
	let release = () => {};
	const released = new Promise<void>(resolve => {
		release = resolve;
	});
	return {
		release,
		async script({say, finish}: Answer) {
			say('First half.');
			await released;
			say(' Second half.');
			finish();
		},
	};
}

/** Returns the address of a host that refuses connections. */
export async function unusedAddress(): Promise<string> {
	return `http://127.0.0.1:${await freePort()}/v1`;
}

function baseUrlOf(server: Server): string {
	const address = server.address();
	return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`;
}

function readChat({messages}: {readonly messages: readonly {readonly role: string; readonly content: unknown}[]}) {
	return messages.map(
		({role, content}) => `${role}: ${typeof content === 'string' ? content : JSON.stringify(content)}`,
	);
}

/** Returns what writes an answer into a response. */
export function answerOn(response: ServerResponse): Answer {
	const closed = new Promise<void>(resolve => response.once('close', resolve));
	const write = (data: string) => {
		if (!response.headersSent) {
			response.writeHead(200, {'content-type': 'text/event-stream'});
		}

		response.write(`data: ${data}\n\n`);
	};

	const chunk = (delta: object, finish: string | null = null) =>
		write(JSON.stringify({...head, choices: [{index: 0, delta, finish_reason: finish}]}));
	let calls = 0;
	const beginCall = (name: string, text: string) => {
		const call = {index: calls, id: `call_${calls}`, type: 'function', function: {name, arguments: text}};
		calls++;
		chunk({tool_calls: [call]});
	};

	return {
		say: content => chunk({content}),
		think: text => chunk({reasoning_content: text}),
		call: (name, args) => beginCall(name, JSON.stringify(args)),
		beginCall,
		finish(reason = calls > 0 ? 'tool_calls' : 'stop') {
			chunk({}, reason);
			write(JSON.stringify({...head, choices: [], usage}));
			write('[DONE]');
			response.end();
		},
		end() {
			response.end();
		},
		cut() {
			response.socket?.destroy();
		},
		refuse(status, contentType, body) {
			response.writeHead(status, {'content-type': contentType});
			response.end(body);
		},
		closed,
	};
}
