import type {AgentEvent, Recorded, RunEvent} from '../session/event.ts';
import {hideStyled, readStyles, recordedStyles, type StyledText, sliceStyled, sliceStyles} from './text-styles.ts';

/** An output as it is recorded, with its styles as `recordedStyles` writes them. */
export type RecordedOutput = {readonly output: string; readonly styles?: string | undefined};

/** How the screen draws a piece of output in place. */
export type RedrawnOutput = {
	/** The number of lines before it that it replaces; 0 by default. */
	readonly over?: number | undefined;
	/** Its lines, to which its styles belong, if its text has others. */
	readonly shown?: string | undefined;
};

/** Most characters of the output of a running tool. Its result replaces them. */
const maxOutput = 64 * 1024;

/**
 * Returns an output with a piece at its end, of which the beginning may be left out. It is cut when it is twice as long as
 * needed, so that each piece costs little.
 */
export function addPiece(
	before: RecordedOutput,
	{over, shown, ...given}: RecordedOutput & RedrawnOutput,
): RecordedOutput {
	const {output, styles} = over ? withoutLast(before, over) : before;
	const piece = shown === undefined ? given : {...given, output: shown};
	const text = output + piece.output;
	const range = {start: 0, end: piece.output.length, at: output.length};
	const {styles: added} = recordedStyles(sliceStyles(readStyles(piece.styles), range));
	const all = styles === undefined || added === undefined ? (styles ?? added) : `${styles} ${added}`;
	return text.length > 2 * maxOutput
		? withoutOld(sliceStyled({text, styles: readStyles(all)}, text.length - maxOutput))
		: {output: text, styles: all};
}

/** Returns an output of whole lines without the last ones. */
function withoutLast({output, styles}: RecordedOutput, count: number): RecordedOutput {
	let end = output.length;
	for (let line = 0; line < count && end > 0; line++) {
		end = end < 2 ? 0 : output.lastIndexOf('\n', end - 2) + 1;
	}

	return styles === undefined
		? {output: output.slice(0, end)}
		: withoutOld(sliceStyled({text: output, styles: readStyles(styles)}, 0, end));
}

/** Returns an output after `hide`, which replaces parts of lines. */
export function hideRecorded({output, styles}: RecordedOutput, hide: (text: string) => string): RecordedOutput {
	const hidden = hideStyled({text: output, styles: readStyles(styles)}, hide);
	return styles === undefined ? {output: hidden.text} : withoutOld(hidden);
}

/** Returns a text as it is recorded. */
export function toRecorded({text, styles}: StyledText): RecordedOutput {
	return {output: text, ...recordedStyles(styles)};
}

/** Does the same where styles that are none any more must be replaced. */
function withoutOld(output: StyledText): RecordedOutput {
	return {styles: undefined, ...toRecorded(output)};
}

/**
 * Returns a record as other programs read it: without the styles of an output and how it is redrawn in place, which only the
 * screen shows.
 */
export function plainRecord(record: Recorded): Recorded {
	const {event} = record;
	const plain = plainEvent(event);
	return plain === event ? record : {...record, event: plain};
}

function plainEvent(event: AgentEvent): AgentEvent {
	if (event.type !== 'task') {
		return withoutStyles(event);
	}

	const inner = withoutStyles(event.event);
	return inner === event.event ? event : {...event, event: inner};
}

function withoutStyles(event: RunEvent): RunEvent {
	switch (event.type) {
		case 'tool-output': {
			const {styles: _, over: __, shown: ___, ...plain} = event;
			return plain;
		}
		case 'tool-result':
		case 'user-command-end': {
			const {styles: _, ...plain} = event;
			return plain;
		}
		default:
			return event;
	}
}
