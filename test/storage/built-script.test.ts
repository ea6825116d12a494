import {createHash} from 'node:crypto';
import {rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {expect, test} from 'vitest';
import {isOfThisBuild} from '../../src/storage/built-script.ts';
import {temporaryFolder} from './temporary.ts';

const text = 'process.exit(0);';
const hashes = {'child.mjs': createHash('sha256').update(text).digest('hex')};

test('a script of another build, or of one that is being written, is not that of the running one', async () => {
	const path = join(temporaryFolder(), 'child.mjs');
	const isOurs = () => isOfThisBuild(pathToFileURL(path), hashes);
	expect(await isOurs()).toBe(false);
	writeFileSync(path, text);
	expect(await isOurs()).toBe(true);
	writeFileSync(path, `${text} `);
	expect(await isOurs()).toBe(false);
	rmSync(path);
	expect(await isOfThisBuild(pathToFileURL(path), {})).toBe(true);
});
