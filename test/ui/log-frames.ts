import type {OpenLog} from '../../src/store/logs-slice.ts';
import {createPalette} from '../../src/terminal/text/style.ts';
import {createLogRenderer} from '../../src/ui/logs/log-picture.ts';
import type {LogEntries} from '../../src/ui/logs/merged-log.ts';
import {drawLogDock} from '../../src/ui/logs/panel/log-panel.ts';
import {bodyRows, drawLogScreen, gutter, type LogPicture} from '../../src/ui/logs/viewer/log-view.ts';
import type {LogViewer} from '../../src/ui/logs/viewer/log-viewer-state.ts';
import {emptyViewer} from '../../src/ui/logs/viewer/log-viewer-state.ts';
import {openLog, shop} from './log-parts.ts';

type Given = {
	readonly log: LogEntries;
	readonly columns?: number;
	readonly rows?: number;
	readonly viewer?: Partial<LogViewer>;
	readonly logs?: readonly OpenLog[];
	readonly focus?: string;
	readonly color?: boolean;
	readonly waits?: string;
};

/** The dock and the viewer of a log, as they are drawn. */
export function framesOf(given: Given) {
	const {log, columns = 80, rows = 24, logs = [openLog({lines: log.end()})], focus = shop, waits = ''} = given;
	const palette = createPalette({color: given.color ?? false});
	const viewer = {...emptyViewer, ...given.viewer};
	const renderer = createLogRenderer(palette, error => {
		throw error;
	});
	const picture = (height: number): LogPicture => {
		const looked = {viewer, logs, focus, log, rows: height, width: columns - gutter};
		while (renderer.look(looked).isFiltering) {}
		return {logs, focus, viewer, palette, now: 0, waits, ...renderer.look(looked)};
	};

	const cut = (lines: readonly string[]) => lines.map(line => line.trimEnd());
	return {
		screen: () => cut(drawLogScreen(picture(bodyRows({logs, focus, viewer}, rows)), {columns, rows})),
		dock: (height: number) => cut(drawLogDock(picture(height), {columns, rows: height})),
	};
}
