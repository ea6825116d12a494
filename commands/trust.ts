import * as z from 'zod/mini';
import {leftOut} from '../src/agent/project/project.ts';
import {command, noun} from '../src/command/command.ts';
import {unchanged} from '../src/command/result.ts';

const show = command({
	name: 'show',
	summary: 'Show this folder’s agent files and whether they are used',
	args: z.object({}),
	whileRunning: true,

	async run(_, {program}) {
		const {trustTable} = await import('../src/command/views/project/trust-view.ts');
		return trustTable(await program.project.files.loadAll());
	},
});

const add = command({
	name: 'add',
	summary: 'Trust the agent files of this folder as they are now',
	args: z.object({yes: z.optional(z.boolean())}),
	describe: {yes: 'skip the confirmation'},
	examples: ['trust add --yes'],

	async run({yes}, {program, ui: {interact}}) {
		const {questionFor, trustDrawing} = await import('../src/command/views/project/trust-view.ts');
		const {trustTable} = await import('../src/command/views/project/trust-view.ts');
		const state = await program.project.files.loadAll();
		const files = leftOut(state);
		if (files.length === 0) {
			return {
				kind: 'text',
				text: state.files.some(({standing}) => standing !== 'user')
					? 'Every file here is used already.'
					: 'No instructions, settings or hooks here.',
			};
		}

		if (!yes && !(await interact.confirm(questionFor(files), undefined, trustDrawing(files, state)))) {
			return unchanged;
		}

		await program.project.files.decide(true, files);
		return trustTable(await program.project.files.state());
	},
});

const revoke = command({
	name: 'revoke',
	summary: 'Stop trusting the agent files of this folder',
	args: z.object({}),

	async run(_, {program}) {
		await program.project.files.revoke();
		const {root} = await program.project.files.state();
		return {
			kind: 'text',
			text: `No file in ${root} is trusted any more. The next session asks again.`,
			data: {root, revoked: true},
		};
	},
});

export default noun({
	name: 'trust',
	summary: 'What you trust here: instructions, settings, hooks',
	verbs: [show, add, revoke],
	fallback: 'show',
});
