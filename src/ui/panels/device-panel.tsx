import {formatDuration} from '../../core/format.ts';
import type {Panel} from '../../store/view-slice.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {lineWidth, truncate} from '../../terminal/text/width.ts';
import {useApp, useUi} from '../context.ts';
import {Lines} from '../lines.tsx';
import {useCountdown} from '../use-elapsed.ts';

type Device = Extract<Panel, {kind: 'device'}>;

type Props = {
	readonly panel: Device;
	/** Rows that it may fill. */
	readonly height: number;
};

/** Rows of a login that waits for the browser. */
export const deviceRows = 4;

/**
 * A login that waits for the browser. Page and code begin at the margin and stand alone on their lines, so that a
 * selection with the mouse takes them whole; in a very low window the code comes first, because a key copies the page.
 */
export function DevicePanel({panel, height}: Props) {
	const {palette} = useUi();
	const columns = useApp(state => state.size.columns);
	const left = useCountdown(panel.expiresAt);
	const page = safeLine(panel.page);
	const code = palette.label(safeLine(panel.code));
	const time = left > 0 ? `${formatDuration(left)} left` : 'expired';
	const keys = `${time} · Esc cancels${panel.opens ? ' · Enter opens' : ''} · `;
	const allKeys = fitting(columns, `${keys}c copies the code, u the page`, `${keys}c and u copy`);
	const sign = palette.accent('?');
	const title = fitting(
		columns,
		`${sign} Log in to ${safeLine(panel.server)}: open the page, then type the code.`,
		`${sign} Open the page, then type the code.`,
	);
	const rows = height >= deviceRows ? [title, page, code] : height === 3 ? [page, code] : height === 2 ? [code] : [];
	const lines = [...rows, height > 1 ? palette.dim(allKeys) : `${code} ${palette.dim(allKeys)}`];
	return <Lines lines={lines.map(line => truncate(line, columns))} />;
}

/** The same in many words, where they fit on a line, or in few. */
function fitting(columns: number, long: string, short: string): string {
	return lineWidth(long) <= columns ? long : short;
}
