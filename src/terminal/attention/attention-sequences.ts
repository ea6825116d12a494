import type {Environment} from '../../core/environment.ts';
import {graphemesOf} from '../text/width.ts';
import {multiplexerOf, terminalKind} from './terminal-kind.ts';

/** A terminal shows no more of them, and some reject longer sequences. */
const maxCharacters = {notice: 200, title: 80} as const;

export const bell = '\u0007';
const end = '\u001b\\';

/** Who a notification is from, for terminals that show a heading. */
const sender = 'service';

/** What the terminal shows about a run: that it goes on, or waits for the user. */
export type Progress = 'working' | 'waiting';

/**
 * Returns the bytes that show a notification in this terminal (OSC 9, 99 or 777), or ring its bell. Through tmux they are
 * passed on if its `allow-passthrough` is on. Keeps only printable text (SAFETY 3).
 */
export function noticeSequence(text: string, env: Environment): string {
	const {notice, rings} = terminalKind(env);
	const shown = cleaned(text, maxCharacters.notice);
	// Fields are separated by semicolons.
	const field = shown.replaceAll(';', ',');
	switch (notice) {
		case 'osc-9':
			// A text that begins with a number would be another request (ConEmu).
			return passed(`\u001b]9;${sender}: ${shown}${end}`, env) + (rings ? bell : '');
		case 'osc-99':
			return (
				passed(`\u001b]99;i=${sender}:d=0;${sender}${end}\u001b]99;i=${sender}:d=1:p=body;${shown}${end}`, env) +
				(rings ? bell : '')
			);
		case 'osc-777':
			return passed(`\u001b]777;notify;${sender};${field}${end}`, env) + (rings ? bell : '');
		case 'bell':
			return bell;
		default:
			return notice satisfies never;
	}
}

/** Returns the bytes that set the title of the window (OSC 2). Keeps only printable text (SAFETY 3). */
export function titleSequence(text: string): string {
	return `\u001b]2;${cleaned(text, maxCharacters.title)}${end}`;
}

/** Returns the bytes that show progress without an end (OSC 9;4), or a full bar that warns; undefined ends it. */
export function progressSequence(progress: Progress | undefined): string {
	const state = progress === 'working' ? '3;0' : progress === 'waiting' ? '4;100' : '0;0';
	return `\u001b]9;4;${state}${end}`;
}

/** Wraps a sequence so that tmux passes it on: each ESC twice. */
function passed(sequence: string, env: Environment): string {
	return multiplexerOf(env) === 'tmux'
		? `\u001bPtmux;${sequence.replaceAll('\u001b', '\u001b\u001b')}${end}`
		: sequence;
}

/** Returns the text on one line, without control characters and those that change its direction or are invisible. */
function cleaned(text: string, maxLength: number): string {
	const printable = text
		.slice(0, 20 * maxLength)
		.replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
		.trim();
	const graphemes = graphemesOf(printable);
	return graphemes.length <= maxLength ? printable : `${graphemes.slice(0, maxLength - 1).join('')}…`;
}
