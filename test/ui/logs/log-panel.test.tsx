import {createElement} from 'react';
import {expect, test} from 'vitest';
import {App} from '../../../src/ui/app.tsx';
import {draw} from '../frame.ts';
import {openLog} from '../log-parts.ts';

test.each([
	[80, 24],
	[120, 40],
	[40, 10],
	[20, 5],
])(
	'in a window of %i x %i the log panel stands under the transcript, and the prompt below it has the cursor',
	async (columns, rows) => {
		const panelLines = ({rows: height}: {readonly rows: number}) =>
			Array.from({length: height}, (_, row) => (row === 0 ? '── title' : `log line ${row}`));
		const {store, setLive, settle, window, cursor} = draw(createElement(App), {columns, rows, panelLines});
		store.getState().addLog(openLog());
		setLive(Array.from({length: 12}, (_, row) => `answer ${row}`));
		await settle(30);
		const shown = window().map(line => line.trimEnd());
		const title = shown.indexOf('── title');
		const prompt = shown.findIndex(line => line.startsWith('❯'));
		expect(shown.filter(line => line.startsWith('answer')).length).toBeGreaterThan(0);
		expect(title).toBeGreaterThan(shown.findLastIndex(line => line.startsWith('answer')));
		expect(prompt).toBeGreaterThan(title);
		expect(cursor()).toEqual({row: prompt, column: 2});
		expect(shown.filter(line => line.startsWith('log line'))).toHaveLength({24: 6, 40: 6, 10: 4, 5: 0}[rows] ?? -1);

		store.getState().showLogPanel(false);
		await settle(30);
		expect(window().filter(line => line.startsWith('log line'))).toEqual([]);
		expect(window().join('\n')).toContain('── title');
		store.getState().removeLog(openLog().environment);
		await settle(30);
		expect(window().join('\n')).not.toContain('── title');
	},
);
