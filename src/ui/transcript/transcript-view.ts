import {chordOf, type InputToken, textToken} from '../../terminal/input/token.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {truncate} from '../../terminal/text/width.ts';
import {drawLine} from '../line-field.ts';
import type {FullScreenView} from '../screen/full-screen.ts';
import {findNext, type TranscriptActions, transcriptKeys} from './transcript-keys.ts';
import {createTranscriptPage, type TranscriptPage} from './transcript-page.ts';
import {editSearch, noSearch, openSearch} from './transcript-search.ts';

type Dependencies = Parameters<typeof createTranscriptPage>[0] & TranscriptActions & {readonly invalidate: () => void};

const keyHints = 'Enter open · [ ] your messages · / search · c copy · L log · Esc close';

/** Shows the whole transcript, with what the conversation leaves out: thoughts, arguments and outputs in full. */
export function createTranscriptView({invalidate, ...dependencies}: Dependencies): FullScreenView {
	const {palette} = dependencies;
	const page = createTranscriptPage(dependencies);
	let search = noSearch;
	let shownNote = '';
	const note = (text: string) => {
		shownNote = text;
		invalidate();
	};

	const pressInField = (token: InputToken) => {
		search = editSearch(search, token);
		if (token.type === 'key' && chordOf(token) === 'enter' && search.text) {
			findNext({page, searched: search.text, note}, -1);
		}
	};

	const pressKey = (key: string) => {
		if (key === '/') {
			search = openSearch(search);
		} else {
			transcriptKeys.get(key)?.({page, searched: search.text, actions: dependencies, note});
		}
	};

	return {
		draw(size) {
			page.resize(size);
			const {columns} = size;
			const bottom = search.field
				? `/${drawLine('/', search.field, columns).text}`
				: palette.dim(safeLine(shownNote) || keyHints);
			return [palette.label(truncate(titleOf(page), columns)), ...page.draw(search.text), truncate(bottom, columns)];
		},
		caret() {
			const {rows, columns} = page.size();
			return search.field && {row: rows - 1, column: drawLine('/', search.field, columns).column};
		},
		press(token) {
			note('');
			// A key that is held down arrives as one text; so may a slash together with the text to find.
			for (const each of token.type === 'text' ? Array.from(token.text, textToken) : [token]) {
				if (search.field) {
					pressInField(each);
				} else if (each.type === 'key' || each.type === 'text') {
					pressKey(each.type === 'key' ? chordOf(each) : each.text);
				}
			}

			invalidate();
		},
	};
}

function titleOf({blocks, reading}: TranscriptPage): string {
	const count = blocks().length;
	const place = count === 0 ? 'no messages yet' : `${reading.place().chosen + 1} of ${count}`;
	return `Transcript · ${place}${reading.isFollowing() ? '' : ' · End: jump to latest'}`;
}
