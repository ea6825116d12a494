import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {parseAst} from 'vitest/node';
import {functions, insertInto} from './insert-code.mjs';

const modulePattern = /\/\.service-modules\/((?:src|commands)\/.+)\.mjs$/;

/** Stands in for Vitest, of which the helpers of tests want only the cleanup. */
const vitest = `data:text/javascript,${encodeURIComponent(
	'export const onTestFinished = cleanup => void globalThis.$values.cleanups.push(cleanup);' +
		'export const [expect, test, vi, inject] = [];',
)}`;

export async function resolve(specifier, context, next) {
	return specifier === 'vitest' ? {url: vitest, format: 'module', shortCircuit: true} : next(specifier, context);
}

/** Loads a compiled module of the program so that it reports to `$values` what its functions get and hand on. */
export async function load(url, context, next) {
	const [, name] = modulePattern.exec(url) ?? [];
	if (name === undefined) {
		return next(url, context);
	}

	const code = readFileSync(fileURLToPath(url), 'utf8');
	return {format: 'module', source: withReports(name, code, parseAst(code)), shortCircuit: true};
}

/** Returns a module that reports each call with its arguments, and each value that it awaits, iterates, yields or returns. */
function withReports(name, code, program) {
	const file = JSON.stringify(name);
	const enter = (node, names) =>
		`$values.on&&$values.enter(${file},${node.start}${names.map(each => `,${each}`).join('')})`;
	return insertInto(code, program, (node, add) => {
		const wrap = ({start, end}) => {
			add(start, `$values.pass(${file},`);
			add(end, ')');
		};
		if (functions.has(node.type)) {
			const names = node.params.flatMap(namesIn);
			if (node.body.type === 'BlockStatement') {
				add(node.body.start + 1, `${enter(node, names)};`);
			} else {
				add(node.body.start, `(${enter(node, names)},$values.pass(${file},`);
				add(node.body.end, '))');
			}
		} else if (node.type === 'ForOfStatement' && node.body.type === 'BlockStatement') {
			const names = node.left.type === 'VariableDeclaration' ? namesIn(node.left.declarations[0].id) : [];
			add(node.body.start + 1, `$values.pass(${file},[${names.join()}]);`);
		} else if (node.type === 'ReturnStatement' && node.argument) {
			wrap(node.argument);
		} else if (node.type === 'YieldExpression' && node.argument && !node.delegate) {
			wrap(node.argument);
		} else if (node.type === 'AwaitExpression') {
			wrap(node);
		}
	});
}

/** Returns the names that a parameter or a pattern declares. */
function namesIn(pattern) {
	switch (pattern?.type) {
		case 'Identifier':
			return [pattern.name];
		case 'AssignmentPattern':
			return namesIn(pattern.left);
		case 'RestElement':
			return namesIn(pattern.argument);
		case 'ArrayPattern':
			return pattern.elements.flatMap(namesIn);
		case 'ObjectPattern':
			return pattern.properties.flatMap(each => namesIn(each.type === 'Property' ? each.value : each));
		default:
			return [];
	}
}
