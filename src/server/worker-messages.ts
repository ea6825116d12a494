/** What the embedded server's worker is started with. */
export type WorkerData = {
	/** How many times faster than a real model the demo model answers. */
	readonly speed: number;
};

/** Where the embedded server's own user works. */
export type EmbeddedScope = {readonly org: string; readonly workspace: string; readonly project: string};

/** What the worker says: once, where it listens and how to prove oneself, or why it could not. */
export type WorkerReport =
	| {readonly kind: 'listening'; readonly url: string; readonly token: string; readonly scope: EmbeddedScope}
	| {readonly kind: 'failed'; readonly message: string};
