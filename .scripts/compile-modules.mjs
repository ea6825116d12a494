import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {basename, dirname, join, posix, relative, resolve} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {build} from 'esbuild';
import {bundleInk, inkPackages} from './compile-ink.mjs';
import {countStepsOf} from './count-steps.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = ['src', 'commands', 'test', '.scripts'];
const outdir = join(root, 'node_modules/.service-modules');
const manifest = join(outdir, 'manifest.json');

/** What every compiled module depends on. */
const machinery = [
	'.scripts/compile-modules.mjs',
	'.scripts/compile-ink.mjs',
	'.scripts/bundle-stand-ins.mjs',
	'.scripts/count-steps.mjs',
	'.scripts/insert-code.mjs',
	'package-lock.json',
];

const common = {
	absWorkingDir: root,
	outdir,
	outExtension: {'.js': '.mjs'},
	bundle: true,
	write: false,
	format: 'esm',
	platform: 'node',
	target: 'node20.18',
	jsx: 'automatic',
	sourcemap: 'linked',
	logLevel: 'error',
};

/** Returns where the compiled module of a source file is. `path` is absolute, or relative to the repository. */
export const compiledPath = path => join(outdir, compiledName(relative(root, resolve(root, path))));

const compiledName = path => (/\.(?:tsx?|mjs)$/.test(path) ? path.replace(/\.\w+$/, '.mjs') : `${path}.mjs`);

/** Returns where the module of a test file is. That of a test that counts steps is in a tree of modules that count them. */
export function testModulePath(path) {
	const compiled = compiledPath(path);
	return countsSteps(compiled) ? join(outdir, 'counted', relative(outdir, compiled)) : compiled;
}

const countsSteps = compiled =>
	/\.test\.mjs$/.test(compiled) && readFileSync(compiled, 'utf8').includes('/growth.mjs"');

/**
 * Compiles each source file that has changed since the last time to a module of its own, for tests: Node imports them without
 * help. Packages stay packages, except Ink, which gets the stand-ins of the build. Throws if a file has a syntax error.
 */
export async function compileModules() {
	// Ink is bundled with the paths of compiled modules: in a copied folder they would be those of the other one.
	const key = createHash('sha256').update(root);
	for (const path of machinery) {
		key.update(readFileSync(join(root, path)));
	}

	const before = readManifest();
	const now = {key: key.digest('hex'), files: listFiles()};
	const known = before.key === now.key ? before.files : {};
	for (const path of Object.keys(before.files).filter(path => now.files[path] === undefined)) {
		rmSync(compiledPath(path), {force: true});
	}

	const changed = Object.keys(now.files).filter(path => known[path] !== now.files[path]);
	if (changed.length > 0) {
		const ink = before.key === now.key ? [] : await bundleInk(common, compiledPath);
		[...ink, ...(await compile(changed))].forEach(write);
		write({path: manifest, contents: JSON.stringify(now)});
	}

	await countStepsOf(outdir, Object.keys(now.files).map(compiledPath).filter(countsSteps));
}

/** Returns the source files, each with a value that changes with its content. */
function listFiles() {
	const paths = folders.flatMap(folder =>
		readdirSync(join(root, folder), {recursive: true, withFileTypes: true})
			.filter(entry => entry.isFile() && /(?<!\.d)\.(?:tsx?|mjs|md)$/.test(entry.name))
			.map(entry => posix.join(relative(root, entry.parentPath), entry.name)),
	);
	return Object.fromEntries(
		paths.map(path => {
			const {mtimeMs, size} = statSync(join(root, path));
			return [path, `${mtimeMs} ${size}`];
		}),
	);
}

function readManifest() {
	return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')) : {key: '', files: {}};
}

async function compile(paths) {
	const {outputFiles} = await build({
		...common,
		entryPoints: paths.map(path => ({in: path, out: compiledName(path).replace(/\.mjs$/, '')})),
		loader: {'.md': 'text'},
		packages: 'external',
		// A module that looks for files beside it finds those of its source.
		define: {'import.meta': 'sourceMeta'},
		plugins: [oneByOne],
	});
	return outputFiles;
}

const oneByOne = {
	name: 'one-by-one',
	setup(plugin) {
		plugin.onResolve({filter: /^\.\.?\//}, ({path, kind, resolveDir}) => {
			if (kind === 'entry-point') {
				return undefined;
			}

			const isData = path.endsWith('.json');
			return {path: isData ? pathToFileURL(join(resolveDir, path)).href : compiledName(path), external: true};
		});
		plugin.onResolve({filter: inkPackages}, ({path}) => ({
			path: pathToFileURL(compiledPath(`ink/${path}.mjs`)).href,
			external: true,
		}));
		plugin.onLoad({filter: /\.(?:tsx?|mjs)$/}, ({path}) => {
			const source = readFileSync(path, 'utf8');
			const loader = path.endsWith('x') ? 'tsx' : 'ts';
			if (!source.includes('import.meta')) {
				return {contents: source, loader};
			}

			const meta = JSON.stringify({url: pathToFileURL(path).href, dirname: dirname(path), filename: path});
			return {contents: source.replace(/^(?:#!.*\n)?/, start => `${start}const sourceMeta = ${meta};`), loader};
		});
	},
};

/** Writes a file at once: another run may be reading it. */
function write({path, contents}) {
	const draft = join(dirname(path), `.${process.pid}-${basename(path)}`);
	mkdirSync(dirname(path), {recursive: true});
	writeFileSync(draft, contents);
	renameSync(draft, path);
}
