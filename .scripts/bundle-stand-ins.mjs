import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';

/** Calls back when the process exits. Signals are handled by the session of the terminal. */
const onExit = `
	import process from 'node:process';
	export default callback => {
		process.once('exit', callback);
		return () => process.off('exit', callback);
	};
`;

/** Returns modules that are slow or harmful in a bundle, each with its replacement source. */
export function standInSources(root) {
	return {
		// Ink draws nothing if `CI` is set. We draw on every terminal, and only there.
		'is-in-ci': 'export default false;',
		// They send each signal to the process once more, so that the first Ctrl+C would count as two; one loads `assert`, too.
		'when-exit': onExit,
		'signal-exit': onExit,
		// Its first non-ASCII string compiles an emoji pattern and segmenters (60 ms); ours measures the same cells.
		'string-width': reexport(root, 'src/terminal/text/width.ts', 'lineWidth'),
		// conf checks schemas and versions with them, which our own schema does before.
		'ajv/dist/2020.js': 'export class Ajv2020 {}',
		'ajv-formats': 'export default undefined;',
		semver: 'export default undefined;',
		// Its WebAssembly costs a start 10 ms and 6 MB; ours stacks rows.
		'yoga-layout': reexport(root, 'src/ui/screen/ink/stacked-rows.ts', 'stackedRows'),
		// Ink measures each text of each frame again with it.
		'widest-line': `
			import {measureText} from ${JSON.stringify(join(root, 'src/ui/screen/ink/ink-text.ts'))};
			export default text => measureText(text).width;
		`,
	};
}

/**
 * Returns the modules of Ink that ours replace, each with the hash of the source that was replaced: ours does what that one
 * did for the modules around it.
 */
export function inkStandIns(root) {
	return {
		// It takes each finished line apart into styled characters, and joins them again.
		'output.js': {
			sha256: 'de9078c7fc647c40cf9e32d6658fcbbee91dae9e3f6334e5f4ebfc5905fc401d',
			source: reexport(root, 'src/ui/screen/ink/row-output.ts', 'createRowOutput'),
		},
		// They remember every text that was ever drawn.
		'measure-text.js': {
			sha256: '4562d24171af3063b91a0d965c652ebdf1e2bdf4fe7f75c6bc8664fefc77df6a',
			source: reexport(root, 'src/ui/screen/ink/ink-text.ts', 'measureText'),
		},
		'wrap-text.js': {
			sha256: 'd2b8b4d05ed0eadd6c52149092f062ba048cda9928ce88e5176107c6fe38c19e',
			source: reexport(root, 'src/ui/screen/ink/ink-text.ts', 'wrapText'),
		},
		// It takes each text apart into tokens, twice a frame.
		'sanitize-ansi.js': {
			sha256: '6324e0b5396fda7b0e9dddad4acad023adee913dfb77e541636efa0a04d5f043',
			source: reexport(root, 'src/ui/screen/ink/ink-text.ts', 'finishedText'),
		},
		// It draws frames, which the screen does: in its debug mode, Ink only creates it, and tells it of resizes and of the end.
		'log-update.js': {
			sha256: '2d184e9776ac98b122a7801b132465035ee2118c2deb510a87aba2a0a1a41ae4',
			source: 'export default {create: () => ({clear() {}, done() {}, setCursorPosition() {}})};',
		},
		// It draws an error, after which the app has no prompt.
		'components/ErrorOverview.js': {
			sha256: '18b6335e92f18fca1868093f07ebbc3d9362d71ada167314887f9dabfe70a096',
			source: reexport(root, 'src/ui/screen/ink/render-error.ts', 'RenderError'),
		},
	};
}

function reexport(root, path, name) {
	return `export {${name} as default} from ${JSON.stringify(join(root, path))};`;
}

const inInk = /\/ink\/build\/((?:components\/)?[\w-]+\.js)$/;
const nameInInk = path => inInk.exec(path)?.[1];

/** Returns the replacement of one of Ink's modules; undefined for any other. Throws if that module has changed. */
export function inkStandInFor(root, path) {
	const standIn = inkStandIns(root)[nameInInk(path)];
	if (!standIn) {
		return undefined;
	}

	const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
	if (sha256 !== standIn.sha256) {
		throw new Error(`${path} has changed. Adapt what replaces it, then put its hash into the stand-ins: ${sha256}`);
	}

	return standIn.source;
}

/** Returns the esbuild plugin that puts the stand-ins in place. The build fails if one of them replaces nothing any more. */
export function standIns(root) {
	const sources = standInSources(root);
	const names = [...Object.keys(sources), ...Object.keys(inkStandIns(root))];
	const packages = Object.keys(sources).join('|');
	return {
		name: 'stand-ins',
		setup(plugin) {
			const used = new Set();
			plugin.onResolve({filter: new RegExp(`^(${packages})$`)}, ({path}) => {
				used.add(path);
				return {path, namespace: 'stand-in'};
			});
			plugin.onLoad({filter: /.*/, namespace: 'stand-in'}, ({path}) => ({
				contents: sources[path],
				loader: 'ts',
				resolveDir: root,
			}));
			plugin.onLoad({filter: inInk}, ({path}) => {
				const contents = inkStandInFor(root, path);
				used.add(nameInInk(path));
				return contents === undefined ? undefined : {contents, loader: 'js', resolveDir: root};
			});
			plugin.onEnd(({errors}) => {
				const unused = names.filter(name => !used.has(name));
				if (errors.length === 0 && unused.length > 0) {
					throw new Error(`Nothing imports ${unused.join(', ')} any more. Remove it from the stand-ins.`);
				}
			});
		},
	};
}
