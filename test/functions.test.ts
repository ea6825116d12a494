import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {sourceFiles} from './source-strings.ts';
import {forEachChild, functionTypes, isTree, type Tree, treeOf} from './source-trees.ts';

const longest = 80;
const long = 60;
const mostLong = 9;

type LongFunction = {readonly name: string; readonly lines: number};

const linesOf = (code: string) => code.split('\n').length;

/** Returns the name of a function, or of the constant or property that holds it. */
function nameOf(node: Tree, holder: Tree | undefined): string {
	const named = [node['id'], holder?.['id'], holder?.['key']].find(isTree);
	return typeof named?.['name'] === 'string' ? named['name'] : 'anonymous';
}

/** Returns the functions of a file with more than `long` lines, the outer ones before those in them. */
function longFunctionsOf(path: string): readonly LongFunction[] {
	const code = readFileSync(path, 'utf8');
	if (linesOf(code) <= long) {
		return [];
	}

	const found: LongFunction[] = [];
	const visit = (node: Tree, holder?: Tree) => {
		if (functionTypes.includes(node.type)) {
			const lines = linesOf(code.slice(node.start, node.end));
			found.push(...(lines > long ? [{name: `${path} ${nameOf(node, holder)}`, lines}] : []));
		}

		forEachChild(node, child => visit(child, node));
	};

	visit(treeOf(path, code));
	return found;
}

const found = sourceFiles().flatMap(longFunctionsOf);

test(`a function has at most ${longest} lines`, () => {
	expect(found.filter(({lines}) => lines > longest)).toEqual([]);
});

test(`at most ${mostLong} functions have more than ${long} lines`, () => {
	expect(found.length).toBeLessThanOrEqual(mostLong);
});
