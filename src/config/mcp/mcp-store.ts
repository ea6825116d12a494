import {readFile, writeFile} from 'node:fs/promises';
import {AppError} from '../../core/error.ts';
import type {JsonObject} from '../../core/json.ts';
import {errnoOf, explainFileError} from '../../storage/file-error.ts';
import {updateSmallFile} from '../../storage/kept-file.ts';
import {assertNoLink} from '../../storage/private-file.ts';
import {withEntry} from './mcp-file.ts';

type Change = {
	/** The name of the server. */
	readonly name: string;
	/** Its new entry; undefined removes it. */
	readonly entry: JsonObject | undefined;
};

/** Changes one server in the user's own file. Throws AppError("failed") if that is damaged, and what `updateSmallFile` throws. */
export async function changeOwnServers(path: string, {name, entry}: Change): Promise<void> {
	await updateSmallFile(path, text => changed(path, text, {name, entry}));
}

/** Does the same with the file of a project, which keeps its mode: others may read it. */
export async function changeProjectServers(path: string, change: Change): Promise<void> {
	await assertNoLink(path);
	try {
		const text = await readFile(path, 'utf8').catch(error => {
			if (errnoOf(error) === 'ENOENT') {
				return undefined;
			}

			throw error;
		});
		await writeFile(path, changed(path, text, change));
	} catch (error) {
		throw error instanceof AppError ? error : explainFileError(error, 'write', path);
	}
}

function changed(path: string, text: string | undefined, {name, entry}: Change): string {
	const after = withEntry(text, name, entry);
	if (after === undefined) {
		throw new AppError('failed', `${path} is not a file of MCP servers.`, {
			hint: 'Fix it: {"mcpServers": {}} is the smallest one.',
		});
	}

	return after;
}
