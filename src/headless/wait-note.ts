import {formatDuration} from '../core/format.ts';
import type {Interaction} from '../platform/interaction.ts';
import {safeLine} from '../terminal/text/safe-text.ts';
import {truncate} from '../terminal/text/width.ts';

type Output = {readonly write: (data: string) => unknown; readonly columns?: number};

/** A command that may take long, and what it waits for. */
export type Wait = {
	readonly command: string;
	/** Returns the host whose answer is waited for; undefined while the command works on this machine. Untrusted. */
	readonly waitsFor: () => string | undefined;
};

export type WaitNote = {
	/** Returns the same interaction, which hides the note during questions and messages. */
	readonly beside: (interact: Interaction) => Interaction;
	/** Clears the line for good. */
	readonly end: () => void;
};

/** Shorter waits show no line. */
const silentWaitMs = 300;
const secondMs = 1000;
/** Seconds after which a line names what is waited for. */
const namedAfter = 2;
const erase = '\r\u001B[K';

/** Shorter waits print nothing if a line can't be erased (SAFETY 21). */
const silentPlainWaitMs = 2000;

/** Prints once through `say`, after 2 s, that a command still waits: for pipes, screen readers and programs. */
export function createPlainNote(say: (text: string) => void, {command, waitsFor}: Wait): WaitNote {
	let held = 0;
	let timer: NodeJS.Timeout | undefined;
	const tell = () => {
		const host = waitsFor();
		const state = host === undefined ? 'working' : `waiting for ${safeLine(host)}`;
		say(`${command} is still ${state}. Press Ctrl+C to cancel.`);
	};
	const begin = () => {
		timer = setTimeout(tell, silentPlainWaitMs).unref();
	};

	const end = () => clearTimeout(timer);
	begin();
	return {
		end,
		beside: interact =>
			besideQuestions(interact, {
				end,
				hide: () => undefined,
				async hold(question) {
					end();
					held++;
					try {
						return await question();
					} finally {
						held--;
						if (held === 0) {
							begin();
						}
					}
				},
			}),
	};
}

/** Shows the running command on one line of a terminal after 300 ms. */
export function createWaitNote(output: Output, {command, waitsFor}: Wait, clock: () => number = Date.now): WaitNote {
	const begun = clock();
	let shown = false;
	let held = 0;
	let timer: NodeJS.Timeout;

	const hide = () => {
		if (shown) {
			shown = false;
			output.write(erase);
		}
	};

	const draw = () => {
		if (held === 0) {
			const seconds = Math.floor((clock() - begun) / secondMs);
			const host = waitsFor();
			const facts = [
				...(seconds > 0 ? [formatDuration(seconds * secondMs)] : []),
				...(host !== undefined && seconds >= namedAfter ? [`waiting for ${safeLine(host)} ·`] : []),
			];
			const line = [`${safeLine(command)}…`, ...facts, 'Ctrl+C cancel'].join(' ');
			output.write(`\r${truncate(line, (output.columns ?? 80) - 1)}\u001B[K`);
			shown = true;
		}

		timer = setTimeout(draw, secondMs).unref();
	};

	timer = setTimeout(draw, silentWaitMs).unref();

	const end = () => {
		clearTimeout(timer);
		hide();
	};

	/** Hides the note while the user answers. */
	const hold = async <T>(question: () => Promise<T>): Promise<T> => {
		hide();
		held++;
		try {
			return await question();
		} finally {
			held--;
		}
	};

	return {end, beside: interact => besideQuestions(interact, {end, hide, hold})};
}

type Note = {
	readonly end: () => void;
	readonly hide: () => void;
	readonly hold: <T>(question: () => Promise<T>) => Promise<T>;
};

function besideQuestions(interact: Interaction, {end, hide, hold}: Note): Interaction {
	const {ask, choose, confirm, say, progress, showLogin, ...others} = interact;
	return {
		...others,
		ask: field => hold(() => ask(field)),
		choose: pick => hold(() => choose(pick)),
		confirm: (...asked) => hold(() => confirm(...asked)),
		say(text) {
			hide();
			say(text);
		},
		// The command shows its own progress line.
		...(progress && {
			progress(text) {
				end();
				progress(text);
			},
		}),
		showLogin(...login) {
			end();
			return showLogin(...login);
		},
	};
}
