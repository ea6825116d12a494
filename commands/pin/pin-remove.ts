import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {choosePin, pinChoices} from '../../src/command/context/pin-choices.ts';

export default command({
	name: 'remove',
	aliases: ['rm'],
	summary: 'Unpin a message',
	args: z.object({words: z.optional(z.string())}),
	positional: ['words'],
	rest: true,
	describe: {words: 'words of the message; asks which one by default'},
	examples: ['pin remove', 'pin remove migrations'],
	where: 'app',
	whileRunning: true,

	async run({words}, {ui: {live, interact}, program: {store}}) {
		const choices = await pinChoices(store.getState().transcript, true);
		if (choices.length === 0) {
			return {kind: 'text', text: 'No pinned messages.'};
		}

		const chosen = await choosePin(choices, words, interact);
		if (!chosen) {
			return {kind: 'text', text: 'Nothing changed.'};
		}

		live?.pin(chosen.id, false);
		return {kind: 'text', text: `No longer pinned: ${chosen.label}`};
	},
});
