import {commands} from '../../commands/index.ts';
import {setComposerText} from '../../src/editor/editor.ts';
import {createAppStore} from '../../src/store/store.ts';
import type {InputToken} from '../../src/terminal/input/token.ts';
import {createTokenizer} from '../../src/terminal/input/tokenizer.ts';
import {createKeyHandler} from '../../src/ui/keys.ts';

export const esc = '\u001b';
/** Bytes of keys, for tests to be read. */
export const keys = {
	escape: `${esc}[27u`,
	up: `${esc}[A`,
	down: `${esc}[B`,
	pageUp: `${esc}[5~`,
	pageDown: `${esc}[6~`,
	enter: '\r',
	tab: '\t',
	backspace: '\u007f',
	ctrlC: '\u0003',
	ctrlD: '\u0004',
	ctrlL: '\u000c',
	ctrlZ: '\u001a',
};

/** Creates the handler with a store, a stopped clock, and a list of what it called. */
export function handler({
	text = '',
	running = false,
	busy = false,
}: {
	text?: string;
	running?: boolean;
	busy?: boolean;
} = {}) {
	const store = createAppStore();
	const asked: string[] = [];
	const timers: {readonly at: number; readonly run: () => void}[] = [];
	let time = 0;
	const {setComposer, composer, setBusy} = store.getState();
	setComposer(setComposerText(composer, text));
	setBusy(busy);
	store.setState(({transcript}) => ({
		transcript: {
			...transcript,
			settled: [
				{kind: 'user', id: 'u1', text: 'first', open: false},
				{kind: 'user', id: 'u2', text: 'second', open: false},
			],
			run: running ? {id: 'r', model: 'm', server: 's', startedAt: ''} : undefined,
		},
	}));
	const handle = createKeyHandler({
		pasteImage: () => undefined,
		mentionsOfDragged: () => undefined,
		store,
		env: {},
		entries: () => commands.filter(({name}) => ['whoami', 'resume', 'rename', 'usage', 'quit'].includes(name)),
		fullScreen: {isOpen: () => false, press: token => token},
		takeReply: () => false,
		submit: sent => asked.push(`submit ${sent}`),
		answer: value => asked.push(`answer ${value}`),
		openPage: async page => asked.push(`open ${page}`) > 0,
		interrupt: () => asked.push('interrupt'),
		redraw: () => asked.push('redraw'),
		nextSession: () => asked.push('next session'),
		moveToBackground: () => asked.push('move to background'),
		suspend: () => asked.push('suspend'),
		searchHistory: () => asked.push('search history'),
		openTranscript: async () => void asked.push('transcript'),
		openLogs: () => asked.push('open logs') > 0,
		quit: () => asked.push('quit'),
		copy: text => (asked.push(`copy ${text}`) > 0 ? 'OSC 52' : undefined),
		interact: {say: toast => store.getState().setToast(toast), show: title => asked.push(`show ${title}`)},
		now: () => time,
		later: (run, milliseconds) => timers.push({at: time + milliseconds, run}),
	});
	const tokens = (input: string): readonly InputToken[] => createTokenizer().push(Buffer.from(input));
	return {
		store,
		asked,
		handle,
		/** Everything in one turn of the loop. */
		press: (...pressed: readonly string[]) => handle(pressed.flatMap(tokens)),
		wait(milliseconds: number) {
			time += milliseconds;
			for (const timer of timers.splice(0)) {
				if (timer.at <= time) {
					timer.run();
				} else {
					timers.push(timer);
				}
			}
		},
		prompt: () => store.getState().composer.text,
		toast: () => store.getState().toast,
	};
}
