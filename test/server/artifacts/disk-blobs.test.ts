import {randomUUID} from 'node:crypto';
import {mkdir, readdir, rm, symlink, utimes, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {createDiskBlobs} from '../../../src/server/artifacts/disk-blobs.ts';

const name = 'workspace/oid-1';

function folder(): string {
	const path = join(tmpdir(), `service-blobs-${randomUUID()}`);
	onTestFinished(() => rm(path, {recursive: true, force: true}));
	return path;
}

async function* chunksOf(...texts: readonly string[]) {
	for (const text of texts) {
		yield Buffer.from(text);
	}
}

async function read(stream: ReadableStream<Uint8Array> | undefined) {
	return stream && (await new Response(stream).text());
}

test('stored bytes are read as a whole and in parts, and never change until they are removed', async () => {
	const blobs = createDiskBlobs(folder());
	expect([await blobs.size(name), await blobs.open(name)]).toEqual([undefined, undefined]);
	expect(await blobs.put(name, chunksOf('ab', '', 'cd'), undefined)).toBe('stored');
	expect(await blobs.put(name, chunksOf('other'), undefined)).toBe('exists');
	expect([await blobs.size(name), await read(await blobs.open(name))]).toEqual([4, 'abcd']);
	expect(await read(await blobs.open(name, {start: 1, end: 2}))).toBe('bc');
	await blobs.remove(name);
	await blobs.remove(name);
	expect(await blobs.size(name)).toBeUndefined();
});

test('uploads left by a killed server are removed a day later, and current ones stay', async () => {
	const root = folder();
	const uploads = join(root, 'uploads');
	await mkdir(uploads, {recursive: true});
	await writeFile(join(uploads, 'old.tmp'), 'x');
	await writeFile(join(uploads, 'new.tmp'), 'x');
	const yesterday = Date.now() / 1000 - 25 * 3600;
	await utimes(join(uploads, 'old.tmp'), yesterday, yesterday);
	await createDiskBlobs(root).put(name, chunksOf('a'), undefined);
	expect(await readdir(uploads)).toEqual(['new.tmp']);
});

test('a disk that fails is an error of the store, and is retried', async () => {
	const root = folder();
	await writeFile(root, 'a file where the folder should be');
	const blobs = createDiskBlobs(root);
	const refused = {status: 502, options: {type: 'object_store_error'}};
	await expect(blobs.put(name, chunksOf('a'), undefined)).rejects.toMatchObject(refused);
	await expect(blobs.size(name)).rejects.toMatchObject(refused);
	await rm(root);
	expect(await blobs.put(name, chunksOf('a'), undefined)).toBe('stored');
});

test('[10] a link to another place is not followed', async () => {
	const root = folder();
	await mkdir(join(root, 'workspace'), {recursive: true});
	await writeFile(join(root, 'secret'), 'x');
	await symlink(join(root, 'secret'), join(root, name));
	await expect(createDiskBlobs(root).open(name)).rejects.toMatchObject({status: 502});
});

test('an error of the client is rethrown, and nothing of the upload remains', async () => {
	const root = folder();
	async function* failing() {
		yield Buffer.from('half');
		throw new Error('gone');
	}

	await expect(createDiskBlobs(root).put(name, failing(), undefined)).rejects.toThrow('gone');
	expect(await readdir(root, {recursive: true})).toEqual(['uploads']);
});
