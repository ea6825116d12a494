import {AppError} from '../../core/error.ts';
import {formatAmount, formatBytes} from '../../core/format.ts';
import type {ToolContext} from '../../core/session/tool.ts';
import {announcedType, type ImageBytes, readImage, readPdf} from './read-image.ts';

/** What every vendor takes: 5 MB as base64, and 8,000 pixels on each side. */
const maxBytes = 3_750_000;
const maxSide = 8000;
/** Less than the requests of every vendor can hold. */
const maxPdfBytes = 8_000_000;

/**
 * Shows an image to the model. Returns the text of the result: what it is, also if the model can't see it. Undefined for
 * bytes that are no image; throws `AppError("failed")` for an image that is damaged or too large.
 */
export async function showImage(
	bytes: Buffer,
	name: string,
	{onImage}: Pick<ToolContext, 'onImage'>,
): Promise<string | undefined> {
	const image = readImage(bytes) ?? readPdf(bytes);
	if (image === undefined) {
		return undefined;
	}

	if (image === 'damaged') {
		const begins = announcedType(bytes) === 'application/pdf' ? 'a PDF' : 'an image';
		throw new AppError('failed', `“${name}” begins as ${begins} (${formatBytes(bytes.length)}), but is damaged.`);
	}

	const what = describe(image);
	if (image.type === 'application/pdf' && image.bytes.length > maxPdfBytes) {
		throw new AppError('failed', `“${name}” is too large to show: ${what}.`, {
			hint: `A PDF can have ${formatBytes(maxPdfBytes)}.`,
		});
	}

	if (image.type !== 'application/pdf' && isTooLarge(image)) {
		throw new AppError('failed', `“${name}” is too large to show: ${what}.`, {
			hint: `An image can have ${formatBytes(maxBytes)} and ${maxSide} pixels on each side.`,
		});
	}

	const isSeen = (await onImage?.(image)) ?? false;
	if (!isSeen && image.type === 'application/pdf') {
		return `[${name}: ${what}. It can't be shown as a result: ask the user to attach it.]`;
	}

	return isSeen ? `[${name}: ${what}]` : `[${name}: ${what}. This model can't see images.]`;
}

function isTooLarge({bytes, width, height}: ImageBytes): boolean {
	return bytes.length > maxBytes || width > maxSide || height > maxSide;
}

/** Returns the type, size and length of an image, such as `PNG, 640×480, 34 kB`. */
function describe({type, width, height, bytes, pages}: ImageBytes): string {
	if (pages !== undefined) {
		return `PDF, ${formatAmount(pages, 'page')}, ${formatBytes(bytes.length)}`;
	}

	return `${type.slice('image/'.length).toUpperCase()}, ${width}×${height}, ${formatBytes(bytes.length)}`;
}
