import type {Socket} from 'node:net';
import {maxRequests} from '../../src/providers/repairs/repaired-request.ts';
import {runInProcess} from '../e2e/in-process.ts';
import {folderWith} from '../e2e/program.ts';
import {wires} from '../e2e/wire-host.ts';
import {httpServer} from '../net/servers.ts';
import {createRandom, createTally, eachOf, type Fault, type Random} from './fault.ts';
import {head, refusals, startFaultHost} from './fault-host.ts';

/** What goes wrong on a connection in the middle of an answer. */
const breaks: Readonly<Record<string, (socket: Socket) => void>> = {
	'is reset': socket => socket.resetAndDestroy(),
	'is closed': socket => socket.destroy(),
	'is half-closed': socket => socket.end(),
	'ends properly': socket => socket.end('0\r\n\r\n'),
	'has a bad chunk': socket => socket.end('zz\r\nno\r\n'),
	'has a chunk that is too short': socket => socket.end('ff\r\ndata: '),
	'has broken JSON': socket => finish(socket, 'data: {"choices":[{"del\n\n'),
	'has a web page': socket => finish(socket, '<html><body>504 Gateway Timeout</body></html>'),
	'has an error': socket =>
		finish(
			socket,
			'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
		),
};

/** Sends a piece, and ends the answer as HTTP says. */
function finish(socket: Socket, text: string): void {
	socket.end(`${chunked(text)}0\r\n\r\n`);
}

/** Returns a piece of a body as a chunk; nothing for no text. */
export const chunked = (text: string) => (text === '' ? '' : `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);

const answerText = 'The first half of the answer, and the second half.';
const firstHalf = answerText.slice(0, answerText.length / 2);
const positions = [
	'before its head',
	'after its head',
	'in its text',
	'after its first half',
	'before its end',
] as const;

type WireName = keyof typeof wires;

/** Returns an event of an answer as its vendor sends it. */
export function eventBytes(event: object): string {
	const name = 'type' in event ? `event: ${event.type}\n` : '';
	return `${name}data: ${JSON.stringify(event)}\n\n`;
}

/** Returns the bytes of an answer before a position: whole events, or one cut in the middle. */
function bytesBefore(wire: WireName, position: (typeof positions)[number]): string {
	const events = wires[wire].events(answerText, []).map(eventBytes);
	const withText = events.findIndex(event => event.includes(firstHalf));
	// The finish reason of Chat Completions comes before the usage.
	const end = wire === 'chat' ? events.length - 2 : events.length - 1;
	switch (position) {
		case 'before its head':
		case 'after its head':
			return '';
		case 'in its text':
			return events.slice(0, withText).join('') + events[withText]?.slice(0, 40);
		case 'after its first half':
			return events.slice(0, withText + 1).join('');
		case 'before its end':
			return events.slice(0, end).join('');
	}
}

/** Returns cases in an order that the seed says, each once before any comes again. */
export function shuffled<Value>(values: readonly Value[], random: Random, amount: number): readonly Value[] {
	const order = values.map(value => [random.below(1e9), value] as const).toSorted(([a], [b]) => a - b);
	return Array.from({length: amount}, (_, index) => order[index % order.length]?.[1]).filter(
		value => value !== undefined,
	);
}

/** Most runs wait for a second try: so many wait together. */
const width = 24;

function brokenAnswers(wire: WireName): Fault {
	return {
		name: `a connection breaks in five places of an answer (${wire}): its text is kept, the status says so, nothing is asked again`,
		rules: [22, 23],
		amounts: {test: 8, full: 360},
		async run({seed, amount}) {
			const tally = createTally();
			const host = await startFaultHost();
			const cases = positions.flatMap(position => Object.keys(breaks).map(name => ({position, name})));
			const home = folderWith();
			await eachOf(shuffled(cases, createRandom(seed), amount), width, async ({position, name}) => {
				await tally.attempt(`${name} ${position}`, async () => {
					const {url, bodies} = host.at(socket => {
						if (position !== 'before its head') {
							socket.write(head('200 OK', {'content-type': 'text/event-stream', 'transfer-encoding': 'chunked'}));
						}

						// Nothing is in one packet with the fault.
						socket.write(chunked(bytesBefore(wire, position)) || Buffer.alloc(0), () =>
							setImmediate(() => breaks[name]?.(socket)),
						);
					});
					const {env, model} = wires[wire];
					const args = ['-p', 'Say it.', '--output-format', 'json', '--model', model];
					const {status, stdout, stderr} = await runInProcess(args, {env: env(url), home});
					const result: {text: string; error: unknown; stop_reason: string} = JSON.parse(stdout);
					const isShown = position === 'after its first half' || position === 'before its end';
					const problems = [
						[isShown ? status === 3 || status === 6 : status !== 0, `status ${status}`],
						[answerText.startsWith(result.text), `another text: ${result.text}`],
						[!isShown || result.text.startsWith(firstHalf), `lost text: ${result.text}`],
						[result.error !== null || result.stop_reason === 'incomplete', `no error: ${stdout}`],
						[bodies.length <= (isShown ? 1 : 4), `${bodies.length} requests`],
						[!hasFault(stdout + stderr), `a fault of ours: ${stderr} ${stdout}`],
					] as const;
					throwIfWrong(problems);
				});
			});
			return tally.figure();
		},
	};
}

/** True if a text has the words of an unexpected error, or a stack. */
export const hasFault = (text: string) => /inside service|^ {4}at /m.test(text);

/** Returns how often the body came that came most often. */
function mostOfOne(bodies: readonly string[]): number {
	return Math.max(...bodies.map(body => bodies.filter(other => other === body).length));
}

export function throwIfWrong(problems: readonly (readonly [boolean, string])[]): void {
	const wrong = problems.filter(([holds]) => !holds).map(([, problem]) => problem);
	if (wrong.length > 0) {
		throw new Error(wrong.join('; '));
	}
}

export type Client = {
	readonly name: string;
	/** Returns the arguments and the environment with which a run asks that address. */
	readonly ask: (url: string) => {
		readonly args: readonly string[];
		readonly env?: Record<string, string>;
		readonly home?: string;
	};
};

export const canary = 'canary-4f1d6c2a9b';

export const clients: readonly Client[] = [
	...(['anthropic', 'responses', 'chat', 'gemini'] as const).map(wire => ({
		name: `a model (${wire})`,
		ask: (url: string) => {
			const {env, model} = wires[wire];
			const withKey = Object.fromEntries(
				Object.entries(env(url)).map(([name, value]) => [name, name.endsWith('_KEY') ? canary : value]),
			);
			return {args: ['-p', 'Say it.', '--output-format', 'json', '--model', model], env: withKey};
		},
	})),
	...[['whoami'], ['env', 'list'], ['credits', 'show'], ['run', 'list']].map(words => ({
		name: `the REST API (${words.join(' ')})`,
		ask: (url: string) => ({
			args: [...words, '--json', '--org', 'acme', '--workspace', 'main', '--project', 'web'],
			env: {SERVICE_SERVER: url, SERVICE_API_KEY: canary},
		}),
	})),
	{
		name: 'an MCP server',
		ask: (url: string) => ({
			args: ['mcp', 'get', 'db', '--json'],
			home: folderWith({
				'mcp.json': JSON.stringify({mcpServers: {db: {url, headers: {authorization: `Bearer ${canary}`}}}}),
			}),
		}),
	},
];

function refused(name: string, chosen: readonly Client[], amounts: Fault['amounts']): Fault {
	return {
		...{name, rules: [7, 21, 23, 24], amounts},
		async run({seed, amount}) {
			const tally = createTally();
			const host = await startFaultHost();
			const evil = await httpServer((_, response) => void response.end('{}'));
			const cases = chosen.flatMap(client => refusals.map(refusal => ({client, refusal})));
			await eachOf(shuffled(cases, createRandom(seed), amount), width, async ({client, refusal}) => {
				await tally.attempt(`${client.name}: ${refusal.name}`, async () => {
					const {url, bodies} = host.at(refusal.answer(evil.origin));
					const {args, ...place} = client.ask(url);
					const {status, stdout, stderr} = await runInProcess(args, place);
					const said = `${stdout}\n${stderr}`;
					throwIfWrong([
						[status !== 0, `status 0: ${said}`],
						[
							mostOfOne(bodies) <= refusal.tries || client.name === 'an MCP server',
							`${mostOfOne(bodies)} requests with one body`,
						],
						// Parts of a request to a model are repaired or left out, one after another.
						[bodies.length <= maxRequests, `${bodies.length} requests`],
						[bodies.length > 0, `nothing was asked: ${said}`],
						[!hasFault(said), `a fault of ours: ${said}`],
						[!said.includes(canary), 'the key was printed'],
						[said.length < 20_000, `${said.length} characters`],
					]);
				});
			});
			tally.add(
				1,
				evil.seen.map(({method, url}) => `another origin got ${method} ${url}`),
			);
			tally.add(
				1,
				host.strays().map(request => `an address beside the server's got ${request.split('\r\n', 1)[0]}`),
			);
			return tally.figure();
		},
	};
}

export const network: readonly Fault[] = [
	...(Object.keys(wires) as WireName[]).map(brokenAnswers),
	refused(
		'a model’s host refuses, redirects, is no host, or sends a bomb: a sentence, a status, and nothing to another origin',
		clients.filter(({name}) => name.startsWith('a model')),
		{test: 12, full: 320},
	),
	refused(
		'a server does the same to the REST API',
		clients.filter(({name}) => name.startsWith('the REST')),
		{test: 12, full: 320},
	),
	refused(
		'an MCP server does the same',
		clients.filter(({name}) => name === 'an MCP server'),
		{test: 6, full: 80},
	),
];
