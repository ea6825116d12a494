import {onTestFinished} from 'vitest';
import type {LogSource} from '../../src/contract/log-cursor.ts';
import {createAppStore} from '../../src/store/store.ts';
import {createPalette} from '../../src/terminal/text/style.ts';
import {createAppLogs} from '../../src/ui/logs/app-logs.ts';
import {createFullScreen} from '../../src/ui/screen/full-screen.ts';
import {temporaryFolder} from '../storage/temporary.ts';
import {shop, tokensOf} from './log-parts.ts';

export const server = 'http://127.0.0.1:8700';
export const profile = '127.0.0.1:8700';

/** The appLogs between a source and a window that is read row by row. */
export function openAppLogs(columns = 80, rows = 24) {
	const store = createAppStore();
	store.getState().setSize({columns, rows});
	const copied: string[] = [];
	const moments: number[] = [];
	const shown = new Map<number, string>();
	const fullScreen = createFullScreen({
		size: () => store.getState().size,
		write(data) {
			for (const [, row = '', text = ''] of data.matchAll(/\u001b\[(\d+);1H\u001b\[2K(.*?)\u001b\[0m/g)) {
				shown.set(Number(row) - 1, text);
			}
		},
		enter: () => undefined,
		leave: () => undefined,
		showCursor: () => undefined,
		together: change => change(),
		hold: () => undefined,
		release: () => undefined,
	});
	const folder = temporaryFolder();
	const appLogs = createAppLogs({
		store,
		palette: createPalette({color: false}),
		fullScreen,
		folder,
		homeFolder: folder,
		copy: text => (copied.push(text) > 0 ? 'OSC 52' : undefined),
		suspend: () => undefined,
		openTranscript: at => moments.push(at),
	});
	onTestFinished(appLogs.dispose);
	return {
		store,
		appLogs,
		folder,
		copied,
		/** The moments at which the transcript was asked for. */
		moments,
		fullScreen,
		follow: (source: LogSource, given = {}) =>
			void appLogs.follow(
				{environment: shop, server, profile, title: 'web-shop', source, follow: true, ...given},
				new AbortController().signal,
			),
		press(...inputs: readonly string[]) {
			for (const token of inputs.flatMap(tokensOf)) {
				fullScreen.press(token);
			}
		},
		window: () => Array.from({length: rows}, (_, row) => (shown.get(row) ?? '').trimEnd()),
		lines: () => store.getState().logs[0]?.lines ?? 0,
	};
}
