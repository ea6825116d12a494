import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {AppError} from '../src/core/error.ts';

export default command({
	name: 'rename',
	summary: 'Give the session a title',
	args: z.object({title: z.string(), session: z.optional(z.string())}),
	positional: ['title'],
	rest: true,
	completes: {session: 'saved-session'},
	describe: {
		title: 'its new title',
		session: 'id or prefix; defaults to the session on screen, or the latest one here',
	},
	examples: ['rename "Fix the parser" --session 3f2a'],
	whileRunning: true,

	async run({title, session}, {ui: {live}, program}) {
		const name = title.trim();
		if (!name) {
			throw new AppError('usage', 'The title is empty.');
		}

		if (live && !session) {
			if (program.store.getState().transcript.seq < 0) {
				throw new AppError('usage', 'This session is empty.', {hint: 'Send a message first, then name it.'});
			}

			live.rename(name);
		} else {
			await program.session.saved.record(await program.session.saved.findOrLatest(session), {
				type: 'rename',
				title: name,
			});
		}

		return {kind: 'text', text: `Renamed the session to “${name}”.`, data: {title: name}};
	},
});
