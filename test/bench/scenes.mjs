import {execFile, execFileSync} from 'node:child_process';
import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {performance} from 'node:perf_hooks';
import process from 'node:process';
import {promisify} from 'node:util';
import {environmentOf, sleep, start, withHome} from './program.mjs';
import {servePostgresql, serveSqlite} from './server-scenes.mjs';
import {fillIn} from './targets.mjs';

/** Runs a program that reads nothing to its end. Resolves with what it wrote to standard output. */
async function run(command, args, options) {
	const running = promisify(execFile)(command, args, options);
	running.child.stdin.end();
	return (await running).stdout;
}

const ready = 'Ask something';

/** How long another program may take to write what is waited for before it counts as not measurable. */
const peerTimeoutMs = 60_000;

/** The prompt of a program that runs without a terminal. */
const onePrompt = 'answer-turn';

/** Returns the command, arguments and environment of a target; writes the files that it needs into `home`. */
function prepare(target, {home, host}) {
	if (target.program) {
		const args = [target.program, '--model', 'custom/bench'];
		return {command: process.execPath, args, once: [...args, '-p', onePrompt], env: host.env, ready};
	}

	const places = {home, project: join(home, 'project'), host: host.origin};
	for (const [name, text] of Object.entries(target.files)) {
		mkdirSync(dirname(join(home, name)), {recursive: true});
		writeFileSync(join(home, name), fillIn(text, places));
	}

	const env = Object.fromEntries(Object.entries(target.env).map(([name, text]) => [name, fillIn(text, places)]));
	const filledIn = args => args.map(text => fillIn(text, {...places, prompt: onePrompt}));
	return {
		...{command: target.command, args: filledIn(target.args), once: filledIn(target.once)},
		...{env, ready: target.ready, timeoutMs: peerTimeoutMs},
	};
}

/** Measures `--version` from start to end, beside Node that does nothing. */
async function version(target) {
	return withHome(async home => {
		const env = {PATH: process.env.PATH, HOME: home, SERVICE_HOME: home};
		const time = (command, args) => {
			const startedAt = performance.now();
			execFileSync(command, args, {env, cwd: home, stdio: 'ignore', timeout: peerTimeoutMs});
			return performance.now() - startedAt;
		};
		const nodeMs = time(process.execPath, ['-e', '0']);
		const programMs = target.program
			? time(process.execPath, [target.program, '--version'])
			: time(target.command, target.version);
		return {'--version, ms': programMs, '--version, times `node -e 0`': programMs / nodeMs};
	});
}

/** Starts the app with the model of the host, and waits until it has nothing left to do. */
async function openApp(target, {home, host}) {
	const {args, once: _, ready: text, ...rest} = prepare(target, {home, host});
	if (target.isAttached) {
		return openAttached(target, {home, host});
	}

	const app = start(args, {home, ...rest});
	try {
		await app.seen(text);
		await (target.program && app.seen('/help'));
		// Another program may start its parts after its first frame.
		await (target.program ? settle(app) : sleep(4000));
		return app;
	} catch (error) {
		app.kill();
		throw error;
	}
}

/** Starts a host of conversations, and a terminal that is attached to a new one. Only the terminal is measured. */
async function openAttached({program}, {home, host}) {
	const {env} = host;
	await run(process.execPath, [program, 'config', 'set', 'model', 'custom/bench'], {
		env: {...environmentOf(home), ...env},
	});
	const conversations = start([program, 'host', '--json'], {home, env});
	await conversations.seen('"socket"');
	const app = start([program, 'attach', '--new'], {home, env});
	const kill = () => {
		app.kill();
		conversations.kill();
	};
	try {
		await app.seen('idle');
		// What a start does in the background takes longer there, and is no part of a key.
		await sleep(2000);
		await settle(app);
		return {...app, kill};
	} catch (error) {
		kill();
		throw error;
	}
}

const inApp = (target, host, use) =>
	withHome(async home => {
		const app = await openApp(target, {home, host});
		try {
			return await use(app);
		} finally {
			app.kill();
		}
	});

/** Waits until nothing is written any more. Returns the moment of the last output. */
const settle = app => {
	// Another program may animate something for as long as it runs.
	const limit = sleep(5000).then(() => performance.now());
	return Promise.race([app.quiet(), limit]);
};

/** Types text as a person does: some programs take what comes at once for a paste, and Enter with it. */
async function type(target, app, text) {
	if (target.program) {
		app.write(text);
		return;
	}

	for (const key of text) {
		app.write(key);
		await sleep(20);
	}

	await sleep(300);
}

/** Sends a prompt and waits until its answer is on the screen. Returns when that was, and what it cost from Enter on. */
async function ask(target, {app, host, name}) {
	const end = host.nextEnd();
	await type(target, app, `answer-${name}`);
	app.forget();
	const [cpu, bytes, sentAt] = [app.cpuMs(), app.bytes(), performance.now()];
	app.write('\r');
	const shownAt = await app.seen(end);
	await (target.program && app.seen('idle'));
	const settledAt = await settle(app);
	return {end, sentAt, shownAt, settledAt, cpuMs: app.cpuMs() - cpu, bytes: app.bytes() - bytes};
}

/** A character that no program shows by itself. */
const typed = '§';

/** The time from the start of the process to the first frame and to a typed character in it, beside that of Node alone. */
async function firstFrame(target, host) {
	return withHome(async home => {
		const node = start(['-e', 'process.stdout.write("ready"); setTimeout(() => {}, 1000)'], {home});
		const nodeMs = (await node.seen('ready')) - node.startedAt;
		node.kill();
		const {args, once: _, ready: text, ...rest} = prepare(target, {home, host});
		const app = start(args, {home, ...rest});
		try {
			const appMs = (await app.seen(text)) - app.startedAt;
			app.forget();
			app.write(typed);
			return {
				...{'node alone, ms': nodeMs, 'first frame, ms': appMs, 'first frame, times node alone': appMs / nodeMs},
				'a typed character after the start, ms': (await app.seen(typed)) - app.startedAt,
			};
		} finally {
			app.kill();
		}
	});
}

/** Types and erases characters at the pace of a fast typist. */
async function keys(target, host) {
	return inApp(target, host, async app => {
		const count = 120;
		const times = [];
		const press = async key => {
			const pressedAt = performance.now();
			const shown = app.next();
			app.write(key);
			times.push((await shown) - pressedAt);
			await sleep(25);
		};
		for (let index = 0; index < 80; index++) {
			await press('x');
		}

		times.length = 0;
		const cpu = app.cpuMs();
		const bytes = app.bytes();
		for (let index = 0; index < count; index++) {
			await press(index % 60 < 30 ? 'y' : '\u007f');
		}

		const sorted = times.toSorted((a, b) => a - b);
		return {
			'a key, ms CPU': (app.cpuMs() - cpu) / count,
			'a key, bytes': (app.bytes() - bytes) / count,
			'key echo, ms (p50)': sorted[Math.floor(count / 2)],
			'key echo, ms (p95)': sorted[Math.floor(count * 0.95)],
		};
	});
}

/** The time from Enter to the request: of the first message, for which everything is loaded, and of the fifth. */
async function enter(target, host) {
	return inApp(target, host, async app => {
		const times = [];
		while (times.length < 5) {
			const end = host.nextEnd();
			await type(target, app, 'answer-turn');
			// The app opens the connection while one types.
			await sleep(500);
			const pressedAt = performance.now();
			app.write('\r');
			await app.seen(end);
			times.push(host.askedAt() - pressedAt);
			await settle(app);
		}

		return {'Enter to the request, first, ms': times[0], 'Enter to the request, ms': times[4]};
	});
}

/** An answer without a terminal, from start to end, in a fresh home. */
async function once(target, host) {
	return withHome(async home => {
		const {command, once: args, env} = prepare(target, {home, host});
		const place = {cwd: join(home, 'project'), timeout: peerTimeoutMs};
		const startedAt = performance.now();
		const end = host.nextEnd();
		const output = await run(command, args, {...place, env: {...environmentOf(home), ...env}});
		const milliseconds = performance.now() - startedAt;
		if (!output.includes(end)) {
			throw new Error(`The answer is missing:\n${output}`);
		}

		return {'one-shot -p, ms': milliseconds};
	});
}

/** Characters while 2,000 tokens stream at 200 a second: each another one, which no row that is drawn again can have. */
async function keysWhileStreaming(target, host) {
	return inApp(target, host, async app => {
		await type(target, app, 'answer-stream');
		app.write('\r');
		await sleep(1500);
		const times = [];
		for (let code = 0xc0; code < 0xc0 + 60; code++) {
			const key = String.fromCodePoint(code);
			app.forget();
			const pressedAt = performance.now();
			app.write(key);
			times.push((await app.seen(key)) - pressedAt);
			await sleep(97);
		}

		const sorted = times.toSorted((a, b) => a - b);
		return {
			'key echo while 200 tokens/s stream, ms (p50)': sorted[Math.floor(times.length / 2)],
			'key echo while 200 tokens/s stream, ms (p95)': sorted[Math.floor(times.length * 0.95)],
		};
	});
}

/** 2,000 tokens at 200 a second. */
async function stream(target, host) {
	return inApp(target, host, async app => {
		const {cpuMs, bytes} = await ask(target, {app, host, name: 'stream'});
		return {
			'2,000 tokens at 200/s, s CPU': cpuMs / 1000,
			'2,000 tokens at 200/s, bytes a token': bytes / 2000,
			'2,000 tokens at 200/s, frames': app.frames(),
			'2,000 tokens at 200/s, MB after': app.memoryMb(),
		};
	});
}

/** The first and the last piece of an answer that comes at 50 tokens a second, each from its bytes to the screen. */
async function pieces(target, host) {
	return inApp(target, host, async app => {
		const times = {first: [], last: []};
		while (times.first.length < 9) {
			const [beginning, end] = [host.nextBeginning(), host.nextEnd()];
			await type(target, app, 'answer-pieces');
			app.forget();
			app.write('\r');
			times.first.push((await app.seen(beginning)) - host.begunAt());
			times.last.push((await app.seen(end)) - host.endedAt());
			await settle(app);
		}

		const [first, ...firsts] = times.first;
		const median = list => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
		return {
			'first piece of the first answer, ms': first,
			'first piece of an answer, ms': median(firsts),
			'last piece of an answer, ms': median(times.last),
		};
	});
}

/** 20,000 tokens as fast as they can be read. */
async function burst(target, host) {
	return inApp(target, host, async app => {
		const {settledAt, cpuMs, bytes} = await ask(target, {app, host, name: 'burst'});
		return {
			'20,000 tokens at once, s after the last byte': (settledAt - host.endedAt()) / 1000,
			'20,000 tokens at once, s CPU': cpuMs / 1000,
			'20,000 tokens at once, bytes a token': bytes / 20_000,
		};
	});
}

/** 200 turns of 30 lines, and one more. */
async function turns(target, host) {
	return inApp(target, host, async app => {
		for (let turn = 0; turn < 200; turn++) {
			await ask(target, {app, host, name: 'turn'});
		}

		const memory = app.memoryMb();
		const {sentAt, shownAt, cpuMs} = await ask(target, {app, host, name: 'turn'});
		return {
			'after 200 turns of 30 lines, MB': memory,
			'one more turn, ms': shownAt - sentAt,
			'one more turn, ms CPU': cpuMs,
		};
	});
}

/** An answer of 2,000 lines, and the same again from the file of the session. */
async function resume({program}, host) {
	return withHome(async home => {
		const app = await openApp({program}, {home, host});
		const {end, cpuMs, bytes} = await ask({program}, {app, host, name: 'lines'});
		const result = {'2,000 lines, ms CPU a line': cpuMs / 2000, '2,000 lines, bytes a line': bytes / 2000};
		app.write('\u0004');
		await app.seen('--resume');
		app.kill();
		const again = start([program, '-c'], {home, env: host.env});
		const shownAt = await again.seen(end);
		const resumed = {
			'resume of 2,000 lines, ms': shownAt - again.startedAt,
			'resume of 2,000 lines, ms CPU': again.cpuMs(),
		};
		again.kill();
		return {...result, ...resumed};
	});
}

/** A session of 20,000 messages, from the start to its last answer on the screen. */
async function resumeLong({program}, host) {
	return withHome(async home => {
		const {once: args, env} = prepare({program}, {home, host});
		await run(process.execPath, args, {cwd: join(home, 'project'), env: {...environmentOf(home), ...env}});
		const turns = 10_000;
		repeatTurn(join(home, '.service'), turns);
		const app = start([program, '-c'], {home, env: host.env});
		const shownAt = await app.seen(`Answer ${turns}.`);
		const result = {
			'resume of 20,000 messages, ms': shownAt - app.startedAt,
			'resume of 20,000 messages, MB': app.memoryMb(),
		};
		app.kill();
		return result;
	});
}

/** Writes the turn of the only session again and again, with another answer each time. */
function repeatTurn(folder, turns) {
	const name = readdirSync(folder, {recursive: true}).find(path => path.endsWith('.jsonl'));
	const records = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n').map(JSON.parse);
	const answer = records.findIndex(({event}) => event.type === 'text-delta');
	const kept = records.filter(({event}, index) => event.type !== 'text-delta' || index === answer);
	const lines = Array.from({length: turns}, (_, turn) =>
		kept.map(({event, ...record}, index) => {
			const text = event.type === 'text-delta' ? {text: `Some **words** and \`code\`. Answer ${turn + 1}.`} : {};
			const ids = Object.fromEntries(
				['id', 'runId', 'messageId'].flatMap(key => (event[key] ? [[key, `${event[key]}-${turn}`]] : [])),
			);
			return JSON.stringify({...record, seq: turn * kept.length + index, event: {...event, ...text, ...ids}});
		}),
	);
	writeFileSync(join(folder, name), `${lines.flat().join('\n')}\n`);
}

/** Memory while nothing happens. */
async function idle(target, host) {
	return inApp(target, host, async app => {
		await sleep(1000);
		return {'idle, MB': app.memoryMb()};
	});
}

export const scenes = {
	version,
	'first-frame': firstFrame,
	idle,
	keys,
	enter,
	once,
	stream,
	'stream-keys': keysWhileStreaming,
	pieces,
	burst,
	resume,
	'resume-long': resumeLong,
	turns,
	'serve-sqlite': serveSqlite,
	'serve-postgresql': servePostgresql,
};

/** The scenes in which another program can take part: they need nothing but a prompt, and no more than a minute. */
export const scenesOfPeers = [
	...['version', 'first-frame', 'idle', 'keys', 'enter', 'once'],
	...['stream', 'stream-keys', 'pieces', 'burst'],
];

/** The scenes that a terminal draws alike if its conversation runs on a host. */
export const scenesOfTerminals = ['keys', 'stream', 'stream-keys', 'pieces', 'burst'];
