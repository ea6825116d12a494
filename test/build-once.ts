import {renameSync} from 'node:fs';
import {join} from 'node:path';
import {type BuildOptions, build} from 'esbuild';

const folder = join(import.meta.dirname, '../node_modules');

/**
 * Builds a module and what it imports to one file, which starts in half the processor time. Returns its path, which is the
 * same in every process. The file stays for the next run.
 */
export async function buildOnce(name: string, entry: URL, options: BuildOptions = {}): Promise<string> {
	const built = join(folder, `.service-${name}.mjs`);
	// Renamed when it is whole, because processes that run at the same time build the same.
	const own = `${built}-${process.pid}`;
	await build({
		entryPoints: [entry.pathname],
		outfile: own,
		bundle: true,
		format: 'esm',
		platform: 'node',
		target: 'node20.18',
		...options,
	});
	renameSync(own, built);
	return built;
}

/**
 * Builds modules that run commands into `outdir`, each to one file of its name, with what cleans up after a command beside
 * them, where they look for it.
 */
export async function buildCommandPrograms(outdir: string, entries: Readonly<Record<string, string>>): Promise<void> {
	await build({
		entryPoints: {...entries, 'clean-planted': join(import.meta.dirname, '../src/agent/sandbox/clean-planted.ts')},
		outdir,
		outExtension: {'.js': '.mjs'},
		bundle: true,
		platform: 'node',
		format: 'esm',
		loader: {'.md': 'text'},
		banner: {js: "import {createRequire} from 'node:module';const require=createRequire(import.meta.url);"},
	});
}
