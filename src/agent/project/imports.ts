import {posix} from 'node:path';
import type {FileContent} from './read-file.ts';

const maxDepth = 5;
const maxImports = 20;

/** Returns the paths of the `@path` lines of a text, as written. Lines in code blocks don't count. */
export function importsIn(text: string): readonly string[] {
	let fence: string | undefined;
	const paths: string[] = [];
	for (const line of text.split(/\r?\n/)) {
		const [, mark] = /^\s*(```|~~~)/.exec(line) ?? [];
		if (mark && (fence === undefined || fence === mark)) {
			fence = fence === undefined ? mark : undefined;
		}

		const [, path] = fence === undefined ? (/^\s*(?:[-*]\s+)?@(\S+)\s*$/.exec(line) ?? []) : [];
		if (path) {
			paths.push(path);
		}
	}

	return paths;
}

export type Imported = {readonly path: string; readonly content: FileContent};

/**
 * Returns the files that a file imports, also through each other, each once and in order. Paths are relative to the same
 * folder as `path`, with `/`; they never lead out of it. `read` returns undefined for a file that can't be imported.
 */
export async function readImports(
	path: string,
	text: string,
	read: (path: string) => Promise<FileContent | undefined>,
): Promise<readonly Imported[]> {
	const seen = new Set([path]);
	const found: Imported[] = [];
	let importing: readonly {readonly path: string; readonly text: string}[] = [{path, text}];
	for (let depth = 0; depth < maxDepth && importing.length > 0; depth++) {
		const next: {readonly path: string; readonly text: string}[] = [];
		for (const {path: importer, text: lines} of importing) {
			for (const written of importsIn(lines)) {
				const target = posix.join(posix.dirname(importer), written);
				const isInside = !posix.isAbsolute(written) && target !== '..' && !target.startsWith('../');
				if (!isInside || seen.has(target) || found.length >= maxImports) {
					continue;
				}

				seen.add(target);
				const content = await read(target);
				if (content) {
					found.push({path: target, content});
					next.push({path: target, text: content.text});
				}
			}
		}

		importing = next;
	}

	return found;
}
