import {drawnSizeOf, type ScreenOutput} from './window-size.ts';

type Handlers = {
	/** Receives the rows of each frame. */
	readonly onFrame: (rows: readonly string[]) => void;
	readonly flush: () => void;
};

type InkStdout = {
	readonly stdout: NodeJS.WriteStream;
	/** Notifies Ink that the window was resized. */
	readonly emitResize: () => void;
};

/** Creates the standard output for Ink, which writes each frame to it, whole and alone. Other calls go to `output`. */
export function createInkStdout(output: ScreenOutput, {onFrame, flush}: Handlers): InkStdout {
	const resizeListeners = new Set<() => void>();

	const write = (data: string | Uint8Array, ...rest: unknown[]) => {
		const text = typeof data === 'string' ? data : Buffer.from(data).toString('utf8');
		if (text) {
			onFrame(text.split('\n'));
		}

		const callback = rest.find(argument => typeof argument === 'function');
		if (callback) {
			// Ink waits for the callback of its last write before it reports that it has ended.
			flush();
			callback();
		}

		return true;
	};

	const listen = (name: 'on' | 'off') => (event: string, listener: () => void) => {
		if (event === 'resize') {
			resizeListeners[name === 'on' ? 'add' : 'delete'](listener);
		} else {
			output[name]?.(event, listener);
		}
	};

	const stdout = new Proxy(output, {
		get(target, name) {
			switch (name) {
				case 'write':
					return write;
				case 'on':
				case 'off':
					return listen(name);
				case 'columns':
				case 'rows':
					return drawnSizeOf(output)[name];
				default: {
					const value: unknown = Reflect.get(target, name, target);
					return typeof value === 'function' ? value.bind(target) : value;
				}
			}
		},
	}) as NodeJS.WriteStream;

	return {
		stdout,
		emitResize() {
			for (const listener of resizeListeners) {
				listener();
			}
		},
	};
}
