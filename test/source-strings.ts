import {readdirSync, readFileSync} from 'node:fs';
import {posix} from 'node:path';

/** A string literal of the program, with `x` or a sample in place of its expressions. */
export type SourceString = {readonly file: string; readonly text: string};

const literal = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** Returns the paths of all source files of the program. */
export function sourceFiles(): readonly string[] {
	return ['src', 'commands']
		.flatMap(folder => readdirSync(folder, {recursive: true, withFileTypes: true}))
		.filter(entry => entry.isFile() && /\.tsx?$/.test(entry.name))
		.map(entry => posix.join(entry.parentPath, entry.name))
		.sort();
}

/** Returns the string literals of a file without those in comments. `samples` stand in for expressions. */
export function stringsOf(file: string, samples: Readonly<Record<string, string>> = {}): readonly SourceString[] {
	const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
	return [...code.matchAll(literal)].map(([text]) => ({
		file,
		text: text.slice(1, -1).replace(/\$\{([^}]*)\}/g, (_, expression: string) => samples[expression] ?? 'x'),
	}));
}
