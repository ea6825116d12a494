import {rmSync, symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {createReadSkill} from '../../../src/agent/skills/read-skill.ts';
import {skillList, skillsOf} from '../../../src/agent/skills/skill.ts';
import {redactKnown} from '../../../src/core/secrets/redact.ts';
import type {ToolContext} from '../../../src/core/session/tool.ts';
import {repository, write} from '../project/repository.ts';

const skill = (description: string, body: string, more = '') => `---\ndescription: ${description}\n${more}---\n${body}`;
const context: ToolContext = {
	workspace: '/',
	signal: new AbortController().signal,
	onOutput: () => undefined,
	onChange: () => undefined,
	approve: async () => ({allowed: false}),
	readFiles: new Map(),
};

/** The skills of a trusted repository, and the tool that reads them. */
function opened(files: Parameters<typeof repository>[0], own: Parameters<typeof repository>[0] = {}, trustsAll = true) {
	const place = repository(files, {own});
	const project = place.open({trustsAll});
	const skills = async () => skillsOf(await project.load());
	const tool = createReadSkill({skills, hide: redactKnown});
	return {
		...place,
		project,
		skills,
		read: (name: string, file?: string) => tool.run({name, ...(file && {file})}, context),
	};
}

test('the user’s own skills win over those of the project, and deeper folders over outer ones', async () => {
	const {skills} = opened(
		{
			'.service/skills/review/SKILL.md': skill('of the project', 'a'),
			'.claude/skills/deploy/SKILL.md': skill('from the other folder', 'b'),
			'.service/skills/not a name/SKILL.md': 'c',
			'.service/skills/empty/README.md': 'd',
		},
		{'skills/review/SKILL.md': skill('of the user', 'e')},
	);
	expect((await skills()).map(({name, description}) => [name, description])).toEqual([
		['deploy', 'from the other folder'],
		['review', 'of the user'],
	]);
});

test('skills of a project count only once the user trusts them, and a changed one no longer [12]', async () => {
	const {folder, project, skills} = opened({'.service/skills/a/SKILL.md': skill('one', 'body')}, {}, false);
	expect(await skills()).toEqual([]);
	await project.decide(true, (await project.load()).files);
	expect(await skills()).toMatchObject([{name: 'a'}]);
	write(folder, {'.service/skills/a/SKILL.md': skill('one', 'rm -rf')});
	expect(await skills()).toEqual([]);
});

test('the context has names and bounded descriptions, the tool has the rest', async () => {
	const {skills, read, folder} = opened({
		'.service/skills/a/SKILL.md': skill('x\u202E'.repeat(2000), '# How to\nStep 1'),
		'.service/skills/a/scripts/run.sh': 'echo hi',
		'.service/skills/b/SKILL.md': skill('Only for the user', 'secret steps', 'disable-model-invocation: true\n'),
	});
	const list = skillList(await skills(), redactKnown) ?? '';
	expect(list).toContain('- a: x⟨U+202E⟩');
	expect(list.length).toBeLessThan(6000);
	expect(list).not.toContain('- b:');
	expect(await read('A')).toBe(
		`Skill a, in ${join(folder, '.service/skills/a')}\nFiles: scripts/run.sh\n\n# How to\nStep 1`,
	);
	expect(await read('a', 'scripts/run.sh')).toBe('echo hi');
	await expect(read('b')).rejects.toThrow('No skill “b”.');
});

test('a thousand skills stay within bounds', async () => {
	const files = Object.fromEntries(
		Array.from({length: 200}, (_, index) => [`.service/skills/s${index}/SKILL.md`, skill('long '.repeat(200), 'x')]),
	);
	const {skills} = opened(files);
	expect((await skills()).length).toBe(100);
	expect((skillList(await skills(), redactKnown) ?? '').length).toBeLessThan(11_000);
});

test.each(['../../../outside.txt', '/etc/passwd', 'link', '.env', 'nothing'])(
	'no file outside of a skill is read with it: %s [13]',
	async file => {
		const {read, folder} = opened({
			'.service/skills/a/SKILL.md': skill('one', 'body'),
			'.service/skills/a/.env': 'KEY=1',
			'outside.txt': 'outside',
		});
		symlinkSync(join(folder, 'outside.txt'), join(folder, '.service/skills/a/link'));
		await expect(read('a', file)).rejects.toMatchObject({code: 'not-found'});
	},
);

test('the trust in a skill covers the files beside it: a changed, new or removed one is asked about again [12]', async () => {
	const files = {
		'.service/skills/a/SKILL.md': skill('one', 'body'),
		'.service/skills/a/scripts/run.sh': 'echo one',
		'.service/skills/b/SKILL.md': skill('two', 'body'),
	};
	const {folder, project, skills, read} = opened(files, {}, false);
	await project.decide(true, (await project.load()).files);
	const names = async () => (await skills()).map(({name}) => name);
	expect(await names()).toEqual(['a', 'b']);
	const changes: readonly Readonly<Record<string, string>>[] = [
		{'.service/skills/a/scripts/run.sh': 'echo two'},
		{'.service/skills/a/scripts/run.sh': 'echo one', '.service/skills/a/more.sh': 'x'},
	];
	for (const change of changes) {
		write(folder, change);
		expect(await names()).toEqual(['b']);
	}

	rmSync(join(folder, '.service/skills/a/more.sh'));
	expect(await names()).toEqual(['a', 'b']);
	expect(await read('a', 'scripts/run.sh')).toBe('echo one');
	rmSync(join(folder, '.service/skills/a/scripts/run.sh'));
	expect(await names()).toEqual(['b']);
});

test('a file that changes after the trust was read is not returned, and too many files are a fault', async () => {
	const {folder, project} = opened({
		'.service/skills/a/SKILL.md': skill('one', 'body'),
		'.service/skills/a/notes.md': 'first',
		'.service/skills/many/SKILL.md': skill('many', 'body'),
		...Object.fromEntries(Array.from({length: 201}, (_, index) => [`.service/skills/many/${index}.md`, ''])),
	});
	const state = await project.load();
	expect(state.faults).toEqual([{path: '.service/skills/many/SKILL.md', reason: 'its skill has more than 200 files'}]);
	const tool = createReadSkill({skills: async () => skillsOf(state), hide: redactKnown});
	expect(await tool.run({name: 'a', file: 'notes.md'}, context)).toBe('first');
	write(folder, {'.service/skills/a/notes.md': 'second'});
	await expect(tool.run({name: 'a', file: 'notes.md'}, context)).rejects.toMatchObject({code: 'conflict'});
});
