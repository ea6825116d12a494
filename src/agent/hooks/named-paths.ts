import {forEachChild, parse, type SyntaxNode} from 'unbash';

/** The words of a shell command that may be paths, and the folders that it changes to. */
export type NamedPaths = {
	/** Every word as the shell reads it, also of texts for another shell. */
	readonly words: ReadonlySet<string>;
	/** Those that stand where a program or a script to run is expected. */
	readonly programs: ReadonlySet<string>;
	/** The values of `cd`, `-C` and `--prefix`. */
	readonly folders: ReadonlySet<string>;
};

const interpreters =
	/^(?:(?:ba|da|z|k|mk|a|fi)?sh|source|\.|node|deno|bun|tsx|python[\d.]*|ruby|perl|php|lua|env|exec|command|time|nice|sudo|xargs)$/;
const maxDepth = 3;
const maxWords = 5000;

/** Returns what a shell command names. What can't be parsed is split at quotes, operators and variables. */
export function namedPaths(command: string): NamedPaths {
	const [words, programs, folders] = [new Set<string>(), new Set<string>(), new Set<string>()];
	const collect = (text: string, depth: number): void => {
		// After a variable, such as `$PWD/check.sh`, the rest looks absolute.
		for (const word of text.replace(/\$\{?\w+\}?/g, ' ').split(/[\s;|&<>()'"`$={},:]+/, maxWords)) {
			words.add(word).add(word.replace(/^\/+/, ''));
		}

		const visit = (node: SyntaxNode): void => {
			if (node.type === 'Command') {
				const values = [node.name, ...node.args].flatMap(item => (item?.type === 'Word' ? [item.value] : []));
				addPrograms(values, programs);
				for (const [index, value] of values.entries()) {
					const target = values[index + 1];
					if (target !== undefined && /^(?:cd|pushd|-C|--prefix|--cwd|--dir)$/.test(value)) {
						folders.add(target);
					}
				}
			}

			if (node.type === 'Word' && words.size < maxWords) {
				words.add(node.value);
				if (/\s/.test(node.value) && depth < maxDepth) {
					collect(node.value, depth + 1);
				}
			}

			forEachChild(node, visit);
		};
		visitAll(text, visit);
	};
	collect(command, 0);
	words.delete('');
	return {words, programs, folders};
}

function visitAll(text: string, visit: (node: SyntaxNode) => void): void {
	try {
		visit(parse(text));
	} catch (error) {
		// Too deeply nested for the parser: its words were found by splitting.
		if (!(error instanceof RangeError)) {
			throw error;
		}
	}
}

/** Adds the program of a command, and the script if the program is one that runs it. */
function addPrograms(values: readonly string[], programs: Set<string>): void {
	for (const value of values) {
		programs.add(value);
		if (!value.startsWith('-') && !interpreters.test(value)) {
			return;
		}
	}
}
