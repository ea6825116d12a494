import {readFileSync} from 'node:fs';
import {join} from 'node:path';

/** The modules that draw the first frame. */
const firstModules = ['src/main.ts', 'src/store/store.ts', 'src/ui/start.tsx'];

/** Returns the modules that the first frame needs: those in `firstModules` and all that they import statically. */
export function modulesOfFirstFrame({inputs}) {
	for (const path of firstModules) {
		if (!inputs[path]) {
			throw new Error(
				`The build has no ${path}, which the first frame is drawn from. Name the module that replaced it.`,
			);
		}
	}

	return reachedFrom(inputs, ...firstModules);
}

/** Returns these modules and all that they import statically. */
function reachedFrom(inputs, ...paths) {
	const reached = new Set();
	const visit = path => {
		if (!reached.has(path)) {
			reached.add(path);
			for (const found of importsOf(inputs, path, 'import-statement')) {
				visit(found.path);
			}
		}
	};
	for (const path of paths) {
		visit(path);
	}

	return reached;
}

function importsOf(inputs, path, kind) {
	return inputs[path].imports.filter(found => found.kind === kind && inputs[found.path]);
}

/**
 * Returns the esbuild plugin that keeps what the first frame is made of in few chunks. A module that several lazily loaded
 * ones share becomes a chunk of its own, and Node takes about a millisecond for each: so every lazily loaded module is made
 * to share all of them, which by then are loaded already. What is drawn with (`src/ui`) stays apart, because a shell command
 * needs none of it: what imports some of it shares the rest, too, unless `src/main.ts` loads it in place of the screen.
 */
export function oneFirstChunk(root, metafile) {
	const {inputs} = metafile;
	const first = modulesOfFirstFrame(metafile);
	const own = [...first].filter(path => /^src\/(?!main)/.test(path));
	const isDrawing = path => path.startsWith('src/ui/');
	const lazy = new Set(
		Object.keys(inputs)
			.flatMap(path => importsOf(inputs, path, 'dynamic-import').map(found => found.path))
			.filter(path => path.startsWith('src/') && !first.has(path)),
	);
	const insteadOfScreen = new Set(importsOf(inputs, 'src/main.ts', 'dynamic-import').map(found => found.path));
	const sharedBy = new Map(
		[...lazy].map(path => {
			const reached = reachedFrom(inputs, path);
			const draws = !insteadOfScreen.has(path) && own.some(each => isDrawing(each) && reached.has(each));
			const shared = own.filter(each => !firstModules.includes(each) && (draws || !isDrawing(each)));
			return [join(root, path), shared.map(each => join(root, each))];
		}),
	);
	return {
		name: 'one-first-chunk',
		setup(plugin) {
			plugin.onLoad({filter: /\/src\/.*\.tsx?$/}, ({path}) =>
				sharedBy.has(path)
					? {
							contents: [
								readFileSync(path, 'utf8'),
								...sharedBy.get(path).map(file => `import ${JSON.stringify(file)};`),
							].join('\n'),
							loader: path.endsWith('x') ? 'tsx' : 'ts',
						}
					: undefined,
			);
		},
	};
}
