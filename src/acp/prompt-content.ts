import {relative} from 'node:path';
import {fileURLToPath} from 'node:url';
import {codeFence} from '../core/code-fence.ts';
import {AppError} from '../core/error.ts';
import {mentionOf} from '../core/mention.ts';
import type {ContentBlock} from './protocol.ts';

type Keep = (bytes: Buffer, what: string) => Promise<{readonly mention: string}>;

type Options = {
	/** The working folder of the session. */
	readonly folder: string;
	/** Keeps an image, and returns what mentions it. Throws `AppError` for what is no image. */
	readonly keepImage: Keep;
};

/** A message: what the user wrote or chose, in which mentions count, and what is attached to it. */
export type PromptMessage = {readonly typed: string; readonly data: string};

/**
 * Returns the message of a prompt. Links to files and images become mentions, which are read as those that the user types, by
 * the same rules; embedded text follows as data. Throws AppError("usage") for sound, and what `keepImage` throws.
 */
export async function messageOf(blocks: readonly ContentBlock[], {folder, keepImage}: Options): Promise<PromptMessage> {
	let typed = '';
	const data: string[] = [];
	for (const block of blocks) {
		switch (block.type) {
			case 'text':
				typed += block.text;
				break;
			case 'resource_link':
				typed = spaced(typed, linkOf(block, folder));
				break;
			case 'image': {
				const {mention} = await keepImage(Buffer.from(block.data, 'base64'), 'The image of the message');
				typed = spaced(typed, mention);
				break;
			}
			case 'resource': {
				const {resource} = block;
				if ('text' in resource) {
					data.push(`[The user attached ${nameOf(resource.uri, folder)}:]\n\n${codeFence(resource.text)}`);
				} else if (/^image\//.test(resource.mimeType ?? '')) {
					const {mention} = await keepImage(Buffer.from(resource.blob, 'base64'), nameOf(resource.uri, folder));
					typed = spaced(typed, mention);
				} else {
					throw new AppError('usage', `${nameOf(resource.uri, folder)} is neither text nor an image.`, {
						hint: 'Attach it as a file of the folder instead.',
					});
				}

				break;
			}
			case 'audio':
				throw new AppError('usage', "The agent can't hear sound.", {hint: 'Send the message as text.'});
			default:
				block satisfies never;
		}
	}

	return {typed, data: data.join('\n\n')};
}

/** Returns a mention behind a text: with a space between them if there is none. */
function spaced(text: string, mention: string): string {
	return `${text}${text === '' || /\s$/.test(text) ? '' : ' '}${mention} `;
}

function linkOf({uri, name}: Extract<ContentBlock, {type: 'resource_link'}>, folder: string): string {
	const path = pathOf(uri);
	return path === undefined ? `[${name}](${uri})` : `${mentionOf(within(path, folder))}${linesOf(uri)}`;
}

/** Returns the lines that a link names, as a mention does: `#L10`, `#L10-40` and `#L10:40`. */
function linesOf(uri: string): string {
	const [, first, last] = /#L(\d{1,7})(?:[-:]L?(\d{1,7}))?$/.exec(uri) ?? [];
	return first === undefined ? '' : `:${first}${last === undefined ? '' : `-${last}`}`;
}

/** Returns the path of a link to a file; undefined for any other. */
function pathOf(uri: string): string | undefined {
	try {
		return new URL(uri).protocol === 'file:' ? fileURLToPath(new URL(uri)) : undefined;
	} catch {
		return uri.startsWith('/') ? uri : undefined;
	}
}

/** Returns a path relative to the folder if it is in it. */
function within(path: string, folder: string): string {
	const below = relative(folder, path);
	return below === '' || below.startsWith('..') ? path : below;
}

function nameOf(uri: string, folder: string): string {
	const path = pathOf(uri);
	return path === undefined ? uri : within(path, folder) + linesOf(uri);
}
