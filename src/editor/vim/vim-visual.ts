import {moveTo, replace} from '../editor-edit.ts';
import type {ComposerState} from '../editor-state.ts';
import {previousBoundary} from '../graphemes.ts';
import {textOf} from '../long-text.ts';
import {selectionOf} from '../selection.ts';
import {type Changed, joinLines, mapCharacters, operate, otherCase} from './vim-changes.ts';
import type {VimCommand} from './vim-command.ts';
import {move} from './vim-motions.ts';
import {objectAt} from './vim-objects.ts';

/** What a command does in visual mode: it changes the text and ends the mode, or only what is selected. */
export type VisualStep = Changed & {readonly isSelecting: boolean};

/** Carries out a command on what is selected, or selects otherwise. Undefined for a command that does nothing here. */
export function applyVisual(composer: ComposerState, command: VimCommand, isLines: boolean): VisualStep | undefined {
	const {caret, chain} = composer;
	const text = textOf(composer);
	if (chain.kind !== 'select') {
		return undefined;
	}

	const select = (to: number, anchor = chain.anchor): VisualStep => ({
		composer: moveTo(composer, to, {...chain, anchor}),
		isSelecting: true,
	});
	switch (command.kind) {
		case 'move': {
			const moved = move(text, caret, command.motion);
			return moved && select(moved.to);
		}
		case 'object': {
			const object = objectAt(text, caret, command.name, command.isAround);
			return object && object.end > object.start ? select(previousBoundary(text, object.end), object.start) : undefined;
		}
		case 'single':
			return command.name === 'o' ? select(chain.anchor, caret) : changeSelected(composer, command, isLines);
		default:
			return undefined;
	}
}

function changeSelected(
	composer: ComposerState,
	{name, character = ''}: Extract<VimCommand, {kind: 'single'}>,
	isLines: boolean,
): VisualStep | undefined {
	const selected = selectionOf(composer) ?? {start: composer.caret, end: composer.caret};
	const {start, end} = selected;
	const text = textOf(composer).slice(start, end);
	const range = {...selected, isLines: isLines || /^[SDCY]$/.test(name)};
	const atStart = (changed: ComposerState): VisualStep => ({composer: moveTo(changed, start), isSelecting: false});
	switch (name) {
		case 'd':
		case 'x':
		case 'X':
		case 'D':
			return {...operate(composer, 'd', range), isSelecting: false};
		case 'c':
		case 's':
		case 'S':
		case 'C':
			return {...operate(composer, 'c', range), isSelecting: false};
		case 'y':
		case 'Y': {
			const {composer: copied, lines} = operate(composer, 'y', range);
			return {composer: moveTo(copied, start), lines, isSelecting: false};
		}
		case 'p':
		case 'P': {
			const [entry = ''] = composer.kills;
			return {...operate(replace(composer, end, end, entry), 'd', range), isSelecting: false};
		}
		case 'r':
			return /^[a-z+-]{2,}$/.test(character) ? undefined : atStart(mapCharacters(composer, selected, () => character));
		case '~':
			return atStart(mapCharacters(composer, selected, otherCase));
		case 'u':
			return atStart(mapCharacters(composer, selected, each => each.toLowerCase()));
		case 'J':
			return {
				composer: joinLines(moveTo(composer, start), text.replace(/\n$/, '').split('\n').length),
				isSelecting: false,
			};
		default:
			return undefined;
	}
}
