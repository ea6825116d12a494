import type {Debug} from '../../core/debug.ts';

/** What the screen is created with so that each of its frames is logged. */
export type FrameLog<Output = NodeJS.WriteStream> = {
	/** Standard output; a write to it is a frame. */
	readonly output: Output;
	/** Runs the drawing of a frame at the end of this turn of the event loop, and measures it. */
	readonly later: (draw: () => void) => void;
	/** Called by Ink after each layout. */
	readonly onRender: (metrics: {readonly renderTime: number}) => void;
};

/** Returns a log that writes an entry for each frame drawn on `stdout`. */
export function createFrameLog<Output extends Pick<NodeJS.WriteStream, 'write'>>(
	stdout: Output,
	debug: Debug,
): FrameLog<Output> {
	/** Time that the next frame has taken so far. */
	let spentMs = 0;
	let startedAt: number | undefined;

	const write = (data: string) => {
		const began = startedAt ?? performance.now();
		const result = stdout.write(data);
		const durationMs = spentMs + performance.now() - began;
		debug({kind: 'frame', durationMs: Math.round(durationMs * 10) / 10, bytes: Buffer.byteLength(data)});
		spentMs = 0;
		return result;
	};

	return {
		output: new Proxy(stdout, {
			get(target, name) {
				const value: unknown = name === 'write' ? write : Reflect.get(target, name, target);
				return typeof value === 'function' ? value.bind(target) : value;
			},
		}),
		later: draw =>
			setImmediate(() => {
				startedAt = performance.now();
				draw();
				startedAt = undefined;
			}),
		onRender({renderTime}) {
			spentMs += renderTime;
		},
	};
}
