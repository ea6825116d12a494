import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {endingOf, exportFormat, exportFormats, exportName} from '../src/command/export/export-formats.ts';
import {AppError} from '../src/core/error.ts';

export default command({
	name: 'export',
	summary: 'Write the session as Markdown, HTML or JSON',
	args: z.object({
		file: z.optional(z.string()),
		session: z.optional(z.string()),
		format: z.optional(z.enum(exportFormats)),
		events: z.optional(z.boolean()),
	}),
	positional: ['file'],
	completes: {session: 'saved-session'},
	describe: {
		file: 'a new file, whose ending names the format; without it a shell prints the text, the app keeps a file outside the project',
		session: 'id or prefix; defaults to the session on screen, or the latest one here',
		format: 'markdown, json, html (one page that loads nothing) or events; defaults to the ending of the file',
		events: 'every recorded event, one JSON object a line',
	},
	examples: ['export notes.md', 'export talk.html', 'export --session 3f2a --events > session.jsonl'],
	whileRunning: true,

	async run({file, session, format: named, events}, {ui: {live}, program}) {
		const format = exportFormat({file, format: named, events});
		const {transcript} = program.store.getState();
		const onScreen = live && !session;
		if (onScreen && transcript.seq < 0) {
			throw new AppError('usage', 'Nothing to export: this session is empty.');
		}

		const {exportText} = await import('../src/command/export/export-text.ts');
		const summary = onScreen
			? await program.session.saved.find(transcript.session)
			: await program.session.saved.findOrLatest(session);
		const {updatedAt} = summary;
		const saved = await program.session.saved.read(summary);
		const {priceOf} = await program.models.catalog();
		const text = await exportText(format, {...saved, priceOf, updatedAt, ...(onScreen && {transcript})});
		if (!file && !live) {
			return {kind: 'lines', lines: text.trimEnd().split('\n'), data: text};
		}

		// On screen, raw Markdown would only repeat the conversation.
		const path = file
			? await program.files.write(file, text)
			: await program.files.keepExport(exportName(`session-${summary.id.slice(0, 8)}`, endingOf(format)), text);
		const hint = file ? {} : {hint: 'Choose another place: `export <file>`'};
		return {kind: 'text', text: `Wrote ${path}.`, ...hint, data: {path, bytes: Buffer.byteLength(text)}};
	},
});
