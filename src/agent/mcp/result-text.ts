import {headAndTail} from '../../core/cut-text.ts';
import {AppError} from '../../core/error.ts';
import {formatBytes} from '../../core/format.ts';
import type {ToolContext} from '../../core/session/tool.ts';
import {showImage} from '../images/show-image.ts';
import type {CallResult, ResultPart} from './connection.ts';

/** Most characters of the text of an error. */
const maxErrorLength = 4000;
const maxImages = 5;

/** Returns a result as the model reads it; images are shown to it. Throws `AppError("failed")` for one that is an error. */
export async function resultText(
	{parts, isError}: CallResult,
	context: ToolContext,
	hide: (text: string) => string,
): Promise<string> {
	let images = 0;
	const texts: string[] = [];
	for (const part of parts) {
		const isShown = part.type === 'image' && ++images <= maxImages;
		texts.push(isShown ? await imageText(part, context) : textOf(part));
	}

	const text = hide(texts.join('\n'));
	if (isError) {
		throw new AppError('failed', headAndTail(text.trim() || 'The tool failed and did not say why.', maxErrorLength));
	}

	return text.trim() === '' ? 'The tool returned nothing.' : text;
}

async function imageText(part: Extract<ResultPart, {type: 'image' | 'audio'}>, context: ToolContext) {
	try {
		return (await showImage(Buffer.from(part.data, 'base64'), 'image', context)) ?? textOf(part);
	} catch (error) {
		if (error instanceof AppError) {
			return `[${error.message}]`;
		}

		throw error;
	}
}

/** Returns a part as text: an image is named, not shown. */
export function textOf(part: ResultPart): string {
	switch (part.type) {
		case 'text':
			return part.text;
		case 'link':
			return `[resource ${part.uri}${part.text ? `: ${part.text}` : ''}]`;
		default:
			return `[${part.type}, ${formatBytes(Math.floor((part.data.length * 3) / 4))}, not shown]`;
	}
}
