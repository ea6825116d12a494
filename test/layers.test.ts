import {readdirSync, readFileSync} from 'node:fs';
import {posix} from 'node:path';
import {expect, test} from 'vitest';

/** From the bottom to the top; folders of one row don't import each other. */
const layers = [
	['src/core'],
	['src/contract'],
	['src/terminal', 'src/storage', 'src/net'],
	['src/client', 'src/config', 'src/providers', 'src/logs', 'src/editor', 'src/containment', 'src/link'],
	['src/agent', 'src/telemetry'],
	['src/server', 'src/store'],
	['src/session', 'src/doctor'],
	['src/platform', 'src/watch'],
	['src/command'],
	['commands'],
	['src/acp'],
	['src/host'],
	['src/headless', 'src/ui'],
	['src/main.ts', 'src/program'],
];

/** Runs what the build made of all layers, so that it imports none of them, and none imports it. */
const loader = 'src/loader/';

const importPattern = /(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g;
const serverMayUse = ['src/core', 'src/contract', 'src/storage', 'src/net', 'src/containment', 'src/server'];
const filePackages = /^(?:node:)?(?:fs|fs\/promises|net|http|https|tls|child_process|undici.*|worker_threads)$/;
const withoutFiles = [
	'src/core',
	'src/contract',
	'src/editor',
	'src/store',
	'src/session',
	'src/platform',
	'src/watch',
	'src/command',
];

type Source = {
	readonly path: string;
	readonly text: string;
	/** Its static, side-effect, type and dynamic imports: names of packages, paths of files. */
	readonly imports: readonly string[];
};

function read(folder: string): Source[] {
	return readdirSync(folder, {recursive: true, withFileTypes: true})
		.filter(entry => entry.isFile() && /\.tsx?$/.test(entry.name))
		.map(entry => {
			const path = posix.join(entry.parentPath, entry.name);
			const text = readFileSync(path, 'utf8');
			const imports = [...text.matchAll(importPattern)].map(([, target = '']) =>
				target.startsWith('.') ? posix.join(posix.dirname(path), target) : target,
			);
			return {path, text, imports};
		});
}

/** The row of `layers` that a path belongs to, or the folder's name in that row. */
function placeOf(path: string): {level: number; folder: string} {
	for (const [level, row] of layers.entries()) {
		const folder = row.find(name => path === name || path.startsWith(`${name}/`));
		if (folder) {
			// The two files at the top count as one: the entry and its composition.
			return {level, folder: level === layers.length - 1 ? 'top' : folder};
		}
	}

	throw new Error(`${path} is in no layer.`);
}

const loaded = read(loader);
const sources = [...read('src').filter(({path}) => !path.startsWith(loader)), ...read('commands')];
const isFile = (target: string) => /^(?:src|commands|test)\//.test(target);

/** Returns `importer imports target` for each import of the program's files that `isWrong`. */
function wrongImports(isWrong: (from: string, target: string) => boolean): string[] {
	return sources.flatMap(({path, imports}) =>
		imports.filter(target => isWrong(path, target)).map(target => `${path} imports ${target}`),
	);
}

test('a file imports only from its own folder and from the layers below it', () => {
	const wrong = wrongImports((path, target) => {
		const from = placeOf(path);
		const to = isFile(target) ? placeOf(target) : undefined;
		return to !== undefined && to.level >= from.level && to.folder !== from.folder;
	});
	expect(wrong).toEqual([]);
});

test('the loader and what it runs import nothing of each other', () => {
	const isOutside = (target: string) => isFile(target) && !target.startsWith(loader);
	expect(loaded.flatMap(({imports}) => imports.filter(isOutside))).toEqual([]);
	expect(wrongImports((_path, target) => target.startsWith(loader))).toEqual([]);
});

test('the server and the client share only common modules', () => {
	const wrong = wrongImports(
		(path, target) =>
			placeOf(path).folder === 'src/server' && isFile(target) && !serverMayUse.includes(placeOf(target).folder),
	);
	expect(wrong).toEqual([]);
});

/** Returns the pairs of folders of which each imports the other. `folderOf` names the folder of a path, if it has one. */
function mutualFolders(folderOf: (path: string) => string | undefined): string[] {
	const pairs = new Set<string>();
	for (const {path, imports} of sources) {
		for (const target of imports) {
			const [from, to] = [folderOf(path), folderOf(target)];
			if (from !== undefined && to !== undefined && from !== to) {
				pairs.add(`${from} and ${to}`);
			}
		}
	}

	return [...pairs].filter(pair => pairs.has(pair.split(' and ').toReversed().join(' and ')));
}

test('no two folders of the server import each other', () => {
	expect(mutualFolders(path => /^src\/server\/([^/]+)\//.exec(path)?.[1])).toEqual([]);
});

test('no two folders of the agent import each other', () => {
	expect(mutualFolders(path => /^src\/agent\/(tools\/child|[^/]+)\//.exec(path)?.[1])).toEqual([]);
});

test('no two folders of the screen import each other', () => {
	expect(mutualFolders(path => /^src\/ui\/([^/]+)\//.exec(path)?.[1])).toEqual([]);
});

test('no files import each other in a circle, not even for types', () => {
	const importsOf = new Map(sources.map(({path, imports}) => [path, imports]));
	const state = new Map<string, 'open' | 'done'>();
	const circles: string[] = [];
	const visit = (path: string, way: readonly string[]) => {
		if (state.get(path) === 'open') {
			circles.push([...way.slice(way.indexOf(path)), path].join(' > '));
		}

		if (!state.has(path)) {
			state.set(path, 'open');
			for (const target of importsOf.get(path) ?? []) {
				visit(target, [...way, path]);
			}

			state.set(path, 'done');
		}
	};
	for (const {path} of sources) {
		visit(path, []);
	}

	expect(circles).toEqual([]);
});

test('screens stay in ui', () => {
	const wrong = wrongImports(
		(path, target) => /^(?:ink.*|react)$/.test(target) && !['src/ui', 'top'].includes(placeOf(path).folder),
	);
	expect(wrong).toEqual([]);
});

test('files and sockets stay out of the pure layers', () => {
	const wrong = wrongImports(
		(path, target) => filePackages.test(target) && withoutFiles.includes(placeOf(path).folder),
	);
	expect(wrong).toEqual([]);
});

test('Ink is imported through one module', () => {
	expect(sources.filter(({imports}) => imports.includes('ink')).map(({path}) => path)).toEqual(['src/ui/ink.ts']);
});

test('the protocol of editors and agents is spoken through one module for each side', () => {
	const speaking = sources.filter(({imports}) => imports.some(name => name.startsWith('@agentclientprotocol/')));
	const paths = ['src/acp/protocol.ts', 'src/agent/external/agent-connection.ts'];
	expect(speaking.map(({path}) => path).toSorted()).toEqual(paths);
});

test('no code bypasses the type checker', () => {
	const escapes = /\bas any\b|as unknown as|@ts-(?:ignore|nocheck)/;
	expect(sources.filter(({text}) => escapes.test(text)).map(({path}) => path)).toEqual([]);
});

test('the program has no barrels, and only commands have default exports', () => {
	const exporting = sources.filter(
		({path, text}) => /^export \* /m.test(text) || (!path.startsWith('commands/') && /^export default/m.test(text)),
	);
	expect(exporting.map(({path}) => path)).toEqual([]);
});
