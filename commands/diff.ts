import {randomUUID} from 'node:crypto';
import * as z from 'zod/mini';
import {diffResult, noChanges, totalOf} from '../src/command/changes/diff-result.ts';
import {command} from '../src/command/command.ts';
import {unchanged} from '../src/command/result.ts';
import {changeSteps} from '../src/core/session/changes.ts';

export default command({
	name: 'diff',
	summary: 'Show what the agent changed; undo parts of it',
	args: z.object({session: z.optional(z.string())}),
	positional: ['session'],
	completes: {session: 'saved-session'},
	describe: {session: 'id or prefix; defaults to the session on screen, or the latest one here'},
	examples: ['diff', 'diff 3f2a --json'],
	whileRunning: true,

	async run({session}, {program, ui: {live, interact}, flags, signal}) {
		const {
			session: {saved: sessions},
			store,
		} = program;
		const isLive = live !== undefined && !session;
		const {transcript} = isLive ? store.getState() : await sessions.read(await sessions.findOrLatest(session));
		const changes = await program.project.changes();
		const files = await changes.review(changeSteps(transcript), signal);
		if (!isLive || !interact.review || flags.json || files.length === 0) {
			return diffResult(files);
		}

		const isReadOnly = transcript.run !== undefined;
		const title = `Changes by the agent · ${totalOf(files)}`;
		const parts = await interact.review({title, files, isReadOnly});
		if (!parts || parts.length === 0) {
			return {...unchanged, text: 'Nothing was undone.'};
		}

		const request = {id: randomUUID(), session: transcript.session, how: 'diff', signal} as const;
		const {event, failed} = await changes.takeBack(parts, request);
		if (event) {
			live.restored(event);
		}

		const left = await changes.review(changeSteps(store.getState().transcript), signal);
		const rest = left.length === 0 ? noChanges : `Changes by the agent that remain: ${totalOf(left)}.`;
		return {kind: 'text', text: [...failed, rest].join(' '), hint: 'Bring them back: /undo --redo'};
	},
});
