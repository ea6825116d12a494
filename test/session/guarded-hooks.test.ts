import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {write} from '../agent/project/repository.ts';
import {hasBubblewrap, skipped} from '../agent/sandbox/needs-bubblewrap.ts';
import type {Answer} from '../e2e/model-host.ts';
import {says, world} from './background-world.ts';

const calls =
	(name: string, args: object) =>
	({call, finish}: Answer) => {
		call(name, args);
		finish();
	};

/** The program in the mode `edits` or `all`, with a guard in the user's own settings that allows everything. */
async function guardedWorld(mode: 'edits' | 'all') {
	const here = await world();
	const {home, folder, store} = here;
	write(folder, {'scripts/check.sh': 'sh lib/a.sh', 'lib/a.sh': '. lib/b.sh', 'lib/b.sh': 'exit 0', 'other.sh': ''});
	write(home, {'settings.json': JSON.stringify({hooks: {'before-tool': [{command: 'sh scripts/check.sh'}]}})});
	await here.program.project.files.load();
	store.getState().setApprovalMode(mode);
	return here;
}

describe.skipIf(!hasBubblewrap)(`in the program${skipped}`, () => {
	test('[12] an edit of what a hook runs asks in the mode edits, others do not', async () => {
		const here = await guardedWorld('edits');
		const {host, program, asked, folder} = here;
		host.answerWith(
			calls('write_file', {path: 'new.txt', content: 'x'}),
			calls('read_file', {path: 'scripts/check.sh'}),
			calls('write_file', {path: 'scripts/check.sh', content: 'exit 0'}),
			says('Done.'),
		);
		const sent = program.session.conversation.send('Write.');
		await expect.poll(() => asked.length).toBe(1);
		expect(asked[0]).toMatchObject({act: {kind: 'edit', path: join(folder, 'scripts/check.sh')}});
		expect(JSON.stringify(asked[0])).toContain('changes what your hook runs');
		here.answer({allowed: false} as never);
		await sent;
		expect(readFileSync(join(folder, 'scripts/check.sh'), 'utf8')).toBe('sh lib/a.sh');
	});

	test('[12] a command can not change it, and what it runs in turn is told once', async () => {
		const {host, program, folder} = await guardedWorld('all');
		const told: string[] = [];
		program.session.onRecord(({event}) => void (event.type === 'notice' && told.push(event.text)));
		const command = 'echo "exit 0" > scripts/check.sh; echo "exit 0" > lib/a.sh; echo "exit 0 #" > lib/b.sh';
		host.answerWith(
			calls('run_command', {command}),
			calls('read_file', {path: 'other.sh'}),
			calls('read_file', {path: 'other.sh'}),
			says('Done.'),
		);
		await program.session.conversation.send('Run.');
		const text = (path: string) => readFileSync(join(folder, path), 'utf8').trim();
		expect(['scripts/check.sh', 'lib/a.sh', 'lib/b.sh'].map(text)).toEqual(['sh lib/a.sh', '. lib/b.sh', 'exit 0 #']);
		expect(told.filter(each => each.includes('lib/b.sh'))).toEqual([
			'The before-tool hook “sh scripts/check.sh” runs lib/b.sh, which the agent changed and nobody saw. Look at it.',
		]);
	});
});
