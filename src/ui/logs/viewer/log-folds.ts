import {opensJson} from '../log-lines.ts';
import {scrollAtEnd, type Viewport} from '../log-scroll.ts';
import {type LogViewer, openedOf, positionOf, withPosition} from './log-viewer-state.ts';

/** Opens or closes what is folded at the cursor: frames of a stack trace, or a line of JSON. */
export function withToggled(viewer: LogViewer, focus: string, viewport: Viewport): LogViewer {
	const {log, shown} = viewport;
	const {scroll = scrollAtEnd(viewport), ...position} = positionOf(viewer, focus);
	if (!scroll) {
		return viewer;
	}

	const entry = log.at(scroll.cursor);
	const isJson = !viewer.raw && entry?.kind === 'line' && opensJson(entry.text);
	const fold = shown.frameOf(scroll.cursor).fold ?? (isJson ? scroll.cursor : undefined);
	if (fold === undefined) {
		return {...viewer, note: 'Nothing more to show.'};
	}

	const opened = new Set(openedOf(viewer, focus));
	const isClosed = opened.delete(fold);
	if (!isClosed) {
		opened.add(fold);
	}

	// The other frames lose their rows.
	const cursor = isClosed ? Math.max(fold, log.start()) : scroll.cursor;
	const top = isClosed ? Math.min(scroll.top, cursor) : scroll.top;
	return withPosition(viewer, focus, {...position, scroll: {...scroll, cursor, top, row: 0}, opened});
}

/** Opens the fold that an entry is in, if it is in one. */
export function withOpenedAt(viewer: LogViewer, focus: string, {shown}: Viewport, place: number): LogViewer {
	const {fold} = shown.frameOf(place);
	const opened = openedOf(viewer, focus);
	return fold === undefined || (shown.rowOf(place) === place && shown.frameOf(place).folded === 0)
		? viewer
		: withPosition(viewer, focus, {...positionOf(viewer, focus), opened: new Set([...opened, fold])});
}
