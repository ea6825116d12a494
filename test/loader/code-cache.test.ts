import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	statSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openCodeCache} from '../../src/loader/code-cache.ts';
import {isPrivate} from '../../src/loader/private-place.ts';
import {temporaryFolder} from '../storage/temporary.ts';

const source = Buffer.from('exports.answer = 42;');
const code = {data: Buffer.from('compiled code'), ways: ['app']};

/** A cache that holds code, in a state folder of the test. */
function filledCache() {
	const folder = join(temporaryFolder(), 'cache');
	const cache = openCodeCache(folder);
	cache.write('main', source, code);
	return {cache, folder, file: join(folder, 'main.bin')};
}

test('[10] compiled code is kept in a private file of a private folder', () => {
	const {cache, folder, file} = filledCache();
	expect(cache.read('main', source)).toEqual(code);
	expect(cache.read('other', source)).toBeUndefined();
	expect(statSync(folder).mode & 0o777).toBe(0o700);
	expect(statSync(file).mode & 0o777).toBe(0o600);
	expect(readdirSync(folder)).toEqual(['main.bin']);
});

test('code of another source, version or build of Node is not used', () => {
	const {cache, folder} = filledCache();
	expect(cache.read('main', Buffer.from('exports.answer = 43;'))).toBeUndefined();
	expect(openCodeCache(folder, 'v99.0.0 x64').read('main', source)).toBeUndefined();
});

test.each<[string, (content: Buffer) => Buffer]>([
	['cut', content => content.subarray(0, -1)],
	['longer', content => Buffer.concat([content, Buffer.from('x')])],
	['empty', () => Buffer.alloc(0)],
	['without a header', () => Buffer.from('compiled code')],
	['with another header', () => Buffer.from('{}\ncompiled code')],
	['with null for a header', () => Buffer.from('null\ncompiled code')],
	[
		'with a changed byte',
		content => Buffer.from(content.map((byte, index) => (index === content.length - 3 ? byte ^ 1 : byte))),
	],
])('a file that is %s is not used, and replaced by the next write', (_, damage) => {
	const {cache, file} = filledCache();
	writeFileSync(file, damage(readFileSync(file)));
	expect(cache.read('main', source)).toBeUndefined();
	cache.write('main', source, code);
	expect(cache.read('main', source)).toEqual(code);
});

test.each<[string, (paths: {readonly folder: string; readonly file: string}) => void]>([
	['a file that others can write', ({file}) => chmodSync(file, 0o622)],
	['a file that others can read', ({file}) => chmodSync(file, 0o644)],
	['a folder that others can write', ({folder}) => chmodSync(folder, 0o777)],
	['a state folder that others can write', ({folder}) => chmodSync(join(folder, '..'), 0o770)],
	[
		'a link to a file',
		({file}) => {
			renameSync(file, `${file}.real`);
			symlinkSync(`${file}.real`, file);
		},
	],
	[
		'a link to a folder',
		({folder}) => {
			renameSync(folder, `${folder}.real`);
			symlinkSync(`${folder}.real`, folder);
		},
	],
	[
		'a folder in place of the file',
		({file}) => {
			renameSync(file, `${file}.real`);
			mkdirSync(file, {mode: 0o700});
		},
	],
])('[10] code is not taken from %s', (_, plant) => {
	const {cache, ...paths} = filledCache();
	plant(paths);
	expect(cache.read('main', source)).toBeUndefined();
});

test('[10] code of another user is not used', () => {
	const ours = {platform: 'linux', getuid: () => 1000} as const;
	expect(isPrivate({uid: 1000, mode: 0o100600}, ours)).toBe(true);
	expect(isPrivate({uid: 1001, mode: 0o100600}, ours)).toBe(false);
	expect(isPrivate({uid: 0, mode: 0o100600}, ours)).toBe(false);
	expect(isPrivate({uid: 0, mode: 0o100666}, {platform: 'win32'})).toBe(true);
});

test.each<[string, (folder: string) => void]>([
	['is missing', () => undefined],
	['is a file', folder => writeFileSync(folder, '')],
	['others can write', folder => mkdirSync(folder, {mode: 0o700})],
])('nothing is written if the state folder %s', (why, make) => {
	const home = join(temporaryFolder(), 'home');
	make(home);
	if (why === 'others can write') {
		chmodSync(home, 0o777);
	}

	const cache = openCodeCache(join(home, 'cache'));
	cache.write('main', source, code);
	expect(cache.read('main', source)).toBeUndefined();
	expect(existsSync(join(home, 'cache'))).toBe(false);
});

test('code that no start used for a month is deleted by a later write', () => {
	const {cache, folder, file} = filledCache();
	const longAgo = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
	utimesSync(file, longAgo, longAgo);
	mkdirSync(join(folder, 'v22.0.0-x64'));
	utimesSync(join(folder, 'v22.0.0-x64'), longAgo, longAgo);
	cache.write('screen', source, code);
	expect(readdirSync(folder).toSorted()).toEqual(['screen.bin', 'v22.0.0-x64']);
});
