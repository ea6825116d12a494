import {type ChildProcess, spawn} from 'node:child_process';
import {readFileSync} from 'node:fs';
import process from 'node:process';
import {PassThrough, Readable, Writable} from 'node:stream';
import {
	type AgentRequestMethod,
	type ClientCapabilities,
	type ClientConnection,
	type ContentBlock,
	type CreateElicitationRequest,
	type CreateElicitationResponse,
	client,
	methods,
	ndJsonStream,
	type RequestPermissionRequest,
	type SessionUpdate,
	type StopReason,
} from '@agentclientprotocol/sdk';
import {Ajv2020, type ValidateFunction} from 'ajv/dist/2020.js';
import {expect, onTestFinished} from 'vitest';
import {connectedTo} from '../e2e/chat.ts';
import {type ModelHost, startModelHost} from '../e2e/model-host.ts';
import {environmentOf, folderWith, program} from '../e2e/program.ts';

const schemaFile = new URL('../../node_modules/@agentclientprotocol/sdk/schema/v1/schema.json', import.meta.url);
const schema = JSON.parse(readFileSync(schemaFile, 'utf8'));
const ajv = new Ajv2020({strict: false, validateFormats: false});
ajv.addSchema(schema, 'acp');

/** What each request is answered with, by the names of the protocol's schema. */
const responses: Readonly<Record<AgentRequestMethod, string>> = {
	initialize: 'InitializeResponse',
	authenticate: 'AuthenticateResponse',
	logout: 'LogoutResponse',
	'session/new': 'NewSessionResponse',
	'session/load': 'LoadSessionResponse',
	'session/list': 'ListSessionsResponse',
	'session/delete': 'DeleteSessionResponse',
	'session/resume': 'ResumeSessionResponse',
	'session/close': 'CloseSessionResponse',
	'session/set_mode': 'SetSessionModeResponse',
	'session/set_config_option': 'SetSessionConfigOptionResponse',
	'session/prompt': 'PromptResponse',
};

/** What the agent may send by itself. */
const sent: Readonly<Record<string, string>> = {
	'session/request_permission': 'RequestPermissionRequest',
	'elicitation/create': 'CreateElicitationRequest',
	'session/update': 'SessionNotification',
	'$/cancel_request': 'CancelRequestNotification',
};

const validators = new Map<string, ValidateFunction>();

/** Fails for what isn't of that schema, and for fields that it doesn't have. */
function expectValid(name: string, value: unknown): void {
	const found = validators.get(name) ?? ajv.compile({$ref: `acp#/$defs/${name}`, unevaluatedProperties: false});
	validators.set(name, found);
	expect(found(value) ? [] : [name, found.errors, value]).toEqual([]);
}

type Message = {
	readonly id?: string | number | null;
	readonly method?: string;
	readonly params?: {readonly update?: unknown; readonly toolCall?: unknown};
	readonly result?: unknown;
	readonly error?: unknown;
};

/** Returns a function that checks each line of an agent; `asked` has the method of each request that it was sent. */
export function createLineCheck(asked: ReadonlyMap<unknown, string>): (line: string) => void {
	return line => {
		const message: Message = JSON.parse(line);
		expect(message).toMatchObject({jsonrpc: '2.0'});
		if (message.method !== undefined) {
			expect(Object.keys(sent)).toContain(message.method);
			expectValid(sent[message.method] ?? '', message.params);
			for (const [name, part] of [
				['SessionUpdate', message.params?.update],
				['ToolCallUpdate', message.params?.toolCall],
			] as const) {
				if (part !== undefined) {
					expectValid(name, part);
				}
			}
		} else if (message.error === undefined) {
			const method = asked.get(message.id);
			expectValid(responses[method as AgentRequestMethod], message.result);
		} else {
			expectValid('Error', message.error);
		}
	};
}

export type Update<Kind extends SessionUpdate['sessionUpdate'] = SessionUpdate['sessionUpdate']> = Extract<
	SessionUpdate,
	{sessionUpdate: Kind}
>;

type Options = {
	readonly home?: string;
	readonly folder?: string;
	readonly args?: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
	readonly capabilities?: ClientCapabilities;
	/** What the editor calls itself; nothing by default. */
	readonly name?: string;
	readonly host?: ModelHost;
	/** Answers questions; by default each one by the first option that allows once. */
	readonly answer?: (request: RequestPermissionRequest) => Promise<string | undefined> | string | undefined;
	/** Fills in the forms of the agent, which it may show only to an editor that announces them. */
	readonly fill?: (form: CreateElicitationRequest) => CreateElicitationResponse;
};

export type TestEditor = {
	readonly child: ChildProcess;
	readonly host: ModelHost;
	readonly home: string;
	readonly folder: string;
	readonly agent: ClientConnection['agent'];
	/** Everything that happened, in order: updates, questions, and answers to prompts. */
	readonly events: readonly (SessionUpdate | RequestPermissionRequest | {readonly stopReason: StopReason})[];
	readonly questions: readonly RequestPermissionRequest[];
	readonly updates: <Kind extends SessionUpdate['sessionUpdate']>(kind: Kind) => readonly Update<Kind>[];
	/** Returns what the agent said since the last prompt. */
	readonly said: () => string;
	readonly open: (folder?: string) => Promise<string>;
	readonly prompt: (session: string, prompt: string | ContentBlock[]) => Promise<StopReason>;
	/** Resolves to the exit status. */
	readonly ended: Promise<number | null>;
	readonly stderr: () => string;
};

/** Starts the built program as an editor does, in the root folder, and checks every line that it writes by the schema. */
export async function startEditor({
	args = [],
	capabilities = {},
	answer,
	fill = () => ({action: 'decline'}),
	...given
}: Options = {}): Promise<TestEditor> {
	const host = given.host ?? (await startModelHost());
	const {home = `${folderWith()}/home`, folder = folderWith()} = given;
	const connected = connectedTo(host);
	const child = spawn(process.execPath, [program, 'acp', '--model', 'custom/alpha', ...args], {
		cwd: '/',
		env: environmentOf({home, env: {...connected.env, ...given.env}}),
		stdio: ['pipe', 'pipe', 'pipe'],
	});
	const ended = new Promise<number | null>(resolve => child.once('close', resolve));
	onTestFinished(async () => {
		child.kill('SIGKILL');
		await ended;
	});
	let stderr = '';
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		stderr += text;
	});
	const asked = new Map<unknown, string>();
	const faults: unknown[] = [];
	const events: TestEditor['events'][number][] = [];
	const check = createLineCheck(asked);
	const read = (line: string) => {
		check(line);
		events.push(...eventsIn(JSON.parse(line), asked));
	};
	const output = checkedLines(child.stdout, read, faults);
	onTestFinished(() => expect(faults).toEqual([]));
	const connection = client({name: 'test editor'})
		.onRequest(methods.client.session.requestPermission, async ({params}) => {
			const once = params.options.find(({kind}) => kind === 'allow_once')?.optionId;
			const optionId = answer ? await answer(params) : once;
			return {outcome: optionId === undefined ? {outcome: 'cancelled'} : {outcome: 'selected', optionId}};
		})
		.onRequest(methods.client.elicitation.create, ({params}) => fill(params))
		.onNotification(methods.client.session.update, () => undefined)
		.connect(ndJsonStream(recorded(child.stdin, asked), Readable.toWeb(output) as ReadableStream<Uint8Array>));
	const {agent} = connection;
	await agent.request('initialize', {
		protocolVersion: 1,
		clientCapabilities: capabilities,
		...(given.name !== undefined && {clientInfo: {name: given.name, version: '1'}}),
	});
	const updates: TestEditor['updates'] = kind =>
		events.filter((event): event is Update<typeof kind> => 'sessionUpdate' in event && event.sessionUpdate === kind);
	return {
		...{child, host, home, folder, agent, events, updates, ended},
		get questions() {
			return events.filter(event => 'options' in event);
		},
		said() {
			const from = events.findLastIndex((event, index) => 'stopReason' in event && index < events.length - 1);
			return events
				.slice(from + 1)
				.flatMap(event =>
					'sessionUpdate' in event && event.sessionUpdate === 'agent_message_chunk' && event.content.type === 'text'
						? [event.content.text]
						: [],
				)
				.join('');
		},
		async open(cwd = folder) {
			return (await agent.request('session/new', {cwd, mcpServers: []})).sessionId;
		},
		async prompt(sessionId, prompt) {
			const blocks: ContentBlock[] = typeof prompt === 'string' ? [{type: 'text', text: prompt}] : prompt;
			const request = agent.request('session/prompt', {sessionId, prompt: blocks});
			// The agent may be ended while it answers.
			request.catch(() => undefined);
			return (await request).stopReason;
		},
		stderr: () => stderr,
	};
}

/** Returns what a message tells, in the order of the lines: the library hands out notifications and answers in another one. */
function eventsIn({id, method, params, result}: Message, asked: ReadonlyMap<unknown, string>): TestEditor['events'] {
	if (method === 'session/update') {
		return [params?.update as SessionUpdate];
	}

	if (method === 'session/request_permission') {
		return [params as RequestPermissionRequest];
	}

	return result !== undefined && asked.get(id) === 'session/prompt' ? [result as {stopReason: StopReason}] : [];
}

/** Passes on what an agent writes, and checks each line of it. */
function checkedLines(stdout: Readable, check: (line: string) => void, faults: unknown[]): Readable {
	const output = new PassThrough();
	let rest = '';
	stdout.on('data', (chunk: Buffer) => {
		const lines = (rest + chunk.toString('utf8')).split('\n');
		rest = lines.pop() ?? '';
		for (const line of lines) {
			try {
				check(line);
			} catch (error) {
				faults.push(error instanceof Error ? `${error.message}\n${line}` : line);
			}
		}

		output.write(chunk);
	});
	stdout.on('end', () => {
		if (rest) {
			faults.push(`An unfinished line: ${rest}`);
		}

		output.end();
	});
	return output;
}

/** Returns a stream to the agent that notes the methods of requests by their ids. */
function recorded(stdin: Writable, asked: Map<unknown, string>): WritableStream<Uint8Array> {
	const note = new PassThrough();
	note.on('data', (chunk: Buffer) => {
		for (const line of chunk.toString('utf8').split('\n').filter(Boolean)) {
			const {id, method}: Message = JSON.parse(line);
			if (id !== undefined && method !== undefined) {
				asked.set(id, method);
			}
		}

		stdin.write(chunk);
	});
	note.on('end', () => stdin.end());
	stdin.on('error', () => undefined);
	return Writable.toWeb(note);
}
