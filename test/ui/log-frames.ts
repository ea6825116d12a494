import {noOwnKeys, type OwnKeys} from '../../src/editor/keymap/keymap.ts';
import type {OpenLog} from '../../src/store/logs-slice.ts';
import {createPalette} from '../../src/terminal/text/style.ts';
import type {OpenLine} from '../../src/ui/logs/followed-logs.ts';
import {drawLogPanel} from '../../src/ui/logs/log-panel.ts';
import {createLogRenderer} from '../../src/ui/logs/log-screen.ts';
import type {LogEntries} from '../../src/ui/logs/merged-log.ts';
import {bodyRows, drawLogScreen, gutter, type LogPicture} from '../../src/ui/logs/viewer/log-view.ts';
import {emptyViewer, type LogViewer} from '../../src/ui/logs/viewer/log-viewer-state.ts';
import {openLog, shop} from './log-parts.ts';

type Given = {
	readonly log: LogEntries;
	readonly open?: readonly OpenLine[];
	readonly columns?: number;
	readonly rows?: number;
	readonly viewer?: Partial<LogViewer>;
	readonly logs?: readonly OpenLog[];
	readonly focus?: string;
	readonly color?: boolean;
	readonly notice?: string;
	readonly ownKeys?: OwnKeys;
};

/** The panel and the viewer of a log, as they are drawn. */
export function framesOf(given: Given) {
	const {log, columns = 80, rows = 24, logs = [openLog({lines: log.end()})], focus = shop, notice = ''} = given;
	const {ownKeys = noOwnKeys} = given;
	const palette = createPalette({color: given.color ?? false});
	const viewer = {...emptyViewer, ...given.viewer};
	const renderer = createLogRenderer(palette, error => {
		throw error;
	});
	const picture = (height: number): LogPicture => {
		const request = {viewer, logs, focus, log, open: given.open ?? [], rows: height, width: columns - gutter};
		while (renderer.render(request).isFiltering) {}
		return {logs, focus, viewer, palette, ownKeys, now: 0, notice, ...renderer.render(request)};
	};

	const cut = (lines: readonly string[]) => lines.map(line => line.trimEnd());
	return {
		screen: () => cut(drawLogScreen(picture(bodyRows({logs, focus, viewer}, rows)), {columns, rows})),
		panel: (height: number) => cut(drawLogPanel(picture(height), {columns, rows: height})),
	};
}
