import {createRequire} from 'node:module';
import vm from 'node:vm';
import {expect, test} from 'vitest';
import {toCommonJs} from '../.scripts/bundle-commonjs.mjs';

const require = createRequire(import.meta.url);

/** Runs a chunk as the loader does. Returns its exports. */
async function run(source: string, chunks: Readonly<Record<string, unknown>> = {}) {
	const code = await toCommonJs(source, {target: 'node20.18', supported: {}});
	const module: {exports: Record<string, unknown>; readonly url: string} = {exports: {}, url: 'file:///chunk.js'};
	const load = Object.assign((id: string) => chunks[id] ?? require(id), {
		builtin: (id: string) => Object.create(require(id), {default: {value: require(id)}}),
	});
	vm.runInThisContext(`(function(exports,require,module){${code}})`)(module.exports, load, module);
	return {code, exports: module.exports};
}

test('exports are live, and known before the chunk has run', async () => {
	const {exports, code} = await run(
		"import {peek} from './other.js'; let count = 0; export const seen = peek(); export function add() { count += 1 } export {count as total, count}; export default class {}",
		{'./other.js': {peek: () => 'seen'}},
	);
	expect(Object.keys(exports).toSorted()).toEqual(['__esModule', 'add', 'count', 'default', 'seen', 'total']);
	Reflect.apply(Object(exports['add']), undefined, []);
	expect(exports).toMatchObject({seen: 'seen', total: 1, count: 1, default: expect.any(Function)});
	expect(code).not.toContain('defineProperty');
});

test('a builtin is imported whole or by names, and no property of it is copied', async () => {
	const {exports, code} = await run(
		"import fs, {existsSync} from 'node:fs'; import * as path from 'path'; export const all = [fs.existsSync === existsSync, fs, path.sep, import.meta.url];",
	);
	expect(exports['all']).toEqual([true, require('node:fs'), require('node:path').sep, 'file:///chunk.js']);
	expect(code).not.toContain('getOwnPropertyNames');
});

test('a chunk without exports, and one that only passes on those of another, run', async () => {
	expect((await run('globalThis.ran = 1;')).exports).toEqual({});
	const {exports} = await run("export {a as b} from './other.js'; export * as all from './other.js';", {
		'./other.js': {a: 'a'},
	});
	expect(exports).toMatchObject({b: 'a', all: {a: 'a'}});
});
