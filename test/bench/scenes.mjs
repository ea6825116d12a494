import {performance} from 'node:perf_hooks';
import {sleep, start, withHome} from './program.mjs';

const ready = 'Ask something';

/** Starts the app with the model of the host, and waits until it has nothing left to do. */
async function openApp({program}, {home, host}) {
	const app = start([program, '--model', 'custom/bench'], {home, env: host.env});
	await app.seen(ready);
	await app.seen('· /help');
	await app.quiet(400);
	return app;
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
async function firstFrame({program}, host) {
	return withHome(async home => {
		const node = start(['-e', 'process.stdout.write("ready"); setTimeout(() => {}, 1000)'], {home});
		const nodeMs = (await node.seen('ready')) - node.startedAt;
		node.kill();
		const app = start([program, '--model', 'custom/bench'], {home, env: host.env});
		const appMs = (await app.seen(ready)) - app.startedAt;
		app.kill();
		return {'node alone, ms': nodeMs, 'first frame, ms': appMs, 'first frame, times node alone': appMs / nodeMs};
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
			'a key, ms CPU': (app.cpuMs() - cpu) / count,
			'a key, bytes': (app.bytes() - bytes) / count,
			'key echo, ms (p50)': sorted[Math.floor(count / 2)],
			'key echo, ms (p95)': sorted[Math.floor(count * 0.95)],
		};
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

export const scenes = {'first-frame': firstFrame, idle, keys, stream, burst, resume, turns};
