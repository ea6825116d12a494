import {execFileSync} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {performance} from 'node:perf_hooks';
import process from 'node:process';
import {sleep, start, withHome} from './program.mjs';
import {servePostgresql, serveSqlite} from './server-scenes.mjs';
import {fillIn} from './targets.mjs';

const ready = 'Ask something';

/** How long another program may take to be ready before it counts as not measurable. */
const peerTimeoutMs = 15_000;

/** Returns the command, arguments and environment of a target; writes the files that it needs into `home`. */
function prepare(target, {home, host}) {
	if (target.program) {
		return {command: process.execPath, args: [target.program, '--model', 'custom/bench'], env: host.env, ready};
	}

	const places = {home, project: join(home, 'project'), host: host.origin};
	for (const [name, text] of Object.entries(target.files)) {
		mkdirSync(dirname(join(home, name)), {recursive: true});
		writeFileSync(join(home, name), fillIn(text, places));
	}

	const env = Object.fromEntries(Object.entries(target.env).map(([name, text]) => [name, fillIn(text, places)]));
	return {command: target.command, args: target.args, env, ready: target.ready, timeoutMs: peerTimeoutMs};
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
	const {args, ready: text, ...rest} = prepare(target, {home, host});
	const app = start(args, {home, ...rest});
	try {
		await app.seen(text);
		await (target.program && app.seen('/help'));
		// Another program may animate something for as long as it runs.
		await Promise.race([app.quiet(400), sleep(5000)]);
		return app;
	} catch (error) {
		app.kill();
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

/** Sends a prompt and waits until its answer is on the screen. Returns the moment of the last output. */
async function ask(app, prompt) {
	app.forget();
	app.write(`${prompt}\r`);
	await app.seen('THE END');
	await app.seen('idle');
	return app.quiet();
}

/** The time from the start of the process to the first frame, beside that of Node alone. */
async function firstFrame(target, host) {
	return withHome(async home => {
		const node = start(['-e', 'process.stdout.write("ready"); setTimeout(() => {}, 1000)'], {home});
		const nodeMs = (await node.seen('ready')) - node.startedAt;
		node.kill();
		const {args, ready: text, ...rest} = prepare(target, {home, host});
		const app = start(args, {home, ...rest});
		try {
			const appMs = (await app.seen(text)) - app.startedAt;
			return {'node alone, ms': nodeMs, 'first frame, ms': appMs, 'first frame, times node alone': appMs / nodeMs};
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
		for (let index = 0; index < 40; index++) {
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
			// Another program may be a launcher whose child does the work.
			...(target.program && {'a key, ms CPU': (app.cpuMs() - cpu) / count}),
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
			app.forget();
			app.write('turn');
			// The app opens the connection while one types.
			await sleep(500);
			const pressedAt = performance.now();
			app.write('\r');
			await app.seen('THE END');
			times.push(host.askedAt() - pressedAt);
			await app.quiet();
		}

		return {'Enter to the request, first, ms': times[0], 'Enter to the request, ms': times[4]};
	});
}

/** 2,000 tokens at 200 a second. */
async function stream(target, host) {
	return inApp(target, host, async app => {
		const cpu = app.cpuMs();
		const bytes = app.bytes();
		await ask(app, 'stream');
		return {
			'2,000 tokens at 200/s, s CPU': (app.cpuMs() - cpu) / 1000,
			'2,000 tokens at 200/s, bytes a token': (app.bytes() - bytes) / 2000,
			'2,000 tokens at 200/s, frames': app.frames(),
			'2,000 tokens at 200/s, MB after': app.memoryMb(),
		};
	});
}

/** 20,000 tokens as fast as they can be read. */
async function burst(target, host) {
	return inApp(target, host, async app => {
		const cpu = app.cpuMs();
		const bytes = app.bytes();
		const settledAt = await ask(app, 'burst');
		return {
			'20,000 tokens at once, s after the last byte': (settledAt - host.endedAt()) / 1000,
			'20,000 tokens at once, s CPU': (app.cpuMs() - cpu) / 1000,
			'20,000 tokens at once, bytes a token': (app.bytes() - bytes) / 20_000,
		};
	});
}

/** 200 turns of 30 lines, and one more. */
async function turns(target, host) {
	return inApp(target, host, async app => {
		for (let turn = 0; turn < 200; turn++) {
			app.forget();
			app.write('turn\r');
			await app.seen('THE END');
			await app.seen('idle');
		}

		await app.quiet();
		const memory = app.memoryMb();
		const cpu = app.cpuMs();
		app.forget();
		const sentAt = performance.now();
		app.write('turn\r');
		const shownAt = await app.seen('THE END');
		await app.quiet();
		return {
			'after 200 turns of 30 lines, MB': memory,
			'one more turn, ms': shownAt - sentAt,
			'one more turn, ms CPU': app.cpuMs() - cpu,
		};
	});
}

/** An answer of 2,000 lines, and the same again from the file of the session. */
async function resume({program}, host) {
	return withHome(async home => {
		const app = await openApp({program}, {home, host});
		const cpu = app.cpuMs();
		const bytes = app.bytes();
		await ask(app, 'lines');
		const result = {
			'2,000 lines, ms CPU a line': (app.cpuMs() - cpu) / 2000,
			'2,000 lines, bytes a line': (app.bytes() - bytes) / 2000,
		};
		app.write('\u0004');
		await app.seen('--resume');
		app.kill();
		const again = start([program, '-c'], {home, env: host.env});
		const shownAt = await again.seen('THE END');
		const resumed = {
			'resume of 2,000 lines, ms': shownAt - again.startedAt,
			'resume of 2,000 lines, ms CPU': again.cpuMs(),
		};
		again.kill();
		return {...result, ...resumed};
	});
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
	stream,
	burst,
	resume,
	turns,
	'serve-sqlite': serveSqlite,
	'serve-postgresql': servePostgresql,
};

/** The scenes in which another program can take part: what they need is the same in all. */
export const scenesOfPeers = ['version', 'first-frame', 'keys'];
