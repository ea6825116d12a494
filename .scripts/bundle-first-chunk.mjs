import {readFileSync} from 'node:fs';
import {join} from 'node:path';

/** What the first frame is drawn from. */
const firstModules = ['src/main.tsx', 'src/ui/start.tsx'];

/** Returns the modules that the first frame needs: those in `firstModules` and all that they import statically. */
export function modulesOfFirstFrame({inputs}) {
	const first = new Set();
	const visit = path => {
		if (!inputs[path]) {
			throw new Error(
				`The build has no ${path}, which the first frame is drawn from. Name the module that replaced it.`,
			);
		}

		if (!first.has(path)) {
			first.add(path);
			for (const found of importsOf(inputs, path, 'import-statement')) {
				visit(found.path);
			}
		}
	};
	for (const path of firstModules) {
		visit(path);
	}

	return first;
}

function importsOf(inputs, path, kind) {
	return inputs[path].imports.filter(found => found.kind === kind && inputs[found.path]);
}

/**
 * Returns the esbuild plugin that keeps what the first frame is made of in one chunk. A module that several lazily loaded
 * ones share becomes a chunk of its own, and Node takes about a millisecond for each: so every lazily loaded module is made
 * to share all of them, which by then are loaded already. What is drawn with (`src/ui`) stays apart, because a shell command
 * needs none of it.
 */
export function oneFirstChunk(root, metafile) {
	const {inputs} = metafile;
	const first = modulesOfFirstFrame(metafile);
	const shared = [...first].filter(path => /^src\/(?!ui\/|main)/.test(path)).map(path => join(root, path));
	const lazy = new Set(
		Object.keys(inputs)
			.flatMap(path => importsOf(inputs, path, 'dynamic-import').map(found => found.path))
			.filter(path => path.startsWith('src/') && !first.has(path))
			.map(path => join(root, path)),
	);
	return {
		name: 'one-first-chunk',
		setup(plugin) {
			plugin.onLoad({filter: /\/src\/.*\.tsx?$/}, ({path}) =>
				lazy.has(path)
					? {
							contents: [readFileSync(path, 'utf8'), ...shared.map(file => `import ${JSON.stringify(file)};`)].join(
								'\n',
							),
							loader: path.endsWith('x') ? 'tsx' : 'ts',
						}
					: undefined,
			);
		},
	};
}
