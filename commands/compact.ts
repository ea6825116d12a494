import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import {unchanged} from '../src/command/result.ts';
import {toMessages} from '../src/core/session/read-conversation.ts';

const now = command({
	name: 'now',
	summary: 'Replace the conversation with a summary for the model',
	args: z.object({guidance: z.optional(z.string())}),
	positional: ['guidance'],
	rest: true,
	describe: {guidance: 'what the summary must keep'},
	examples: ['compact', 'compact keep the failing test and its output'],
	where: 'app',

	async run({guidance}, {ui: {live}, program}) {
		const {transcript} = program.store.getState();
		if (toMessages(transcript).length < 2) {
			return {kind: 'text', text: 'Nothing to compact: the conversation is short.'};
		}

		await live?.compact(guidance);
		return program.store.getState().transcript.compactions > transcript.compactions
			? {kind: 'text', text: 'Compacted.', hint: 'Undo: /compact undo'}
			: unchanged;
	},
});

const undo = command({
	name: 'undo',
	summary: 'Undo the last compaction',
	args: z.object({}),
	examples: ['compact undo'],
	where: 'app',

	async run(_, {ui: {live}}) {
		return {kind: 'text', text: live?.undoCompaction() ? 'Done.' : 'No compaction to undo.'};
	},
});

export default noun({
	name: 'compact',
	summary: 'Make room in the context window',
	verbs: [now, undo],
	fallback: 'now',
});
