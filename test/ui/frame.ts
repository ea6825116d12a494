import {createElement, type ReactNode} from 'react';
import {onTestFinished} from 'vitest';
import type {Entry} from '../../src/command/context.ts';
import {createAppStore} from '../../src/store/store.ts';
import type {Size} from '../../src/store/view-slice.ts';
import {createPalette} from '../../src/terminal/text/style.ts';
import {UiContext} from '../../src/ui/context.ts';
import {mount} from '../../src/ui/ink.ts';
import {createLiveLines} from '../../src/ui/screen/frame.ts';
import {createScreen} from '../../src/ui/screen/screen.ts';
import {createEmulator} from './emulator.ts';

/**
 * Returns the lines of the panel above the prompt, of all lines on the screen: without the rule above it, and with its title
 * without the rule around that.
 */
export function panelOf(lines: readonly string[]): readonly string[] {
	const isRule = (line: string | undefined) => line !== undefined && /^[─━]{10,}$/.test(line);
	const end = lines.findLastIndex(isRule);
	const above = lines.slice(lines[0] === '' ? 1 : 0, end < 0 ? lines.length : end);
	return (isRule(above[0]) ? above.slice(1) : above).map(titleOf);
}

/** Returns the title in a rule; any other line as it is. */
export function titleOf(line: string): string {
	return /^[┄━]{2} (.*?)(?: [┄━]+)?$/.exec(line)?.[1] ?? line;
}

type Options = Partial<Size> & {
	readonly entries?: readonly Entry[];
	readonly panelLines?: (size: Size) => readonly string[];
	readonly answer?: (value: string | undefined) => void;
};

/**
 * Draws with Ink's own renderer through our screen into a terminal emulator of that size: what is asserted is what a
 * person would see, without its colours. Ended with its test.
 */
export function draw(node: ReactNode, options: Options = {}) {
	const {columns = 80, rows = 24, entries = [], answer = () => undefined, panelLines = () => []} = options;
	const store = createAppStore();
	store.getState().setSize({columns, rows});
	const emulator = createEmulator(columns, rows);
	const live = createLiveLines();
	const {stdout, setCaret, setPrompt, limitLive} = createScreen(emulator.stdout, {live});
	const ui = {
		store,
		palette: createPalette({color: false}),
		live,
		entries: () => entries,
		logs: () => ({panelLines}),
		answer,
		setCaret,
		setPrompt,
		limitLive,
	};
	const ink = mount(createElement(UiContext, {value: ui}, node), {stdout});
	onTestFinished(() => {
		ink.unmount();
		emulator.dispose();
	});
	return {...emulator, store, setLive: (lines: readonly string[]) => live.setState(lines, true)};
}
