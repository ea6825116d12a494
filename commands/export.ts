import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {AppError} from '../src/core/error.ts';
import {toMarkdown} from '../src/core/session/markdown-export.ts';

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
		file: 'a new file; without it a shell prints the text, the app names a file',
		session: 'id or prefix; defaults to the session on screen, or the latest one here',
		events: 'every recorded event, one JSON object a line',
	},
	examples: ['export notes.md', 'export --session 3f2a --events > session.jsonl'],
	whileRunning: true,

	async run({file, session, events}, {live, sessions, store, writeFile}) {
		const {transcript} = store.getState();
		const onScreen = live && !session;
		if (onScreen && transcript.seq < 0) {
			throw new AppError('usage', 'Nothing to export: this session is empty.');
		}

		const summary = onScreen ? await sessions.find(transcript.session) : await sessions.findOrLatest(session);
		const saved = await sessions.read(summary);
		const text = events
			? saved.records.map(record => `${JSON.stringify(record)}\n`).join('')
			: toMarkdown(onScreen ? transcript : saved.transcript);
		if (!file && !live) {
			return {kind: 'lines', lines: text.trimEnd().split('\n'), data: text};
		}

		// On screen, raw Markdown would only repeat the conversation.
		const path = await writeFile(file ?? fileNameOf(summary.id, events ? 'jsonl' : 'md'), text);
		return {kind: 'text', text: `Wrote ${path}.`, data: {path, bytes: Buffer.byteLength(text)}};
	},
});

/** Returns the file name of a session: its id and the time, so that no export collides with the next one. */
function fileNameOf(id: string, extension: string): string {
	const time = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
	return `session-${id.slice(0, 8)}-${time}.${extension}`;
}
