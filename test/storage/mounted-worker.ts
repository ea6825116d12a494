import {readFileSync} from 'node:fs';
import {basename, dirname} from 'node:path';
import {createEditFile} from '../../src/agent/tools/edit-file.ts';
import {contentHash} from '../../src/agent/tools/files/read-text.ts';
import {updateSmallFile} from '../../src/storage/small-file.ts';

// Run as a process of its own, where files are mounted, by in-place.test.ts.
const [what = '', path = ''] = process.argv.slice(2);
const folder = dirname(path);

try {
	if (what === 'update') {
		await updateSmallFile(path, before => `${before ?? ''}+`);
	} else {
		const tool = createEditFile({stateFolder: `${dirname(folder)}/state`, homeFolder: undefined});
		await tool.run(
			{path: basename(path), edits: [{old_text: 'old', new_text: 'new and longer'}]},
			{
				workspace: folder,
				signal: new AbortController().signal,
				onOutput: () => undefined,
				onChange: () => undefined,
				approve: async () => ({allowed: true}),
				readFiles: new Map([[path, contentHash(readFileSync(path))]]),
			},
		);
	}

	process.stdout.write(readFileSync(path, 'utf8'));
} catch (error) {
	process.stdout.write(`Failed: ${error instanceof Error ? error.message : String(error)}`);
}
