import {formatDuration} from '../core/format.ts';
import {callText} from '../core/session/call-words.ts';
import type {AgentEvent} from '../core/session/event.ts';
import {safeLine} from '../terminal/text/safe-text.ts';
import {truncate} from '../terminal/text/width.ts';

type Output = {readonly write: (data: string) => unknown; readonly isTTY?: boolean; readonly columns?: number};

export type RunProgress = {
	/** Shows what is waited for now, in a few words. */
	readonly show: (doing: string) => void;
	/** Records what a run is doing. */
	readonly follow: (event: AgentEvent) => void;
	/** Clears the line for permanent output; it returns within a second. */
	readonly clear: () => void;
	/** Clears the line for good. */
	readonly end: () => void;
};

/** Shorter waits show no line (SAFETY 21). */
const silentWaitMs = 2000;
const secondMs = 1000;

/** Shows what a run without a screen waits for on one line of a terminal. Without a terminal it shows nothing. */
export function createRunProgress(output: Output, clock: () => number = Date.now): RunProgress {
	if (!output.isTTY) {
		return {show: () => undefined, follow: () => undefined, clear: () => undefined, end: () => undefined};
	}

	const begun = clock();
	let doing = 'Waiting for the model';
	let shown = false;
	const timer = setInterval(() => {
		const waited = clock() - begun;
		if (waited >= silentWaitMs) {
			const line = `${doing}… ${formatDuration(Math.floor(waited / secondMs) * secondMs)}`;
			output.write(`\r${truncate(line, (output.columns ?? 80) - 1)}\u001B[K`);
			shown = true;
		}
	}, secondMs);
	timer.unref();

	const clear = () => {
		if (shown) {
			shown = false;
			output.write('\r\u001B[K');
		}
	};

	return {
		show(next) {
			doing = safeLine(next);
		},
		follow(event) {
			doing = labelOf(event) ?? doing;
		},
		clear,
		end() {
			clearInterval(timer);
			clear();
		},
	};
}

/** Returns the label of what an event starts; undefined if it starts nothing. */
function labelOf(event: AgentEvent): string | undefined {
	switch (event.type) {
		case 'reasoning-delta':
			return 'Thinking';
		case 'text-delta':
			return 'Answering';
		case 'tool-call':
			return safeLine(callText(event.name, event.arguments, event.words));
		case 'run-start':
		case 'tool-result':
			return 'Waiting for the model';
		case 'notice':
			// A warning is printed permanently.
			return event.level === 'info' ? safeLine(event.text).replace(/[.…]+$/, '') : undefined;
		default:
			return undefined;
	}
}
