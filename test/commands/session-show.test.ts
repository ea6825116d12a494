import {expect, test} from 'vitest';
import {done, said, start, used, user} from '../core/records.ts';
import {dataOf, drawn, saveSession, testContext} from './context.ts';

const talk = [start, user('Read it'), said('I did.'), used('m1', 1000, 10), done];

test.each([80, 120])('at %i columns a saved session is shown with its usage', async width => {
	const here = testContext();
	const id = await saveSession(here, [...talk, {type: 'rename', title: 'Parser'}], '2026-02-01T00:00:00.000Z');
	const lines = drawn(await here.run('session', 'show', id.slice(0, 8)), width).split('\n');
	expect(lines.slice(0, 5)).toEqual([
		'Parser',
		`id       ${id}`,
		'model    custom/demo',
		'updated  2026-02-01T00:00:00Z',
		`folder   ${here.folder}`,
	]);
	expect(lines).toContainEqual(expect.stringMatching(/^input tokens +1,000 +1,000$/));
	expect(dataOf(await here.run('session', 'show'))).toMatchObject({
		id,
		title: 'Parser',
		folder: here.folder,
		usage: {total_input_tokens: 1000, total_output_tokens: 10},
	});
});

test('an unknown session is not found', async () => {
	await expect(testContext().run('session', 'show', 'abcd')).rejects.toMatchObject({code: 'not-found'});
});
