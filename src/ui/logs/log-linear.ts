import {createFilter} from '../../logs/filter.ts';
import {levelOf} from '../../logs/levels.ts';
import {isRedrawn, lastState} from '../../logs/line-state.ts';
import {markText} from '../../logs/log-entry.ts';
import {readStructured} from '../../logs/structured.ts';
import {tailLog} from '../../logs/tail.ts';
import {describeState, type TailState} from '../../logs/tail-state.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {paint, parseSgr} from '../../terminal/text/sgr.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {foldFrames} from '../line/fold-frames.ts';
import {type LogDisplay, summaryOf} from './log-display.ts';
import {structuredSpans} from './log-spans.ts';

type Dependencies = {
	readonly say: (line: string) => void;
	readonly palette: Palette;
};

/** Longer lines are cut, in UTF-16 units. */
const maxShown = 16 * 1024;

/** Prints logs line by line until Ctrl+C interrupts the command; without `follow`, only the lines that exist already. */
export function createLinearLogs({say, palette}: Dependencies): LogDisplay {
	const note = (text: string) => say(palette.spoken ? `Note: ${text}` : `-- ${text} --`);
	return {
		async follow(
			{environment, title = environment.slice(0, 8), source, sinceStart, follow, patterns, minLevel, frames = false},
			signal,
		) {
			const filter = createFilter({patterns: patterns ?? [], minLevel});
			const abort = new AbortController();
			const openedAt = Date.now();
			const speech = foldFrames(say);
			let lines = 0;
			let gaps = 0;
			let before: TailState['name'] = 'connecting';
			let said = '';
			for await (const event of tailLog({source, signal: AbortSignal.any([signal, abort.signal]), sinceStart})) {
				if (event.type === 'lines') {
					const entries = event.lines.map(text => ({text, level: levelOf(text)}));
					const shows = filter.shows(entries);
					for (const [index, {text}] of entries.entries()) {
						const isSaid = index === 0 && said !== '' && text === said;
						speech.line(text, shows[index] && !isSaid ? drawn(text, palette) : undefined);
						if (frames) {
							speech.flush();
						}
					}

					speech.flush();
					said = '';
					lines += event.lines.length;
				} else if (event.type === 'open') {
					// What was printed stays, so that an open line is said once, and one that is redrawn not at all.
					const isNew = said === '' && event.text !== '' && !isRedrawn(event.text);
					if (isNew && filter.shows([{text: event.text, level: levelOf(event.text)}])[0]) {
						said = event.text;
						note(`open: ${safeLine(event.text)}`);
					}
				} else if (event.type === 'mark') {
					note(markText[event.mark].replaceAll(/^-- | --$/g, ''));
					gaps += event.mark === 'restarted' ? 0 : 1;
				} else {
					const {state} = event;
					if (isNotable(state, before)) {
						note(safeLine(describeState(state, Date.now())));
					}

					before = state.name;
					if (!follow && (state.name === 'live' || state.name === 'gap')) {
						abort.abort();
					}
				}
			}

			note(summaryOf({title, lines, gaps, openedAt}, Date.now()));
		},
		close: () => '',
		closeAll: () => [],
	};
}

/** Returns a line as it is printed: of JSON and logfmt the time, level and message first. */
function drawn(received: string, palette: Palette): string {
	const text = lastState(received);
	const structured = readStructured(text);
	if (structured) {
		return paint(structuredSpans(structured, levelOf(text), palette), palette);
	}

	const cut = text.length > maxShown ? palette.dim(' … cut here') : '';
	return paint(parseSgr(text.slice(0, maxShown)), palette) + cut;
}

/** Returns true for a state to print, once. The lines alone show that a log is live. */
function isNotable({name}: TailState, before: TailState['name']): boolean {
	switch (name) {
		case 'connecting':
			return false;
		case 'live':
			return before !== 'connecting' && before !== 'gap' && before !== 'live';
		case 'gap':
			return false;
		default:
			return true;
	}
}
