import * as z from 'zod/mini';

/** The most that is handed over. Lines between a terminal and a host hold 32 MiB. */
export const maxChanges = 2000;
export const maxChangedBytes = 12 * 1024 * 1024;

/** What a file of the working tree is now, whatever its commit has: its content in base64, or that it is gone. */
export const packedChange = z.object({
	/** Below the repository, with `/`. */
	path: z.string(),
	kind: z.enum(['file', 'link', 'gone']),
	/** As in `chmod`. */
	permissions: z.optional(z.number()),
	content: z.optional(z.string()),
});
export type PackedChange = z.infer<typeof packedChange>;

/** The uncommitted changes of a repository, for another clone of it. */
export const packedChanges = z.object({
	remotes: z.array(z.string()),
	commit: z.string(),
	branch: z.string(),
	/** The folder of the session below the repository; '' for the repository itself. */
	below: z.string(),
	changes: z.array(packedChange).check(z.maxLength(maxChanges)),
});
export type PackedChanges = z.infer<typeof packedChanges>;

export const leftOut = z.object({
	/** Their names suggest secrets. */
	secrets: z.array(z.string()),
	/** Protected, denied by a rule, or no file: a repository of its own, a pipe. */
	others: z.array(z.string()),
});
/** What was left out, by path. */
export type LeftOut = z.infer<typeof leftOut>;
