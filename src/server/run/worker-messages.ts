import type {DemoThing} from '../demo/demo-thing.ts';

/** What the embedded server's worker is started with. */
export type WorkerData = {
	/** How many times faster than a real model the demo model answers. */
	readonly speed: number;
};

/** Where the embedded server's own user works. */
export type EmbeddedScope = {readonly org: string; readonly workspace: string; readonly project: string};

/** What the worker says first: where it listens and how to prove oneself, or why it could not. */
export type WorkerReport =
	| {
			readonly kind: 'listening';
			readonly url: string;
			readonly token: string;
			readonly scope: EmbeddedScope;
			readonly seen: readonly DemoThing[];
	  }
	| {readonly kind: 'failed'; readonly message: string};

/** What it says whenever that changes: how many of its sandboxes run. They end with it. */
export type SandboxReport = {readonly kind: 'sandboxes'; readonly running: number};
