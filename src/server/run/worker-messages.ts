import type {DemoReference} from '../demo/demo-reference.ts';

/** The data that the embedded server's worker starts with. */
export type WorkerData = {
	/** The demo model's speed relative to a real model. */
	readonly speed: number;
	/** Where its compiled code is kept. */
	readonly codeCache?: string | undefined;
	/** The chunk that it must run, as another build may have taken the place of the running one; any by default. */
	readonly chunk?: string | undefined;
};

/** The scope of the embedded server's own user. */
export type EmbeddedScope = {readonly org: string; readonly workspace: string; readonly project: string};

/** The worker's first message: where it listens and a token, or why it couldn't start. */
export type WorkerReport =
	| {
			readonly kind: 'listening';
			readonly url: string;
			readonly token: string;
			readonly scope: EmbeddedScope;
			readonly seen: readonly DemoReference[];
	  }
	| {readonly kind: 'failed'; readonly message: string};

/** Sent whenever the number of running sandboxes changes. They end with the worker. */
export type SandboxReport = {readonly kind: 'sandboxes'; readonly running: number};
