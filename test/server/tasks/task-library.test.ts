import {mkdir, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import type {ServerLogEntry} from '../../../src/server/kit/log.ts';
import {createTaskLibrary} from '../../../src/server/tasks/task-library.ts';
import {compareVersions, parseReference} from '../../../src/server/tasks/task-reference.ts';
import {temporaryFolder} from '../sandboxes/sandbox.ts';

async function library(tasks: Readonly<Record<string, string>>) {
	const folder = await temporaryFolder();
	for (const [name, text] of Object.entries(tasks)) {
		await mkdir(join(folder, name));
		await writeFile(join(folder, name, 'task.yaml'), text);
	}

	const logged: ServerLogEntry[] = [];
	return {folder, logged, ...createTaskLibrary({folder, log: entry => logged.push(entry)})};
}

const yaml = (name: string, version: string, more = '') => `name: ${name}\nversion: ${version}\ncommand: [a]\n${more}`;

test.each<[string, ReturnType<typeof parseReference>]>([
	['shop', {name: 'shop'}],
	['shop@1.2.0-beta.1', {name: 'shop', version: '1.2.0-beta.1'}],
	['acme/shop@2', {organization: 'acme', name: 'shop', version: '2'}],
	['', undefined],
	['Shop', undefined],
	['a/b/c', undefined],
	['/shop', undefined],
	['shop@', undefined],
	['../shop', undefined],
	['shop\n', undefined],
])('the reference “%s” is parsed', (text, reference) => expect(parseReference(text)).toEqual(reference));

test('versions are ordered by their numbers, a pre-release before its release', () => {
	const versions = ['1.10.0', '1.2.0', '1.10.0-beta.2', '1.10.0-beta.10', '2', '1.10.0-alpha'];
	expect(versions.sort(compareVersions)).toEqual([
		'1.2.0',
		'1.10.0-alpha',
		'1.10.0-beta.2',
		'1.10.0-beta.10',
		'1.10.0',
		'2',
	]);
});

test('[26] a task is found by organization, among the organization’s own and public ones', async () => {
	const {find} = await library({
		own: yaml('shop', '1.0.0', 'owner: acme\n'),
		newer: yaml('shop', '1.1.0', 'owner: acme\n'),
		theirs: yaml('shop', '9.0.0', 'owner: other\npublic: true\n'),
		secret: yaml('secret', '1.0.0', 'owner: other\n'),
		nobodys: yaml('nobodys', '1.0.0'),
	});
	const version = async (reference: string, organization: string) => (await find(reference, organization))?.version;
	expect({
		own: await version('shop', 'acme'),
		pinned: await version('shop@1.0.0', 'acme'),
		missing: await version('shop@3.0.0', 'acme'),
		public: await version('other/shop', 'acme'),
		publicOnly: await version('shop', 'third'),
		notTheirs: await version('acme/shop', 'third'),
		secret: await version('other/secret', 'acme'),
		secretOwn: await version('secret', 'other'),
		nobodys: await version('nobodys', 'acme'),
		wrongOrganization: await version('acme/secret', 'other'),
	}).toEqual({
		own: '1.1.0',
		pinned: '1.0.0',
		missing: undefined,
		public: '9.0.0',
		publicOnly: '9.0.0',
		notTheirs: undefined,
		secret: undefined,
		secretOwn: '1.0.0',
		nobodys: undefined,
		wrongOrganization: undefined,
	});
});

test('an invalid task is logged and hides no other', async () => {
	const {list, logged, folder} = await library({good: yaml('good', '1.0.0'), bad: 'name: bad\n'});
	await mkdir(join(folder, 'empty'));
	expect((await list()).map(({name}) => name)).toEqual(['good', 'web-shop', 'broken-cart', 'nightly-import']);
	expect(logged.map(({error}) => error).sort()).toEqual([
		'The task bad cannot be used: version is required.',
		'The task empty cannot be used: its task.yaml cannot be read.',
	]);
});

test('the files of a task are read unchanged, except links, which may lead anywhere', async () => {
	const {find, folder} = await library({good: yaml('good', '1.0.0', 'public: true\n')});
	await mkdir(join(folder, 'good', 'deep'));
	await writeFile(join(folder, 'good', 'deep', 'file'), Buffer.from([0xff, 0]));
	await symlink('/etc/passwd', join(folder, 'good', 'passwd'));
	await symlink('/etc', join(folder, 'good', 'etc'));
	expect(await (await find('good', 'acme'))?.readFiles()).toEqual(new Map([['deep/file', Buffer.from([0xff, 0])]]));
});

test('without a folder, everyone can use the bundled tasks', async () => {
	const {list, find} = createTaskLibrary({folder: '/nowhere', log: () => {}});
	expect((await list()).every(task => task.public)).toBe(true);
	expect((await find('web-shop', 'anybody'))?.services).toEqual({web: {path: '/', protocol: 'http'}});
});
