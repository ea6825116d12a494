import {extname, join} from 'node:path';

const nodeEndings = ['', '.js', '.mjs', '.cjs', '.ts', '.json'];

/**
 * Returns what a script of Node or Python imports by a relative name, as paths that may exist; undefined for a script of
 * another language.
 */
export function importsOf(text: string, path: string): readonly string[] | undefined {
	if (/\.[cm]?[jt]sx?$/i.test(path) || /^#!.*\b(?:node|deno|bun|tsx)\b/.test(text)) {
		const specifiers = [...text.matchAll(/['"`](\.{1,2}\/[\w@+./-]+)['"`]/g)].map(([, specifier = '']) => specifier);
		return [...new Set(specifiers)].flatMap(specifier => [
			...nodeEndings.map(ending => specifier + ending),
			...['index.js', 'index.ts'].map(name => join(specifier, name)),
		]);
	}

	if (extname(path) === '.py' || /^#!.*\bpython/.test(text)) {
		const modules = [...text.matchAll(/^[ \t]*(?:from|import)[ \t]+\.*([\w.]+)/gm)].map(([, name = '']) => name);
		return [...new Set(modules)]
			.map(name => name.replaceAll('.', '/'))
			.flatMap(name => [`${name}.py`, `${name}/__init__.py`]);
	}

	return undefined;
}
