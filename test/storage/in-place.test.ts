import {execFileSync} from 'node:child_process';
import {mkdirSync, readdirSync, readFileSync, realpathSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {build} from 'esbuild';
import {describe, expect, test} from 'vitest';
import {isUnreplaceable, writeInPlace} from '../../src/storage/in-place.ts';
import {temporaryFolder} from './temporary.ts';

function hasBubblewrap(): boolean {
	try {
		execFileSync('bwrap', ['--dev-bind', '/', '/', 'true'], {stdio: 'ignore'});
		return true;
	} catch {
		return false;
	}
}

let worker: Promise<string> | undefined;

async function bundled(): Promise<string> {
	const outfile = join(temporaryFolder(), 'worker.mjs');
	await build({
		entryPoints: [join(import.meta.dirname, 'mounted-worker.ts')],
		outfile,
		bundle: true,
		platform: 'node',
		format: 'esm',
		loader: {'.md': 'text'},
		banner: {js: "import {createRequire} from 'node:module'; const require = createRequire(import.meta.url);"},
	});
	return readFileSync(outfile, 'utf8');
}

/** A folder with a file, which a sandbox gets as `mounts` say. Nothing is mounted outside of the sandbox. */
async function lab(content: string) {
	const folder = realpathSync(temporaryFolder());
	const place = join(folder, 'place');
	mkdirSync(place);
	const [file, source, script] = [join(place, 'file.txt'), join(folder, 'source.txt'), join(folder, 'worker.mjs')];
	writeFileSync(file, content, {mode: 0o600});
	writeFileSync(source, content, {mode: 0o600});
	worker ??= bundled();
	writeFileSync(script, await worker);
	const run = (what: 'update' | 'edit', mounts: readonly string[]) =>
		execFileSync('bwrap', ['--dev-bind', '/', '/', ...mounts, process.execPath, script, what, file], {
			encoding: 'utf8',
		});
	return {place, file, source, run};
}

describe.runIf(hasBubblewrap())('in a sandbox with mounts', () => {
	test.each([
		['update', 'old', 'old+'],
		['edit', 'an old text', 'an new and longer text'],
	] as const)(
		'[10] a file that is a mount point is written by %s, and nothing is left beside it',
		async (what, before, after) => {
			const {place, file, source, run} = await lab(before);
			expect(run(what, ['--bind', source, file])).toBe(after);
			expect(readFileSync(source, 'utf8')).toBe(after);
			expect(statSync(source).mode & 0o777).toBe(0o600);
			expect(readdirSync(place)).toEqual(['file.txt']);
		},
	);

	test.each([
		['update', 'old', 'old+'],
		['edit', 'an old text', 'an new and longer text'],
	] as const)('[10] a file in a folder that is read-only is written by %s', async (what, before, after) => {
		const {place, file, run} = await lab(before);
		expect(run(what, ['--ro-bind', place, place, '--bind', file, file])).toBe(after);
		expect(readFileSync(file, 'utf8')).toBe(after);
	});

	test('a file that is read-only itself is left, in words', async () => {
		const {place, file, source, run} = await lab('an old text');
		expect(run('edit', ['--ro-bind', source, file])).toContain('“file.txt” is write-protected (EROFS)');
		expect(run('update', ['--ro-bind', source, file])).toContain(`Cannot write ${file}: read-only file system.`);
		expect(run('edit', ['--ro-bind', place, place])).toContain('“file.txt” is write-protected (EROFS)');
		expect(readFileSync(source, 'utf8')).toBe('an old text');
	});
});

test('a file is written in place whatever its old and new sizes, and keeps its mode', async () => {
	const path = join(temporaryFolder(), 'file');
	for (const [before, after] of [
		['', 'x'],
		['long text', ''],
		['a', 'b'.repeat(200_000)],
	] as const) {
		writeFileSync(path, before, {mode: 0o640});
		await writeInPlace(path, after);
		expect(readFileSync(path, 'utf8')).toBe(after);
		expect(statSync(path).mode & 0o777).toBe(0o640);
	}
});

test('[10] neither a link nor a folder is written in place', async () => {
	const folder = temporaryFolder();
	writeFileSync(join(folder, 'file'), 'text');
	symlinkSync('file', join(folder, 'link'));
	for (const path of [join(folder, 'link'), folder]) {
		await expect(writeInPlace(path, 'other')).rejects.toThrow();
	}

	expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('text');
	expect(readdirSync(folder)).toEqual(['file', 'link']);
});

test('only errors that say nothing about the file itself lead to a write in place', () => {
	const failed = (code: string) => isUnreplaceable(Object.assign(new Error(code), {code}));
	expect(['EBUSY', 'EXDEV', 'EROFS', 'EACCES', 'EPERM'].every(failed)).toBe(true);
	expect(['ENOSPC', 'EDQUOT', 'EIO', 'ENOENT', 'EISDIR', 'ELOOP', 'EEXIST'].some(failed)).toBe(false);
});
