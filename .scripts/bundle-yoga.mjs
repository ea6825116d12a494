import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';

/** Compiles Yoga at once: a script can't wait, and the first frame needs it. Yoga's loader is done when it returns. */
const loadNow = `function loadNow() {
	const module = {
		instantiateWasm(imports, done) {
			const instance = new WebAssembly.Instance(new WebAssembly.Module(wasmBinary), imports);
			done(instance);
			return instance.exports;
		},
	};
	loadYoga(module);
	return module;
}`;
const wasmData = /data:application\/octet-stream;base64,([\w+/=]+)/;

/**
 * Returns `text` with the only place that matches `pattern` replaced. Throws if there is none, or more than one: the module
 * that is patched has changed then.
 */
export function replaceOnce(text, pattern, replacement, module) {
	const found = text.match(new RegExp(pattern, 'g'))?.length ?? 0;
	if (found !== 1) {
		throw new Error(
			`${module} has ${found} places that match ${pattern}, not 1. Read its new source, then adapt the patch.`,
		);
	}

	return text.replace(pattern, replacement);
}

/**
 * Returns the esbuild plugin that hands Yoga its WebAssembly as decoded bytes: its own loader fetches a data URL, which
 * loads all of Node's fetch. The build fails if Yoga's files are no longer those that the patch was written for.
 */
export function yogaBytes(root) {
	const binary = createRequire(join(root, 'package.json'))
		.resolve('yoga-layout')
		.replace(/src\/index\.js$/, 'binaries/yoga-wasm-base64-esm.js');
	return {
		name: 'yoga-bytes',
		setup(plugin) {
			const patched = new Set();
			plugin.onLoad({filter: /yoga-layout\/dist\/src\/index\.js$/}, ({path}) => {
				patched.add(path);
				const source = replaceOnce(readFileSync(path, 'utf8'), /await loadYoga\(\)/, 'loadNow()', path);
				return {
					contents: `import wasmBinary from 'yoga-wasm';\n${loadNow}\n${source}`,
					loader: 'js',
					resolveDir: dirname(path),
				};
			});
			plugin.onLoad({filter: /yoga-wasm-base64-esm\.js$/, namespace: 'file'}, ({path}) => {
				patched.add(path);
				return {contents: replaceOnce(readFileSync(path, 'utf8'), wasmData, '', path), loader: 'js'};
			});
			plugin.onResolve({filter: /^yoga-wasm$/}, () => ({path: binary, namespace: 'yoga-wasm'}));
			plugin.onLoad({filter: /.*/, namespace: 'yoga-wasm'}, ({path}) => ({
				contents: Buffer.from(wasmData.exec(readFileSync(path, 'utf8'))[1], 'base64'),
				loader: 'binary',
			}));
			plugin.onEnd(({errors}) => {
				if (errors.length === 0 && patched.size !== 2) {
					throw new Error('yoga-layout was bundled without its patch: its files have other names now.');
				}
			});
		},
	};
}
