import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {Readable} from 'node:stream';
import {expect, test} from 'vitest';
import {readBytes} from '../../src/storage/read-bytes.ts';
import {temporaryFolder} from './temporary.ts';

const maxBytes = 5;
const stdin = (...chunks: readonly string[]) => Readable.from(chunks.map(chunk => Buffer.from(chunk)));

test('a file is read whole, up to the limit', async () => {
	const path = join(temporaryFolder(), 'file');
	writeFileSync(path, Buffer.from([0, 255, 10, 13, 1]));
	expect([...(await readBytes(path, {maxBytes, stdin: undefined}))]).toEqual([0, 255, 10, 13, 1]);
	await expect(readBytes(path, {maxBytes: 4, stdin: undefined})).rejects.toMatchObject({
		code: 'usage',
		message: `${path} is larger than 4 B.`,
	});
});

test('a dash is standard input', async () => {
	expect(Buffer.from(await readBytes('-', {maxBytes, stdin: stdin('ab', 'c')})).toString()).toBe('abc');
	await expect(readBytes('-', {maxBytes, stdin: stdin('abc', 'def')})).rejects.toMatchObject({
		code: 'usage',
		message: 'Standard input is larger than 5 B.',
	});
});

test('without piped input a dash is rejected without waiting', async () => {
	const terminal = Object.assign(stdin(), {isTTY: true});
	for (const nothing of [undefined, terminal]) {
		await expect(readBytes('-', {maxBytes, stdin: nothing})).rejects.toMatchObject({code: 'usage'});
	}
});

test('an unreadable file is reported with the reason', async () => {
	const folder = temporaryFolder();
	mkdirSync(join(folder, 'sub'));
	await expect(readBytes(join(folder, 'none'), {maxBytes, stdin: undefined})).rejects.toMatchObject({
		code: 'failed',
		message: `Cannot read ${join(folder, 'none')}: no such file or folder.`,
	});
	await expect(readBytes(join(folder, 'sub'), {maxBytes, stdin: undefined})).rejects.toMatchObject({code: 'failed'});
});
