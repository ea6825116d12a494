import {execFileSync} from 'node:child_process';
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openHome} from '../../src/storage/home.ts';
import {openJournal} from '../../src/storage/journal.ts';
import {readPrivateFile} from '../../src/storage/private-file.ts';
import {folderSlug} from '../../src/storage/session-folder.ts';
import {findSession, listSessions} from '../../src/storage/sessions.ts';
import {temporaryFolder} from './temporary.ts';

const id = '0e3f7a52-1111-4222-8333-444455556666';

test.skipIf(process.platform === 'win32')('a pipe in place of a file is rejected without waiting [10]', async () => {
	const [folder, home] = [temporaryFolder(), openHome({SERVICE_HOME: join(temporaryFolder(), 'home')})];
	const place = join(home.sessions, folderSlug(folder));
	const path = join(place, `${id}.jsonl`);
	mkdirSync(place, {recursive: true});
	execFileSync('mkfifo', [path]);

	expect(await listSessions(home)).toEqual([]);
	const refused = {code: 'failed', message: `${path} is not a file.`};
	await expect(findSession(home, id)).rejects.toMatchObject(refused);
	await expect(openJournal({id, path})).rejects.toMatchObject(refused);
	expect(() => readPrivateFile(path)).toThrow(refused.message);
});
