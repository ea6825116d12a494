import {resolve} from 'node:path';
import process from 'node:process';
import type {FilesPart, PromptsPart} from '../command/parts.ts';
import {createImageFolder} from '../storage/images/image-folder.ts';
import {saveNewFile, writeNewFile} from '../storage/new-file.ts';
import {replaceFile} from '../storage/private-file.ts';
import {loadPromptHistory} from '../storage/prompt-history-file.ts';
import {readBytes} from '../storage/read-bytes.ts';
import type {LocalState} from './local-state.ts';
import type {ProgramOptions} from './program-options.ts';

/** Creates the access to files that the user names or mentions, and to what they typed. `signal` ends lists of files. */
export function createFileParts(
	{store, connect = true}: ProgramOptions,
	{home, folder, prompts, rules}: LocalState,
	signal: AbortSignal,
): Omit<PromptsPart, 'prepare'> & {readonly files: FilesPart} {
	const inFolder = (path: string) => resolve(folder.path(), path);
	return {
		loadHistory: () => loadPromptHistory(home),
		remember: prompts.remember,
		async openDrafts() {
			const {openDrafts} = await import('../config/drafts.ts');
			return openDrafts(home.draftsFile, {folder: folder.path(), profile: store.getState().connection.profile});
		},
		async listPaths() {
			const {listPaths} = await import('../agent/mentions/path-list.ts');
			const places = {stateFolder: home.path, rules: () => ({folder: folder.path(), entries: rules.list()})};
			return listPaths(folder.isOpen() ? folder.path() : undefined, places, signal);
		},
		async checkMedia(message) {
			const {checkMedia} = await import('../agent/mentions/image-source.ts');
			const {transcript, model} = store.getState();
			// A run keeps its model, and a message that is queued joins it.
			const asked = transcript.run?.model ?? model;
			await checkMedia(message, {model: asked, folder: folder.path(), homeFolder: folder.home});
		},
		async keepImage(bytes) {
			const {keepPasted} = await import('../agent/mentions/image-source.ts');
			return keepPasted(bytes, createImageFolder(home.images));
		},
		files: {
			async keepCopy(text) {
				await replaceFile(home.copiedFile, text);
				return home.copiedFile;
			},
			write: (path, content) => writeNewFile(inFolder(path), content),
			save: (path, chunks) => saveNewFile(inFolder(path), chunks),
			read: (path, limit) =>
				readBytes(path === '-' ? path : inFolder(path), {
					maxBytes: limit,
					// That of the app is its keys.
					stdin: connect ? undefined : process.stdin,
				}),
		},
	};
}
