// Updates the tables of README.md and .github/FAULTS.md from the code and the stored figures.
import {readFile, writeFile} from 'node:fs/promises';
import {fileURLToPath} from 'node:url';
import {loadSource} from './load-source.mjs';

const {renderFaults, renderReadme} = await loadSource('.scripts/page-tables.ts');
try {
	for (const [name, render] of [
		['README.md', renderReadme],
		['.github/FAULTS.md', renderFaults],
	]) {
		const path = fileURLToPath(new URL(`../${name}`, import.meta.url));
		await writeFile(path, render(await readFile(path, 'utf8')));
	}
} catch (error) {
	// Its stack would show the whole bundle.
	console.error(error.message);
	process.exitCode = 1;
}
