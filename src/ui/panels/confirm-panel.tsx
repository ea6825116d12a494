import {useEffect, useLayoutEffect} from 'react';
import {type PanelAction, panelKeys} from '../../editor/keymap/default-keys.ts';
import {panelHasFocus, unreadRows} from '../../store/panel-slice.ts';
import type {AppStore} from '../../store/store.ts';
import {useApp, useKeymap, useUi} from '../context.ts';
import {Lines} from '../lines.tsx';
import {
	cancels,
	ignore,
	leavesForDraft,
	type PanelKeys,
	type PanelModule,
	type PanelProps,
	type Pressed,
} from './panel.ts';
import {dimmed} from './panel-rows.ts';
import {
	answerTo,
	answerWith,
	chosenAnswer,
	drawQuestion,
	type Question,
	questionRows,
	scrollKeys,
	stepsTo,
	tellKeys,
	unreadText,
	viewScrolled,
	viewSubject,
} from './question.ts';
import {useAnswerable} from './use-answerable.ts';

/** How far an action moves the mark in a list of answers. */
const marks: {readonly [action in PanelAction]?: number} = {'panel.up': -1, 'panel.down': 1};

export const confirmPanel: PanelModule<Question> = {
	initial: ({subject, about}) => ({manner: 'asks', hasRowsToRead: subject !== undefined || about !== undefined}),
	rows: (panel, {size: {columns}}) => questionRows(panel, columns),

	press(pressed, panel, keys) {
		if (cancels(pressed, keys)) {
			return true;
		}

		const {action, rows} = pressed;
		if (rows !== undefined && (action === undefined || marks[action] === undefined)) {
			scrollQuestion(rows, keys.store);
			return true;
		}

		return keys.isTypedAhead(panel) ? ignore(pressed, keys) : answers(pressed, panel, keys);
	},

	pressBesideDraft({action, rows}, {store}) {
		const isPage = action === 'panel.page-up' || action === 'panel.page-down';
		if (isPage) {
			scrollQuestion(rows ?? 0, store);
		}

		return isPage;
	},

	draw: ConfirmView,
	isOfRun: ({isOfRun = false}) => isOfRun,
	title: ({question}) => question,
	isFramed: true,
};

/** Scrolls what a question is about, but no rows out of sight that were never in it: keys may come faster than frames. */
function scrollQuestion(rows: number, store: AppStore): void {
	const {scroll, scrollBy, guard} = store.getState();
	const most = guard.sight ? Math.max(0, guard.sight.read - guard.sight.lead - scroll) : rows;
	scrollBy(Math.min(rows, most));
}

/** Handles a key while the question can be answered. Returns false for a key that begins a draft. */
function answers(pressed: Pressed, panel: Question, keys: PanelKeys): boolean {
	const {token, chord, action} = pressed;
	const {composer, marked, markBy} = keys.store.getState();
	const moved = action && marks[action];
	const isLetter = token.type === 'text' && [...token.text].length === 1;
	const given = isLetter ? answerTo(panel, token.text) : false;
	if (moved !== undefined) {
		markBy(moved);
	} else if (chord === 'enter') {
		choose(chosenAnswer(panel, marked), {isMarked: true}, panel, keys);
	} else if (isLetter && !token.text.trim()) {
		ignore(pressed, keys, 'it is no answer');
	} else if (given !== false) {
		choose(given, {isMarked: false}, panel, keys);
	} else if (token.type === 'text' && composer.text === '') {
		return false;
	} else if (!leavesForDraft(pressed, keys)) {
		return ignore(pressed, keys, 'it is no answer');
	}

	return true;
}

/**
 * Answers the question. An answer that keeps something, and a yes to what was not all in sight, take a second key: the line of
 * the question says what for. Rules that were not in sight are never kept.
 */
function choose(
	value: string | undefined,
	{isMarked}: {readonly isMarked: boolean},
	panel: Question,
	{store, answer, now}: PanelKeys,
): void {
	const state = store.getState();
	const {guard, marked, markBy, setGuard, editPrompt} = state;
	const keeps = answerWith(panel, value)?.keeps;
	const unread = unreadRows(state);
	const isConfirmed = guard.armed === value || (isMarked && unread === 0);
	if (value === undefined || (unread === 0 && !keeps)) {
		answer(value);
		return;
	}

	if (keeps && keeps.rules.length > 0 && unread > 0) {
		setGuard({note: `Not kept: ${unreadText(unread)} not shown yet`, armed: undefined});
	} else if (isConfirmed) {
		answer(value);
		return;
	} else {
		markBy(stepsTo(panel, marked, value));
		setGuard({armed: value});
	}

	editPrompt({typedAt: now()});
}

/** Asks a question. In a low window it scrolls with what it is about, above its answers. */
function ConfirmView({panel, height, focusKey}: PanelProps<Question>) {
	const {palette} = useUi();
	const columns = useApp(state => state.size.columns);
	const hasFocus = useApp(panelHasFocus);
	const hasDraft = useApp(({composer}) => composer.text !== '');
	const isAnswerable = useAnswerable(panel) && hasFocus;
	const steps = useApp(state => state.marked);
	const guard = useApp(state => state.guard);
	const unread = useApp(unreadRows);
	const showRows = useApp(state => state.showRows);
	const {subject} = panel;
	const keymap = useKeymap(panelKeys);
	const keys = scrollKeys(keymap);
	const told = tellKeys(panel, {
		...guard,
		hasFocus,
		focusKey,
		pageKey: keys[0],
		unread,
		steps,
	});
	const hints = hasDraft && focusKey ? [`${focusKey} back to your text`] : [];
	const style = {columns, palette, isAnswerable, steps, keymap, told, hints, isArmed: guard.armed !== undefined};
	const {title, subjectRows, facts, asked, scrolled} = drawQuestion(panel, {...style, height});
	const scroll = useApp(state => state.scroll);
	const limitScroll = useApp(state => state.limitScroll);
	const space = {columns, palette, rows: scrolled ? height : subjectRows, offset: Math.max(0, scroll), keys};
	const view = scrolled ? viewScrolled(scrolled, subject, space) : subject ? viewSubject(subject, space) : undefined;
	const {lines = [], total = 0, from = 0, to = 0, page = 1, lead = 0, last = 0} = view ?? {};
	useLayoutEffect(() => limitScroll(last), [last, limitScroll]);
	useLayoutEffect(() =>
		showRows({layout: `${scrolled ? 'scrolled' : 'beside'} ${columns}`, total, from, to, page, lead}),
	);
	const isInSight = useApp(({inSightSince}) => inSightSince < Number.POSITIVE_INFINITY);
	const {onShown} = panel;
	useEffect(() => {
		// The frame is written at the end of this turn of the event loop.
		const soon = onShown && isInSight ? setImmediate(onShown) : undefined;
		return () => clearImmediate(soon);
	}, [onShown, isInSight]);
	const drawn = scrolled ? lines : [...title, ...lines, ...facts, ...asked].slice(0, height);
	return <Lines lines={hasFocus ? drawn : dimmed(drawn, palette)} />;
}
