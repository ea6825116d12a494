import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';

export default command({
	name: 'fork',
	summary: 'Continue in a new session; this one stays as it is',
	args: z.object({}),
	where: 'app',

	async run(_, {ui: {live}, program}) {
		const {session, seq, title} = program.store.getState().transcript;
		if (seq < 0) {
			return {kind: 'text', text: 'Nothing to fork: this session is empty.'};
		}

		await live?.fork();
		const old = session.slice(0, 8);
		return {
			kind: 'text',
			text: `This is a new session. ${title ? `“${title}”` : 'The previous one'} stays as it is; files are unchanged.`,
			hint: `Go back: /resume ${old}`,
		};
	},
});
