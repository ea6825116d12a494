import * as z from 'zod/mini';

const imageType = z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf']);
/** The type of an image, or of a document that is shown as one. */
export type ImageType = z.infer<typeof imageType>;

/** An image or a PDF that the model was shown. Its bytes are stored under their hash, beside the sessions. */
export const shownImage = z.object({
	hash: z.string(),
	type: imageType,
	/** In pixels; 0 for a PDF. */
	width: z.number(),
	height: z.number(),
	bytes: z.number(),
	/** The pages of a PDF, as far as they can be counted. */
	pages: z.optional(z.number()),
});
export type ShownImage = Readonly<z.infer<typeof shownImage>>;

/** What an attachment is; `none` if it could not be attached, with the reason as its text. */
const source = z.enum(['file', 'folder', 'image', 'log', 'resource', 'none']);

/** Something that the user mentioned, as it was read when the message was sent. `id` is that of the message. */
export const attachmentEvent = z.object({
	type: z.literal('attachment'),
	id: z.string(),
	source,
	/** As it is shown: a path, with its lines. Untrusted. */
	name: z.string(),
	/** What the model reads, without credentials. */
	text: z.string(),
	/** The number of its lines, if it has some, and its estimated tokens. */
	lines: z.optional(z.number()),
	tokens: z.number(),
	images: z.optional(z.array(shownImage)),
});

export type Attachment = Readonly<Omit<z.infer<typeof attachmentEvent>, 'type' | 'id'>>;

/** How parts of an output of a command are drawn, as `recordedStyles` writes it. Only the screen reads it. */
export const outputStyles = z.optional(z.string());

/** A piece of the output of a running tool, or of a command of the user. */
export const toolOutputEvent = z.object({
	type: z.literal('tool-output'),
	id: z.string(),
	text: z.string(),
	styles: outputStyles,
	/** How many lines before it the screen writes it over, and its own lines there if its text has others: bars are in place. */
	over: z.optional(z.int()),
	shown: z.optional(z.string()),
});

/** The user ran a command in their shell. Pieces of its output follow as those of a tool. */
export const userCommandEvent = z.object({type: z.literal('user-command'), id: z.string(), command: z.string()});

/** How a command of the user ended. The next message carries it to the model. */
export const userCommandEndEvent = z.object({
	type: z.literal('user-command-end'),
	id: z.string(),
	/** Its head and its tail, without credentials. */
	output: z.string(),
	styles: outputStyles,
	/** In words: `exit status 1 after 2.5 s`. */
	end: z.string(),
	status: z.enum(['done', 'failed', 'interrupted']),
	milliseconds: z.number(),
});

export type CommandEnd = Readonly<Omit<z.infer<typeof userCommandEndEvent>, 'type' | 'id'>>;
