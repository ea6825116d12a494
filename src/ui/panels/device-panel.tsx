import {formatDuration} from '../../core/format.ts';
import type {BrowserLogin} from '../../core/question.ts';
import {type DeviceAction, deviceKeys} from '../../editor/keymap/default-keys.ts';
import {hintKey, hintsOf} from '../../editor/keymap/key-label.ts';
import {actionOf, type Keymap, keymapOf, pressedKey} from '../../editor/keymap/keymap.ts';
import {copyNote} from '../../terminal/clipboard.ts';
import {fitHints} from '../../terminal/text/fit-parts.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {lineWidth, truncate} from '../../terminal/text/width.ts';
import {wrapLine} from '../../terminal/text/wrap.ts';
import {useApp, useKeymap, useUi} from '../context.ts';
import {Lines} from '../lines.tsx';
import {useCountdown} from '../use-elapsed.ts';
import {cancels, type PanelKeys, type PanelModule, type PanelProps} from './panel.ts';
import {firstRows} from './panel-rows.ts';

/** A login that waits for the browser. `opens`: the program can open one. */
type DevicePanel = BrowserLogin & {
	readonly kind: 'device';
	readonly opens: boolean;
	/** What the user may answer with: the address that their browser ends on, or an API key in its place. */
	readonly others?: readonly ('paste' | 'api-key')[];
};

export const devicePanel: PanelModule<DevicePanel> = {
	initial: () => ({manner: 'waits'}),
	rows: ({code, page}, {size: {columns}}) => (code ? codeRows : pageLines(page, columns).length + 2),

	press(pressed, panel, keys) {
		if (cancels(pressed, keys)) {
			return true;
		}

		const {store, answer, now, isTypedAhead} = keys;
		const {ownKeys, guard, setGuard, setToast, editPrompt} = store.getState();
		const {token} = pressed;
		const keymap = keymapOf(deviceKeys, ownKeys);
		const action = actionOf(keymap, pressedKey(token) ?? '');
		// A terminal may send what is pasted in pieces: letters that follow are no keys.
		const isPasted = token.type === 'paste' || (token.type === 'text' && [...token.text].length > 1 && !action);
		const isContinued = token.type === 'text' && guard.note !== '' && isTypedAhead({askedAt: 0});
		if (isPasted || isContinued) {
			const key = panel.others?.includes('api-key') ? hintKey(keymap, 'device.api-key') : '';
			const note = key ? `Text ignored: press ${key} first to enter an API key` : 'Text ignored: this login takes none';
			setGuard({note});
			setToast(note);
			editPrompt({typedAt: now()});
		} else if (action === 'device.close') {
			answer(undefined);
		} else if (action === 'device.paste' || action === 'device.api-key') {
			const way = action === 'device.paste' ? 'paste' : 'api-key';
			if (panel.others?.includes(way)) {
				answer(way);
			}
		} else if (action) {
			pressInDevicePanel(action, panel, {...keys, say: store.getState().setToast});
		}

		return true;
	},

	draw: DeviceView,
	title: () => 'Log in',
	isFramed: true,
};

type Effects = Pick<PanelKeys, 'copy' | 'openPage'> & {readonly say: (text: string) => void};

/** Does what a key is bound to while a login waits for the browser. */
export function pressInDevicePanel(
	action: DeviceAction,
	{code, page, pageWithCode, opens}: DevicePanel,
	{copy, openPage, say}: Effects,
): void {
	const copyAndSay = (text: string, name: string) => say(copyNote(`the ${name}`, copy(text)));
	if (action === 'device.copy-code' && code) {
		copyAndSay(code, 'code');
	} else if (action === 'device.copy-url') {
		copyAndSay(page, 'URL');
	} else if (action === 'device.open' && opens) {
		void openPage(pageWithCode).then(opened =>
			say(opened ? 'Opened the page in your browser.' : "Couldn't start a browser. Open the page yourself."),
		);
	}
}

/** Rows of a login with a code. */
const codeRows = 4;
const maxPageRows = 10;

/** A page that is long, as it has no code, is shown whole. */
function pageLines(page: string, columns: number): readonly string[] {
	return wrapLine(safeLine(page), columns).slice(0, maxPageRows);
}

/**
 * Shows a login that waits for the browser. The page and the code have lines of their own, so that a double click selects
 * all of one. A low window shows the code first, because a key copies the page.
 */
function DeviceView({panel, height}: PanelProps<DevicePanel>) {
	const {palette} = useUi();
	const columns = useApp(state => state.size.columns);
	const keymap = useKeymap(deviceKeys);
	const left = useCountdown(panel.expiresAt);
	if (!panel.code) {
		return <Lines lines={linesWithoutCode(panel, {left, palette, columns, keymap}, height)} />;
	}

	const page = safeLine(panel.page);
	const code = palette.label(safeLine(panel.code));
	const time = left > 0 ? `${formatDuration(left)} left` : 'expired';
	const known = [time, ...(panel.opens ? hintsOf(keymap, [['open', 'device.open']]) : [])];
	const copies = hintsOf(keymap, [
		['copy code', 'device.copy-code'],
		['copy URL', 'device.copy-url'],
	]);
	const copyKeys = [hintKey(keymap, 'device.copy-code'), hintKey(keymap, 'device.copy-url')].filter(Boolean).join(', ');
	const room = height > 1 ? columns : columns - lineWidth(code) - 1;
	const last = [
		...hintsOf(keymap, panel.others?.includes('api-key') ? [['API key', 'device.api-key']] : []),
		'Esc cancel',
	];
	const all = [...known, ...copies, ...last];
	const isWide = lineWidth(all.join(' · ')) <= room;
	const hints = fitHints(isWide ? all : [...known, ...(copyKeys ? [`${copyKeys} copy`] : []), ...last], room);
	const sign = palette.accent('?');
	const title = firstFitting(
		columns,
		`${sign} Log in to ${safeLine(panel.server)}: open this page and enter the code.`,
		`${sign} Open this page and enter the code.`,
	);
	const rows = height >= codeRows ? [title, page, code] : height === 3 ? [page, code] : height === 2 ? [code] : [];
	const lines = [...rows, height > 1 ? palette.dim(hints) : `${code} ${palette.dim(hints)}`];
	return <Lines lines={lines.map(line => truncate(line, columns))} />;
}

type Style = {
	/** Milliseconds. */
	readonly left: number;
	readonly palette: Palette;
	readonly columns: number;
	readonly keymap: Keymap<DeviceAction>;
};

/** A low window cuts the page, and names first the key that copies it. */
function linesWithoutCode(
	panel: DevicePanel,
	{left, palette, columns, keymap}: Style,
	height: number,
): readonly string[] {
	const time = left > 0 ? `${formatDuration(left)} left` : 'expired';
	const copy = hintsOf(keymap, [['copy URL', 'device.copy-url']]);
	const page = pageLines(panel.page, columns);
	const room = Math.max(1, height - 1);
	const isCut = page.length > height - 1;
	const hints = hintsOf(keymap, [
		...(panel.opens ? [['open', 'device.open'] as const] : []),
		...(panel.others?.includes('paste') ? [['paste the address it ends on', 'device.paste'] as const] : []),
	]);
	const known = isCut ? [...copy, ...hints, time] : [time, ...hints, ...copy];
	const title = `${palette.accent('?')} Log in to ${safeLine(panel.server)}. Open this page:`;
	return [
		truncate(title, columns),
		...firstRows(page, room, columns),
		palette.dim(hintsWithCopy(known, isCut ? copy : [], columns)),
	].slice(-height);
}

/** Returns hints on one line. Those that copy what can't be read are shortened before they are left out. */
function hintsWithCopy(known: readonly string[], copy: readonly string[], columns: number): string {
	const all = fitHints([...known, 'Esc cancel'], columns);
	const short = copy.map(hint => `${hint.split(' ').slice(0, 2).join(' ')} · Esc cancel`);
	return copy.every(hint => all.includes(hint)) ? all : (short.find(line => lineWidth(line) <= columns) ?? all);
}

/** Returns the long text if it fits on a line, else the short one. */
function firstFitting(columns: number, long: string, short: string): string {
	return lineWidth(long) <= columns ? long : short;
}
