import {readdirSync, readFileSync} from 'node:fs';
import {join, posix} from 'node:path';
import {expect, test} from 'vitest';

/** From the bottom to the top; folders of one row are peers that know nothing of each other. */
const layers = [
	['src/core'],
	['src/contract'],
	['src/terminal', 'src/storage', 'src/net'],
	['src/client', 'src/config', 'src/providers', 'src/logs'],
	['src/agent', 'src/telemetry'],
	['src/server', 'src/store'],
	['src/command'],
	['commands'],
	['src/headless', 'src/ui'],
	['src/main.tsx', 'src/compose.ts'],
];

const longest = 250;
const importPattern = /(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g;
const serverMayUse = ['src/core', 'src/contract', 'src/storage', 'src/net', 'src/server'];
const filePackages = /^(?:node:)?(?:fs|fs\/promises|net|http|https|tls|child_process|undici.*|worker_threads)$/;

function list(folder: string): string[] {
	return readdirSync(folder, {recursive: true, withFileTypes: true})
		.filter(entry => entry.isFile() && /\.tsx?$/.test(entry.name))
		.map(entry => posix.join(entry.parentPath, entry.name));
}

/** The row of `layers` that a path belongs to, or the folder's name in that row. */
function placeOf(path: string): {level: number; folder: string} {
	for (const [level, row] of layers.entries()) {
		const folder = row.find(name => path === name || path.startsWith(`${name}/`));
		if (folder) {
			// The two files at the top are one: the entry and what it is composed of.
			return {level, folder: level === layers.length - 1 ? 'top' : folder};
		}
	}

	throw new Error(`${path} is in no layer.`);
}

const sources = [...list('src'), ...list('commands')];
const all = [...sources, ...list('test')];

test.each(sources)('%s imports only from its own folder and from below', file => {
	const source = readFileSync(file, 'utf8');
	const from = placeOf(file);
	for (const [, target = ''] of source.matchAll(importPattern)) {
		if (target.startsWith('.')) {
			const to = placeOf(posix.join(posix.dirname(file), target));
			expect(to.level < from.level || to.folder === from.folder, `${file} imports ${target}`).toBe(true);
			if (from.folder === 'src/server') {
				expect(serverMayUse, `${file} imports ${target}`).toContain(to.folder);
			}
		}
	}
});

test.each(sources)('%s keeps screens, files and sockets in their layers', file => {
	const source = readFileSync(file, 'utf8');
	const {folder} = placeOf(file);
	for (const [, target = ''] of source.matchAll(importPattern)) {
		if (/^(?:ink.*|react)$/.test(target)) {
			expect(['src/ui', 'top'], `${file} imports ${target}`).toContain(folder);
		}

		if (filePackages.test(target)) {
			expect(['src/core', 'src/contract', 'src/store', 'src/command'], `${file} imports ${target}`).not.toContain(
				folder,
			);
		}
	}
});

test('Ink is imported through one module', () => {
	const importers = sources.filter(file => /'ink'/.test(readFileSync(file, 'utf8')));
	expect(importers).toEqual(['src/ui/ink.ts']);
});

test.each(all)(`%s has at most ${longest} lines`, file => {
	expect(readFileSync(join(file), 'utf8').split('\n').length - 1).toBeLessThanOrEqual(longest);
});

test.each(sources)('%s has no default export, barrel or escape from the type checker', file => {
	const source = readFileSync(file, 'utf8');
	expect(source).not.toMatch(/\bas any\b|as unknown as|@ts-(?:ignore|nocheck)|^export \* /m);
	if (!file.startsWith('commands/')) {
		expect(source).not.toMatch(/^export default/m);
	}
});
