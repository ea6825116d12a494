import {createStore, type StoreApi} from 'zustand/vanilla';
import {continues} from '../../terminal/text/wrap.ts';
import type {Caret, Frame, Prompt} from './live-region.ts';
import {drawnSizeOf, type ScreenOutput} from './window-size.ts';

/** The last lines of the transcript, which may still change. They are derived from the store, so they are not in it. */
export type LiveLines = StoreApi<readonly string[]>;

export function createLiveLines(): LiveLines {
	return createStore<readonly string[]>(() => []);
}

/** Creates what is drawn: the live lines above what Ink drew last, which has the prompt over it. */
export function createFrame(live: LiveLines, onChange: () => void) {
	let below: Frame = {rows: [], caret: undefined};
	let prompt: Prompt | undefined;
	let liveRowsFor = (_lines: number) => 0;
	const change = (next: Partial<Frame>) => {
		below = {...below, ...next};
		onChange();
	};

	live.subscribe(onChange);
	return {
		current(): Frame {
			const all = live.getState();
			const lines = all.slice(all.length - liveRowsFor(all.length)).map(line => line.replace(continues, '').trimEnd());
			const {rows, caret} = prompt ? withPrompt(below, prompt) : below;
			return {rows: [...lines, ...rows], caret: caret && {...caret, row: lines.length + caret.row}};
		},
		setRows: (rows: readonly string[]) => change({rows}),
		setCaret: (caret: Caret | undefined) => change({caret}),
		setPrompt(next: Prompt) {
			prompt = next;
			onChange();
		},
		limitLive(rowsFor: (lines: number) => number) {
			liveRowsFor = rowsFor;
			onChange();
		},
	};
}

/** Returns a frame with the prompt over its rows, unless it was not laid out for one yet. */
function withPrompt({rows, caret}: Frame, {row, focused, draw}: Prompt): Frame {
	const drawn = draw();
	const end = row + drawn.rows.length;
	const own = drawn.caret && {...drawn.caret, row: row + drawn.caret.row};
	return {
		rows: end <= rows.length ? [...rows.slice(0, row), ...drawn.rows, ...rows.slice(end)] : rows,
		caret: focused ? own : caret,
	};
}

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
