// Renews the tables of README.md from the code.
import {readFile, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const scripts = dirname(fileURLToPath(import.meta.url));
const path = join(scripts, '../README.md');

const {
	outputFiles: [bundle],
} = await build({
	entryPoints: [join(scripts, 'readme-tables.ts')],
	bundle: true,
	write: false,
	format: 'esm',
	platform: 'node',
	loader: {'.md': 'text'},
	logLevel: 'error',
});
const {renderReadme} = await import(`data:text/javascript;base64,${Buffer.from(bundle.contents).toString('base64')}`);
try {
	await writeFile(path, renderReadme(await readFile(path, 'utf8')));
} catch (error) {
	// Its stack would show the whole bundle.
	console.error(error.message);
	process.exitCode = 1;
}
