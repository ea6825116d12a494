import {AppError} from '../../core/error.ts';
import {formatBytes} from '../../core/format.ts';
import type {ToolContext} from '../../core/session/tool.ts';
import {type ImageBytes, readImage} from './read-image.ts';

/** What every vendor takes: 5 MB as base64, and 8,000 pixels on each side. */
const maxBytes = 3_750_000;
const maxSide = 8000;

/**
 * Shows an image to the model. Returns the text of the result: what it is, also if the model can't see it. Undefined for
 * bytes that are no image; throws `AppError("failed")` for an image that is damaged or too large.
 */
export async function showImage(
	bytes: Buffer,
	name: string,
	{onImage}: Pick<ToolContext, 'onImage'>,
): Promise<string | undefined> {
	const image = readImage(bytes);
	if (image === undefined) {
		return undefined;
	}

	if (image === 'damaged') {
		throw new AppError('failed', `“${name}” begins as an image (${formatBytes(bytes.length)}), but is damaged.`);
	}

	const what = describe(image);
	if (image.bytes.length > maxBytes || image.width > maxSide || image.height > maxSide) {
		throw new AppError('failed', `“${name}” is too large to show: ${what}.`, {
			hint: `An image can have ${formatBytes(maxBytes)} and ${maxSide} pixels on each side.`,
		});
	}

	const isSeen = (await onImage?.(image)) ?? false;
	return isSeen ? `[${name}: ${what}]` : `[${name}: ${what}. This model can't see images.]`;
}

/** Returns the type, size and length of an image, such as `PNG, 640×480, 34 kB`. */
function describe({type, width, height, bytes}: ImageBytes): string {
	return `${type.slice('image/'.length).toUpperCase()}, ${width}×${height}, ${formatBytes(bytes.length)}`;
}
