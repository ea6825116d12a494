import {execFileSync} from 'node:child_process';
import {
	linkSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	realpathSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {build} from 'esbuild';
import {describe, expect, test} from 'vitest';
import {isSecretFile} from '../../src/agent/policy/secret-files.ts';
import {copyName, isUnreplaceable, writeInPlace} from '../../src/storage/in-place.ts';
import {temporaryName} from '../../src/storage/private-file.ts';
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
	const run = (what: 'update' | 'edit' | 'restore', mounts: readonly string[]) =>
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

	test('[10] a change of a mounted file, or of one in a read-only folder, is taken back in place', async () => {
		for (const isMounted of [true, false]) {
			const {place, file, source, run} = await lab('an old text');
			const mounts = isMounted ? ['--bind', source, file] : ['--ro-bind', place, place, '--bind', file, file];
			expect(run('restore', mounts)).toBe('wanted\n');
			expect(readFileSync(isMounted ? source : file, 'utf8')).toBe('wanted\n');
			expect(readdirSync(place)).toEqual(['file.txt']);
		}
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

test('[13] a file with another name is not written in place, where it would change under that, too', async () => {
	const folder = temporaryFolder();
	const [file, other] = [join(folder, 'notes.txt'), join(folder, 'tasks.json')];
	writeFileSync(other, 'orders');
	linkSync(other, file);
	await expect(writeInPlace(file, 'new orders')).rejects.toThrow(`${file} has other names (hard links)`);
	expect(readFileSync(other, 'utf8')).toBe('orders');
	expect(readdirSync(folder)).toEqual(['notes.txt', 'tasks.json']);
});

test('[10] a copy that a killed process leaves is known as secret as its file, and no start sweeps it', () => {
	for (const name of ['.env', 'server.key', 'id_rsa', 'prod.tfstate', '.npmrc', 'credentials.json']) {
		expect(isSecretFile(`/project/${copyName(`/project/${name}`)}`), name).toBe(true);
	}

	expect(copyName('/home/.service/settings.json')).toMatch(/^settings\.json\.\d+\.old$/);
	expect(temporaryName.test(copyName('/home/.service/settings.json'))).toBe(false);
});

test('only errors that say nothing about the file itself lead to a write in place', () => {
	const failed = (code: string) => isUnreplaceable(Object.assign(new Error(code), {code}));
	expect(['EBUSY', 'EXDEV', 'EROFS', 'EACCES', 'EPERM'].every(failed)).toBe(true);
	expect(['ENOSPC', 'EDQUOT', 'EIO', 'ENOENT', 'EISDIR', 'ELOOP', 'EEXIST'].some(failed)).toBe(false);
});
