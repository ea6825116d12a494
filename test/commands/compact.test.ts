import {expect, test} from 'vitest';
import {testContext} from './context.ts';

test('an empty session has nothing to compact, to undo or to pin', async () => {
	const {runInApp} = testContext();
	expect(await runInApp('compact')).toMatchObject({text: 'Nothing to compact: the conversation is short.'});
	expect(await runInApp('compact', 'undo')).toMatchObject({text: 'No compaction to undo.'});
	expect(await runInApp('pin')).toMatchObject({text: 'No messages to pin.'});
	expect(await runInApp('pin', 'list')).toMatchObject({text: 'No pinned messages.', hint: 'Pin one: /pin'});
	expect(await runInApp('pin', 'remove')).toMatchObject({text: 'No pinned messages.'});
});
