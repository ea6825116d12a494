import {expect} from 'vitest';
import {keyToken, textToken} from '../../../src/terminal/input/token.ts';
import {steadyNow} from '../../../src/ui/answerable.ts';
import {App} from '../../../src/ui/app.tsx';
import {pressInPanel} from '../../../src/ui/panels/panel-keys.ts';
import {type Panel, openPanel as showPanel} from '../../../src/ui/panels/panels.ts';
import {draw, panelOf} from '../frame.ts';

/** Opens the panel in the app and collects its answers. */
export async function openPanel(panel: Panel, columns = 80, rows = 24) {
	const answers: (string | undefined)[] = [];
	const drawn = draw(<App />, {columns, rows, answer: value => answers.push(value)});
	showPanel(drawn.store, panel);
	await drawn.settle();
	const feed = async (...words: readonly string[]) => {
		for (const word of words) {
			const token = word === 'enter' ? keyToken('enter') : textToken(word);
			pressInPanel(token, panel, {
				store: drawn.store,
				answer: value => answers.push(value),
				interrupt: () => undefined,
				copy: () => undefined,
				openPage: async () => false,
				now: steadyNow,
				isTypedAhead: () => false,
			});
		}

		await drawn.settle(40);
	};

	const move = async (rowsDown: number) => {
		drawn.store.getState().scrollBy(rowsDown);
		await drawn.settle();
	};

	/** Returns the lines above the prompt. */
	const panelLines = () => panelOf(drawn.lines());

	// A busy machine may need more time.
	await expect.poll(panelLines, {interval: 5}).not.toEqual([]);
	return {...drawn, answers, feed, move, panelLines};
}
