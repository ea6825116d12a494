import {parseAst} from 'vitest/node';

/** A node of a syntax tree (ESTree), with where it is in the code. */
export type Tree = {readonly type: string; readonly start: number; readonly end: number} & {
	readonly [key: string]: unknown;
};

/** The types of the nodes that are functions. */
export const functionTypes: readonly string[] = [
	'FunctionDeclaration',
	'FunctionExpression',
	'ArrowFunctionExpression',
];

export function isTree(value: unknown): value is Tree {
	return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** Returns the syntax tree of the code of a file. Throws if it has none. */
export function treeOf(path: string, code: string): Tree {
	const program: unknown = parseAst(code, {lang: path.endsWith('x') ? 'tsx' : 'ts'});
	if (!isTree(program)) {
		throw new Error(`${path} was not parsed.`);
	}

	return program;
}

/** Calls `visit` for each node right below another. */
export function forEachChild(node: Tree, visit: (child: Tree) => void): void {
	// Trees have a million fields: arrays of them take longer than parsing does.
	for (const name in node) {
		const value = node[name];
		if (Array.isArray(value)) {
			for (const child of value) {
				if (isTree(child)) {
					visit(child);
				}
			}
		} else if (isTree(value)) {
			visit(value);
		}
	}
}
