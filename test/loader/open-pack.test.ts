import {existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {createRequire as createNodeRequire} from 'node:module';
import {join} from 'node:path';
import process from 'node:process';
import {expect, onTestFinished, test} from 'vitest';
import {reportError} from '../../src/core/error.ts';
import {createRequire} from '../../src/loader/chunks.ts';
import {openCodeCache} from '../../src/loader/code-cache.ts';
import {createOpenPack} from '../../src/loader/open-pack.ts';
import {temporaryFolder} from '../storage/temporary.ts';

const wrap = (id: string, code: string) => `${JSON.stringify(id)}:function(exports,require,module,__load){${code}}`;

/** Two packs as the build writes them, in a folder of the test. */
function packs(text = 'a') {
	const home = temporaryFolder();
	const folder = join(home, 'chunks');
	mkdirSync(folder);
	writeFileSync(join(home, 'package.json'), '{"type": "commonjs"}');
	const first = [
		wrap(
			'#first/main',
			"exports.text=require('#first/text').text;exports.later=()=>__load('#second/later');exports.others=()=>__load('node:path');exports.url=module.url;",
		),
		wrap('#first/text', `exports.text=${JSON.stringify(text)}+require('node:path').sep;`),
	];
	writeFileSync(join(folder, 'first.js'), `({${first.join()}})`);
	writeFileSync(join(folder, 'second.js'), `({${wrap('#second/later', "exports.text='later';")}})`);
	return {home, folder, cache: join(home, 'cache'), built: join(home, 'compiled')};
}

type Main = {
	readonly text: string;
	readonly later: () => Promise<{readonly text: string}>;
	readonly others: () => Promise<unknown>;
	readonly url: string;
};

/** Starts the packs as a process would, and ends it: code is kept when it exits. */
function start({folder, home, built}: ReturnType<typeof packs>, cache: string | undefined, way = 'app') {
	const others = createNodeRequire(join(home, 'service.js'));
	const before = process.listeners('exit');
	const openPack = createOpenPack({folder, built, cache, way, others});
	const main = createRequire({
		openPack,
		others,
		importOther: id => import(id),
		urlOf: pack => `file:///${pack}.js`,
	})('#first/main') as Main;
	const added = () => process.listeners('exit').filter(listener => !before.includes(listener));
	const leave = () => {
		for (const listener of added()) {
			process.off('exit', listener);
			listener(0);
		}
	};
	onTestFinished(leave);
	return {main, leave};
}

/** Starts the packs once, and moves the code that was kept to where a build keeps it. */
function startedByBuild() {
	const made = packs();
	start(made, made.cache).leave();
	renameSync(made.cache, made.built);
	return made;
}

const waysOf = (file: string) => JSON.parse(readFileSync(file, 'utf8').split('\n')[0] ?? '').ways;

test('chunks run once, with what they require, and load others later', async () => {
	const {main} = start(packs(), undefined);
	expect(main).toMatchObject({text: 'a/', url: 'file:///first.js'});
	const later = main.later();
	expect(await later).toEqual({text: 'later'});
	expect(await main.later()).toBe(await later);
	expect(await main.others()).toBe(await import('node:path'));
});

test.each(['a', 'ä', '😀'])('a pack with “%s” runs the same with and without kept code', async text => {
	const built = packs(text);
	for (let run = 0; run < 3; run++) {
		const {main, leave} = start(built, built.cache);
		expect(main.text).toBe(`${text}/`);
		expect(await main.later()).toEqual({text: 'later'});
		leave();
	}

	expect(readdirSync(built.cache).toSorted()).toEqual(['first.bin', 'second.bin']);
});

test('each way of starting adds the code that it uses, once', () => {
	const built = packs();
	const file = join(built.cache, 'first.bin');
	for (const way of ['app', 'command', 'app']) {
		start(built, built.cache, way).leave();
	}

	expect(waysOf(file)).toEqual(['app', 'command']);
	const {mtimeMs} = statSync(file);
	start(built, built.cache, 'command').leave();
	expect(statSync(file).mtimeMs).toBe(mtimeMs);
});

test('code of the build is used, and not kept again', () => {
	const made = startedByBuild();
	const {main, leave} = start(made, made.cache);
	leave();
	expect(main.text).toBe('a/');
	expect(existsSync(made.cache)).toBe(false);
});

test.each<[string, (made: ReturnType<typeof packs>) => string]>([
	['of another way of starting', () => 'command'],
	[
		'of another source',
		({folder}) => {
			const path = join(folder, 'first.js');
			writeFileSync(path, `${readFileSync(path, 'utf8')} `);
			return 'app';
		},
	],
	[
		'that is damaged',
		({built}) => {
			const path = join(built, 'first.bin');
			writeFileSync(path, readFileSync(path).subarray(0, -1));
			return 'app';
		},
	],
])('in place of code of the build %s, a start keeps its own', (_, change) => {
	const made = startedByBuild();
	const way = change(made);
	for (let run = 0; run < 2; run++) {
		const {main, leave} = start(made, made.cache, way);
		leave();
		expect(main.text).toBe('a/');
		expect(waysOf(join(made.cache, 'first.bin'))).toEqual([way]);
	}
});

test('a pack that is replaced under the same name runs its new code', () => {
	const built = packs();
	start(built, built.cache).leave();
	const path = join(built.folder, 'first.js');
	writeFileSync(path, readFileSync(path, 'utf8').replace('="a"+', '="b"+'));
	expect(start(built, built.cache).main.text).toBe('b/');
});

test.each(['built', 'cache'] as const)('code that V8 refuses is compiled again (%s)', place => {
	// Once compiled, V8 would know this source in this process without kept code.
	const fresh = packs(`new in ${place}`);
	const other = packs('other');
	start(other, other.cache).leave();
	const sourceOf = ({folder}: typeof other) => readFileSync(join(folder, 'first.js'));
	const kept = openCodeCache(other.cache).read('first', sourceOf(other)) ?? expect.fail('Nothing was kept.');
	openCodeCache(fresh[place]).write('first', sourceOf(fresh), kept);
	const {main, leave} = start(fresh, fresh.cache);
	leave();
	expect(main.text).toBe(`new in ${place}/`);
	const again = openCodeCache(fresh.cache).read('first', sourceOf(fresh));
	expect(again?.data.equals(kept.data)).toBe(false);
});

test('a chunk that the build lacks, or that fails, fails each time that it is loaded', async () => {
	const built = packs();
	writeFileSync(join(built.folder, 'second.js'), `({${wrap('#second/later', "throw new Error('Broken.')")}})`);
	const {main} = start(built, built.cache);
	await expect(main.later()).rejects.toThrow('Broken.');
	await expect(main.later()).rejects.toThrow('Broken.');
	writeFileSync(join(built.folder, 'first.js'), '({})');
	expect(() => start(built, undefined)).toThrow('The build has no chunk #first/main.');
});

test.each([
	['an update removed its files', (folder: string) => rmSync(folder, {recursive: true})],
	['another build has the file', (folder: string) => writeFileSync(join(folder, 'second.js'), '({})')],
])('a program that runs while %s says so, and how to go on', async (_, change) => {
	for (const cached of [true, false]) {
		const built = packs();
		const {main} = start(built, cached ? built.cache : undefined);
		change(built.folder);
		const report = reportError(await main.later().catch((error: unknown) => error));
		expect(report).toEqual({
			code: 'failed',
			message: 'service was changed on disk while it was running, for example by an update.',
			hint: 'Your session is saved. Quit, then continue it with `$ --continue`.',
		});
	}
});

test('a build that lacks the chunk it begins with, or its file, is no update', () => {
	const built = packs();
	rmSync(built.folder, {recursive: true});
	expect(() => start(built, undefined)).toThrow('ENOENT');
});
