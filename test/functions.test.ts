import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {parseAst} from 'vitest/node';
import {sourceFiles} from './source-strings.ts';

const longest = 80;
const long = 60;
const mostLong = 9;

type Tree = {readonly type: string; readonly start: number; readonly end: number} & {readonly [key: string]: unknown};
type LongFunction = {readonly name: string; readonly lines: number};

const functionTypes = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];

function isTree(value: unknown): value is Tree {
	return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** Returns the name of a function, or of the constant or property that holds it. */
function nameOf(node: Tree, holder: Tree | undefined): string {
	const named = [node['id'], holder?.['id'], holder?.['key']].find(isTree);
	return typeof named?.['name'] === 'string' ? named['name'] : 'anonymous';
}

/** Returns the functions of a file with more than `long` lines, the outer ones before those in them. */
function longFunctionsOf(path: string): readonly LongFunction[] {
	const code = readFileSync(path, 'utf8');
	const found: LongFunction[] = [];
	const visit = (node: Tree, holder?: Tree) => {
		const lines = code.slice(node.start, node.end).split('\n').length;
		if (functionTypes.includes(node.type) && lines > long) {
			found.push({name: `${path} ${nameOf(node, holder)}`, lines});
		}

		for (const child of Object.values(node).flat().filter(isTree)) {
			visit(child, node);
		}
	};

	const program: unknown = parseAst(code, {lang: path.endsWith('x') ? 'tsx' : 'ts'});
	if (!isTree(program)) {
		throw new Error(`${path} was not parsed.`);
	}

	visit(program);
	return found;
}

const found = sourceFiles().flatMap(longFunctionsOf);

test(`a function has at most ${longest} lines`, () => {
	expect(found.filter(({lines}) => lines > longest)).toEqual([]);
});

test(`at most ${mostLong} functions have more than ${long} lines`, () => {
	expect(found.length).toBeLessThanOrEqual(mostLong);
});
