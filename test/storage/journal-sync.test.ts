import {open} from 'node:fs/promises';
import {expect, onTestFinished, test, vi} from 'vitest';
import {createJournal} from '../../src/storage/journal.ts';
import {recorded, sessionId} from './records.ts';
import {temporaryFolder, temporaryHome} from './temporary.ts';

test.each([
	['user-message', 1],
	['text-delta', 0],
	['tool-result', 1],
	['run-end', 1],
] as const)('behind a %s the disk is waited for %i times', async (type, times) => {
	const handle = await open(import.meta.filename);
	const datasync = vi.spyOn(Object.getPrototypeOf(handle), 'datasync');
	onTestFinished(async () => {
		datasync.mockRestore();
		await handle.close();
	});
	const journal = await createJournal({home: temporaryHome(), folder: temporaryFolder(), session: sessionId});
	const [begin, ...rest] = recorded([
		{type: 'user-message', id: 'u1', text: 'Read it.'},
		{type: 'user-message', id: 'u2', text: 'And that.'},
		{type: 'text-delta', id: 't1', messageId: 'm1', text: 'Hello.'},
		{type: 'tool-result', id: 'c1', output: 'one', failed: false, milliseconds: 1},
		{type: 'run-end', reason: 'done', stopReason: 'end_turn'},
	]);
	const record = rest.find(({event}) => event.type === type);
	if (!begin || !record) {
		throw new Error(`No record of ${type}.`);
	}

	journal.append(begin);
	await journal.flush();
	datasync.mockClear();
	journal.append(record);
	expect(await journal.flush()).toEqual({saved: true});
	expect(datasync).toHaveBeenCalledTimes(times);
	await journal.close();
});
