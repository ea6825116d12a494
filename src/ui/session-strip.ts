import {othersText} from '../command/views/other-sessions.ts';
import {hintKey} from '../editor/keymap/key-label.ts';
import type {FolderAgent} from '../storage/folder-agents.ts';
import type {BackgroundSession} from '../store/session-slice.ts';
import type {AppState} from '../store/store.ts';
import {fitParts, type RankedPart} from '../terminal/text/fit-parts.ts';
import {safeLine} from '../terminal/text/safe-text.ts';
import type {Palette} from '../terminal/text/style.ts';
import {truncate} from '../terminal/text/width.ts';

/** The most cells of the name of a session. */
const maxName = 24;

/** Draws the open sessions beside the one that is shown, and those of other windows in the folder, on one line; '' without any. */
export function sessionStrip(
	{background, others, size: {columns}, keymap}: Pick<AppState, 'background' | 'others' | 'size' | 'keymap'>,
	palette: Palette,
): string {
	if (background.length === 0 && others.length === 0) {
		return '';
	}

	const key = background.length > 0 ? hintKey(keymap, 'app.next-session') : '';
	const parts = background.map(session => partOf(session, palette));
	const hint = key && {text: `${key} next`, role: palette.dim, rank: hintRank};
	return `  ${fitParts([...parts, ...partOfOthers(others, palette), ...(hint ? [hint] : [])], Math.max(1, columns - 2), palette.dim(' · '))}`;
}

/** Sessions that need the user come before the key, and those that work after it. */
const hintRank = 2;

function partOf({id, about, state, unread}: BackgroundSession, palette: Palette): RankedPart {
	const name = truncate(safeLine(about) || id.slice(0, 8), maxName);
	const news = unread > 0 ? `${unread} new` : '';
	switch (state) {
		case 'waiting':
			return {text: `● ${name} waits for you`, role: palette.warning, rank: 0};
		case 'ended':
			return {text: `○ ${name}${news && ` ${news}`}`, role: news ? palette.accent : palette.dim, rank: news ? 1 : 4};
		default:
			return {text: `● ${name}${news && ` ${news}`}`, role: palette.accent, rank: 3};
	}
}

function partOfOthers(others: readonly FolderAgent[], palette: Palette): readonly RankedPart[] {
	const text = othersText(others);
	return text ? [{text: `● ${text}`, role: palette.warning, rank: 1}] : [];
}
