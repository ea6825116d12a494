import {setImmediate} from 'node:timers/promises';
import {render} from 'ink-testing-library';
import {createElement} from 'react';
import {expect, onTestFinished, test, vi} from 'vitest';
import {createAppStore} from '../../src/store/store.ts';
import {createPalette} from '../../src/terminal/text/style.ts';
import {UiContext} from '../../src/ui/context.ts';
import {createLiveLines} from '../../src/ui/screen/frame.ts';
import {Status} from '../../src/ui/status-line.tsx';

/** The status line of a run that begins now, by a clock that the test moves. */
function runningStatus() {
	vi.useFakeTimers({toFake: ['setInterval', 'clearInterval', 'Date']});
	onTestFinished(() => void vi.useRealTimers());
	const store = createAppStore();
	const run = {id: 'r', model: 'custom/demo', server: 'local', startedAt: new Date().toISOString()};
	store.setState(({transcript}) => ({size: {columns: 100, rows: 24}, transcript: {...transcript, run}}));
	const ui = {
		...{store, palette: createPalette({color: false}), live: createLiveLines()},
		...{entries: () => [], logs: () => undefined, answer: () => undefined},
		...{setCaret: () => undefined, setPrompt: () => undefined, limitLive: () => undefined},
	};
	const {lastFrame, unmount} = render(createElement(UiContext, {value: ui}, createElement(Status)));
	onTestFinished(unmount);
	return {
		store,
		/** Returns the line after so many seconds. */
		async after(seconds: number) {
			for (let second = 0; second < seconds; second++) {
				vi.advanceTimersByTime(1000);
				await setImmediate();
			}

			return lastFrame() ?? '';
		},
	};
}

test('the clock of a run stands still while the user is asked', async () => {
	const {store, after} = runningStatus();
	expect(await after(3)).toContain('● working 3 s');
	for (const seconds of [10, 60]) {
		store.setState({manner: 'asks'});
		expect(await after(seconds)).toContain('● waiting for you');
		store.setState({manner: undefined});
		await after(1);
	}

	expect(await after(1)).toMatch(/● working [56] s/);
});

test('a wait for the next attempt is counted down, and the silence after it from its end', async () => {
	const status = runningStatus();
	const {store} = status;
	const after = async (seconds: number) => /(?:retrying|no output) .*/.exec(await status.after(seconds))?.[0];
	await after(1);
	const {session} = store.getState().transcript;
	const event = {type: 'notice', level: 'info', text: 'Retrying.', waitMs: 25_000} as const;
	const at = new Date().toISOString();
	store.getState().applyRecords([{v: 1, seq: 1, at, session, server: 'local', event}]);
	expect([await after(1), await after(23), await after(5), await after(10)]).toEqual([
		'retrying in 24 s',
		'retrying in 1 s',
		undefined,
		'no output for 14 s',
	]);
});
