import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {dataOf, drawn, testContext} from './context.ts';

const settings = {hooks: {'run-end': [{command: 'echo done'}]}, deny: ['run_command(git push *)']};

function withProject(...[options]: Parameters<typeof testContext>) {
	const context = testContext(options);
	mkdirSync(join(context.folder, '.service'));
	mkdirSync(join(context.folder, 'web'));
	writeFileSync(join(context.folder, 'AGENTS.md'), 'Be brief.\n');
	writeFileSync(join(context.folder, 'web/AGENTS.md'), 'Use tabs.\n');
	writeFileSync(join(context.folder, '.service/settings.json'), JSON.stringify(settings));
	return context;
}

test('[12] trust lists the files with every hook, adds them after a yes, and revokes', async () => {
	const {run} = withProject();
	const before = drawn(await run('trust'), 80);
	expect(before).toMatch(/AGENTS\.md +instructions +10 B +not trusted: new/);
	expect(before).toContain('hook run-end: echo done (.service/settings.json)');
	expect(drawn(await run('trust', 'add', '--yes'), 80)).toMatch(/web\/AGENTS\.md +instructions +10 B +trusted/);
	expect(await run('trust', 'add')).toMatchObject({text: 'Every file here is used already.'});
	expect(await run('trust', 'revoke')).toMatchObject({data: {revoked: true}});
	expect(dataOf(await run('trust'))).toMatchObject({files: [{status: 'new'}, {status: 'new'}, {status: 'new'}]});
});

test('trust add counts no file of the user', async () => {
	const {run} = testContext();
	await run('config', 'set', 'theme', 'light');
	expect(await run('trust', 'add')).toMatchObject({text: 'No instructions, settings or hooks here.'});
});

test('memory shows the files in effect with their tokens, and how many are not trusted', async () => {
	const {run} = withProject();
	expect(drawn(await run('memory'), 80)).toContain('No instruction files in effect.');
	await run('trust', 'add', '--yes');
	const shown = drawn(await run('memory'), 80);
	expect(shown).toMatch(/AGENTS\.md +in each request +\d+/);
	expect(shown).toMatch(/web\/AGENTS\.md +for files in that folder +\d+/);
});

test('approvals lists what the settings of the folder deny, and does not remove it', async () => {
	const {run} = withProject();
	expect(drawn(await run('approvals'), 80)).toContain('1  deny    run_command(git push *)  settings.json');
	await expect(run('approvals', 'revoke', '1')).rejects.toThrow('is from a settings file');
});

test.each([['memory', 'init'], ['init']])(
	'%s %s sends the agent a message, which asks before it writes',
	async (...words) => {
		const {runInApp, sent} = testContext();
		expect(await runInApp(...words)).toMatchObject({text: expect.stringContaining('asks before it writes')});
		expect(sent).toEqual([expect.stringContaining('Write AGENTS.md')]);
	},
);
