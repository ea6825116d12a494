import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {startAgentAtWork} from './agent-at-work.ts';

test('changes that a session made in another folder are told apart from those made here', async () => {
	const elsewhere = await startAgentAtWork({'a.txt': 'a'});
	await elsewhere.edit('a.txt', 'changed elsewhere');

	const here = await startAgentAtWork({'a.txt': 'b'});
	for (const event of elsewhere.events) {
		here.record([event]);
	}

	await expect(here.review()).rejects.toThrow('The changes of this session are not saved for this folder.');
	await expect(here.undo()).rejects.toThrow('not saved for this folder');

	here.say('message-2');
	await here.edit('a.txt', 'changed here');
	expect((await here.review()).map(({path}) => path)).toEqual(['a.txt']);
	expect(await here.undo()).toMatchObject({restored: ['a.txt']});
	expect(await readFile(join(here.workspace, 'a.txt'), 'utf8')).toBe('b');
	expect(await readFile(join(elsewhere.workspace, 'a.txt'), 'utf8')).toBe('changed elsewhere');
});
