import {expect, test} from 'vitest';
import type {Answer} from '../../e2e/model-host.ts';
import {realApp, replies} from './real-app.ts';

const release = '---\ndescription: How to make a release\nargument-hint: <version>\n---\nTag v$1, then push.';

test('a skill is named in the context, read on demand, and a slash command with arguments', async () => {
	const {type, waitFor, host, lastMessages} = await realApp({own: {'skills/release/SKILL.md': release}});
	host.answerWith(({call, finish}: Answer) => {
		call('read_skill', {name: 'release'});
		finish('tool_calls');
	}, replies);
	await waitFor('custom/alpha');
	type('Release it\r');
	await waitFor('Understood.');
	expect(String(lastMessages()[0]?.content)).toContain('- release: How to make a release');
	expect(String(lastMessages()[0]?.content)).not.toContain('then push');
	expect(JSON.stringify(lastMessages().at(-1))).toContain('Tag v$1, then push.');

	type('/release 1.2\r');
	await expect.poll(() => JSON.stringify(lastMessages().at(-1))).toContain('Tag v1.2, then push.');
	type('/skills\r');
	await waitFor('How to make a release');
});
