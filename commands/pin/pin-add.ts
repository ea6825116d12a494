import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {choosePin, pinChoices} from '../../src/command/context/pin-choices.ts';

export default command({
	name: 'add',
	summary: 'Pin a message, so that compactions keep it word for word',
	args: z.object({words: z.optional(z.string())}),
	positional: ['words'],
	rest: true,
	describe: {words: 'words of the message; asks which one by default'},
	examples: ['pin', 'pin never touch the migrations'],
	where: 'app',
	whileRunning: true,

	async run({words}, {ui: {live, interact}, program: {store}}) {
		const {transcript} = store.getState();
		const choices = await pinChoices(transcript, false);
		if (choices.length === 0) {
			return {kind: 'text', text: 'No messages to pin.'};
		}

		const chosen = await choosePin(choices, words, interact);
		if (!chosen) {
			return {kind: 'text', text: 'Nothing changed.'};
		}

		live?.pin(chosen.id, true);
		return {kind: 'text', text: `Pinned: ${chosen.label}`, hint: 'List: /pin list · Unpin: /pin remove'};
	},
});
