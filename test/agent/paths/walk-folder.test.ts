import {execFileSync} from 'node:child_process';
import {chmodSync, mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {listFolder} from '../../../src/agent/paths/search-folder.ts';
import {createWalk} from '../../../src/agent/paths/walk-folder.ts';
import {makeWorkspace, writeAll} from '../tools/workspace.ts';

/** Returns what `find` lists, as absolute paths. */
function found(folder: string, hasPackages: boolean): readonly string[] {
	const packages = ['-path', '*/node_modules/*', '!', '-name', 'HEAD', '!', '-path', '*/node_modules/.bin/*', '-o'];
	const few = hasPackages ? [] : packages;
	const args = ['.', '-xdev', '-name', '.git', '-print0', '-prune', '-o', ...few, '-print0'];
	const text = execFileSync('find', args, {cwd: folder, encoding: 'utf8'});
	return text
		.split('\0')
		.filter(Boolean)
		.map(name => folder + name.slice(1))
		.sort();
}

const name = fc.constantFrom(
	'a',
	'b.ts',
	'.git',
	'node_modules',
	'.bin',
	'HEAD',
	'new\nline',
	' ',
	'ä',
	'__proto__',
	'objects',
);
const tree = fc.array(
	fc.tuple(fc.array(name, {minLength: 1, maxLength: 6}), fc.constantFrom('file', 'folder', 'link', 'closed')),
	{
		maxLength: 30,
	},
);

test('a list of any folder is the one of find', async () => {
	await fc.assert(
		fc.asyncProperty(tree, fc.boolean(), async (entries, hasPackages) => {
			const {workspace} = await makeWorkspace();
			for (const [names, kind] of entries) {
				const path = join(workspace, ...names);
				try {
					mkdirSync(kind === 'folder' || kind === 'closed' ? path : dirname(path), {recursive: true});
					if (kind === 'closed') {
						chmodSync(path, 0o000);
					} else if (kind === 'link') {
						symlinkSync(workspace, path);
					} else if (kind === 'file') {
						writeFileSync(path, '');
					}
				} catch {
					// A file is in its way.
				}
			}

			const {paths, isComplete} = await listFolder(workspace, hasPackages);
			expect([[...paths].sort(), isComplete]).toEqual([found(workspace, hasPackages), true]);
		}),
		{numRuns: 50},
	);
});

test('a folder that is too large, or has a name that is no text, is left to find, and listed all the same', async () => {
	const {workspace} = await makeWorkspace();
	const walk = createWalk({maxFolders: 350, maxNames: 3500});
	await writeAll(workspace, Object.fromEntries(Array.from({length: 400}, (_, index) => [`d${index}/a/.git/x`, ''])));
	expect(await walk(workspace)).toBeUndefined();
	expect([...(await listFolder(workspace)).paths].sort()).toEqual(found(workspace, false));
	const {workspace: odd} = await makeWorkspace({'a/b.ts': ''});
	mkdirSync(Buffer.concat([Buffer.from(`${odd}/a/`), Buffer.from([0xff])]));
	expect(await walk(odd)).toBeUndefined();
	expect([...(await listFolder(odd)).paths].sort()).toEqual(found(odd, false));
});

test('the list of a folder is the same as long as no name changes', async () => {
	const {workspace} = await makeWorkspace({'a/b.ts': '', 'c.ts': ''});
	const first = await listFolder(workspace);
	writeFileSync(join(workspace, 'c.ts'), 'more');
	expect(await listFolder(workspace)).toBe(first);
	writeFileSync(join(workspace, 'a/d.ts'), '');
	expect((await listFolder(workspace)).paths).toEqual([...first.paths, join(workspace, 'a/d.ts')]);
});
