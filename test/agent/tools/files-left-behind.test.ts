import {readdir, utimes, writeFile} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {openTools} from './open-tools.ts';

test('a change removes what a killed program left in that folder long ago, and nothing else', async () => {
	const {path, write, workspace} = await openTools();
	const left = ['.service-0123456789abcdef.tmp', '.service-fedcba9876543210.tmp', '.service-mine.tmp'];
	for (const name of left) {
		await writeFile(path(name), 'x');
	}

	const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
	await utimes(path('.service-0123456789abcdef.tmp'), longAgo, longAgo);
	await utimes(path('.service-mine.tmp'), longAgo, longAgo);
	await write('a.txt', 'a\n');
	expect((await readdir(workspace)).toSorted()).toEqual([
		'.service-fedcba9876543210.tmp',
		'.service-mine.tmp',
		'a.txt',
	]);
});
