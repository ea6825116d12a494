// Bundles the program into dist/: one entry for the terminal, one for the embedded server's worker, one for the child
// that asks the keychain, shared chunks.
import {readFileSync} from 'node:fs';
import {chmod, rm, writeFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

/** An installation without development dependencies must not fail: it has no bundler, so what is built stays. */
const {build, context} = await import('esbuild').catch(error => {
	if (error.code === 'ERR_MODULE_NOT_FOUND' && process.env.npm_lifecycle_event === 'prepare') {
		console.warn('dist/ is not built: esbuild is a development dependency, and those were left out.');
		process.exit(0);
	}

	throw error;
});

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const require = createRequire(join(root, 'package.json'));

/** Modules that cost time or do harm in a bundle, and what stands in for them. */
const standIns = {
	// Ink asks for the devtools only in development; the module is not a dependency of ours.
	'react-devtools-core': 'export default {};',
	// Ink draws nothing where `CI` is set. Whether to draw is our decision: we do on a terminal, and only there.
	'is-in-ci': 'export default false;',
	// Its first non-ASCII string compiles an emoji pattern and segmenters (60 ms); ours measures the same cells.
	'string-width': `export {lineWidth as default} from ${JSON.stringify(join(root, 'src/terminal/width.ts'))};`,
};

const wasmData = /data:application\/octet-stream;base64,([\w+/=]+)/;

/** Hands Yoga its WebAssembly as decoded bytes: its own loader fetches a data URL, which loads all of Node's fetch. */
const yogaLoader = {
	name: 'yoga-bytes',
	setup(plugin) {
		const binary = require.resolve('yoga-layout').replace(/src\/index\.js$/, 'binaries/yoga-wasm-base64-esm.js');
		plugin.onLoad({filter: /yoga-layout\/dist\/src\/index\.js$/}, ({path}) => ({
			contents: `import wasmBinary from 'yoga-wasm';\n${readFileSync(path, 'utf8').replace('loadYoga()', 'loadYoga({wasmBinary})')}`,
			loader: 'js',
			resolveDir: dirname(path),
		}));
		plugin.onLoad({filter: /yoga-wasm-base64-esm\.js$/, namespace: 'file'}, ({path}) => ({
			contents: readFileSync(path, 'utf8').replace(wasmData, ''),
			loader: 'js',
		}));
		plugin.onResolve({filter: /^yoga-wasm$/}, () => ({path: binary, namespace: 'yoga-wasm'}));
		plugin.onLoad({filter: /.*/, namespace: 'yoga-wasm'}, ({path}) => ({
			contents: Buffer.from(wasmData.exec(readFileSync(path, 'utf8'))[1], 'base64'),
			loader: 'binary',
		}));
	},
};

const standInLoader = {
	name: 'stand-ins',
	setup(plugin) {
		const names = new RegExp(`^(${Object.keys(standIns).join('|')})$`);
		plugin.onResolve({filter: names}, ({path}) => ({path, namespace: 'stand-in'}));
		plugin.onLoad({filter: /.*/, namespace: 'stand-in'}, ({path}) => ({
			contents: standIns[path],
			loader: 'ts',
			resolveDir: root,
		}));
	},
};

/**
 * Keeps what the first frame is made of in one chunk. A module that several lazily loaded ones share becomes a chunk of its
 * own, and Node takes about a millisecond for each: so every lazily loaded module is made to share all of them, which by
 * then are loaded already. What is drawn with (`src/ui`) stays apart, because a shell command needs none of it.
 */
function oneFirstChunk({inputs}) {
	const importsOf = (path, kind) => inputs[path].imports.filter(found => found.kind === kind && inputs[found.path]);
	const first = new Set();
	const visit = path => {
		if (!first.has(path)) {
			first.add(path);
			for (const found of importsOf(path, 'import-statement')) {
				visit(found.path);
			}
		}
	};
	visit('src/main.tsx');
	visit('src/ui/start.tsx');
	const shared = [...first].filter(path => /^src\/(?!ui\/|main)/.test(path)).map(path => join(root, path));
	const lazy = new Set(
		Object.keys(inputs)
			.flatMap(path => importsOf(path, 'dynamic-import').map(found => found.path))
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

const options = {
	absWorkingDir: root,
	entryPoints: {
		service: 'src/main.tsx',
		'server-worker': 'src/server/worker.ts',
		'keychain-child': 'src/config/keychain-child.ts',
	},
	outdir: 'dist',
	chunkNames: 'chunks/[name]-[hash]',
	bundle: true,
	splitting: true,
	format: 'esm',
	platform: 'node',
	target: 'node20.18',
	supported: {'regexp-set-notation': true},
	minify: true,
	jsx: 'automatic',
	define: {
		'process.env.NODE_ENV': '"production"',
		'process.env.DEV': '"false"',
		SERVICE_VERSION: JSON.stringify(version),
	},
	// They find their binaries through their own folders, so they must stay packages of their own.
	external: ['@vscode/ripgrep', '@napi-rs/keyring'],
	banner: {
		js: "import {createRequire as __createRequire} from 'node:module';const require=__createRequire(import.meta.url);",
	},
	plugins: [standInLoader, yogaLoader],
	legalComments: 'none',
	logLevel: 'warning',
	metafile: process.argv.includes('--meta'),
};

if (process.argv.includes('--watch')) {
	await (await context(options)).watch();
} else {
	await rm(join(root, 'dist'), {recursive: true, force: true});
	const {metafile} = await build({...options, write: false, metafile: true});
	const result = await build({...options, plugins: [...options.plugins, oneFirstChunk(metafile)]});
	await chmod(join(root, 'dist/service.js'), 0o755);
	if (result.metafile) {
		await writeFile(join(root, 'dist/meta.json'), JSON.stringify(result.metafile));
	}
}
