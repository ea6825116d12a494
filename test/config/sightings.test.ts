import {readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openSightings, type Sighting} from '../../src/config/sightings.ts';
import {withLock} from '../../src/storage/lock.ts';
import {temporaryFolder} from '../storage/temporary.ts';

const path = () => join(temporaryFolder(), 'sightings.json');
const box: Sighting = {
	kind: 'runtime',
	id: '1b9f3a52',
	profile: 'lab',
	server: 'https://lab.test',
	org: 'acme',
	workspace: 'main',
	at: '2026-11-21T08:00:00.000Z',
	shown: {key: 'dev-box', status: 'paused'},
};

test('sightings are returned newest first, from a file with mode 0600 [10]', async () => {
	const file = path();
	const sightings = openSightings(file);
	expect(await sightings.recall()).toEqual([]);
	const other = {...box, id: 'other', org: undefined, workspace: undefined, shown: {}};
	sightings.remember([box]);
	sightings.remember([other]);
	expect(await sightings.recall()).toEqual([other, box]);
	expect(await openSightings(file).recall()).toEqual([other, box]);
	expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('each thing is listed once: a sighting of its id keeps the known fields and replaces its key', async () => {
	const sightings = openSightings(path());
	sightings.remember([{...box, id: 'dev-box', shown: {}}]);
	sightings.remember([box]);
	sightings.remember([{...box, id: '1B9F3A52', at: '2026-11-22T08:00:00.000Z', shown: {}}]);
	expect(await sightings.recall()).toEqual([box]);
	const later = {...box, at: '2026-11-23T08:00:00.000Z', shown: {status: 'running'}};
	sightings.remember([later]);
	expect(await sightings.recall()).toEqual([later]);
});

test('what is not written yet is recalled as well', async () => {
	const file = path();
	const sightings = openSightings(file);
	await withLock(`${file}.lock`, async () => {
		sightings.remember([{...box, id: 'dev-box', shown: {}}]);
		sightings.remember([box]);
		expect(await sightings.recall()).toEqual([box]);
	});
	await expect.poll(() => openSightings(file).recall()).toEqual([box]);
});

test('the same id on another server or in another profile is another thing', async () => {
	const sightings = openSightings(path());
	const others = [
		{...box, server: 'https://evil.test'},
		{...box, profile: 'home'},
	];
	sightings.remember([box, ...others]);
	expect(await sightings.recall()).toEqual([box, ...others]);
	sightings.forget('lab');
	expect(await sightings.recall()).toEqual([others[1]]);
});

test('60 sightings per profile are kept, and only ids that can be typed', async () => {
	const sightings = openSightings(path());
	sightings.remember([
		{...box, id: '--yes'},
		{...box, id: 'a b'},
		{...box, id: 'a\u001Bb'},
	]);
	const home = {...box, profile: 'home'};
	sightings.remember([home]);
	sightings.remember(Array.from({length: 250}, (_, index) => ({...box, id: `${index}`})));
	expect(await sightings.recall()).toEqual([
		...Array.from({length: 60}, (_, index) => ({...box, id: `${index}`})),
		home,
	]);
	sightings.remember(Array.from({length: 400}, (_, index) => ({...box, profile: `p${index}`})));
	expect(await sightings.recall()).toHaveLength(300);
});

test('concurrent sightings of two processes are all kept [18]', async () => {
	const file = path();
	const [one, two] = [openSightings(file), openSightings(file)];
	one.remember([{...box, id: 'one'}]);
	two.remember([{...box, id: 'two'}]);
	await Promise.all([one.settle(300_000), two.settle(300_000)]);
	expect((await one.recall()).map(({id}) => id).toSorted()).toEqual(['one', 'two']);
});

test('a damaged file or a missing folder causes no failure', async () => {
	const file = path();
	writeFileSync(file, JSON.stringify({seen: [box, 5, null, {...box, kind: 'moon'}, {...box, shown: []}, {id: 'x'}]}));
	expect(await openSightings(file).recall()).toEqual([box]);
	writeFileSync(file, 'no JSON');
	const sightings = openSightings(file);
	expect(await sightings.recall()).toEqual([]);
	sightings.remember([box]);
	await sightings.settle(300_000);
	expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({seen: [box]});
	const nowhere = openSightings(join(file, 'no', 'folder'));
	nowhere.remember([box]);
	expect(await nowhere.recall()).toEqual([]);
});
