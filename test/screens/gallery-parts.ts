import type {FileChange} from '../../src/core/session/event.ts';
import type {Panel} from '../../src/store/view-slice.ts';
import {drawingOf} from '../../src/ui/transcript/diff-lines.ts';

/** Returns the question whether a file may be changed, as it is asked about an edit. */
export function userQuestion(change: FileChange): Panel {
	return {
		kind: 'confirm',
		question: `Write ${change.path}?`,
		subject: drawingOf(change),
		answers: [
			{key: 'y', label: 'yes', value: 'yes'},
			{key: 'a', label: 'all edits in this session', value: 'all'},
		],
		// Long ago, so that keys answer it at once.
		askedAt: -10_000,
	};
}
