import {constants} from 'node:fs';
import {open} from 'node:fs/promises';
import {basename, join, resolve} from 'node:path';
import {AppError} from '../../core/error.ts';
import {assertNoLines, findMentions} from '../../core/mention.ts';
import type {ImageType} from '../../core/session/event.ts';
import {type ImageStore, seesImages} from '../images/model-images.ts';
import {announcedType, readImage} from '../images/read-image.ts';
import {showImage} from '../images/show-image.ts';
import {pathText, spellPath} from '../paths/path-text.ts';
import type {MentionSource} from './read-mentions.ts';

/** The name of a mention of an image that was pasted: its hash. */
const imageMention = /^image:([\da-f]{64})$/;

/**
 * Keeps an image that is no file, from the clipboard by default. Returns what mentions it, and a label for the prompt. Throws
 * AppError("failed") for bytes that are no image, or one that is too large for models.
 */
export async function keepPasted(
	bytes: Buffer,
	{save}: ImageStore,
	what = 'The image in the clipboard',
): Promise<{mention: string; label: string}> {
	const image = readImage(bytes);
	if (image === undefined) {
		throw new AppError('failed', `${what} is no PNG, JPEG, GIF or WebP.`, {hint: 'Save it as PNG.'});
	}

	if (image === 'damaged') {
		throw new AppError('failed', `${what} is damaged.`, {hint: 'Copy it again.'});
	}

	await showImage(bytes, what, {});
	return {mention: `@image:${await save(image.bytes)}`, label: `[Image ${image.width}x${image.height}]`};
}

/** Reads images that were pasted. */
export function createImageSource({load}: ImageStore): MentionSource {
	return {
		async read(name, _, lines) {
			const [, hash] = imageMention.exec(name) ?? [];
			if (hash === undefined) {
				return undefined;
			}

			assertNoLines(lines, 'An image');

			const bytes = await load(hash);
			const image = bytes && readImage(bytes);
			if (!image || image === 'damaged') {
				throw new AppError('not-found', 'The pasted image is gone.', {hint: 'Paste it again.'});
			}

			const {type, width, height} = image;
			const shown = {hash, type, width, height, bytes: image.bytes.length};
			const label = `pasted image, ${width}×${height}`;
			return {source: 'image', name: label, text: `[The user attached a ${label}.]`, images: [shown]};
		},
	};
}

type Options = {
	/** `provider/model-name`; undefined if none is selected yet. */
	readonly model: string | undefined;
	readonly folder: string;
	readonly homeFolder: string | undefined;
};

/**
 * Throws AppError("usage") for a message that mentions an image or a PDF that the model can't read: it must not be sent as
 * if the model saw it. Looks at the first bytes of files alone, and shows them to nobody.
 */
export async function checkMedia(text: string, {model, folder, homeFolder}: Options): Promise<void> {
	for (const {name} of model === undefined ? [] : findMentions(text)) {
		const path = homeFolder !== undefined && name.startsWith('~/') ? join(homeFolder, name.slice(2)) : name;
		const type = imageMention.test(name) ? 'image/png' : await typeOf((await spellPath(resolve(folder, path))).path);
		if (type !== undefined && model !== undefined && !seesImages(model, type)) {
			const what = imageMention.test(name) ? 'the pasted image' : pathText(basename(name));
			throw new AppError('usage', `${model} can't read ${type === 'application/pdf' ? 'PDFs' : 'images'}: ${what}.`, {
				hint: 'Select another model with `model`, or remove it from the message.',
			});
		}
	}
}

/** Returns the type that a file begins as. Never blocks: a pipe or a device has none. */
async function typeOf(path: string): Promise<ImageType | undefined> {
	const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(() => undefined);
	try {
		const isFile = (await handle?.stat())?.isFile() ?? false;
		const start = Buffer.alloc(16);
		const {bytesRead} = (isFile && (await handle?.read(start, 0, start.length, 0))) || {bytesRead: 0};
		return announcedType(start.subarray(0, bytesRead));
	} catch {
		return undefined;
	} finally {
		await handle?.close();
	}
}
