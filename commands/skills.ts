import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';

const list = command({
	name: 'list',
	summary: 'List the skills that the agent can use',
	args: z.object({}),
	examples: ['skills list'],
	whileRunning: true,

	async run(_, {program}) {
		const [{skillsOf}, {skillTable}] = await Promise.all([
			import('../src/agent/skills/skill.ts'),
			import('../src/command/views/project/skill-table.ts'),
		]);
		const state = await program.project.files.load();
		return skillTable(skillsOf(state), state);
	},
});

export default noun({
	name: 'skills',
	summary: 'Skills, which tell the agent how to do something',
	verbs: [list],
	fallback: 'list',
});
