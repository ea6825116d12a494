import {join} from 'node:path';

/** Returns modules that are slow or harmful in a bundle, each with its replacement source. */
export function standInSources(root) {
	return {
		// Ink asks for the devtools only in development; the module is not a dependency of ours.
		'react-devtools-core': 'export default {};',
		// Ink draws nothing if `CI` is set. We draw on every terminal, and only there.
		'is-in-ci': 'export default false;',
		// Its first non-ASCII string compiles an emoji pattern and segmenters (60 ms); ours measures the same cells.
		'string-width': `export {lineWidth as default} from ${JSON.stringify(join(root, 'src/terminal/text/width.ts'))};`,
	};
}

/** Returns the esbuild plugin that puts the stand-ins in place. The build fails if one of them replaces nothing any more. */
export function standIns(root) {
	const sources = standInSources(root);
	const names = Object.keys(sources);
	return {
		name: 'stand-ins',
		setup(plugin) {
			const used = new Set();
			plugin.onResolve({filter: new RegExp(`^(${names.join('|')})$`)}, ({path}) => {
				used.add(path);
				return {path, namespace: 'stand-in'};
			});
			plugin.onLoad({filter: /.*/, namespace: 'stand-in'}, ({path}) => ({
				contents: sources[path],
				loader: 'ts',
				resolveDir: root,
			}));
			plugin.onEnd(({errors}) => {
				const unused = names.filter(name => !used.has(name));
				if (errors.length === 0 && unused.length > 0) {
					throw new Error(`Nothing imports ${unused.join(', ')} any more. Remove it from the stand-ins.`);
				}
			});
		},
	};
}
