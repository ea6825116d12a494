import * as z from 'zod/mini';
import {restore} from '../src/command/changes/restore.ts';
import {command} from '../src/command/command.ts';
import {unchanged} from '../src/command/result.ts';
import {changeSteps, redoOf} from '../src/core/session/changes.ts';

export default command({
	name: 'undo',
	summary: 'Undo the file changes of the last message',
	args: z.object({redo: z.optional(z.boolean())}),
	describe: {redo: 'redo what was undone last'},
	examples: ['undo', 'undo --redo'],
	where: 'app',

	async run({redo = false}, context) {
		const {
			program: {store},
			signal,
		} = context;
		const steps = changeSteps(store.getState().transcript);
		const changes = await context.program.project.changes();
		const undone = redo ? redoOf(steps) : await changes.lastOf(steps, signal);
		if (undone.size === 0) {
			const none = steps.length > 0 ? 'Nothing left to undo.' : 'Nothing to undo: the agent changed no files.';
			return {kind: 'text', text: redo ? 'Nothing to redo.' : none};
		}

		const plan = await changes.plan(steps, undone, signal);
		const report = await restore(plan, redo ? 'redo' : 'undo', context);
		if (!report) {
			return unchanged;
		}

		const {sentences, restored} = report;
		const none = restored === 0 && sentences.length === 0 ? ['The files are as they were already.'] : [];
		const hint = redo || restored === 0 ? undefined : 'Redo: /undo --redo';
		const text = [...sentences, ...none].join(' ');
		// The conversation has a line about the files that were restored.
		return text || hint ? {kind: 'text', text, ...(hint && {hint})} : {kind: 'lines', lines: []};
	},
});
