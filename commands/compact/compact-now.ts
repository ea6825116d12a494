import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {toMessages} from '../../src/core/session/read-conversation.ts';

export default command({
	name: 'now',
	summary: 'Replace the conversation with a summary for the model',
	args: z.object({guidance: z.optional(z.string())}),
	positional: ['guidance'],
	rest: true,
	describe: {guidance: 'what the summary must keep'},
	examples: ['compact', 'compact keep the failing test and its output'],
	where: 'app',

	async run({guidance}, {ui: {live}, program: {store}}) {
		const {transcript} = store.getState();
		if (toMessages(transcript).length < 2) {
			return {kind: 'text', text: 'Nothing to compact: the conversation is short.'};
		}

		await live?.compact(guidance);
		return store.getState().transcript.compactions > transcript.compactions
			? {kind: 'text', text: 'Compacted.', hint: 'Undo: /compact undo'}
			: {kind: 'text', text: 'Nothing changed.'};
	},
});
