import {chmodSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {createFileEditor} from '../../../src/ui/screen/edit-file.ts';
import {temporaryFolder} from '../../storage/temporary.ts';

test('a user who set no editor gets vi', async () => {
	const folder = temporaryFolder();
	writeFileSync(join(folder, 'vi'), '#!/bin/sh\necho edited >"$1"\n');
	chmodSync(join(folder, 'vi'), 0o755);
	const path = join(folder, 'prompt.md');
	const edit = createFileEditor({
		env: {PATH: `${folder}:/usr/bin:/bin`, EDITOR: ' '},
		session: {lend: run => run()},
		fullScreen: {close: () => undefined},
	});
	await edit(path);
	expect(readFileSync(path, 'utf8')).toBe('edited\n');
});
