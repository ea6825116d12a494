import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {contextResult} from '../src/command/context/context-view.ts';

export default command({
	name: 'context',
	summary: 'Show what fills the context window and what can be freed',
	args: z.object({}),
	examples: ['context --json'],
	where: 'app',
	whileRunning: true,

	async run(_, {program}) {
		return contextResult(program.store.getState().transcript, await program.model.contextWindow());
	},
});
