import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {startModelHost} from '../e2e/model-host.ts';
import {temporaryFolder} from '../storage/temporary.ts';
import {open} from './open-program.ts';

/** Runs a model that searches without end. Returns how many requests it got, and how the run ended. */
async function loop(user: object, project: object, isTrusted = true) {
	const home = temporaryFolder();
	const folder = temporaryFolder();
	mkdirSync(join(folder, '.service'));
	writeFileSync(join(folder, '.service/settings.json'), JSON.stringify(project));
	writeFileSync(join(home, 'settings.json'), JSON.stringify(user), {mode: 0o600});
	const host = await startModelHost();
	host.answerWith(({call, finish}) => {
		call('search_text', {pattern: `${host.chats().length}`});
		finish('tool_calls');
	});
	const {program, events} = open({home, folder, host, proxy: ''});
	const {files} = await program.project.files.load();
	await program.project.files.decide(isTrusted, files);
	await program.project.folder.answer(true, {isOnce: true});
	await program.session.conversation.send('Look.');
	const refused = events.filter(event => event.type === 'tool-result' && event.output.includes('used its'));
	const end = events.at(-1);
	return {
		requests: host.chats().length,
		refused: refused.length,
		error: end?.type === 'run-end' ? end.error : undefined,
	};
}

test('[12] a project that the user trusts lowers the caps of a run, and raises none', async () => {
	expect(await loop({max_turns: 6, max_searches: 5}, {max_turns: 4, max_searches: 900})).toMatchObject({
		requests: 4,
		refused: 0,
		error: {
			message: 'This run stopped after 4 turns.',
			hint: 'Continue with -c. See what sets the limit: `config get max_turns`',
		},
	});
	expect(await loop({max_turns: 6, max_searches: 2}, {max_turns: 4000, max_searches: 4})).toMatchObject({
		requests: 6,
		refused: 4,
		error: {
			message: 'This run stopped after 6 turns.',
			hint: 'Continue with -c. Raise the limit: `config set max_turns 12`',
		},
	});
	expect(await loop({max_turns: 6}, {max_turns: 4}, false)).toMatchObject({requests: 6});
});
