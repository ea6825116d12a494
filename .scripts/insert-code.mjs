/** The functions of a syntax tree. */
export const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/**
 * Returns `code` with texts in it. `see` gets each node of its syntax tree, from outside to inside, and `add(at, text)`, which
 * puts a text at an offset. Among those at one place, what was added later belongs inside, or ends first.
 */
export function insertInto(code, program, see) {
	const added = [];
	const add = (at, text) => added.push({at, text});
	const visit = node => {
		see(node, add);
		for (const child of Object.values(node).flat()) {
			if (typeof child?.type === 'string') {
				visit(child);
			}
		}
	};
	visit(program);
	let result = '';
	let from = 0;
	for (const {at, text} of added.toSorted((one, other) => one.at - other.at)) {
		result += code.slice(from, at) + text;
		from = at;
	}

	return result + code.slice(from);
}
