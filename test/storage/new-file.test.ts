import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {saveNewFile, writeNewFile} from '../../src/storage/new-file.ts';
import {temporaryFolder} from './temporary.ts';

async function* chunks() {
	yield Buffer.from('new');
}

test.each([
	['writeNewFile', (path: string) => writeNewFile(path, 'new')],
	['saveNewFile', (path: string) => saveNewFile(path, chunks())],
])('%s replaces nothing, and tells a file from a folder', async (_, write) => {
	const folder = temporaryFolder();
	const [file, inside] = [join(folder, 'talk.md'), join(folder, 'talks')];
	writeFileSync(file, 'mine');
	mkdirSync(inside);
	const code = 'conflict';
	await expect(write(file)).rejects.toMatchObject({code, message: `${file} already exists.`});
	const hint = 'Name a new file in it.';
	await expect(write(inside)).rejects.toMatchObject({code, message: `${inside} is a folder.`, hint});
	await expect(write(join(folder, 'none', 'a'))).rejects.toMatchObject({
		message: expect.stringContaining('Cannot write'),
	});
	expect(readFileSync(file, 'utf8')).toBe('mine');
	await write(join(folder, 'new'));
	expect(readFileSync(join(folder, 'new'), 'utf8')).toBe('new');
});
