import {continues} from '../../terminal/text/wrap.ts';
import type {LiveLines} from './live-lines.ts';
import type {Caret, Frame, Prompt} from './live-region.ts';

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
