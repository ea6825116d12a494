import {resolveProfile} from '../../config/resolve-profile.ts';
import {openApiDocument} from '../../contract/openapi.ts';
import type {CommandContext} from '../context.ts';
import {exportName} from '../export/export-formats.ts';
import type {Result} from '../result.ts';

/** Returns the document in a shell, and else writes it to a file: on screen, its thousands of lines would bury the conversation. */
export async function openApiResult(
	file: string | undefined,
	{program, flags, ui: {live}}: CommandContext,
): Promise<Result> {
	// A document without a server describes the one that it was read from.
	const server = resolveProfile({data: program.local.config.read(), env: program.local.env, flags})?.server ?? '/';
	const document = openApiDocument({server});
	const lines = JSON.stringify(document, undefined, 2).split('\n');
	if (!file && !live) {
		return {kind: 'lines', lines, data: document};
	}

	const text = `${lines.join('\n')}\n`;
	const path = file
		? await program.files.write(file, text)
		: await program.files.keepExport(exportName('openapi', 'json'), text);
	const hint = file ? {} : {hint: 'Choose another place: `openapi <file>`'};
	return {kind: 'text', text: `Wrote ${path}.`, ...hint, data: {path, bytes: Buffer.byteLength(text)}};
}
