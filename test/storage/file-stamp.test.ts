import {renameSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {stampOf} from '../../src/storage/file-stamp.ts';
import {temporaryFolder} from './temporary.ts';

test('a file keeps its stamp until it is written, replaced by one of the same size, or gone', () => {
	const folder = temporaryFolder();
	const file = join(folder, 'a.json');
	expect(stampOf(file)).toBe('none');

	writeFileSync(file, 'one');
	const first = stampOf(file);
	expect(stampOf(file)).toBe(first);

	writeFileSync(join(folder, 'new.json'), 'two');
	renameSync(join(folder, 'new.json'), file);
	const second = stampOf(file);
	expect(second).not.toBe(first);

	writeFileSync(file, 'longer');
	expect(stampOf(file)).not.toBe(second);
});
