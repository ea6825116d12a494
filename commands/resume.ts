import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {cellText} from '../src/core/cell.ts';
import {AppError} from '../src/core/error.ts';

export default command({
	name: 'resume',
	aliases: ['continue'],
	summary: 'Go on with an earlier session',
	args: z.object({session: z.optional(z.string())}),
	positional: ['session'],
	completes: {session: 'saved-session'},
	describe: {session: 'id or a unique prefix of it; without it you choose'},
	examples: ['resume', 'resume 3f2a'],

	async run({session}, {sessions, interact, store, flags}) {
		if (session) {
			const {id} = await sessions.find(session);
			return {kind: 'panel', panel: {show: 'session', id}};
		}

		const open = store.getState().transcript.session;
		const others = (await sessions.list(false)).filter(({id}) => id !== open);
		if (others.length === 0) {
			throw new AppError('not-found', 'There is no other session in this folder.', {
				hint: '`sessions --all` lists those of other folders.',
			});
		}

		const id = await interact.choose({
			title: 'Resume a session',
			choices: others.map(({id, title, preview, updatedAt, messages}) => ({
				id,
				label: title || preview || id.slice(0, 8),
				detail: [
					cellText({at: updatedAt}, flags),
					...(messages === undefined ? [] : [`${messages} messages`]),
					id.slice(0, 8),
				].join(' · '),
			})),
		});
		return id ? {kind: 'panel', panel: {show: 'session', id}} : {kind: 'text', text: 'Nothing changed.'};
	},
});
