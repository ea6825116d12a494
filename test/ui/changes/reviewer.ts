import {hunksOf} from '../../../src/agent/changes/hunks.ts';
import type {ReviewedFile, TakenBack} from '../../../src/agent/changes/review.ts';
import {traceLines} from '../../../src/agent/changes/trace-lines.ts';
import {noOwnKeys, type OwnKeys} from '../../../src/editor/keymap/keymap.ts';
import {textToken} from '../../../src/terminal/input/token.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {createReviewView} from '../../../src/ui/changes/review-view.ts';
import {charactersOf} from '../log-parts.ts';

const lines = Array.from({length: 40}, (_, index) => `line ${index + 1}\n`);

/** A reviewed file: what it was, what the agent and then the user made of it. */
export function file(
	path: string,
	base: string,
	agents: string,
	users = agents,
	more: Partial<ReviewedFile> = {},
): ReviewedFile {
	const traced = traceLines(base, [
		{text: agents, by: 'agent'},
		{text: users, by: 'user'},
	]);
	return {
		...{path, kind: 'changed', added: 1, removed: 1, hunks: hunksOf(traced), note: '', traced},
		...{isUsersToo: agents !== users, canTakeBack: true, base: undefined, current: undefined},
		...more,
	};
}

/** A file with two changes. */
export const twoHunks = file('a.txt', lines.join(''), lines.with(2, 'x\n').with(30, 'y\n').join(''));

type Options = {readonly isReadOnly?: boolean; readonly own?: OwnKeys};

/** A review of these files, with what it ended with. */
export function openReview(files: readonly ReviewedFile[], {isReadOnly = false, own = noOwnKeys}: Options = {}) {
	const ended: (readonly TakenBack[] | undefined)[] = [];
	const view = createReviewView({
		...{title: 'Changes', files, isReadOnly, palette: createPalette({color: false})},
		fullScreen: {invalidate: () => undefined, redraw: () => undefined, close: () => view.onClose?.()},
		suspend: () => undefined,
		ownKeys: () => own,
		onEnd: parts => ended.push(parts),
	});
	const draw = (columns = 60, rows = 12) => view.draw({columns, rows});
	draw();
	return {draw, ended, type: (text: string) => charactersOf(textToken(text)).forEach(view.press), press: view.press};
}
