import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {replaceOnce} from './replace-once.mjs';

/** The clock of Ink and React: Node loads its own `performance` when something names it, with all that it can observe. */
const clock = `const performance = {
	now() {
		const [seconds, nanoseconds] = process.hrtime();
		return seconds * 1000 + nanoseconds / 1e6;
	},
};
`;
const timed = /(?:ink\/build\/ink|scheduler\/cjs\/scheduler\.production)\.js$/;

/**
 * Returns the esbuild plugin that takes the development tools out of Ink: they load asynchronously, which scripts can't wait
 * for. Ink and React get a clock that is there without loading anything.
 */
export function inkForProduction() {
	return {
		name: 'ink-for-production',
		setup(plugin) {
			const patched = new Set();
			plugin.onLoad({filter: /ink\/build\/reconciler\.js$/}, ({path}) => {
				patched.add(path);
				const source = readFileSync(path, 'utf8');
				const withoutTools = replaceOnce(source, /await import\('\.\/devtools\.js'\)/, 'undefined', path);
				return {contents: replaceOnce(withoutTools, /await loadPackageJson\(\)/, '{}', path), loader: 'js'};
			});
			plugin.onLoad({filter: timed}, ({path}) => {
				patched.add(path);
				return {contents: clock + readFileSync(path, 'utf8'), loader: 'js'};
			});
			plugin.onEnd(({errors}) => {
				if (errors.length === 0 && patched.size !== 3) {
					throw new Error('Ink was bundled without its patch: its files have other names now.');
				}
			});
		},
	};
}

/** What modules import of React by name; the build fails for a name that is missing here. */
const namesOfReact = [
	...['createContext', 'forwardRef', 'memo', 'PureComponent', 'useCallback', 'useContext', 'useEffect'],
	...['useInsertionEffect', 'useLayoutEffect', 'useMemo', 'useReducer', 'useRef', 'useState', 'useDebugValue'],
	'useSyncExternalStore',
];
const onceImported = {react: namesOfReact, 'react/jsx-runtime': ['Fragment', 'jsx', 'jsxs']};

/**
 * Returns the esbuild plugin that imports React once for all modules. It is CommonJS, of which each module would copy all
 * properties.
 */
export function reactOnce(root) {
	return {
		name: 'react-once',
		setup(plugin) {
			plugin.onResolve({filter: /^react(?:\/jsx-runtime)?$/}, ({path, kind, namespace}) =>
				kind === 'import-statement' && namespace !== 'react-once' ? {path, namespace: 'react-once'} : undefined,
			);
			plugin.onLoad({filter: /.*/, namespace: 'react-once'}, ({path}) => ({
				contents: [
					`import whole from ${JSON.stringify(path)};`,
					'export default whole;',
					`export const {${onceImported[path].join(', ')}} = whole;`,
				].join('\n'),
				resolveDir: root,
			}));
		},
	};
}

/**
 * Returns the esbuild plugin that bundles chalk once: Ink and its text field each have a copy, and what wraps lines has its
 * colours. The build fails if the copies differ.
 */
export function chalkOnce(root) {
	const chalk = join(root, 'node_modules/ink/node_modules/chalk/source');
	const copies = [
		[/\/ink-text-input\/node_modules\/chalk\/source\/index\.js$/, join(chalk, 'index.js')],
		[/\/wrap-ansi\/node_modules\/ansi-styles\/index\.js$/, join(chalk, 'vendor/ansi-styles/index.js')],
	];
	return {
		name: 'chalk-once',
		setup(plugin) {
			for (const [filter, original] of copies) {
				plugin.onLoad({filter}, ({path}) => {
					if (readFileSync(path, 'utf8') !== readFileSync(original, 'utf8')) {
						throw new Error(`${path} differs from ${original}: bundle both.`);
					}

					const source = JSON.stringify(original);
					return {contents: `export * from ${source}; export {default} from ${source};`, loader: 'js'};
				});
			}
		},
	};
}
