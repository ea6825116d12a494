import {mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {cleanImages} from '../../../src/storage/images/clean-images.ts';
import {createImageFolder} from '../../../src/storage/images/image-folder.ts';
import {temporaryFolder} from '../temporary.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** A state folder with images: `save` keeps one, `name` writes a session that names it, `clean` cleans so many days later. */
function setUp() {
	const home = temporaryFolder();
	const places = {images: join(home, 'images'), sessions: join(home, 'sessions')};
	const folder = createImageFolder(places.images);
	return {
		...places,
		...folder,
		name(hash: string, file = 'a.jsonl') {
			mkdirSync(join(places.sessions, 'project-1'), {recursive: true});
			writeFileSync(join(places.sessions, 'project-1', file), `{"images":[{"hash":"${hash}"}]}\n`);
		},
		clean: (days: number) => cleanImages(places, {nowMs: Date.now() + days * dayMs}),
		/** The images that are left. */
		left: () => readdirSync(places.images).filter(name => name.length === 64),
	};
}

test('an image that no session names is deleted after a day; one that a session names stays', async () => {
	const {save, name, clean, left, images} = setUp();
	const [named, torn, gone] = await Promise.all(['one', 'two', 'three'].map(text => save(Buffer.from(text))));
	name(named ?? '');
	name(torn ?? '', 'b.jsonl.torn');
	writeFileSync(join(images, `${'0'.repeat(64)}.removed`), 'left by a killed cleanup');
	await clean(0.5);
	expect(left()).toHaveLength(3);
	await clean(2);
	expect(left().sort()).toEqual([named, torn].sort());
	expect(left()).not.toContain(gone);
	expect(readdirSync(images).filter(each => !/^[\da-f]{64}$/.test(each))).toEqual(['cleaned']);
});

test('it cleans once a day, and a forgotten session frees its images at the next time', async () => {
	const {save, name, clean, left} = setUp();
	name(await save(Buffer.from('one')));
	await clean(2);
	name('0'.repeat(64));
	await clean(2.5);
	expect(left()).toHaveLength(1);
	await clean(3.1);
	expect(left()).toEqual([]);
});

test('an image that another window saves again stays, although no session names it yet', async () => {
	const {save, load, clean, left, images} = setUp();
	const hash = await save(Buffer.from('one'));
	const longAgo = new Date(Date.now() - 3 * dayMs);
	utimesSync(join(images, hash), longAgo, longAgo);
	await save(Buffer.from('one'));
	await clean(0);
	expect(left()).toEqual([hash]);
	expect(await load(hash)).toEqual(Buffer.from('one'));
});

test('a name that two pieces of a large session share is found', async () => {
	const {save, sessions, clean, left} = setUp();
	const hash = await save(Buffer.from('one'));
	mkdirSync(join(sessions, 'project-1'), {recursive: true});
	writeFileSync(join(sessions, 'project-1', 'a.jsonl'), `${'x'.repeat(64 * 1024 - 30)}"${hash}"`);
	await clean(2);
	expect(left()).toEqual([hash]);
});

test('nothing is deleted while a session is unreadable, and without images nothing is written', async () => {
	const {save, sessions, clean, left, images} = setUp();
	await clean(2);
	await save(Buffer.from('one'));
	mkdirSync(join(sessions, 'project-1'), {recursive: true});
	symlinkSync('loop.jsonl', join(sessions, 'project-1', 'loop.jsonl'));
	await expect(clean(2)).rejects.toMatchObject({code: 'ELOOP'});
	expect([left().length, readdirSync(images).includes('clean.lock')]).toEqual([1, false]);
});

test('[10] what a killed process left of an image is swept by the next image, and by the next cleanup', async () => {
	const {save, clean, images} = setUp();
	await save(Buffer.from('one'));
	const leave = () => {
		const path = join(images, `.${'0'.repeat(64)}.4711.0123456789ab.tmp`);
		writeFileSync(path, 'half');
		const longAgo = new Date(Date.now() - dayMs);
		utimesSync(path, longAgo, longAgo);
	};
	leave();
	await save(Buffer.from('two'));
	expect(readdirSync(images)).toHaveLength(2);
	leave();
	await clean(0);
	expect(readdirSync(images).filter(each => each.endsWith('.tmp'))).toEqual([]);
});
