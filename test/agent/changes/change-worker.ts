import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import process from 'node:process';
import {entryNow} from '../../../src/agent/changes/file-history.ts';
import {openObjectStore} from '../../../src/agent/changes/object-store.ts';
import {restoreFile} from '../../../src/agent/changes/restore-file.ts';
import {createEditFile} from '../../../src/agent/tools/edit-file.ts';
import {contentHash} from '../../../src/agent/tools/files/read-text.ts';
import {createWriteFile} from '../../../src/agent/tools/write-file.ts';

// Run as a process of its own by killed-changes.test.ts: changes files back and forth until it is killed. `restore` takes
// two blobs of a store turn by turn, `write` and `edit` are the tools.
const [way, workspace = '', stateFolder = '', ...texts] = process.argv.slice(2);
const bounds = {workspace, hidden: []};
const store = await openObjectStore(`${stateFolder}/changes/test`);
const ids = await Promise.all(texts.map(text => store.put('blob', Buffer.from(text.repeat(20_000)))));
const places = {stateFolder, homeFolder: `${stateFolder}/home`};
const [write, edit] = [createWriteFile(places), createEditFile(places)];
const context = {
	workspace,
	signal: new AbortController().signal,
	onOutput: () => undefined,
	onNotice: () => undefined,
	onChange: () => undefined,
	approve: async () => ({allowed: true as const}),
	readFiles: new Map<string, string>(),
};
process.stdout.write('ready\n');
// A killed process before this one may have left either text.
const shown = await readFile(join(workspace, `${way}-0.txt`), 'utf8').catch(() => '');
for (let turn = shown.startsWith(texts[0] ?? '') ? 1 : 0; ; turn++) {
	const side = turn % 2;
	for (let file = 0; file < 8; file++) {
		const path = `${way}-${file}.txt`;
		if (way === 'restore') {
			const current = await entryNow(path, {store, bounds});
			await restoreFile({path, current, wanted: {mode: 'file', id: ids[side] ?? ''}}, store, bounds);
		} else {
			const known = await readFile(join(workspace, path)).catch(() => undefined);
			context.readFiles.set(join(workspace, path), known ? contentHash(known) : '');
			// A killed process may have left this file as it should be.
			const edits = [{old_text: texts[1 - side] ?? '', new_text: texts[side] ?? '', replace_all: true}];
			await (way === 'edit' && known
				? edit.run({path, edits}, context)
				: write.run({path, content: (texts[side] ?? '').repeat(20_000)}, context)
			).catch(() => undefined);
		}
	}
}
