import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync} from 'node:fs';
import {createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import {environmentOf, folderWith, program} from '../e2e/program.ts';
import {startTerminal, type TestTerminal} from '../e2e/terminal.ts';
import type {Random} from './fault.ts';
import {
	type Canary,
	drawSecret,
	findLeaks,
	isFound,
	type Trace,
	tracesBelow,
	tracesOfProcesses,
} from './secret-search.ts';

type Drawn = Parameters<typeof drawSecret>[1] & {
	/** Where it is, and nowhere else: parts of the names of places. */
	readonly in: readonly string[];
	/** The value, if something else made it. */
	readonly value?: string;
};

export type Place = {
	readonly env?: Readonly<Record<string, string>>;
	readonly input?: string;
	/** True if more input comes later. */
	readonly isOpen?: boolean;
	/** A module that is loaded before the program. */
	readonly before?: string;
};

/** A request as a listener got it. */
export type Heard = {
	readonly url: string;
	readonly authorization: string;
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
};

/**
 * A user's machine of its own: a home, a folder to work in, and one for temporary files. It keeps everything that processes started in it
 * print, pass on and send.
 */
export function openSecretWorld(random: Random) {
	const root = folderWith();
	const [home, folder, temporary] = ['home', 'work', 'tmp'].map(name => join(root, name));
	if (!home || !folder || !temporary) {
		throw new Error('No folders.');
	}

	for (const path of [folder, temporary]) {
		mkdirSync(path);
	}

	const canaries: Array<Canary & {readonly isSent: boolean}> = [];
	const traces = new Map<string, Trace>();
	const keep = (place: string, text: string | Buffer) => {
		const bytes = Buffer.from(text);
		traces.set(`${place}\0${bytes.toString('latin1')}`, {place, bytes});
	};
	const environment = (env: Place['env'] = {}) =>
		environmentOf({home, env: {TMPDIR: temporary, SERVICE_DEBUG: join(root, 'debug.jsonl'), ...env}});

	/** Keeps what processes get for as long as one runs. */
	function watch(pid: number): () => void {
		const look = () => {
			for (const {place, bytes} of tracesOfProcesses(pid)) {
				keep(place, bytes);
			}
		};
		const timer = setInterval(look, 10);
		return () => clearInterval(timer);
	}

	function start(args: readonly string[], {env, input = '', isOpen = false, before}: Place = {}) {
		const child = spawn(process.execPath, [...(before ? ['--import', before] : []), program, ...args], {
			cwd: folder,
			env: environment(env),
			stdio: ['pipe', 'pipe', 'pipe'],
			timeout: 600_000,
			killSignal: 'SIGKILL',
		});
		const stop = watch(child.pid ?? 0);
		const called = args.slice(0, 2).join(' ');
		const printed = {stdout: '', stderr: ''};
		for (const name of ['stdout', 'stderr'] as const) {
			child[name].setEncoding('utf8').on('data', (text: string) => {
				printed[name] += text;
			});
		}

		child.stdin.on('error', () => undefined).write(input);
		if (!isOpen) {
			child.stdin.end();
		}

		const ended = once(child, 'close').then(([status, signal]) => {
			stop();
			keep(`${called}: standard output`, printed.stdout);
			keep(`${called}: standard error`, printed.stderr);
			return {...printed, status: signal ?? status};
		});
		onTestFinished(async () => {
			child.kill('SIGKILL');
			await ended;
		});
		return {child, printed, ended};
	}

	return {
		...{root, home, folder, keep, start},
		/** Returns what matches in everything that was kept under this name. */
		kept: (name: string, pattern: RegExp): ReadonlyArray<RegExpExecArray> =>
			[...traces.values()].flatMap(({place, bytes}) =>
				place === name ? [...bytes.toString('latin1').matchAll(pattern)] : [],
			),
		/** Starts a program that serves. Returns it, and the first line that it prints, as JSON. */
		async serve(args: readonly string[], place: Place = {}) {
			const serving = start(args, place);
			const first = await new Promise<string>((resolve, reject) => {
				serving.child.stdout.on('data', () => {
					const [line = '', rest] = serving.printed.stdout.split('\n');
					if (rest !== undefined) {
						resolve(line);
					}
				});
				serving.ended.then(({stderr}) => reject(new Error(stderr)));
			});
			return {...serving, first: JSON.parse(first)};
		},
		/** Draws a secret, or is told one. Returns it. */
		canary(name: string, {in: places, value, ...drawn}: Drawn): string {
			const made = value ?? drawSecret(random, drawn);
			canaries.push({
				name,
				value: made,
				isSent: places.length > 0,
				mayBeIn: place => places.some(part => place.includes(part)),
			});
			return made;
		},
		/** Starts a host on loopback that keeps what it gets under this name. */
		async listen(name: string, answer: (heard: Heard, response: ServerResponse) => void): Promise<string> {
			const server = createServer({keepAliveTimeout: 0}, async (request: IncomingMessage, response) => {
				const body = Buffer.concat(await request.toArray());
				const {url = '/', rawHeaders, headers} = request;
				keep(`requests to ${name}`, Buffer.concat([Buffer.from(`${url}\n${rawHeaders.join('\n')}\n`), body]));
				answer({url, headers, authorization: headers.authorization ?? '', body: body.toString()}, response);
			});
			server.on('connect', ({rawHeaders}, socket) => {
				keep(`requests to ${name}`, rawHeaders.join('\n'));
				socket.on('error', () => undefined).end(`HTTP/1.1 407 No\r\nx-seen: ${rawHeaders.join(' ')}\r\n\r\n`);
			});
			server.listen(0, '127.0.0.1');
			await once(server, 'listening');
			onTestFinished(() => {
				server.closeAllConnections();
				server.close();
			});
			return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		},
		/** Runs the program to its end. */
		run: (args: readonly string[], place: Place = {}) => start(args, place).ended,
		/** Opens the app in a terminal. */
		open(args: readonly string[], {env, before}: Place = {}): TestTerminal {
			const words = before ? ['--import', before] : [];
			const terminal = startTerminal({
				...{home, folder, args, columns: 100, rows: 30, env: environment(env)},
				shell: {file: process.execPath, args: [...words, program]},
			});
			const stop = watch(terminal.pid);
			onTestFinished(stop);
			return terminal;
		},
		/** Keeps what a terminal showed: every byte, and its rows joined as a reader sees them. */
		keepTerminal(terminal: TestTerminal): void {
			keep('the bytes of the terminal', terminal.output());
			keep('the rows of the terminal', terminal.text());
			keep('the joined rows of the terminal', terminal.text().replaceAll(/\s*\n\s*/g, ''));
		},
		/** Counts each canary as an attempt. Returns how many, and what leaked, or wasn't even where it must be. */
		search() {
			const all = [...traces.values(), ...tracesBelow(root)];
			const unused = canaries.filter(canary => canary.isSent && !isFound(canary, all));
			const leaks = [...findLeaks(canaries, all), ...unused.map(({name}) => `${name} was never used`)];
			return {tried: canaries.length, leaks};
		},
	};
}

export type SecretWorld = ReturnType<typeof openSecretWorld>;
