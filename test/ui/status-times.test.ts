import {setImmediate} from 'node:timers/promises';
import {render} from 'ink-testing-library';
import {createElement} from 'react';
import {expect, onTestFinished, test, vi} from 'vitest';
import {createAppStore} from '../../src/store/store.ts';
import {createPalette} from '../../src/terminal/text/style.ts';
import {UiContext} from '../../src/ui/context.ts';
import {createLiveLines} from '../../src/ui/screen/frame.ts';
import {Status} from '../../src/ui/status-line.tsx';

const run = {id: 'r', model: 'custom/demo', server: 'local', startedAt: '2026-01-01T00:00:00.000Z'};

test('a wait for the next attempt is counted down, and the silence after it from its end', async () => {
	vi.useFakeTimers({toFake: ['setInterval', 'clearInterval', 'Date']});
	onTestFinished(() => void vi.useRealTimers());
	const store = createAppStore();
	store.setState(({transcript}) => ({size: {columns: 100, rows: 24}, transcript: {...transcript, run}}));
	const ui = {
		...{store, palette: createPalette({color: false}), live: createLiveLines()},
		...{entries: () => [], logs: () => undefined, answer: () => undefined},
		...{setCaret: () => undefined, setPrompt: () => undefined, limitLive: () => undefined},
	};
	const {lastFrame, unmount} = render(createElement(UiContext, {value: ui}, createElement(Status)));
	onTestFinished(unmount);
	const after = async (seconds: number) => {
		for (let second = 0; second < seconds; second++) {
			vi.advanceTimersByTime(1000);
			await setImmediate();
		}

		return /(?:retrying|no output) .*/.exec(lastFrame() ?? '')?.[0];
	};
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
