import {readFileSync} from 'node:fs';
import {basename, dirname} from 'node:path';
import {openObjectStore} from '../../src/agent/changes/object-store.ts';
import {restoreFile} from '../../src/agent/changes/restore-file.ts';
import {fileEntry} from '../../src/agent/changes/tree.ts';
import {createEditFile} from '../../src/agent/tools/edit-file.ts';
import {contentHash} from '../../src/agent/tools/files/read-text.ts';
import {updateSmallFile} from '../../src/storage/kept-file.ts';

// Run as a process of its own, where files are mounted, by in-place.test.ts.
const [what = '', path = ''] = process.argv.slice(2);
const folder = dirname(path);

try {
	if (what === 'update') {
		await updateSmallFile(path, before => `${before ?? ''}+`);
	} else if (what === 'restore') {
		const store = await openObjectStore(`${dirname(folder)}/changes/store`);
		const entry = async (content: Buffer) => fileEntry(await store.put('blob', content), 0o600);
		const [current, wanted] = [await entry(readFileSync(path)), await entry(Buffer.from('wanted\n'))];
		await restoreFile({path: basename(path), current, wanted}, store, {workspace: folder, hidden: []});
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
