import {formatDuration} from '../core/format.ts';
import type {Interaction} from '../platform/interaction.ts';
import {truncate} from '../terminal/text/width.ts';

type Output = {readonly write: (data: string) => unknown; readonly columns?: number};

export type WaitNote = {
	/** The same questions, with the note out of their way: it is gone while a person is asked or told something. */
	readonly beside: (interact: Interaction) => Interaction;
	/** Clears the line; nothing is written after it. */
	readonly end: () => void;
};

/** A wait shorter than this, in milliseconds, is not worth a line. */
const patience = 300;
const second = 1000;
const erase = '\r\u001B[K';

/** Waits longer than this, in milliseconds, are said where a line cannot be taken away again (SAFETY 21). */
const plainPatience = 2000;

/** Prints once, through `say`, that a command still waits, from 2 s on: for pipes, screen readers and programs. */
export function createPlainNote(say: (text: string) => void, command: string): WaitNote {
	let held = 0;
	let timer: NodeJS.Timeout | undefined;
	const begin = () => {
		timer = setTimeout(
			() => say(`${command} is still waiting for an answer. Press Ctrl+C to cancel.`),
			plainPatience,
		).unref();
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

/** Shows on one line of a terminal which command is at work, from 300 ms on, then clears the line. */
export function createWaitNote(output: Output, command: string, clock: () => number = Date.now): WaitNote {
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
			const seconds = Math.floor((clock() - begun) / second);
			const line = `${command}…${seconds > 0 ? ` ${formatDuration(seconds * second)}` : ''} Ctrl+C cancel`;
			output.write(`\r${truncate(line, (output.columns ?? 80) - 1)}\u001B[K`);
			shown = true;
		}

		timer = setTimeout(draw, second).unref();
	};

	timer = setTimeout(draw, patience).unref();

	const end = () => {
		clearTimeout(timer);
		hide();
	};

	/** Hides the note while the user answers: there is nothing to wait for meanwhile. */
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
		// A command with its own progress line needs no other one.
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
