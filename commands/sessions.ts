import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';

/** What a session in the background does, for the user. */
const inWords = {running: 'running', waiting: 'waits for you', ended: 'ended', none: ''} as const;

export default command({
	name: 'sessions',
	summary: 'List the sessions of this folder, newest first',
	args: z.object({all: z.optional(z.boolean())}),
	describe: {all: 'of every folder'},
	examples: ['sessions --all --json'],
	whileRunning: true,

	async run({all = false}, {program}) {
		const found = await program.session.saved.list(all);
		const states = new Map(program.session.background.list().map(({id, state}) => [id, state]));
		return {
			kind: 'table',
			columns: [
				{label: 'id'},
				{label: 'updated'},
				{label: 'messages', align: 'right'},
				...(states.size > 0 ? [{label: 'background'}] : []),
				{label: 'about'},
			],
			rows: found.map(({id, updatedAt, messages, title, preview, folder}) => [
				id.slice(0, 8),
				{at: updatedAt},
				String(messages),
				...(states.size > 0 ? [inWords[states.get(id) ?? 'none']] : []),
				[title || preview, ...(all ? [`(${folder})`] : [])].join(' '),
			]),
			empty: all ? 'No sessions yet.' : 'No sessions in this folder yet. List those of other folders: `sessions --all`',
			opens: {words: ['resume'], ids: found.map(({id}) => id)},
			notes: found.length > 0 ? ['Resume one: `resume <id>`'] : [],
			data: found.map(({id, folder, title, preview, updatedAt, messages, model}) => ({
				id,
				folder,
				title,
				preview,
				updated_at: updatedAt,
				messages,
				model,
				...(states.has(id) && {background: states.get(id) ?? null}),
			})),
		};
	},
});
