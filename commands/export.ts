import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {AppError} from '../src/core/error.ts';
import {toMarkdown} from '../src/core/markdown-export.ts';

export default command({
	name: 'export',
	summary: 'Write the session as Markdown, or its events as JSON',
	args: z.object({
		file: z.optional(z.string()),
		session: z.optional(z.string()),
		events: z.optional(z.boolean()),
	}),
	positional: ['file'],
	completes: {session: 'saved-session'},
	describe: {
		file: 'a new file; without it the text is printed',
		session: 'id or prefix; the session on screen, else the latest one here',
		events: 'every recorded event, one JSON object a line',
	},
	examples: ['export notes.md', 'export --session 3f2a --events > session.jsonl'],
	whileRunning: true,

	async run({file, session, events}, {live, sessions, store, writeFile}) {
		const {transcript} = store.getState();
		const onScreen = live && !session;
		if (onScreen && transcript.seq < 0) {
			throw new AppError('usage', 'This session is empty: there is nothing to export.');
		}

		const summary = onScreen ? await sessions.find(transcript.session) : await sessions.findOrLatest(session);
		const saved = await sessions.read(summary);
		const text = events
			? saved.records.map(record => `${JSON.stringify(record)}\n`).join('')
			: toMarkdown(onScreen ? transcript : saved.transcript);
		if (!file) {
			return {kind: 'lines', lines: text.trimEnd().split('\n'), data: text};
		}

		const path = await writeFile(file, text);
		return {kind: 'text', text: `Wrote ${path}.`, data: {path, bytes: Buffer.byteLength(text)}};
	},
});
