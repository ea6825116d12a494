import type {ProviderName} from '../../core/model.ts';
import type {ImageType, ShownImage} from '../../core/session/event.ts';
import type {Message} from '../../core/session/message.ts';
import type {ToolContext} from '../../core/session/tool.ts';

/** Keeps the bytes of images beside the sessions: their events have only the hash. */
export type ImageStore = {
	/** Saves an image and returns its hash. */
	readonly save: (bytes: Buffer) => Promise<string>;
	/** Returns an image by its hash; undefined if it's gone. */
	readonly load: (hash: string) => Promise<Buffer | undefined>;
};

/** Models that see images, by the names of their makers. Hosts run them under such names. */
const anyMaker =
	/claude-(?!2|instant)|gpt-(?:4o|4\.1|4-turbo|[5-9])|chatgpt-4o|gemini-|gemma-?3|pixtral|llama-?4|vision|llava|(?:^|[-_/:.])vl(?:$|[-_:.\d])|qwen[\d.]*-?vl|grok-4/i;

/** Models of each vendor that see images; the rule of `anyMaker` for all others. */
const ofVendor: Partial<Record<ProviderName, RegExp>> = {
	anthropic: /^claude-(?!2|instant)/,
	openai:
		/^(?:ft:)?(?:gpt-(?:4o|4\.1|4-turbo|[5-9]|\d\d)|chatgpt-4o|codex|o1(?!-mini|-preview)|o3(?!-mini)|o4|computer-use)/,
	google: /^(?:gemini-(?!.*(?:tts|live|embed))|gemma-[3-9])/,
	mistral: /^(?:pixtral|mistral-(?:medium|small|large-(?:3|2512|latest)))/,
	deepseek: /$^/,
};

/** Models that read PDFs, of the vendors whose wire formats carry them. */
const pdfReaders: Partial<Record<ProviderName, RegExp>> = {
	anthropic: /^claude-(?!2|instant|3-(?:opus|sonnet|haiku))/,
	openai: /^(?:ft:)?(?:gpt-(?:4o|4\.1|[5-9]|\d\d)|o1(?!-mini|-preview)|o3(?!-mini)|o4)/,
	google: /^gemini-(?!.*(?:tts|live|embed))/,
};

/** True if a model, `provider/model-name`, sees images of this type. An unknown model doesn't: it might refuse the request. */
export function seesImages(model: string, type?: ImageType): boolean {
	const slash = model.indexOf('/');
	const provider = model.slice(0, slash) as ProviderName;
	if (type === 'application/pdf') {
		return pdfReaders[provider]?.test(model.slice(slash + 1)) ?? false;
	}

	const isSeen = (ofVendor[provider] ?? anyMaker).test(model.slice(slash + 1));
	// Gemini reads no GIF.
	return isSeen && !(type === 'image/gif' && /gemini|gemma/i.test(model));
}

/** Most images of one request, and most bytes of them: vendors refuse larger ones. Older images are left out first. */
const maxImages = 20;
const maxTotalBytes = 16 * 1024 * 1024;

/** Returns the messages with the data of the images that the model sees, and a note where one is gone. */
export async function attachImages(
	messages: readonly Message[],
	model: string,
	{load}: ImageStore,
): Promise<readonly Message[]> {
	if (!messages.some(message => message.role !== 'assistant' && message.images)) {
		return messages;
	}

	const shown = messages.flatMap(message => (message.role === 'assistant' ? [] : (message.images ?? [])));
	const sent = newestOf(shown.filter(({type}) => seesImages(model, type)));
	const loaded = new Map<string, Promise<Buffer | undefined>>();
	for (const {hash} of sent) {
		loaded.set(hash, loaded.get(hash) ?? load(hash).catch(() => undefined));
	}

	return Promise.all(
		messages.map(async message => {
			if (message.role === 'assistant' || !message.images) {
				return message;
			}

			const images = await Promise.all(
				message.images.map(async image => {
					const bytes = sent.has(image) ? await loaded.get(image.hash) : undefined;
					return bytes ? [{...image, data: bytes.toString('base64')}] : [];
				}),
			);
			const missing = images.some(found => found.length === 0);
			if (message.role === 'user') {
				const text = missing ? `${message.text}\n[An attached image or document is left out.]` : message.text;
				return {...message, text, images: images.flat()};
			}

			const output = missing ? `${message.output}\n[An image of this result is left out.]` : message.output;
			return {...message, output, images: images.flat()};
		}),
	);
}

function newestOf(images: readonly ShownImage[]): ReadonlySet<ShownImage> {
	const sent = new Set<ShownImage>();
	let total = 0;
	for (const image of images.toReversed()) {
		total += image.bytes;
		if (sent.size < maxImages && total <= maxTotalBytes) {
			sent.add(image);
		}
	}

	return sent;
}

/** Keeps what the model is shown; `isSeen` says which types it reads. */
export type ShownStore = {readonly save: ImageStore['save']; readonly isSeen: (type: ImageType) => boolean};

/** Wire formats carry PDFs in messages of the user only. */
export function withoutPdf(images: ShownStore): ShownStore {
	return {...images, isSeen: type => type !== 'application/pdf' && images.isSeen(type)};
}

/** Returns what saves the images of one call or attachment. */
export function imagesTo(shown: ShownImage[], {save, isSeen}: ShownStore): NonNullable<ToolContext['onImage']> {
	return async ({type, width, height, bytes, pages}) => {
		if (!isSeen(type)) {
			return false;
		}

		shown.push({
			hash: await save(bytes),
			type,
			width,
			height,
			bytes: bytes.length,
			...(pages !== undefined && {pages}),
		});
		return true;
	};
}
