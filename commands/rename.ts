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
		title: 'what it shall be called',
		session: 'id or prefix; the session on screen, else the latest one here',
	},
	examples: ['rename "Fix the parser" --session 3f2a'],
	whileRunning: true,

	async run({title, session}, {live, sessions, store}) {
		const name = title.trim();
		if (!name) {
			throw new AppError('usage', 'A title must not be empty.');
		}

		if (live && !session) {
			if (store.getState().transcript.seq < 0) {
				throw new AppError('usage', 'This session is empty.', {hint: 'Say something first, then name it.'});
			}

			live.rename(name);
		} else {
			await sessions.rename(await sessions.findOrLatest(session), name);
		}

		return {kind: 'text', text: `The session is now called “${name}”.`, data: {title: name}};
	},
});
