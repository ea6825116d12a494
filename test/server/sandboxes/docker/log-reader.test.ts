import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {expect, test} from 'vitest';
import {logLimits, readContainerLog} from '../../../../src/server/sandboxes/docker/container-log.ts';
import {createLogReader} from '../../../../src/server/sandboxes/docker/log-reader.ts';
import {createRandom, drawnSeed} from '../../../faults/fault.ts';

type Message = {readonly ms: number; readonly bytes: Buffer};

/** The log of an engine that knows times to the nanosecond, or whole seconds only, and counts the bytes that it sends. */
function engineLog({hasFractions}: {readonly hasFractions: boolean}) {
	const messages: Message[] = [];
	let end = Buffer.alloc(0);
	let sent = 0;
	const timeOf = ({ms}: Message) => {
		const [whole, fraction] = new Date(ms).toISOString().slice(0, -1).split('.');
		return hasFractions ? `${whole}.${fraction}456789Z` : `${whole}+00:00`;
	};
	async function* send(since: number) {
		for (let index = 0; index < messages.length; index += 1) {
			const message = messages[index] ?? {ms: 0, bytes: Buffer.alloc(0)};
			if (Math.floor(message.ms / 1000) >= since) {
				sent += message.bytes.length;
				yield Buffer.concat([Buffer.from(`${timeOf(message)} `), message.bytes]);
			}
		}
	}

	return {
		messages,
		whole: () => Buffer.concat([...messages.map(({bytes}) => bytes), end]),
		finish(note: string) {
			end = Buffer.from(note);
		},
		sentBytes: () => sent,
		log: {open: async (_: string, since = 0) => send(since), readEnd: async () => end},
	};
}

const expected = async (whole: Buffer, after: number | undefined) => {
	async function* once() {
		yield whole;
	}

	return await readContainerLog(once(), after);
};

const texts = [
	'tick\n',
	'tick\n',
	'zwei ü\n',
	'😀',
	'\n',
	'2026-03-01T12:00:00Z looks like a time\n',
	'x'.repeat(3000),
];

test.each([true, false])(
	`whatever grows and is read in whatever order, windows are those of the whole log (fractions: %s, seed ${drawnSeed})`,
	async hasFractions => {
		const random = createRandom(drawnSeed);
		for (let round = 0; round < 50; round += 1) {
			const engine = engineLog({hasFractions});
			const reader = createLogReader(engine.log);
			let ms = Date.UTC(2026, 2, 1);
			let latest = ms;
			let next = 0;
			for (let step = 0; step < 60; step += 1) {
				for (let count = random.below(4); count > 0; count -= 1) {
					// The clock may be set back a little.
					ms = random.below(10) === 0 ? latest - random.below(1500) : ms + random.below(1200);
					latest = Math.max(latest, ms);
					engine.messages.push({ms, bytes: Buffer.from(random.pick(texts))});
				}

				const whole = engine.whole();
				const other = random.below(2) === 0 ? undefined : random.below(whole.length + 10);
				const after = random.below(6) === 0 ? other : next;
				const log = await reader.read('a', after);
				expect(log, JSON.stringify({round, step, after})).toEqual(await expected(whole, after));
				next = log?.window.offset ?? 0;
			}

			engine.finish('[server] a last line\n');
			const whole = engine.whole();
			expect(await reader.read('a', next)).toEqual(await expected(whole, next));
		}
	},
);

test('a read past the end keeps nothing that a later one takes for the whole', async () => {
	const engine = engineLog({hasFractions: true});
	const reader = createLogReader(engine.log);
	engine.messages.push({ms: 1000, bytes: Buffer.from('one\n')});
	await reader.read('a', 5);
	engine.messages.push({ms: 1500, bytes: Buffer.from('two\n')});
	expect(await reader.read('a', 0)).toEqual(await expected(engine.whole(), 0));
});

test('a log that is followed is sent about once, not from its beginning for each read', async () => {
	const engine = engineLog({hasFractions: false});
	const reader = createLogReader(engine.log);
	let next = 0;
	for (let line = 0; line < 1000; line += 1) {
		engine.messages.push({ms: 1000 * line, bytes: Buffer.from(`line ${line} ${'x'.repeat(90)}\n`)});
		next = (await reader.read('a', next))?.window.offset ?? 0;
	}

	expect(next).toBe(engine.whole().length);
	// The last seconds are sent again: a clock may be set back.
	expect(engine.sentBytes() / next).toBeLessThan(5);
});

test('a flood in one second is sent once, though it is read in many windows', async () => {
	const engine = engineLog({hasFractions: false});
	const reader = createLogReader(engine.log);
	const piece = Buffer.from(`${'x'.repeat(8191)}\n`);
	engine.messages.push(...Array.from({length: 1000}, () => ({ms: 1000, bytes: piece})));
	const parts: string[] = [];
	for (let next = 0; next < 1000 * piece.length; ) {
		const window = (await reader.read('a', next))?.window;
		parts.push(window?.text ?? '');
		next = window?.offset ?? Number.POSITIVE_INFINITY;
	}

	expect(parts.join('')).toBe(engine.whole().toString());
	expect(engine.sentBytes()).toBe(1000 * piece.length);
});

test('a log that is another one from some second on is read from its beginning', async () => {
	const engine = engineLog({hasFractions: true});
	const reader = createLogReader(engine.log);
	for (let second = 0; second < 10; second += 1) {
		engine.messages.push({ms: second * 1000, bytes: Buffer.from(`line ${second}\n`)});
	}

	const next = (await reader.read('a', 0))?.window.offset ?? 0;
	engine.messages.splice(0, 5);
	engine.messages.splice(0, 5, ...engine.messages.map(({ms}) => ({ms, bytes: Buffer.from('other line\n')})));
	expect(await reader.read('a', next)).toEqual(await expected(engine.whole(), next));
});

test('of a log that grows faster than it is read, the end is left, and it is known when it is too long', async () => {
	const engine = engineLog({hasFractions: true});
	const megabyte = 1024 ** 2;
	const reader = createLogReader(engine.log, {limits: {...logLimits, bytes: 40 * megabyte}});
	const line = Buffer.from(`${'x'.repeat(1023)}\n`);
	engine.messages.push(...Array.from({length: 20 * 1024}, (_, index) => ({ms: index, bytes: line})));
	const first = await reader.read('a', 0);
	expect([first?.isFull, (first?.window.start ?? 0) / megabyte]).toEqual([false, 12 + 1 / 1024]);
	let next = first?.window.offset ?? 0;
	for (; next < 20 * megabyte; next = (await reader.read('a', next))?.window.offset ?? 0) {
		expect(next % 1024).toBe(0);
	}

	expect(engine.sentBytes()).toBe(20 * megabyte);
	engine.messages.push(...Array.from({length: 30 * 1024}, (_, index) => ({ms: 30_000 + index, bytes: line})));
	expect((await reader.read('a', next))?.isFull).toBe(true);
});

/** A log of empty lines, or of others, 10,000 a second, and what `look` says at its end. */
function emptyLines(count: number, look: () => void = () => undefined, text = '') {
	let opened = 0;
	async function* send(since: number) {
		const first = Math.max(0, since * 10_000);
		for (let index = first; index < count; index += 1) {
			yield Buffer.from(`${new Date(Math.floor(index / 10)).toISOString()} ${text}\n`);
		}

		look();
	}

	const open = async (_: string, since = 0) => {
		opened += 1;
		return send(since);
	};
	return {opened: () => opened, log: {open, readEnd: async () => Buffer.alloc(0)}};
}

test('a flood of empty lines is kept as its bytes, not as a million messages', async () => {
	setFlagsFromString('--expose-gc');
	const collectGarbage: () => void = runInNewContext('gc');
	const used = () => {
		collectGarbage();
		const {heapUsed, external} = process.memoryUsage();
		return heapUsed + external;
	};
	for (const after of [0, undefined]) {
		const before = used();
		let during = 0;
		const engine = emptyLines(200_000, () => {
			during = used();
		});
		await createLogReader(engine.log, {maxChaseMs: Number.POSITIVE_INFINITY}).read('a', after);
		expect(during).toBeGreaterThan(0);
		expect((during - before) / 1024 ** 2).toBeLessThan(10);
	}
});

test('a log that has more lines than the engine keeps ends with a line that says so, also when it is read on', async () => {
	const reader = createLogReader(emptyLines(100_000).log, {limits: {...logLimits, lines: 70_000}});
	const said = '\n[server] its log has more than 70,000 lines, so the sandbox was ended\n';
	const whole = 70_000 + said.length;
	const read = async (after?: number) => {
		const log = await reader.read('a', after);
		return [log?.isFull, log?.window.offset, log?.window.text.slice(-said.length)];
	};
	expect(await read()).toEqual([true, whole, said]);
	expect(await read(35_000)).toEqual([true, whole, said]);
	expect(await read(69_000)).toEqual([true, whole, said]);
});

test('a log that grows as fast as it is read is read in parts, none of which is lost', async () => {
	const engine = emptyLines(40_000, undefined, 'x'.repeat(63));
	const reader = createLogReader(engine.log, {maxChaseMs: 0});
	for (let next = 0; next < 40_000 * 64; ) {
		const window = (await reader.read('a', next))?.window;
		expect([window?.start, window?.text.length]).toEqual([next, (window?.offset ?? 0) - next]);
		next = window?.offset ?? Number.POSITIVE_INFINITY;
	}

	expect(engine.opened()).toBeGreaterThan(1);
});
