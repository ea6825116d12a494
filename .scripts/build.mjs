// Bundles the program into dist/: packs of chunks for the terminal and the embedded server's worker, with an entry for each
// that loads them, and a file for each child: it asks the keychain, supervises a sandbox, or cleans up after a killed program.
import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {chmod, mkdir, rm, writeFile} from 'node:fs/promises';
import {basename, dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {oneFirstChunk} from './bundle-first-chunk.mjs';
import {chalkOnce, inkForProduction, reactOnce} from './bundle-ink.mjs';
import {sdksBySelf} from './bundle-sdks.mjs';
import {standIns} from './bundle-stand-ins.mjs';
import {undiciWithoutHttp} from './bundle-undici.mjs';
import {compileAhead} from './compile-ahead.mjs';

/** Without development dependencies there is no bundler: the installation keeps the last build and must not fail. */
const {build} = await import('esbuild').catch(error => {
	if (error.code === 'ERR_MODULE_NOT_FOUND' && process.env.npm_lifecycle_event === 'prepare') {
		console.warn('dist/ was not built: esbuild is missing, because development dependencies are not installed.');
		process.exit(0);
	}

	throw error;
});
const {packsOf} = await import('./bundle-packs.mjs');

const {values: flags} = parseArgs({
	options: {
		/** Writes `meta.json`, with the modules in each file of the bundle. */
		meta: {type: 'boolean'},
		/** Leaves out the compiled code: the first start takes longer, the build less. */
		fast: {type: 'boolean'},
		/** Writes modules that are not minified, with source maps, in place of packs: for `npm run dev`. */
		dev: {type: 'boolean'},
		outdir: {type: 'string', default: 'dist'},
	},
});
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const outdir = resolve(root, flags.outdir);
const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const common = {
	absWorkingDir: root,
	outdir,
	bundle: true,
	platform: 'node',
	target: 'node20.18',
	supported: {'regexp-set-notation': true},
	minify: !flags.dev,
	sourcemap: flags.dev ? 'linked' : false,
	write: false,
	// They find their binaries through their own folders, so they stay packages.
	external: ['@vscode/ripgrep', '@napi-rs/keyring'],
	legalComments: 'none',
	logLevel: 'warning',
};
const withRequire = {
	js: "import {createRequire as __createRequire} from 'node:module';const require=__createRequire(import.meta.url);",
};
// Programs that the main one starts; it knows their content, so that it starts none of a later build.
const children = await build({
	...common,
	entryPoints: {
		'keychain-child': 'src/config/keychain-child.ts',
		'clean-planted': 'src/agent/sandbox/clean-planted.ts',
		'sandbox-supervisor': 'src/server/sandboxes/supervisor/supervisor.ts',
	},
	format: 'esm',
	outExtension: {'.js': '.mjs'},
	banner: withRequire,
});
const hashes = children.outputFiles.map(({path, contents}) => [
	basename(path),
	createHash('sha256').update(contents).digest('hex'),
]);
const chunked = {
	...common,
	entryPoints: {service: 'src/main.ts', 'server-worker': 'src/server/run/worker.ts'},
	chunkNames: 'chunks/[name]-[hash]',
	splitting: true,
	format: 'esm',
	metafile: true,
	jsx: 'automatic',
	loader: {'.md': 'text'},
	define: {
		'process.env.NODE_ENV': '"production"',
		'process.env.DEV': '"false"',
		SERVICE_VERSION: JSON.stringify(version),
		// As text, because an object would be a module that every start reads.
		SCRIPT_HASHES: JSON.stringify(JSON.stringify(Object.fromEntries(hashes))),
	},
	plugins: [
		standIns(root),
		inkForProduction(),
		reactOnce(root),
		chalkOnce(root),
		undiciWithoutHttp(),
		sdksBySelf(build, {...common, sourcemap: false}),
	],
};

if (flags.dev) {
	const {outputFiles} = await build({...chunked, chunkNames: '[name]-[hash]', banner: withRequire});
	await mkdir(outdir, {recursive: true});
	await Promise.all([
		...[...outputFiles, ...children.outputFiles].map(({path, contents}) => writeFile(path, contents)),
		writeFile(join(outdir, 'package.json'), '{"type": "module"}\n'),
	]);
	process.exit();
}

const {metafile: first} = await build(chunked);
const bundle = await build({...chunked, plugins: [...chunked.plugins, oneFirstChunk(root, first)]});
const {packs, idOf} = await packsOf(bundle, common);
const entries = await build({
	...common,
	entryPoints: {service: 'src/loader/service.ts', 'server-worker': 'src/loader/server-worker.ts'},
	format: 'cjs',
	banner: {js: '#!/usr/bin/env node'},
	define: {
		SERVICE_CHUNK: JSON.stringify(idOf('src/main.ts')),
		WORKER_CHUNK: JSON.stringify(idOf('src/server/run/worker.ts')),
		SERVICE_VERSION: JSON.stringify(version),
	},
});
// Everything is written at once, so that a program that starts meanwhile rarely finds half of it.
await rm(outdir, {recursive: true, force: true});
await mkdir(join(outdir, 'chunks'), {recursive: true});
await Promise.all([
	...packs.map(({name, text}) => writeFile(join(outdir, 'chunks', `${name}.js`), text)),
	...[...entries.outputFiles, ...children.outputFiles].map(({path, contents}) => writeFile(path, contents)),
	writeFile(join(outdir, 'package.json'), '{"type": "commonjs"}\n'),
]);
await chmod(join(outdir, 'service.js'), 0o755);
if (flags.meta) {
	const {outputs, inputs} = bundle.metafile;
	const files = Object.fromEntries(packs.map(({name, paths, text}) => [name, {bytes: text.length, chunks: paths}]));
	await writeFile(join(outdir, 'meta.json'), JSON.stringify({inputs, outputs, packs: files}));
}

if (!flags.fast) {
	await compileAhead(outdir).catch(error => console.warn(`The first start will compile the program: ${error.message}`));
}
