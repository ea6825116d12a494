import {expect, test} from 'vitest';
import {allLogs} from '../../../src/store/logs-slice.ts';
import {focusLogOf} from '../../../src/ui/logs/log-keys.ts';
import {layOut} from '../../../src/ui/screen/layout.ts';
import {esc, handler, keys} from '../key-presses.ts';
import {openLog, shop, triage} from '../log-parts.ts';

const ctrlG = '\u0007';
const altL = `${esc}l`;
const altUp = `${esc}[1;3A`;
const altDown = `${esc}[1;3B`;

test('Ctrl+G opens the log in front, whatever is in the prompt', () => {
	const {press, asked, prompt} = handler({text: 'half a'});
	press(ctrlG);
	expect([asked, prompt()]).toEqual([['open logs'], 'half a']);
});

test('Alt+L collapses and expands the log panel, Alt with the arrows resizes it', () => {
	const {press, store, prompt} = handler({text: 'half a'});
	store.getState().addLog(openLog());
	press(altL);
	expect(store.getState().logPanel).toEqual({isShown: false, rows: 7});
	press(altL, altUp, altUp);
	expect(store.getState().logPanel).toEqual({isShown: true, rows: 9});
	press(...Array.from({length: 20}, () => altUp));
	expect(store.getState().logPanel.rows).toBe(12);
	press(...Array.from({length: 20}, () => altDown));
	expect([store.getState().logPanel.rows, prompt()]).toEqual([3, 'half a']);
});

test('Tab on an empty prompt cycles the logs, and completes otherwise', () => {
	const {press, store, prompt} = handler();
	press(keys.tab);
	store.getState().addLog(openLog());
	store.getState().addLog(openLog({environment: triage}));
	const seen: string[] = [];
	for (const key of [keys.tab, keys.tab]) {
		press(key);
		seen.push(store.getState().logFocus);
	}

	expect(seen).toEqual([allLogs, shop]);
	press('/who', keys.tab);
	expect([prompt(), store.getState().logFocus]).toEqual(['/whoami', shop]);
});

test('without a log the keys of the panel do nothing', () => {
	const {press, store, asked} = handler();
	press(altL, altUp, keys.tab);
	expect([store.getState().logPanel, asked]).toEqual([{isShown: true, rows: 7}, []]);
});

test.each([
	[24, 12, 12],
	[24, 7, 7],
	[10, 12, 5],
	[7, 12, 3],
	[5, 12, 1],
])(
	'in a window of %i rows a log panel that wants %i gets %i, and the prompt keeps its rows',
	(rows, logPanel, given) => {
		const layout = layOut({rows, live: 12, panel: 0, queue: 0, composer: 1, completion: 0, logPanel});
		expect([layout.logPanel, layout.composer, layout.status]).toEqual([given, 1, 1]);
		expect(Object.values(layout).reduce((sum, height) => sum + height)).toBeLessThan(rows);
	},
);

test('a question has priority over the lines of the log panel, but not over its title', () => {
	const wanted = {rows: 24, live: 12, queue: 3, composer: 4, completion: 0, logPanel: 12};
	expect(layOut({...wanted, panel: 30})).toMatchObject({logPanel: 1, panel: 17, composer: 1});
	expect(layOut({...wanted, panel: 2})).toMatchObject({logPanel: 10, panel: 2, composer: 4, queue: 3});
});

test('the log of a tool call comes in front, unless all logs are shown together', () => {
	const {store} = handler();
	store.getState().addLog(openLog());
	store.getState().addLog(openLog({environment: triage}));
	const focused = (environment: unknown) => {
		focusLogOf(store, environment);
		return store.getState().logFocus;
	};
	expect([focused(shop), focused('elsewhere'), focused(undefined), focused(triage)]).toEqual([
		shop,
		shop,
		shop,
		triage,
	]);
	store.getState().focusLog(allLogs);
	expect(focused(shop)).toBe(allLogs);
});
