import type {Result} from '../command/result.ts';
import {AppError} from '../core/error.ts';
import type {Json} from '../core/json.ts';
import type {SubjectDrawing} from '../terminal/text/drawing.ts';
import {createPalette} from '../terminal/text/style.ts';

/**
 * Returns the result of a command that ran on a host as data, for the terminal that draws it. Throws AppError("usage") for one
 * that lives: it needs the machine that the command ran on.
 */
export function sendable(result: Result): Json {
	switch (result.kind) {
		case 'page':
			return {kind: 'lines', lines: result.markdown.split('\n')};
		case 'group':
			return JSON.parse(JSON.stringify({...result, parts: result.parts.map(sendable)}));
		case 'running':
		case 'stream':
			throw onHostOnly();
		case 'panel':
			if (result.panel.show === 'log' || result.panel.show === 'log-panel') {
				throw onHostOnly();
			}

			return JSON.parse(JSON.stringify(result));
		default:
			return JSON.parse(JSON.stringify(result));
	}
}

/** The error of a command that a host can't run for a terminal. */
export function onHostOnly(): AppError {
	return new AppError('usage', "This command needs the host's own terminal.", {
		hint: 'Run it in a shell of that machine.',
	});
}

const plain = createPalette({color: false});

/** Returns what a question is about as text, whole, because a drawing can't be sent. */
export function textOf(subject: SubjectDrawing): {readonly title: string; readonly text: string} {
	const style = {width: 1000, palette: plain};
	return {
		title: subject.title(style).trim(),
		text: subject.window({...style, rows: Number.MAX_SAFE_INTEGER}).shown.join('\n'),
	};
}
