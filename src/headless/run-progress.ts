import {formatDuration} from '../core/format.ts';
import type {AgentEvent} from '../core/session/event.ts';
import {safeLine} from '../terminal/text/safe-text.ts';
import {truncate} from '../terminal/text/width.ts';

type Output = {readonly write: (data: string) => unknown; readonly isTTY?: boolean; readonly columns?: number};

export type RunProgress = {
	/** Records what a run is doing. */
	readonly follow: (event: AgentEvent) => void;
	/** Clears the line for output that stays; it comes back with the next second. */
	readonly clear: () => void;
	/** Clears the line; nothing is written after it. */
	readonly end: () => void;
};

/** A wait shorter than this, in milliseconds, is not worth a line (SAFETY 21). */
const patience = 2000;
const second = 1000;

/** Shows on one line of a terminal what a run without a screen waits for, then clears it. Elsewhere it is silent. */
export function createRunProgress(output: Output, clock: () => number = Date.now): RunProgress {
	if (!output.isTTY) {
		return {follow: () => undefined, clear: () => undefined, end: () => undefined};
	}

	const begun = clock();
	let doing = 'Waiting for the model';
	let shown = false;
	const timer = setInterval(() => {
		const waited = clock() - begun;
		if (waited >= patience) {
			const line = `${doing}… ${formatDuration(Math.floor(waited / second) * second)}`;
			output.write(`\r${truncate(line, (output.columns ?? 80) - 1)}\u001B[K`);
			shown = true;
		}
	}, second);
	timer.unref();

	const clear = () => {
		if (shown) {
			shown = false;
			output.write('\r\u001B[K');
		}
	};

	return {
		follow(event) {
			doing = whatGoesOn(event) ?? doing;
		},
		clear,
		end() {
			clearInterval(timer);
			clear();
		},
	};
}

/** Returns a label for what an event begins; undefined for one that begins nothing. */
function whatGoesOn(event: AgentEvent): string | undefined {
	switch (event.type) {
		case 'reasoning-delta':
			return 'Thinking';
		case 'text-delta':
			return 'Answering';
		case 'tool-call':
			return `Running ${safeLine(event.name)}`;
		case 'tool-result':
			return 'Waiting for the model';
		case 'notice':
			// A warning is printed to stay.
			return event.level === 'info' ? safeLine(event.text).replace(/[.…]+$/, '') : undefined;
		default:
			return undefined;
	}
}
