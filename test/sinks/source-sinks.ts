import {readFileSync} from 'node:fs';
import {sourceFiles} from '../source-strings.ts';
import {forEachChild, functionTypes, isTree, type Tree, treeOf} from '../source-trees.ts';

/** Components that draw text on the screen. */
const drawing = /^(?:Text|Lines|TextInput)$/;
/** Streams that may be a terminal. */
const stream = /(?:^|\.|\b)(?:stdout|stderr|output)(?:'\))?$/;
/** Functions of our own that write to the terminal, by how they are called. */
const writer =
	/(?:^|\.)(?:painter\.print|screen\.(?:raw|print)|session\.(?:notify|copy))$|^(?:notify|signal|writeTitle|setPrompt)$/;
/** At least one is in every file with a sink; reading a file's tree takes much longer. */
const anySink =
	/<(?:Text|Lines|TextInput)\b|\.write\b|painter\.print|screen\.(?:raw|print)|session\.(?:notify|copy)|notify|signal|writeTitle|setPrompt/;
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
		if (!anySink.test(code)) {
			continue;
		}

		const visit = (node: Tree, owner: string) => {
			const sink = sinkOf(node, code);
			if (sink) {
				found.add(`${file} ${owner} ${sink}`);
			}

			const name =
				owner || (functionTypes.includes(node.type) || node.type === 'VariableDeclarator' ? nameOf(node) : '');
			forEachChild(node, child => visit(child, name));
		};
		visit(treeOf(file, code), '');
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
