import {readFileSync} from 'node:fs';
import {parseAst} from 'vitest/node';
import {sourceFiles} from '../source-strings.ts';

type Tree = {readonly type: string; readonly start: number; readonly end: number} & {readonly [key: string]: unknown};

function isTree(value: unknown): value is Tree {
	return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

const functionTypes = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];
/** Components that draw text on the screen. */
const drawing = /^(?:Text|Lines|TextInput)$/;
/** Streams that may be a terminal. */
const stream = /(?:^|\.|\b)(?:stdout|stderr|output)(?:'\))?$/;
/** Functions of our own that write to the terminal, by how they are called. */
const writer =
	/(?:^|\.)(?:painter\.print|screen\.(?:raw|print)|session\.(?:notify|copy))$|^(?:notify|signal|writeTitle)$/;
/** The folders of what runs in the user's terminal: a server has none, and a child writes to its parent. */
const elsewhere = /^src\/(?:server|loader|agent)\/|\/keychain-child\.ts$/;

/**
 * Returns the places in the source where text reaches the terminal: elements that draw text, writes to a stream that may be a
 * terminal, and calls of functions that write there. Each is its file, the outermost function and what it is.
 */
export function sourceSinks(): readonly string[] {
	const found = new Set<string>();
	for (const file of sourceFiles().filter(path => !elsewhere.test(path))) {
		const code = readFileSync(file, 'utf8');
		const visit = (node: Tree, owner: string) => {
			const sink = sinkOf(node, code);
			if (sink) {
				found.add(`${file} ${owner} ${sink}`);
			}

			const name =
				owner || (functionTypes.includes(node.type) || node.type === 'VariableDeclarator' ? nameOf(node) : '');
			for (const child of Object.values(node).flat().filter(isTree)) {
				visit(child, name);
			}
		};
		const program: unknown = parseAst(code, {lang: file.endsWith('x') ? 'tsx' : 'ts'});
		if (isTree(program)) {
			visit(program, '');
		}
	}

	return [...found].sort();
}

function sinkOf(node: Tree, code: string): string | undefined {
	const text = (part: unknown) => (isTree(part) ? code.slice(part.start, part.end) : '');
	if (node.type === 'JSXOpeningElement') {
		const name = text(node['name']);
		return drawing.test(name) ? `<${name}>` : undefined;
	}

	if (node.type !== 'CallExpression') {
		return undefined;
	}

	const callee = text(node['callee']);
	const isWrite = callee.endsWith('.write') && stream.test(callee.slice(0, -'.write'.length));
	return isWrite || writer.test(callee) ? callee : undefined;
}

function nameOf(node: Tree): string {
	const {id} = node;
	return isTree(id) && typeof id['name'] === 'string' ? id['name'] : '';
}
