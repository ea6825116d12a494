import * as z from 'zod/mini';

/** What an attachment is; `none` if it could not be attached, with the reason as its text. */
const source = z.enum(['file', 'folder', 'log', 'resource', 'none']);

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
});

export type Attachment = Readonly<Omit<z.infer<typeof attachmentEvent>, 'type' | 'id'>>;
