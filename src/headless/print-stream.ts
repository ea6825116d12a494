import {once} from 'node:events';
import type {StreamItem} from '../command/result.ts';
import type {Environment} from '../core/environment.ts';
import {isAbort} from '../core/error.ts';
import {lastState} from '../logs/line-state.ts';
import {openMark} from '../logs/log-entry.ts';
import {wantsColor} from '../terminal/abilities.ts';
import {safeJson, safeLine} from '../terminal/text/safe-text.ts';
import {paint, parseSgr} from '../terminal/text/sgr.ts';
import {createPalette, type Palette} from '../terminal/text/style.ts';
import {lineWidth, truncate} from '../terminal/text/width.ts';
import {printWarning} from './print.ts';

type Output = {readonly write: (data: string) => unknown; readonly isTTY?: boolean; readonly columns?: number};

type Streams = {readonly stdout: Output; readonly stderr: Output; readonly signal: AbortSignal};

/** Longer lines are cut on a terminal, and printed in full everywhere else. */
const maxShownLength = 16 * 1024;

/**
 * Prints lines as they arrive, as fast as the reader accepts them. A terminal gets them made safe, with notes between
 * them, and an open line at the end until its end comes; a pipe gets each line unchanged, and notes go to standard error; with `json` each item is an object on a line.
 * Ends when `signal` aborts. Throws what the stream throws.
 */
export async function printStream(
	batches: AsyncIterable<readonly StreamItem[]>,
	{stdout, stderr, signal}: Streams,
	{json, env}: {readonly json: boolean; readonly env: Environment},
): Promise<void> {
	const palette = createPalette({color: wantsColor(stdout, env)});
	const drawsOpen = !json && stdout.isTTY === true && env['TERM'] !== 'dumb';
	let isOpen = false;
	for await (const items of batches) {
		const given = json ? asJson(items) : stdout.isTTY ? drawn(items, palette) : raw(items);
		const open = drawsOpen ? items.findLast(({kind}) => kind === 'open') : undefined;
		const isOver: boolean = isOpen && (open !== undefined || items.some(({text}) => text !== ''));
		const text = `${isOver ? eraseRow : ''}${given}${open?.text ? drawnOpen(open.text, stdout, palette) : ''}`;
		isOpen = open?.text ? true : isOpen && !isOver;
		if (text && stdout.write(text) === false && !(await isDrained(stdout, signal))) {
			return;
		}

		for (const item of json ? [] : items) {
			// A state without data says that all is well, which only a terminal shows.
			const isSaid = item.kind === 'state' ? item.data || stderr.isTTY : item.kind === 'note' && !stdout.isTTY;
			if (isSaid && item.text) {
				printWarning(item.text, stderr);
			}
		}
	}
}

/** CR, and EL (ECMA-48, 8.3.41). */
const eraseRow = '\r\u001B[K';

/** Returns a line without an end, on one row, from which the next output erases it. */
function drawnOpen(text: string, {columns = 80}: Output, palette: Palette): string {
	const mark = palette.dim(openMark);
	const line = truncate(paint(parseSgr(cut(lastState(text))), palette), Math.max(1, columns - 1 - lineWidth(mark)));
	return `${line}${mark}`;
}

function asJson(items: readonly StreamItem[]): string {
	return items.map(({data}) => (data === undefined ? '' : `${safeJson(data)}\n`)).join('');
}

function raw(items: readonly StreamItem[]): string {
	return items.map(({kind, text}) => (kind === 'line' ? `${text}\n` : '')).join('');
}

/** Colours continue across line ends, so the lines of a batch are parsed as one text. */
function drawn(items: readonly StreamItem[], palette: Palette): string {
	const shown = items.filter(({kind}) => kind === 'line' || kind === 'note');
	const notes = shown.flatMap(({kind}, index) => (kind === 'note' ? [index] : []));
	const ends = [...notes, shown.length];
	return ends
		.map((end, part) => {
			const start = part === 0 ? 0 : (notes[part - 1] ?? 0) + 1;
			const lines = shown.slice(start, end).map(({text}) => `${cut(lastState(text))}\n`);
			const note = shown[end] ? `${palette.dim(safeLine(shown[end].text))}\n` : '';
			return `${paint(parseSgr(lines.join('')), palette)}${note}`;
		})
		.join('');
}

function cut(text: string): string {
	const more = text.length - maxShownLength;
	return more > 0 ? `${text.slice(0, maxShownLength)}… (${more} more characters)` : text;
}

/** Waits until the reader accepts more. Returns false if the stream was aborted meanwhile. */
async function isDrained(output: Output, signal: AbortSignal): Promise<boolean> {
	try {
		await (isEmitter(output) && once(output, 'drain', {signal}));
		return true;
	} catch (error) {
		if (isAbort(error)) {
			return false;
		}

		throw error;
	}
}

function isEmitter(output: Output): output is Output & NodeJS.EventEmitter {
	return 'once' in output;
}
