import {existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync} from 'node:fs';
import {basename, dirname, join, relative, sep} from 'node:path';
import {functions, insertInto} from './insert-code.mjs';

const importPattern = /\b(?:from|import)\s*\(?\s*"(\.\.?\/[^"]+\.mjs)"/g;
const loops = new Set(['ForStatement', 'ForOfStatement', 'ForInStatement', 'WhileStatement', 'DoWhileStatement']);

/**
 * Writes modules that count their steps, for the compiled modules of `outdir` at these paths and all that they import: beside
 * the others, in the same tree under `counted/`. What has not changed since the last time stays.
 */
export async function countStepsOf(outdir, paths) {
	const reached = new Set(paths);
	const changed = [];
	// Iterating over a set includes entries that are added meanwhile.
	for (const path of reached) {
		const code = readFileSync(path, 'utf8');
		for (const [, target] of code.matchAll(importPattern)) {
			reached.add(join(dirname(path), target));
		}

		const counted = join(outdir, 'counted', relative(outdir, path));
		if (!existsSync(counted) || statSync(counted).mtimeMs <= statSync(path).mtimeMs) {
			changed.push({path, counted, code});
		}
	}

	if (changed.length > 0) {
		const {parseAst} = await import('vitest/node');
		for (const {path, counted, code} of changed) {
			// Tests and Ink keep their code: only what is tested counts.
			const source = path.includes(`${sep}src${sep}`) ? withSteps(code, parseAst(code)) : code;
			const draft = join(dirname(counted), `.${process.pid}-${basename(counted)}`);
			mkdirSync(dirname(counted), {recursive: true});
			const map = `//# sourceMappingURL=${relative(dirname(counted), path)}.map`;
			writeFileSync(draft, source.replace(/\/\/# sourceMappingURL=[^\n]*\n?$/, map));
			renameSync(draft, counted);
		}
	}
}

/** Returns a module that counts a step for each function that is called, each turn of a loop, and each entry that is spread. */
function withSteps(code, program) {
	const counted = 'const $counted = globalThis.countedSteps ??= {steps: 0, entriesOf: value => value};';
	return (
		counted +
		insertInto(code, program, (node, add) => {
			/** Counts before a body, which may be a block, a statement or an expression. */
			const count = ({type, start, end}, isExpression) => {
				if (type === 'BlockStatement') {
					add(start + 1, '$counted.steps++;');
				} else {
					add(start, isExpression ? '($counted.steps++, ' : '{$counted.steps++;');
					add(end, isExpression ? ')' : '}');
				}
			};
			if (functions.has(node.type)) {
				// An arrow function that returns an object has parentheses around it, which stay outside.
				count(node.body, node.body.type !== 'BlockStatement');
			} else if (loops.has(node.type)) {
				count(node.body, false);
			} else if (node.type === 'SpreadElement') {
				add(node.argument.start, '$counted.entriesOf(');
				add(node.argument.end, ')');
			}
		})
	);
}
