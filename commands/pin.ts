import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import {choosePin, pinChoices} from '../src/command/context/pin-choices.ts';

const add = command({
	name: 'add',
	summary: 'Pin a message, so that compactions keep it word for word',
	args: z.object({words: z.optional(z.string())}),
	positional: ['words'],
	rest: true,
	describe: {words: 'words of the message; asks which one by default'},
	examples: ['pin', 'pin never touch the migrations'],
	where: 'app',
	whileRunning: true,

	async run({words}, {ui: {live, interact}, program}) {
		const {transcript} = program.store.getState();
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

const list = command({
	name: 'list',
	summary: 'List the pinned messages',
	args: z.object({}),
	where: 'app',
	whileRunning: true,

	async run(_, {program}) {
		const pinned = (await pinChoices(program.store.getState().transcript, true)).toReversed();
		return pinned.length === 0
			? {kind: 'text', text: 'No pinned messages.', hint: 'Pin one: /pin', data: []}
			: {kind: 'lines', lines: pinned.map(({label}) => label), data: pinned.map(({id, label}) => ({id, label}))};
	},
});

const remove = command({
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

	async run({words}, {ui: {live, interact}, program}) {
		const choices = await pinChoices(program.store.getState().transcript, true);
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

export default noun({
	name: 'pin',
	summary: 'Messages that compactions keep word for word',
	verbs: [add, list, remove],
	fallback: 'add',
});
