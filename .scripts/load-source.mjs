import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {build} from 'esbuild';

/** Returns a TypeScript module with its imports as JavaScript. `path` is relative to the repository. */
export async function bundleSource(path) {
	const {
		outputFiles: [bundle],
	} = await build({
		absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
		entryPoints: [path],
		bundle: true,
		write: false,
		format: 'esm',
		platform: 'node',
		loader: {'.md': 'text'},
		// The code that writes the configuration is imported at the first change; a script never makes one.
		external: ['*/conf-store.ts', '@napi-rs/keyring'],
		logLevel: 'error',
	});
	return bundle.text;
}

/** Imports a TypeScript module of this repository. */
export async function loadSource(path) {
	return import(`data:text/javascript;base64,${Buffer.from(await bundleSource(path)).toString('base64')}`);
}

/** Writes a bundled module to a temporary file. Returns its URL, for `node --import`, and a cleanup. */
export async function writeSource(path) {
	const folder = mkdtempSync(join(tmpdir(), 'service-script-'));
	const file = join(folder, 'module.mjs');
	writeFileSync(file, await bundleSource(path), {mode: 0o600});
	return {url: pathToFileURL(file).href, remove: () => rmSync(folder, {recursive: true, force: true})};
}
