import {AppError} from '../../core/error.ts';
import {assertNoLines} from '../../core/mention.ts';
import type {ImageStore} from '../images/model-images.ts';
import {readImage} from '../images/read-image.ts';
import {showImage} from '../images/show-image.ts';
import type {MentionSource} from './read-mentions.ts';

/** The name of a mention of an image that was pasted: its hash. */
export const imageMention = /^image:([\da-f]{64})$/;

/**
 * Keeps an image from the clipboard. Returns what mentions it, and a label for the prompt. Throws AppError("failed") for
 * bytes that are no image, or one that is too large for models.
 */
export async function keepPasted(bytes: Buffer, {save}: ImageStore): Promise<{mention: string; label: string}> {
	const image = readImage(bytes);
	if (image === undefined || image === 'damaged') {
		throw new AppError('failed', 'The image in the clipboard is damaged.', {hint: 'Copy it again.'});
	}

	await showImage(bytes, 'The image in the clipboard', {});
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
