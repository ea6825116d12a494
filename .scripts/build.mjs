// Bundles the program into dist/: one entry for the terminal, one for the embedded server's worker, one for the child
// that asks the keychain, one for the supervisor of a sandbox, shared chunks.
import {readFileSync} from 'node:fs';
import {chmod, rm, writeFile} from 'node:fs/promises';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {oneFirstChunk} from './bundle-first-chunk.mjs';
import {standIns} from './bundle-stand-ins.mjs';
import {yogaBytes} from './bundle-yoga.mjs';

/** Without development dependencies there is no bundler: the installation keeps the last build and must not fail. */
const {build} = await import('esbuild').catch(error => {
	if (error.code === 'ERR_MODULE_NOT_FOUND' && process.env.npm_lifecycle_event === 'prepare') {
		console.warn('dist/ was not built: esbuild is missing, because development dependencies are not installed.');
		process.exit(0);
	}

	throw error;
});

const {values: flags} = parseArgs({
	options: {
		/** Writes `meta.json`, with the modules in each file of the bundle. */
		meta: {type: 'boolean'},
		outdir: {type: 'string', default: 'dist'},
	},
});
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const options = {
	absWorkingDir: root,
	entryPoints: {
		service: 'src/main.tsx',
		'server-worker': 'src/server/run/worker.ts',
		'keychain-child': 'src/config/keychain-child.ts',
		'sandbox-supervisor': 'src/server/sandboxes/supervisor/supervisor.ts',
	},
	outdir: flags.outdir,
	chunkNames: 'chunks/[name]-[hash]',
	bundle: true,
	splitting: true,
	format: 'esm',
	platform: 'node',
	target: 'node20.18',
	supported: {'regexp-set-notation': true},
	minify: true,
	jsx: 'automatic',
	loader: {'.md': 'text'},
	define: {
		'process.env.NODE_ENV': '"production"',
		'process.env.DEV': '"false"',
		SERVICE_VERSION: JSON.stringify(version),
	},
	// They find their binaries through their own folders, so they stay packages.
	external: ['@vscode/ripgrep', '@napi-rs/keyring'],
	banner: {
		js: "import {createRequire as __createRequire} from 'node:module';const require=__createRequire(import.meta.url);",
	},
	plugins: [standIns(root), yogaBytes(root)],
	legalComments: 'none',
	logLevel: 'warning',
};

const outdir = resolve(root, flags.outdir);
await rm(outdir, {recursive: true, force: true});
const {metafile: plan} = await build({...options, write: false, metafile: true});
const {metafile} = await build({
	...options,
	plugins: [...options.plugins, oneFirstChunk(root, plan)],
	metafile: true,
});
await chmod(join(outdir, 'service.js'), 0o755);
if (flags.meta) {
	await writeFile(join(outdir, 'meta.json'), JSON.stringify(metafile));
}
