import {mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import process from 'node:process';
import {expect, test} from 'vitest';
import {openDataFolder} from '../../../src/server/run/serve.ts';
import {temporaryFolder} from '../../storage/temporary.ts';

test('the folder and its parents are created for the owner only, and can be opened again [10]', () => {
	const folder = join(temporaryFolder(), 'deep', 'data');
	const expected = {folder, location: {engine: 'sqlite', file: join(folder, 'service.db')}};
	expect(openDataFolder({}, {data: folder})).toEqual(expected);
	expect(openDataFolder({}, {data: folder})).toEqual(expected);
	expect(statSync(folder).mode & 0o777).toBe(0o700);
	expect(statSync(expected.location.file).mode & 0o777).toBe(0o600);
});

test('a folder with other files, and a file, are left unchanged', () => {
	const folder = temporaryFolder();
	writeFileSync(join(folder, 'mine'), '');
	expect(() => openDataFolder({}, {data: folder})).toThrow(`${folder} already contains other files.`);
	expect(() => openDataFolder({}, {data: join(folder, 'mine')})).toThrow(/not a folder|could not be created/i);
	expect(readdirSync(folder)).toEqual(['mine']);
});

test('a link to a folder is followed, because the user named it', () => {
	const folder = temporaryFolder();
	mkdirSync(join(folder, 'real'));
	symlinkSync(join(folder, 'real'), join(folder, 'link'));
	openDataFolder({}, {data: join(folder, 'link')});
	expect(readdirSync(join(folder, 'real'))).toContain('service.db');
});

test.skipIf(process.platform !== 'linux')(
	'a path that cannot have folders is rejected at once (skipped off Linux)',
	() => {
		expect(() => openDataFolder({}, {data: '/proc/nope/data'})).toThrow(/\/proc\/nope/);
	},
);
