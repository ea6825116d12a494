import {build} from 'esbuild';
import {inkStandInFor, standInSources} from './bundle-stand-ins.mjs';

/** The packages that draw. */
export const inkPackages = /^(?:ink|ink-text-input|ink-testing-library)$/;

/** What Ink imports of the modules that the build replaces, directly or through these packages. */
const drawsWith = /^(?:ink|cli-truncate|slice-ansi|wrap-ansi)$/;

/** Bundles Ink with the stand-ins of the build, which import compiled modules, so that tests draw with the modules that ship. */
export async function bundleInk(common, compiledPath) {
	const root = common.absWorkingDir;
	const packages = standInSources(root);
	const standIns = {
		name: 'ink-stand-ins',
		setup(plugin) {
			plugin.onResolve({filter: /^[^./]/}, ({path, kind}) => {
				if (kind === 'entry-point' || drawsWith.test(path)) {
					return undefined;
				}

				return packages[path] ? {path, namespace: 'stand-in'} : {path, external: true};
			});
			plugin.onResolve({filter: /^\/.*\.tsx?$/}, ({path}) => ({path: compiledPath(path), external: true}));
			plugin.onLoad({filter: /.*/, namespace: 'stand-in'}, ({path}) => ({contents: packages[path], resolveDir: root}));
			plugin.onLoad({filter: /\/ink\/build\/[\w-]+\.js$/}, ({path}) => {
				const contents = inkStandInFor(root, path);
				return contents === undefined ? undefined : {contents, resolveDir: root};
			});
		},
	};
	const names = ['ink', 'ink-text-input', 'ink-testing-library'];
	const {outputFiles} = await build({
		...common,
		entryPoints: names.map(name => ({in: name, out: `ink/${name}`})),
		chunkNames: 'ink/[name]-[hash]',
		splitting: true,
		plugins: [standIns],
	});
	return outputFiles;
}
