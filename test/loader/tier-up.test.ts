import process from 'node:process';
import v8 from 'node:v8';
import vm from 'node:vm';
import {expect, onTestFinished, test} from 'vitest';
import {createTierUp} from '../../src/loader/tier-up.ts';

const source = 'function add(a, b) { return a + b; } add(1, 2);';

/** Settings are those of the whole process, which runs other files, too. */
const useOwnSettings = () =>
	v8.setFlagsFromString('--interrupt-budget=67584 --wasm-tiering-budget=1800000 --semi-space-growth-factor=2');

test.runIf(process.versions.v8.startsWith('11.'))('V8 accepts code that was kept before and after the delay', () => {
	useOwnSettings();
	onTestFinished(useOwnSettings);
	const {delay, asAtStart} = createTierUp(v8.setFlagsFromString, 'app');
	let count = 0;
	// V8 would find what it compiled already by its name.
	const nextName = () => `${++count}.js`;
	const keep = () => asAtStart(() => new vm.Script(source, {filename: nextName()}).createCachedData());
	const isAccepted = (cachedData: Buffer) =>
		new vm.Script(source, {filename: nextName(), cachedData}).cachedDataRejected === false;

	const before = keep();
	expect(isAccepted(before)).toBe(true);
	delay();
	const after = keep();
	// What the wrapper is for.
	expect(isAccepted(before)).toBe(false);
	for (const data of [before, after]) {
		expect(asAtStart(() => isAccepted(data))).toBe(true);
	}

	expect(isAccepted(before)).toBe(false);
	useOwnSettings();
	expect(isAccepted(after)).toBe(true);
});

test('the delay is set again after code was compiled, even if that failed', () => {
	const flags: string[] = [];
	const {delay, asAtStart} = createTierUp(flag => flags.push(flag), 'app', {...process.versions, v8: '11.3.244.8'});
	delay();
	const [delayed] = flags;
	expect(() =>
		asAtStart(() => {
			throw new SyntaxError('Broken.');
		}),
	).toThrow('Broken.');
	expect(flags.at(-1)).toBe(delayed);
	expect(flags.at(-2)).not.toBe(delayed);
});

test.each([
	['app', true],
	['once', false],
	['worker', false],
])('started as %s, the space of new objects stays small: %s', (way, isSmall) => {
	const flags: string[] = [];
	createTierUp(flag => flags.push(flag), way, {...process.versions, v8: '11.3.244.8'}).delay();
	expect(flags.join().includes('--semi-space-growth-factor=1')).toBe(isSmall);
});

test('a command keeps the settings: as a server it runs each function often', () => {
	const flags: string[] = [];
	const {delay, asAtStart} = createTierUp(flag => flags.push(flag), 'command', {...process.versions, v8: '11.3.244.8'});
	delay();
	expect(asAtStart(() => 'done')).toBe('done');
	expect(flags).toEqual([]);
});

test('newer versions of V8 keep their settings', () => {
	const flags: string[] = [];
	const {delay, asAtStart} = createTierUp(flag => flags.push(flag), 'app', {...process.versions, v8: '12.4.254.21'});
	delay();
	expect(asAtStart(() => 'done')).toBe('done');
	expect(flags).toEqual([]);
});

test('the parser of HTTP is optimized only after long use, and at the start as V8 does', () => {
	const flags: string[] = [];
	const {delay, asAtStart} = createTierUp(flag => flags.push(flag), 'app', {...process.versions, v8: '11.3.244.8'});
	delay();
	asAtStart(() => undefined);
	const budgets = flags.map(each => Number(/--wasm-tiering-budget=(\d+)/.exec(each)?.[1]));
	expect(budgets).toEqual([180_000_000, 1_800_000, 180_000_000]);
});
