// Updates the tables of README.md from the code.
import {readFile, writeFile} from 'node:fs/promises';
import {fileURLToPath} from 'node:url';
import {loadSource} from './load-source.mjs';

const path = fileURLToPath(new URL('../README.md', import.meta.url));
const {renderReadme} = await loadSource('.scripts/readme-tables.ts');
try {
	await writeFile(path, renderReadme(await readFile(path, 'utf8')));
} catch (error) {
	// Its stack would show the whole bundle.
	console.error(error.message);
	process.exitCode = 1;
}
