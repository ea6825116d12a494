import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {pinChoices} from '../../src/command/context/pin-choices.ts';

export default command({
	name: 'list',
	summary: 'List the pinned messages',
	args: z.object({}),
	where: 'app',
	whileRunning: true,

	async run(_, {program: {store}}) {
		const pinned = (await pinChoices(store.getState().transcript, true)).toReversed();
		return pinned.length === 0
			? {kind: 'text', text: 'No pinned messages.', hint: 'Pin one: /pin', data: []}
			: {kind: 'lines', lines: pinned.map(({label}) => label), data: pinned.map(({id, label}) => ({id, label}))};
	},
});
