import {constants} from 'node:fs';
import {open} from 'node:fs/promises';
import {basename, join, resolve} from 'node:path';
import {AppError} from '../../core/error.ts';
import {findMentions} from '../../core/mention.ts';
import type {ImageType} from '../../core/session/event.ts';
import {seesImages} from '../images/model-images.ts';
import {announcedType} from '../images/read-image.ts';
import {pathText} from '../tools/files/path-text.ts';
import {spellPath} from '../tools/files/spelled-path.ts';
import {imageMention} from './image-source.ts';

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
