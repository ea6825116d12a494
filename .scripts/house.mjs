import {readdirSync, readFileSync} from 'node:fs';
import {posix} from 'node:path';
import process from 'node:process';
import {fileURLToPath} from 'node:url';
import {parseAst} from 'vitest/node';

/** What the floor plan began with, at the commit aa482d7d, and what it wants. */
const plan = {
	'files; median lines': ['1,476; 63', 'about 1,100; 80 to 140'],
	'files that one other file imports': ['681 (46 %)', 'under 25 %'],
	'of those, at most 60 lines beside their reader': ['246', ''],
	'folders of one file': ['13', '0'],
	'literal spreads': ['236', '0'],
	'exported type names that occur twice or more': ['56 in 108 files', '0'],
	'types called …Options or …Dependencies': ['231', 'under 90'],
	'Pick and Omit': ['469', 'under 150'],
	'ReturnType<typeof …>': ['60', '0'],
	'types of more than 12 members': ['37', ''],
	lines: ['114,582', 'under 107,000 before anything new'],
};

const literals = new Set(['ArrayExpression', 'ObjectExpression']);

/**
 * Measures how the program is divided: `files` with their lines and importers, and the places of what the floor plan wants to
 * be rid of, each as `path:line` or `path name`.
 */
export function measureHouse() {
	const files = ['src', 'commands'].flatMap(sourcesIn);
	const importers = new Map(files.map(({path}) => [path, new Set()]));
	const house = {literalSpreads: [], optionBags: [], picks: [], returnTypes: [], largeTypes: []};
	const types = new Map();
	for (const {path, text, tree} of files) {
		const place = node => `${path}:${text.slice(0, node.start).split('\n').length}`;
		for (const [node, parent] of nodesOf(tree)) {
			const imported = importedBy(node);
			if (imported?.startsWith('.')) {
				importers.get(posix.join(posix.dirname(path), imported))?.add(path);
			}

			if (node.type === 'SpreadElement' && literals.has(node.argument.type) && parent?.type === node.argument.type) {
				house.literalSpreads.push(place(node));
			}

			if (node.type === 'TSTypeReference') {
				const {name} = node.typeName;
				if (name === 'Pick' || name === 'Omit') {
					house.picks.push(place(node));
				} else if (name === 'ReturnType' && node.typeArguments?.params[0]?.type === 'TSTypeQuery') {
					house.returnTypes.push(place(node));
				}
			}

			if (node.type === 'TSTypeAliasDeclaration') {
				const {name} = node.id;
				if (parent?.type === 'ExportNamedDeclaration') {
					types.set(name, [...(types.get(name) ?? []), path]);
				}

				if (/(?:Options|Dependencies)$/.test(name)) {
					house.optionBags.push(`${path} ${name}`);
				}

				const members = membersOf(node.typeAnnotation);
				if (members > 12) {
					house.largeTypes.push(`${path} ${name} ${members}`);
				}
			}
		}
	}

	const folders = files.map(({path}) => posix.dirname(path));
	return {
		...house,
		files: files.map(({path, text}) => ({
			path,
			lines: text.split('\n').length - 1,
			importers: [...(importers.get(path) ?? [])],
		})),
		doubledTypes: [...types]
			.filter(([, paths]) => paths.length > 1)
			.map(([name, paths]) => `${name}: ${paths.join(' ')}`),
		lonelyFolders: [...new Set(folders)].filter(
			folder => folders.filter(other => `${other}/`.startsWith(`${folder}/`)).length === 1,
		),
	};
}

/** What takes limits: tests, what polls for them, and what `vi` waits for, a second unless it is told otherwise. */
const limited = /^(?:test|describe)\b|\.poll$|^vi\.wait(?:For|Until)$/;

/** Returns the places of the tests that have a limit of time of their own: that of all tests is for what hangs. */
export function measureLimits() {
	return sourcesIn('test').flatMap(({path, text, tree}) => {
		const textOf = node => text.slice(node.start, node.end);
		return [...nodesOf(tree)]
			.filter(([node]) => node.type === 'CallExpression' && limited.test(textOf(node.callee)))
			.flatMap(([node]) => {
				const limits = node.arguments.map(textOf).filter(argument => /^[\d_]+$|^\{[^{}]*\btimeout:/.test(argument));
				const isShort = textOf(node.callee).startsWith('vi.') ? limits.length === 0 : limits.length > 0;
				return isShort ? [`${path}:${text.slice(0, node.start).split('\n').length}`] : [];
			});
	});
}

function sourcesIn(folder) {
	return readdirSync(folder, {recursive: true, withFileTypes: true})
		.filter(entry => entry.isFile() && /(?<!\.d)\.tsx?$/.test(entry.name))
		.map(entry => readSource(posix.join(entry.parentPath, entry.name)));
}

function readSource(path) {
	const text = readFileSync(path, 'utf8');
	return {path, text, tree: parseAst(text, {lang: path.endsWith('x') ? 'tsx' : 'ts'})};
}

/** Yields each node of a syntax tree with the node that it stands in. */
function* nodesOf(value, parent) {
	if (value === null || typeof value !== 'object') {
		return;
	}

	const isNode = typeof value.type === 'string';
	if (isNode) {
		yield [value, parent];
	}

	for (const child of Object.values(value)) {
		yield* nodesOf(child, isNode ? value : parent);
	}
}

/** Returns the module that a node imports: statically, dynamically, or for a type. */
function importedBy(node) {
	switch (node.type) {
		case 'ImportDeclaration':
		case 'ExportNamedDeclaration':
		case 'ImportExpression':
		case 'TSImportType':
			return node.source?.value;
		default:
			return undefined;
	}
}

function membersOf(type) {
	switch (type.type) {
		case 'TSTypeLiteral':
			return type.members.length;
		case 'TSIntersectionType':
			return type.types.reduce((sum, each) => sum + membersOf(each), 0);
		default:
			return 0;
	}
}

/** Prints the figures beside those that the floor plan began with; with `--list`, every place. */
function printHouse(isListed) {
	const {files, ...places} = measureHouse();
	const lengths = files.map(({lines}) => lines).sort((one, other) => one - other);
	const single = files.filter(({importers}) => importers.length === 1);
	const besideReader = single.filter(
		({path, lines, importers: [reader]}) => lines <= 60 && posix.dirname(reader) === posix.dirname(path),
	);
	const doubledIn = new Set(places.doubledTypes.flatMap(row => row.split(' ').slice(1)));
	const number = value => value.toLocaleString('en');
	const now = {
		'files; median lines': `${number(files.length)}; ${lengths[Math.floor(lengths.length / 2)]}`,
		'files that one other file imports': `${single.length} (${Math.round((100 * single.length) / files.length)} %)`,
		'of those, at most 60 lines beside their reader': String(besideReader.length),
		'folders of one file': String(places.lonelyFolders.length),
		'literal spreads': String(places.literalSpreads.length),
		'exported type names that occur twice or more': `${places.doubledTypes.length} in ${doubledIn.size} files`,
		'types called …Options or …Dependencies': String(places.optionBags.length),
		'Pick and Omit': String(places.picks.length),
		'ReturnType<typeof …>': String(places.returnTypes.length),
		'types of more than 12 members': String(places.largeTypes.length),
		lines: number(lengths.reduce((sum, each) => sum + each, 0)),
	};
	console.log('| | now | began with | goal |\n|---|--:|--:|--:|');
	for (const [name, [began, goal]] of Object.entries(plan)) {
		console.log(`| ${name} | ${now[name]} | ${began} | ${goal} |`);
	}

	if (isListed) {
		const readers = single.map(({path, lines, importers: [reader]}) => `${path} (${lines}) <- ${reader}`);
		for (const [name, rows] of Object.entries({singleReaders: readers, ...places})) {
			console.log(`\n${name}\n${rows.join('\n')}`);
		}
	}
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	printHouse(process.argv.includes('--list'));
}
